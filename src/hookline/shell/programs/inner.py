"""What a command runs besides itself, by the table: other commands, code, scripts."""

from __future__ import annotations

import re

from hookline.model.record import replace
from hookline.shell.code.pieces import entry_point, joined, split_words, typed
from hookline.shell.programs.arguments import arguments_of, given_to, program_name
from hookline.shell.programs.conditions import NO, holds, targets, without
from hookline.shell.programs.feeds import commands_of_find, commands_of_xargs, lines_of_parallel
from hookline.shell.programs.git_settings import alias as git_alias
from hookline.shell.programs.git_settings import inner_of_config, inner_of_remote, inner_of_settings
from hookline.shell.programs.injected import (
    SYSTEM_FOLDERS,
    by_name,
    injected,
    shell_of_variable,
    starts_there,
)
from hookline.shell.programs.one_word import is_variables
from hookline.shell.programs.table import programs as shipped
from hookline.shell.reading import Argv, Code, Hole, Script, Word
from hookline.shell.values.redirecting import descriptor_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hookline.shell.programs.arguments import Arguments
    from hookline.shell.programs.table import Deed, Programs
    from hookline.shell.reading import Command, Inner

    Alias = Callable[[str], str]  # empty for a name that is none
    Follow = Callable[[Command, Arguments, Deed, str], Iterator[Inner]]

SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "yash", "fish", "powershell"))
_SPOKEN = {"fish": "sh", "powershell": "sh", "yash": "sh"}  # what they share with a shell is read as that
# Programs whose names are sub-commands and words of many others.
_VERBS = frozenset((
    "install", "kill", "link", "rename", "truncate", "split", "format", "make", "test", "time", "watch", "script",
    "batch", "stack", "host", "file", "find", "at", "act", "exec", "eval", "source", "patch", "import", "convert",
    "identify", "display", "move", "expand", "sort", "cut", "join", "look", "last", "who", "w", "write", "view",
    "less", "more", "head", "tail", "ar", "as", "ld", "go", "command", "env", "node", "python", "python3", "perl",
    "ruby", "php", "docker", "npm", "cargo", "sync", "sum", "service", "run", "task", "just", "nix", "helm", "fish",
    "bash", "sh",
))  # fmt: skip
# Options that many programs have for what people read.
_TEXTS = frozenset((
    "-m", "-t", "-d", "-b", "--message", "--title", "--body", "--description", "--text", "--comment", "--subject",
    "--summary", "--note", "--notes", "--reason", "--name", "--label", "--prompt", "-p", "--help",
))  # fmt: skip
_TASKS = (
    "npm:",
    "yarn:",
    "pnpm:",
    "bun:",
    "node:",
    "deno:",
)  # tasks of a package, by name or by a pattern of names
_FILES = {"tasks", "script", "stdin"}  # deeds by which a program runs what it is given
MOST_WRAPPED = 3  # words of one command that are each taken for a program
_PROMPTS = ("PS0", "PS1", "PS2", "PS4")


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
            found += tuple(git_alias(command, Word((value,)), given, f"alias.{given.path[1]}".lower()))
    return found


def _inner(command: Command, given: Arguments, programs: Programs) -> Iterator[Inner]:
    by_variable = {step.how.partition(" ")[0] for step in command.via} if command.assignments else set()
    for name, value in command.assignments if by_variable.isdisjoint(dict(command.assignments)) else ():
        yield from _of_variable(name, value, command, given, programs)
    if not given.path:
        if given.hidden is not None:
            yield from shell_of_variable(command, given.hidden)
            yield from _perhaps_wrapped(command, given, programs)
        return
    if given.row is None or not given.row.deeds:
        yield from _script_itself(command, given, programs)
    if given.row is None or {deed.name for deed in given.row.deeds} - _FILES == {"opaque"}:
        yield from _perhaps_wrapped(command, given, programs)
    yield from _perhaps_code(given, programs)
    how = " ".join(given.path)
    first = programs.row(given.path[:1]) if len(given.path) > 1 else None
    for row in (first, given.row):
        if row is None:
            continue
        own = given if row is given.row else given.of_program()
        for deed in row.deeds:
            follow = _FOLLOW.get(deed.name)
            if follow is not None and holds(deed, own) != NO:
                yield from follow(command, own, deed, how)


