"""What a command runs besides itself, by the table: other commands, code, scripts."""

from __future__ import annotations

from hookline.shell.arguments import given_to, program_name
from hookline.shell.conditions import NO, holds, targets, without
from hookline.shell.feeds import commands_of_find, commands_of_xargs, joined, lines_of_parallel
from hookline.shell.reading import Argv, Code, Script, Word
from hookline.shell.table import programs as shipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hookline.shell.arguments import Arguments
    from hookline.shell.reading import Command, Inner
    from hookline.shell.table import Deed, Programs

    Alias = Callable[[str], str]  # empty for a name that is none
    Follow = Callable[[Command, Arguments, Deed, str], Iterator[Inner]]

SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "yash", "fish", "powershell"))
SYSTEM_FOLDERS = (
    "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin",
    "/opt/local/bin", "/snap/bin",
)  # fmt: skip
_SPOKEN = {"fish": "sh", "powershell": "sh", "yash": "sh"}  # what they share with a shell is read as that
# Variables whose value is a command for the program that is started with them.
COMMAND_VARIABLES = frozenset((
    "GIT_SSH_COMMAND", "GIT_SSH", "GIT_PAGER", "PAGER", "MANPAGER", "GIT_EDITOR", "EDITOR", "VISUAL",
    "GIT_SEQUENCE_EDITOR", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_PROXY_COMMAND", "RSYNC_RSH",
    "PROMPT_COMMAND", "LESSOPEN", "BROWSER", "SUDO_ASKPASS",
))  # fmt: skip
# Settings of git whose value is a command, and ends of such names.
_GIT_COMMANDS = frozenset((
    "core.pager", "core.editor", "core.sshcommand", "core.askpass", "core.fsmonitor", "core.gitproxy",
    "core.alternaterefscommand", "sequence.editor", "diff.external", "gpg.program", "uploadpack.packobjectshook",
))  # fmt: skip
_GIT_COMMAND_ENDS = (
    ".textconv",
    ".command",
    ".driver",
    ".clean",
    ".smudge",
    ".process",
    ".cmd",
    ".helper",
    ".program",
)


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
            found += tuple(_alias(Word((value,)), given, f"alias.{given.path[1]}".lower()))
    return found


def _inner(command: Command, given: Arguments, programs: Programs) -> Iterator[Inner]:
    for name, value in command.assignments:
        if name in COMMAND_VARIABLES:
            yield Code(value, name)
    if not given.path:
        return
    if given.row is None or not given.row.deeds:
        yield from _script_itself(command, given, programs)
    how = " ".join(given.path)
    first = programs.row(given.path[:1]) if len(given.path) > 1 else None
    for row in (first, given.row):
        for deed in row.deeds if row is not None else ():
            follow = _FOLLOW.get(deed.name)
            if follow is not None and holds(deed, given) != NO:
                yield from follow(command, given, deed, how)


def _script_itself(command: Command, given: Arguments, programs: Programs) -> Iterator[Inner]:
    """A program given by its path may be a script of the workspace."""
    word = command.words[0]
    path = word.literal
    if path is None or "/" not in path or path.rpartition("/")[0] in SYSTEM_FOLDERS:
        return
    yield Script(word, f"script {path}", command.words[1:], "")


