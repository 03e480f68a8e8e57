"""What a command runs besides itself, by the table: other commands, code, scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.programs.arguments import Arguments, given_to
from hookline.shell.programs.table import RUNS, SYSTEM_FOLDERS, Deed, Programs
from hookline.shell.programs.table import programs as shipped
from hookline.shell.reading import Command, Inner, Script, Word

if TYPE_CHECKING:
    from hookline.shell.programs.ways import Follow

Alias = Callable[[str], str]  # empty for a name that is none
_VALUES = ("code", "script", "injects")
_MANNERS = frozenset(("join", "args", "adds", "each", "typed"))  # of what stands in the other words
_FILES = {"tasks", "modules", "script", "stdin"}  # deeds by which a program runs what it is given


def inner_of(command: Command, more: str = "", alias: Alias | None = None) -> tuple[Inner, ...]:
    """What the command runs; `more` are a user's own rows, `alias` knows git's aliases here, by name."""
    if not command.words:
        return ()
    programs = shipped(more)
    given = given_to(command, programs)
    found = tuple(_inner(command, given, programs))
    if alias is not None and len(given.path) == 2 and given.path[0] == "git" and given.row is None:
        value = alias(given.path[1])
        if value:
            from hookline.shell.programs.git_settings import alias as git_alias

            found += tuple(git_alias(command, Word((value,)), given, f"alias.{given.path[1]}".lower()))
    return found


def _inner(command: Command, given: Arguments, programs: Programs) -> Iterator[Inner]:
    """Each way in turn; what most commands do not need is loaded where one first does."""
    path, last = given.path, given.row
    if command.assignments or path == ("export",):
        yield from _by_variables(command, given, programs)
    if not path:
        if given.hidden is not None:
            from hookline.shell.programs.guessing import perhaps_wrapped
            from hookline.shell.programs.injected import shell_of_variable

            yield from shell_of_variable(command, given.hidden)
            yield from perhaps_wrapped(command, given, programs)
        return
    if last is None or not last.deeds:
        yield from _script_itself(command)
    if last is None or ("opaque" in last.does and last.does - _FILES == {"opaque"}):
        from hookline.shell.programs.guessing import perhaps_wrapped

        yield from perhaps_wrapped(command, given, programs)
    if given.options and any(
        option.value is not None and " " in option.value.prefix for option in given.options
    ):
        from hookline.shell.programs.guessing import perhaps_code

        yield from perhaps_code(given, programs)
    how = " ".join(path)
    for row in (programs.row(path[:1]), last) if len(path) > 1 else (last,):
        if row is None or row.does.isdisjoint(RUNS):
            continue
        own = given if row is last else given.of_program()
        for deed in row.deeds:
            if deed.name in RUNS and _is_meant(deed, own, command) and _holds()(deed, own):
                yield from _way_of()(deed.name)(command, own, deed, how)


@cache
def _holds() -> Callable[[Deed, Arguments], int]:
    from hookline.shell.programs.conditions import holds

    return holds


@cache
def _way_of() -> Callable[[str], Follow]:
    from hookline.shell.programs.ways import way_of

    return way_of


def _is_meant(deed: Deed, given: Arguments, command: Command) -> bool:
    """False where code or a script is the value of an option that the command has not, or is read and nothing is."""
    if deed.name == "stdin":
        return command.stdin is not None
    if deed.name == "pythonmodule":
        return given.has("-m")
    if deed.name not in _VALUES or given.loose:
        return True
    return any(name[0] not in "-+" or given.has(name) for name in deed.targets[1:] if name not in _MANNERS)


def _by_variables(command: Command, given: Arguments, programs: Programs) -> Iterator[Inner]:
    from hookline.shell.programs.conditions import without
    from hookline.shell.programs.followed import of_variable

    by_variable = {step.how.partition(" ")[0] for step in command.via}
    for name, value in command.assignments if by_variable.isdisjoint(dict(command.assignments)) else ():
        yield from of_variable(name, value, command, given, programs)
    for word in (
        given.operands if given.path == ("export",) else ()
    ):  # for all that the shell starts from here on
        name, equals, text = word.prefix.partition("=")
        row = programs.row((f"{name}=",)) if equals and text else None
        if row is not None and "injects" in row.does:
            yield from of_variable(name, without(word, len(name) + 1), command, given, programs)


def _script_itself(command: Command) -> Iterator[Inner]:
    """A program given by its path may be a script of the workspace."""
    word = command.words[0]
    path = word.literal
    if path is not None and "/" in path and path.rpartition("/")[0] not in SYSTEM_FOLDERS:
        yield Script(word, f"script {path}", command.words[1:], "")