def _of_variable(
    name: str, value: Word, command: Command, given: Arguments, programs: Programs
) -> Iterator[Inner]:
    """What a program runs because a variable is set for it: as the row `[NAME=]` says of its value."""
    text = "".join(part for part in value.parts if isinstance(part, str))
    calls = "$(" in text or "`" in text
    row = programs.row((f"{name}=",))
    if name.startswith("BASH_FUNC_") and text.startswith("() "):
        yield Code(without(value, 3), name)
    elif name in _PROMPTS and calls:
        yield Code(Word((f': "{text}"',)), name)
    if row is None or (name == "ENV" and given.path[:1] and given.path[0] not in SHELLS):
        return
    if calls and name.endswith("ENV"):
        yield Code(Word((f': "{text}"',)), name)
        return
    own = arguments_of((Word((f"{name}=",)), *(split_words(value) if row.options else (value,))), programs)
    for deed in row.deeds:
        if (follow := _FOLLOW.get(deed.name)) is not None and holds(deed, own) != NO:
            yield from follow(command, own, deed, name)


_RUN_THEIR_OWN = frozenset(("pnpm", "yarn", "bun"))


def _perhaps_wrapped(command: Command, given: Arguments, programs: Programs) -> Iterator[Inner]:
    """A program that the table does not know may run the command that stands behind it."""
    if given.row is None and len(given.path) > 1:
        if given.path[0] in _RUN_THEIR_OWN:  # `pnpm nodemon x` is `pnpm exec nodemon x`
            at = [word.literal for word in command.words].index(given.path[1])
            yield Argv(command.words[at:], given.path[0])
        return  # a sub-command of a known program
    how = " ".join(given.path) or "".join(hole.text for hole in command.words[0].holes)
    seen = 0
    for at, word in enumerate(command.words[1:], 1):
        literal = word.literal or ""
        before = command.words[at - 1].literal or ""
        if " " in literal:
            if before not in _TEXTS:
                yield from _guessed_line(literal, word, how, programs)
            continue
        name = literal.rpartition("/")[2]
        row = programs.row((name,))
        if row is not None and name in _VERBS and not starts_there(command, at, given, row, programs):
            row = None  # it may well be no program here
        if row is not None and (row.deeds or row.has_subs) and seen < MOST_WRAPPED:
            seen += 1
            yield Argv((_guessed(word, literal), *command.words[at + 1 :]), how)


def _perhaps_code(given: Arguments, programs: Programs) -> Iterator[Inner]:
    """An option that the table does not know (`--exec='rm x'`) may take a command."""
    known = given.row.options if given.row is not None else {}
    for option in given.options:
        value = option.value.literal if option.value is not None else None
        name = option.names[0]
        if value and option.value is not None and " " in value and name not in known and name not in _TEXTS:
            yield from _guessed_line(value, option.value, f"{' '.join(given.path)} {name}", programs)


def _guessed_line(text: str, word: Word, how: str, programs: Programs) -> Iterator[Inner]:
    first, *rest = text.split() or [""]  # of blanks alone nothing is run
    name = first.rpartition("/")[2]
    if name not in _VERBS and programs.row((name,)) is not None:
        words = (Word((each,), word.start, word.end) for each in rest)
        yield Argv((_guessed(word, first), *words), how)


def _guessed(word: Word, text: str) -> Word:
    """A program that is only perhaps started."""
    return Word((text, Hole("word", "it may be run as a command")), word.start, word.end)


def _script_itself(command: Command, given: Arguments, programs: Programs) -> Iterator[Inner]:
    """A program given by its path may be a script of the workspace."""
    word = command.words[0]
    path = word.literal
    if path is None or "/" not in path or path.rpartition("/")[0] in SYSTEM_FOLDERS:
        return
    yield Script(word, f"script {path}", command.words[1:], "")


