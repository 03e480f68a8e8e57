"""What a command runs besides itself, by the table: other commands, code, scripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from hookline.shell.code.pieces import entry_point, split_words
from hookline.shell.programs.arguments import Arguments, arguments_of, given_to, program_name
from hookline.shell.programs.conditions import NO, YES, holds, without
from hookline.shell.programs.feeds import commands_of_find, commands_of_xargs
from hookline.shell.programs.git_settings import alias as git_alias
from hookline.shell.programs.git_settings import inner_of_config, inner_of_remote, inner_of_settings
from hookline.shell.programs.injected import (
    SYSTEM_FOLDERS,
    by_name,
    injected,
    shell_of_variable,
    starts_there,
)
from hookline.shell.programs.one_word import is_one_word, is_variables
from hookline.shell.programs.runs_code import (
    SHELLS,
    code_of,
    folders,
    input_of,
    properties_of,
    script_of,
    tasks_of,
)
from hookline.shell.programs.table import Deed, Programs
from hookline.shell.programs.table import programs as shipped
from hookline.shell.reading import CONTAINED, PERHAPS, Argv, Code, Command, Hole, Inner, Script, Word

Alias = Callable[[str], str]  # empty for a name that is none
Follow = Callable[[Command, Arguments, Deed, str], Iterator[Inner]]

# Programs whose names are sub-commands and words of many others.
_VERBS = frozenset((
    "install", "kill", "link", "rename", "truncate", "split", "format", "make", "test", "time", "watch", "script",
    "batch", "stack", "host", "file", "find", "at", "act", "exec", "eval", "source", "patch", "import", "convert",
    "identify", "display", "move", "expand", "sort", "cut", "join", "look", "last", "who", "w", "write", "view",
    "less", "more", "head", "tail", "ar", "as", "ld", "go", "command", "env", "node", "python", "python3", "perl",
    "ruby", "php", "docker", "npm", "cargo", "sync", "sum", "service", "run", "task", "just", "nix", "helm", "fish",
    "bash", "sh", "init",
))  # fmt: skip
# What only a shell itself does: no other program starts it.
_OF_SHELLS = frozenset((
    "set", "unset", "export", "declare", "typeset", "readonly", "local", "alias", "unalias", "history", "source", ".",
    "shopt", "trap", "ulimit", "umask", "cd", "hash",
))  # fmt: skip
# Options that many programs have for what people read.
_TEXTS = frozenset((
    "-m", "-t", "-d", "-b", "--message", "--title", "--body", "--description", "--text", "--comment", "--subject",
    "--summary", "--note", "--notes", "--reason", "--name", "--label", "--prompt", "-p", "--help",
))  # fmt: skip
_FILES = {"tasks", "script", "stdin"}  # deeds by which a program runs what it is given
MOST_WRAPPED = 3  # words of one command that are each taken for a program
_OF_TARGET = r"^CARGO_TARGET_\w+_(?=(?:RUNNER|LINKER)$)"
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
    if command.assignments:
        by_variable = {step.how.partition(" ")[0] for step in command.via}
        for name, value in command.assignments if by_variable.isdisjoint(dict(command.assignments)) else ():
            yield from _of_variable(name, value, command, given, programs)
    path, last = given.path, given.row
    for word in given.operands if path == ("export",) else ():  # for all that the shell starts from here on
        name, equals, text = word.prefix.partition("=")
        row = programs.row((f"{name}=",)) if equals and text else None
        if row is not None and "injects" in row.does:
            yield from _of_variable(name, without(word, len(name) + 1), command, given, programs)
    if not path:
        if given.hidden is not None:
            yield from shell_of_variable(command, given.hidden)
            yield from _perhaps_wrapped(command, given, programs)
        return
    if last is None or not last.deeds:
        yield from _script_itself(command, given, programs)
    if last is None or ("opaque" in last.does and last.does - _FILES == {"opaque"}):
        yield from _perhaps_wrapped(command, given, programs)
    if given.options:
        yield from _perhaps_code(given, programs)
    how = " ".join(path)
    for row in (programs.row(path[:1]), last) if len(path) > 1 else (last,):
        if row is None or row.does.isdisjoint(_FOLLOWED):
            continue
        own = given if row is last else given.of_program()
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
    row = programs.row((f"{re.sub(_OF_TARGET, 'CARGO_TARGET_', name)}=",))
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
        row = programs.row((name,)) if literal not in _OF_SHELLS else None
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
    return Word((text, Hole("word", PERHAPS)), word.start, word.end)


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
    assigns = "assign" in deed.targets
    del words[: bool(words) and words[0].literal == "--" and not (assigns and given.dashes is not None)]
    del words[: assigns and bool(words) and words[0].literal == "-"]  # `env -` is `env -i`
    while assigns and words:
        if is_variables(words[0]):
            del words[0]
        elif _is_assignment(words[0]):
            if splits := [hole for hole in words[0].holes if _may_split(hole)]:
                words[1:1] = [Word((Hole("words", hole.why, hole.text),)) for hole in splits]
            name, _, _ = words[0].prefix.partition("=")
            value = without(words.pop(0), len(name) + 1)
            if name.removesuffix("%%").removesuffix("()").isidentifier():
                assignments.append((name, value))
        else:
            break
    if not words:
        return
    folder = next(iter(folders(given)), None)
    alone = (each for each in given.row.deeds if each.name == "contained") if given.row is not None else ()
    if any(holds(each, given) == YES for each in alone):
        how = f"{how} {CONTAINED}"
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


def _may_split(hole: Hole) -> bool:
    """Whether it may be more words than one, the second of which is then the program."""
    parted = any(" " in part for each in hole.choices for part in each.parts if isinstance(part, str))
    return hole.kind == "words" and (parted or not (hole.outside or is_one_word(hole)))


def _is_assignment(word: Word) -> bool:
    """Whether a `=` stands in it; before that there may be what the shell takes for no name."""
    return "=" in word.prefix or (
        word.single and any("=" in part for part in word.parts if isinstance(part, str))
    )


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


_FOLLOW: dict[str, Follow] = {
    "command": _command,
    "command-as": _command_as,
    "code": code_of,
    "script": script_of,
    "injects": injected,
    "tasks": tasks_of,
    "stdin": input_of,
    "by-name": by_name,
    "find": lambda command, given, deed, how: commands_of_find(command, how),
    "pythonmodule": _module,
    "gitconfig": inner_of_settings,
    "gitconfig-set": inner_of_config,
    "gitremote": inner_of_remote,
    "properties": properties_of,
}
_FOLLOWED = frozenset(_FOLLOW)
