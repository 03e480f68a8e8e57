"""What a command prints: which programs are silent, which print what nobody can tell, and who tells of the others."""

from __future__ import annotations

import re

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.programs.table import words_that_set_up
from hookline.shell.reading import PERHAPS, Command, Hole, Parts, Word
from hookline.system.modules import attribute
from hookline.system.patterns.late import late

if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.shell.values.running import Running

    Way = Callable[[Running, Command], Parts | None]

SETS_UP = "code by which a shell is set up"
OF_FILE = "lines of a file"  # which are run as the file itself is
SILENT = frozenset(
    ["true", "false", ":", "test", "[", "mkdir", "touch", "chmod", "rm", "ln", "cp", "mv", "sleep", "kill", "wait",
     "cd", "export", "unset", "set", "shopt", "local", "declare", "readonly", "typeset", "alias", "trap", "read",
     "shift", "return", "exit", "break", "continue", "let", "unalias", "umask", "getopts", "mapfile", "readarray"]
)  # fmt: skip
_QUIET = frozenset(["true", "false", ":", "echo", "printf"])  # they make no mistakes
_READERS = frozenset(
    ["cat", "tee", "sh", "bash", "dash", "zsh", "ssh", "xargs", "sort", "grep", "head", "tail", "sed", "awk",
     "base64", "python", "python3", "perl", "node", "wc", "tr", "cut", "uniq", "less", "more", "mapfile", "readarray"]
)  # fmt: skip
_OF_WORKSPACE = late(r"(?![/~])[^/]*/|/(?:tmp|var/tmp|dev)/")  # what is called like a tool need not be it
_EMPTIES = late(  # SQL for `psql`
    r"\bsqlflush\b|\bpg_dump(?:all)? (?:.* )?(?:-[a-zA-Z]*c|--clean)\b", 0, ("sqlflush", "pg_dump")
)
_LINES = r"(?:-(?:n ?)?\d+ )?"
_ADDRESSED = r"(?:\d+|\$|/(?:[^/\\\0]|\\[^\0])*/)"
_RANGE = rf"{_ADDRESSED}(?:,{_ADDRESSED})?"
_PICKS = {
    "head": _LINES + r"[\w.][^ \0]*",
    "tail": r"(?:-(?:n ?)?\+?\d+ )?[\w.][^ \0]*",
    "grep": r"(?:-[EvhiF]+ )*[^-\0][^\0]* [\w.][^ \0]*",
    "sed": rf"(?:-nE? (?:-e )?{_RANGE}p|(?:-E )?{_RANGE}d) [\w.][^ \0]*",
}
_WRITE_NOTHING = frozenset(
    ("", "cd", "set", "export", "shopt", "true", ":", "head", "tail", "grep", "source", ".")
)
# By which module of this folder what they print is told
_TELLERS = dict.fromkeys(
    ("locate", "plocate", "mlocate", "find", "ls", "fd", "git", "grep", "egrep", "rg", "head", "tail", "sort", "uniq"),
    "listings",
) | dict.fromkeys(
    ("echo", "printf", "cat", "tee", "pwd"),
    "outputs",
) | dict.fromkeys(
    ("base64", "openssl", "xxd", "rev", "tr"),
    "decoding",
) | dict.fromkeys(
    ("which", "command", "mktemp", "basename", "dirname", "seq", "yes", "realpath", "readlink"),
    "naming",
) | dict.fromkeys(
    ("kustomize", "kubectl", "envsubst"),
    "rendering",
)  # fmt: skip


def reads_input(command: Command) -> bool:
    """Whether a program is one that takes what stands on its input."""
    name = command.words[0].literal if command.words else None
    return name is None or name.rpartition("/")[2] in _READERS


def printed(reader: Running, command: Command) -> Parts:
    """Text, and holes for what cannot be told."""
    words = command.words
    name = words[0].literal if words else ""
    if name is None:  # one that is only perhaps started prints what the program before it does
        return () if words[0].holes[-1].why == PERHAPS else unknown("a program that is not named")
    name = name.rpartition("/")[2]
    if name in SILENT or not words:
        return _of_itself(reader, name, command) if words else ()
    path = words[0].prefix
    if not ("/" in path and _OF_WORKSPACE.match(path)) and _sets_up(name, words):
        return (Hole("words", SETS_UP),)
    teller = _TELLERS.get(name)
    ways = attribute(f"hookline.shell.interpreter.{teller}", "WAYS") if teller else {}
    text: Parts | None = ways[name](reader, command) if ways else None
    if text is None and _EMPTIES.search(" ".join(word.prefix for word in words[:6])):
        return ("TRUNCATE TABLE all_of_them;\n",)
    if (
        text is None and name == "lsof" and all(word.literal for word in words)
    ):  # `… | xargs kill` asks what it looked up
        why = f"what `{name}` prints is not told by the line"
        return (Hole("words", why, f"`{' '.join(word.prefix for word in words)}`"),)
    if text is None and name in _PICKS and _picks(reader, name, words):
        return (Hole("words", OF_FILE),)
    return unknown(f"`{name}`") if text is None else text


def _picks(reader: Running, name: str, words: tuple[Word, ...]) -> bool:
    """Whether it prints lines of one file of the project as they are, and nothing before it may have written that."""
    text = " ".join(word.literal or "\0" for word in words[1:])
    if not re.fullmatch(_PICKS[name], text) or words[-1].prefix.startswith(
        ("/dev/", "/proc/", "/tmp/", "/var/")
    ):
        return False
    before = [each.words[0].literal for each in reader.commands if each.words and each.words != words]
    if not _WRITE_NOTHING.issuperset(before):
        return False
    from hookline.shell.values.redirecting import file_name

    file = file_name(reader, words[-1]) or ""
    return file not in reader.files and file not in reader.racing


def may_complain(reader: Running, command: Command) -> bool:
    """Whether it may tell of a mistake where nothing else that it prints goes."""
    if reader.errors is None:
        return False
    name = (command.words[0].literal or "").rpartition("/")[2] if command.words else ":"
    return name in SILENT - _QUIET if reader.errors is reader.out else name not in _QUIET


def _sets_up(name: str, words: tuple[Word, ...]) -> bool:
    asked = words_that_set_up().get(name)
    text = " ".join(filter(None, ("\0" if word.literal is None else word.literal for word in words[1:])))
    if asked is None and "completion" not in text:
        return False  # as most are, whose expression is the longest
    return bool(re.match(words_that_set_up()["*"] if asked is None else asked, text))


def unknown(who: str) -> Parts:
    return (Hole("words", f"what {who} prints is not told by the line"),)


def _of_itself(reader: Running, name: str, command: Command) -> Parts:
    found: Parts = attribute("hookline.shell.interpreter.of_itself", "told")(reader, name, command)
    return found