def _command(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    words = list(_named_words(given) if "named" in deed.targets else _words_of(given, deed))
    assignments = []
    del words[: bool(words) and words[0].literal == "--"]
    while "assign" in deed.targets and words:
        if words[0].literal == "-" or is_variables(words[0]):  # `env -` is `env -i`
            del words[0]
        elif _is_assignment(words[0]):
            name, _, _ = words[0].prefix.partition("=")
            assignments.append((name, without(words.pop(0), len(name) + 1)))
        else:
            break
    if not words:
        return
    folder = next(iter(_folders(given)), None)
    if "adds" in deed.targets:
        yield from commands_of_xargs(command, given, words, how)
    else:
        yield Argv(tuple(words), how, folder, stdin=command.stdin, assignments=tuple(assignments))


def _named_words(given: Arguments) -> tuple[Word, ...]:
    """The program that an image or a package is called after, which perhaps it runs: `alpine/git:2`, `nixpkgs#git`."""
    programs = shipped()
    first, *rest = given.operands or (Word(()),)
    name = re.split("[@:]", re.split("[/#]", first.literal or "")[-1])[0]
    own = rest and programs.row((name,)) is not None and programs.row((program_name(rest[0]),)) is None
    return (_guessed(first, name), *rest) if own else ()


def _words_of(given: Arguments, deed: Deed) -> tuple[Word, ...]:
    start = next((int(target[:-1]) - 1 for target in deed.targets if target[0].isdigit()), given.dashes or 0)
    for target in deed.targets:
        if target == "dashes":
            return () if given.dashes is None else given.operands[given.dashes :]
        if target[0] == "-":
            values = given.values(target)
            return (*entry_point(values[0]), *given.operands[start:]) if values else ()
        if target[0].isdigit():
            return given.operands[int(target[:-1]) - 1 :]
    return ()


def _folders(given: Arguments) -> Iterator[Word]:
    for deed in given.row.deeds if given.row is not None else ():
        if deed.name == "cwd":
            yield from targets(deed, given)


def _is_assignment(word: Word) -> bool:
    name, equals, _ = word.prefix.partition("=")
    return bool(equals) and name.removesuffix("%%").removesuffix("()").isidentifier()


def _code(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    language, names = deed.targets[0], deed.targets[1:]
    options = [name for name in names if name[0] in "-+"]
    numbers = [name for name in names if name[0].isdigit() or name == "*"]
    folder = next(iter(_folders(given)), None)
    for name in options:
        for value in given.values(name):
            text = joined((value, *given.operands)) if "join" in names else value
            yield from _texts(command, text, language, f"{how} {name}", folder, ())
    for name in (name for name in names if name[-1] == "="):
        for value in targets(replace(deed, targets=(name,)), given):
            if value.literal:  # where a variable of the line's stands, it names a plain compiler
                yield from _texts(command, value, language, f"{how} {name}", folder, ())
    for name in numbers:
        words = tuple(given.operands) if name == "*" else _numbered(given, name)
        if not words and not ("adds" in names and command.stdin is not None):
            continue
        if "each" in names:
            for word in (each for each in words if not each.prefix.startswith(_TASKS)):
                yield from _texts(command, word, language, how, folder, ())
            continue
        further = given.operands[int(name.rstrip("-")) :] if "args" in names else ()
        shown = f"{how} -c" if "args" in names else how
        if "adds" in names:
            yield from lines_of_parallel(command, words, how)
        elif language in ("socat", "sql"):
            for word in words:
                yield from _texts(command, word, language, how, folder, ())
        else:
            text = typed(words) if "typed" in names else joined(words)
            yield from _texts(command, text, language, shown, folder, further)


def _numbered(given: Arguments, name: str) -> tuple[Word, ...]:
    if name[-1] == "-":
        return given.operands[int(name[:-1]) - 1 :]
    return given.operands[int(name) - 1 : int(name)]


def _texts(
    command: Command, text: Word, language: str, how: str, cwd: Word | None, further: tuple[Word, ...]
) -> Iterator[Inner]:
    """Code of a shell as it is; of other languages, the commands that can be seen in it."""
    if language == "sh" and command.words:
        name = program_name(command.words[0])
        language = name if name in SHELLS and name != "fish" else "sh"
    if language in SHELLS and not (language == "powershell" and text.literal is not None):
        language = _SPOKEN.get(language, language)
        yield Code(text, how, further, language, cwd=cwd, stdin=None if "-c" in how else command.stdin)
    elif language == "git-alias":
        yield Code(text, how)
    elif len(text.holes) == len(text.parts) == 1 and text.holes[0].text.startswith("< "):
        yield Script(Word((text.holes[0].text[2:],)), how, language=language)
    else:
        from hookline.shell.code.languages import commands_of_code

        yield from commands_of_code(text, language, how)


def _script(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    language = deed.targets[0]
    for name in deed.targets[1:]:
        words = given.values(name) if name[0] == "-" else _numbered(given, name) if name[0].isdigit() else ()
        for word in words[:1]:
            if language == "python" and word.literal == "-":
                continue
            if language == "make":
                yield from _made_in_line(command, word, f"{how} -f")
                continue
            if descriptor_of(word) == "0" and command.stdin is not None:
                yield from _texts(command, command.stdin, language, f"{how} reads it", None, ())
                continue
            shown = word.literal or "?"
            yield Script(word, f"script {shown}", given.operands[1:], language)


def _properties(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """A program and its arguments, each the value of a setting (`-Dexec.executable=git -Dexec.args='push -f'`)."""
    option, *names = deed.targets
    texts = (value.literal or "" for value in given.values(option))
    settings = {name: value for name, _, value in (text.partition("=") for text in texts)}
    if names[0] in settings:
        text = " ".join(settings.get(name, "") for name in names)
        yield Code(Word((text,)), f"{how} {option}{names[0]}")


def _tasks(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """A file whose tasks are run by their names; it is looked at where the line itself writes it."""
    for word in targets(replace(deed, targets=deed.targets[1:]), given):
        if descriptor_of(word) == "0" or word.literal == "-":
            if command.stdin is not None:
                yield from _texts(command, command.stdin, deed.targets[0], f"{how} reads it", None, ())
            continue
        yield Script(word, f"{how} ({word.literal})", language=deed.targets[0])


def _made_in_line(command: Command, word: Word, how: str) -> Iterator[Inner]:
    """A makefile that the line itself writes; who runs one of the workspace's wants what stands in it."""
    only = word.parts[0] if len(word.parts) == 1 else None
    if isinstance(only, Hole) and only.content is not None:
        yield from _texts(command, only.content, "make", how, None, ())


def _stdin(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    if command.stdin is None:
        return
    language = deed.targets[0] if deed.targets[0] != "remote" else "sh"
    if deed.targets[0] == "remote" and len(given.operands) != 1:
        return
    text = _cron_lines(command.stdin) if language == "cron" else command.stdin
    further = (command.words[0], *given.operands) if given.has("-s") else ()
    yield from _texts(
        command, text, "sh" if language == "cron" else language, f"{how} reads it", None, further
    )


def _cron_lines(word: Word) -> Word:
    """The commands of a crontab, without their times."""
    text = word.literal
    if text is None:
        return word
    rows = [line.split(None, 1 if line.startswith("@") else 5) for line in text.splitlines()]
    return Word(("\n".join(row[-1] for row in rows if len(row) in (2, 6)),), word.start, word.end)


def _module(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """`python -m pip install x` is `pip install x`."""
    for value in given.values("-m")[:1]:
        yield Argv((value, *given.operands), f"{how} -m", stdin=command.stdin)


def _command_as(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """`git send-pack` is a `git push` too."""
    names = tuple(Word((name,)) for name in deed.targets if not name[0].isdigit())
    options = tuple(Word((option.names[0],)) for option in given.options if option.value is None)
    start = next((int(name.rstrip("-")) - 1 for name in deed.targets if name[0].isdigit()), 0)
    yield Argv((*names, *options, *given.operands[start:]), how)


def _find(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    yield from commands_of_find(command, how)


_FOLLOW: dict[str, Follow] = {
    "command": _command,
    "command-as": _command_as,
    "code": _code,
    "script": _script,
    "injects": injected,
    "tasks": _tasks,
    "stdin": _stdin,
    "by-name": by_name,
    "find": _find,
    "pythonmodule": _module,
    "gitconfig": inner_of_settings,
    "gitconfig-set": inner_of_config,
    "gitremote": inner_of_remote,
    "properties": _properties,
}
