"""What a program may run of its words though no row of it says so."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.shell.programs.arguments import Arguments
from hookline.shell.programs.table import Programs, Row
from hookline.shell.reading import PERHAPS, Argv, Command, Hole, Inner, Word

# Programs whose names are sub-commands and words of many others.
_VERBS = frozenset((
    "install", "kill", "link", "rename", "truncate", "split", "format", "make", "test", "time", "watch", "script",
    "batch", "stack", "host", "file", "find", "at", "act", "exec", "eval", "source", "patch", "import", "convert",
    "identify", "display", "move", "expand", "sort", "cut", "join", "look", "last", "who", "w", "write", "view",
    "less", "more", "head", "tail", "ar", "as", "ld", "go", "command", "env", "node", "python", "python3", "perl",
    "ruby", "php", "docker", "npm", "cargo", "sync", "sum", "service", "run", "task", "just", "nix", "helm", "fish",
    "bash", "sh", "init", "serve", "mount", "umount", "shutdown", "reboot", "halt", "pass", "please", "super",
    "surge", "tc",
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
# Sub-commands of what starts others: `x exec -- y`.
_ENTERS = frozenset(("exec", "enter", "activate", "develop", "shell"))
MOST_WRAPPED = 3  # words of one command that are each taken for a program


_RUN_THEIR_OWN = frozenset(("pnpm", "yarn", "bun"))


def perhaps_wrapped(command: Command, given: Arguments, programs: Programs) -> Iterator[Inner]:
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
        if row is not None and name in _VERBS and not _starts_there(command, at, given, row, programs):
            row = None  # it may well be no program here
        if row is not None and (row.deeds or row.has_subs) and seen < MOST_WRAPPED:
            seen += 1
            sure = before == "--" and (
                at == 2 or not _ENTERS.isdisjoint(w.literal for w in command.words[1:at])
            )
            yield Argv((word if sure else guessed(word, literal), *command.words[at + 1 :]), how)


def perhaps_code(given: Arguments, programs: Programs) -> Iterator[Inner]:
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
        yield Argv((guessed(word, first), *words), how)


def guessed(word: Word, text: str) -> Word:
    """A program that is only perhaps started."""
    return Word((text, Hole("word", PERHAPS)), word.start, word.end)


def _starts_there(command: Command, at: int, given: Arguments, row: Row, programs: Programs) -> bool:
    """Whether a word that is a verb too is a program here: behind `$WRAPPER`, or before a sub-command of its own."""
    behind = command.words[at + 1].literal if at + 1 < len(command.words) else None
    sub = programs.row((*row.path, behind)) if behind is not None else None
    return row.has_subs and ((at == 1 and not given.path) or sub is not None)