def _command(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    words = list(_words_of(given, deed))
    assignments = []
    while "assign" in deed.targets and words and _is_assignment(words[0]):
        name, _, _ = words[0].prefix.partition("=")
        assignments.append((name, without(words.pop(0), len(name) + 1)))
        if name in COMMAND_VARIABLES:
            yield Code(assignments[-1][1], name)
    if not words:
        return
    folder = next(iter(_folders(given)), None)
    if "adds" in deed.targets:
        yield from commands_of_xargs(command, given, words, how)
    else:
        yield Argv(tuple(words), how, folder, stdin=command.stdin, assignments=tuple(assignments))


def _words_of(given: Arguments, deed: Deed) -> tuple[Word, ...]:
    for target in deed.targets:
        if target == "dashes":
            return () if given.dashes is None else given.operands[given.dashes :]
        if target[0] == "-":
            values = given.values(target)
            return (*values[:1], *given.operands) if values else ()
        if target[0].isdigit():
            return given.operands[int(target[:-1]) - 1 :]
    return ()


def _folders(given: Arguments) -> Iterator[Word]:
    for deed in given.row.deeds if given.row is not None else ():
        if deed.name == "cwd":
            yield from targets(deed, given)


def _is_assignment(word: Word) -> bool:
    name, equals, _ = word.prefix.partition("=")
    return bool(equals) and name.isidentifier()


def _code(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    language, names = deed.targets[0], deed.targets[1:]
    options = [name for name in names if name[0] == "-"]
    numbers = [name for name in names if name[0].isdigit() or name == "*"]
    folder = next(iter(_folders(given)), None)
    for name in options:
        for value in given.values(name):
            text = joined((value, *given.operands)) if "join" in names else value
            yield from _texts(command, text, language, f"{how} {name}", folder, ())
    for name in numbers:
        words = tuple(given.operands) if name == "*" else _numbered(given, name)
        if not words:
            continue
        if "each" in names:
            for word in words:
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
            yield from _texts(command, joined(words), language, shown, folder, further)


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
    if language in SHELLS:
        language = _SPOKEN.get(language, language)
        yield Code(text, how, further, language, cwd=cwd, stdin=None if "-c" in how else command.stdin)
    elif language == "git-alias":
        yield Code(text, how)
    else:
        from hookline.shell.code import commands_of_code

        yield from commands_of_code(text, language, how)


_STDIN_FILES = ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")


def _script(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    language = deed.targets[0]
    for name in deed.targets[1:]:
        words = given.values(name) if name[0] == "-" else _numbered(given, name) if name[0].isdigit() else ()
        for word in words[:1]:
            if language == "python" and word.literal == "-":
                continue
            if word.literal in _STDIN_FILES and command.stdin is not None:
                yield from _texts(command, command.stdin, language, f"{how} reads it", None, ())
                continue
            shown = word.literal or "?"
            yield Script(word, f"script {shown}", given.operands[1:], language)


def _stdin(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    if command.stdin is None:
        return
    language = deed.targets[0] if deed.targets[0] != "remote" else "sh"
    if deed.targets[0] == "remote" and len(given.operands) != 1:
        return
    text = _cron_lines(command.stdin) if language == "cron" else command.stdin
    yield from _texts(command, text, "sh" if language == "cron" else language, f"{how} reads it", None, ())


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


def _git_config(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """`git -c alias.x=… x`, `git -c core.pager=…`."""
    for word in given.values("-c"):
        name, _, _ = word.prefix.partition("=")
        value = without(word, len(name) + 1)
        name = name.lower()
        if name.startswith("alias."):
            yield from _alias(value, given, name)
        elif is_git_command(name):
            yield Code(without(value, 1) if value.prefix.startswith("!") else value, f"git -c {name}")


def is_git_command(name: str) -> bool:
    """Whether the value of a setting of git's (in small letters) is a command."""
    return name in _GIT_COMMANDS or name.startswith("pager.") or name.endswith(_GIT_COMMAND_ENDS)


def _alias(value: Word, given: Arguments, name: str) -> Iterator[Inner]:
    called = given.path[1] if len(given.path) > 1 else ""
    if called.lower() != name.removeprefix("alias."):
        return
    if value.prefix.startswith("!"):
        yield Code(joined((without(value, 1), *given.operands)), f"git {name}")
    elif value.literal is not None:
        options = tuple(
            Word((each,)) for option in given.options for each in option.names[:1] if not option.value
        )
        words = tuple(Word((each,)) for each in ("git", *value.literal.split()))
        yield Argv((*words, *options, *given.operands), f"git {name}")


def _command_as(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """`git send-pack` is a `git push` too."""
    names = tuple(Word((name,)) for name in deed.targets if not name[0].isdigit())
    options = tuple(Word((option.names[0],)) for option in given.options if option.value is None)
    yield Argv((*names, *options, *given.operands), how)


def _find(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    yield from commands_of_find(command, how)


_FOLLOW: dict[str, Follow] = {
    "command": _command,
    "command-as": _command_as,
    "code": _code,
    "script": _script,
    "stdin": _stdin,
    "find": _find,
    "pythonmodule": _module,
    "gitconfig": _git_config,
}
