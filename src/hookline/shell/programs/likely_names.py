"""The program that a name with holes most likely comes to: `$KUBECTL`, `r$x`, `[r]m`, `${RM:-rm}`."""

from __future__ import annotations

import re

from hookline.shell.programs.table import Programs, Row
from hookline.shell.programs.table import programs as shipped
from hookline.shell.reading import Hole, Word
from hookline.system.patterns.late import late

_DEFAULT = r"\$\{\w+:?[-=]([\w./-]+)\}"  # `${x:-rm}`
_LOOKED_UP = r"(?:\$\(|`)\s*(?:which|command -v|type -P)\s+([\w.+-]+)"
_CALLED = late(r"\$\{?([A-Za-z][A-Za-z0-9_]*?)(?:_(?i:cmd|bin|exe|command))?\}?")


def is_called(word: Word) -> re.Match[str] | None:
    """Whether all of a word is a variable from outside, which is called after a program perhaps."""
    hole = word.parts[0] if len(word.parts) == 1 else ""
    return _CALLED.fullmatch(hole.text) if not isinstance(hole, str) and hole.outside else None


# Names of variables that say nothing of the program, though there is one of that name.
_GENERIC = frozenset((
    "exec", "command", "script", "tool", "task", "test", "time", "start", "file", "install", "shell", "code",
))  # fmt: skip


def is_another(word: Word | None, wanted: tuple[str, ...]) -> bool:
    """Whether a variable from outside is called after a known program (`$NVIM -l x.lua`), and that is not this one."""
    name = _called(word) if word is not None else ""
    if not name or not wanted or wanted[0] == name or "*" in wanted[0]:
        return False
    return shipped().row((name,)) is not None


def tells(word: Word, name: str) -> bool:
    """Whether a variable's name has that of a program in it: `$PHP_BIN` has `php`, and `$SPHINXBUILD` not `phinx`."""
    return name.lower() in told_by(word) and name not in _GENERIC


def told_by(word: Word) -> list[str]:
    """The words of which the name of a variable is made."""
    return re.split(r"[^a-z0-9]+", "".join(hole.text for hole in word.holes).lower())


def _called(word: Word) -> str:
    found = is_called(word)
    name = found[1].lower().replace("_", "-") if found is not None and not word.holes[0].choices else ""
    return name if len(name) > 3 and name not in _GENERIC else ""


def runs_code(word: Word, row: Row | None) -> bool:
    """Whether a variable is called after a program to which code is given (`$PYTHON -c …`)."""
    return bool(_called(word)) and row is not None and "code" in row.does


def likely_name(word: Word, programs: Programs) -> str:
    """The known program that a name with holes comes to, where these are nothing, or letters in brackets."""
    if len(word.parts) == 1 and (default := re.fullmatch(_DEFAULT, word.holes[0].text)):
        return default[1].rpartition("/")[2]
    called = is_called(word)
    if called is not None:
        name = called[1].lower().replace("_", "-")
        row = programs.row((name,)) if name != "cmd" and not word.holes[0].choices else None
        if name == "docker-compose" or (row is not None and (row.has_subs or runs_code(word, row))):
            return name  # `$KUBECTL get pods`
    if all(hole.kind == "glob" for hole in word.holes):
        return ""
    if looked_up := re.match(_LOOKED_UP, word.holes[0].text):
        return known_or_none(
            looked_up[1], programs
        )  # or another of the same kind: `$(which python || which python3)`
    name = "".join(part if isinstance(part, str) else _single_letters(part) for part in word.parts)
    name = name.rpartition("/")[2]
    return name if any(isinstance(part, str) for part in word.parts) and programs.row((name,)) else ""


def known_or_none(name: str, programs: Programs) -> str:
    """A program's name, of which there is a row; `python3.12` is `python3`."""
    plain = name.rstrip("0123456789.-")
    return next((each for each in (name, plain) if each and programs.row((each,)) is not None), "")


def only_name(word: Word) -> str:
    """The one name that fits a pattern: `[r]m` is `rm` or no program at all."""
    if any(hole.kind != "glob" for hole in word.holes):
        return ""
    texts = [part if isinstance(part, str) else _single_letters(part) for part in word.parts]
    name = "".join(texts).rpartition("/")[2]
    return "" if set(name) & set("*?[") else name


def _single_letters(hole: Hole) -> str:
    """`[t]` can only be `t`; of a hole that is no pattern nothing is taken."""
    if hole.kind != "glob":
        default = re.fullmatch(_DEFAULT, hole.text)
        return default[1] if default else ""
    pieces = hole.text.split("[")
    return pieces[0] + "".join(p[0] + p[2:] if p[1:2] == "]" else f"[{p}" for p in pieces[1:])
