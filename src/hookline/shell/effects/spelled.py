"""The words of a rule as people write them, with stars where a blank may stand, and as they are meant."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.shell.programs.table import Programs
from hookline.system.patterns.late import late

_STARS = ("*", ".")  # how a word begins that has stars before it
_BEFORE_OPTION = late(r"^(?:\.\*)+(?=-)|^\*+(?=--)|^\*+(?=-\w{1,3}\*$)")  # `*-delete` ends a longer word
_LETTERS = late(r"-\*(\w+)\*?")


def spelled(text: str, programs: Programs) -> list[str]:
    """The words of a rule, its program first behind variables: `*git push*`, `git*push` and `git.*push` are `git` and
    a word with `push` in it, `*--force*` is that option of any program.
    """
    words = _split(text)
    at = next((at for at, word in enumerate(words) if not is_assignment(word)), len(words))
    if "*" in text:
        words[at:] = _of_options(_of_programs(words[at:], programs))
    elif words[at:] and words[at].isupper() and programs.row((words[at],)) is None:
        low = [word.lower() for word in words[at:]]
        words[at:] = low if programs.row((low[0],)) is not None else words[at:]
    return words


def is_mentioned(word: str) -> bool:
    """Whether a word is to stand anywhere, within others too: `*prod*`."""
    return len(word) > 2 and word[0] == word[-1] == "*"


def _of_programs(words: list[str], programs: Programs) -> list[str]:
    first = words[0] if words else ""
    if first[:1] in _STARS and _BEFORE_OPTION.match(first):
        return ["*", *words]
    pieces = _pieces(first)
    begins = first[:1] in "*." and len(words) > 1
    known = bool(pieces) and programs.row((pieces[0],)) is not None
    if "*" in first and known and (begins or (len(pieces) > 1 and not programs.has_like(first))):
        words = [pieces[0], *map(_within, pieces[1:]), *words[1:]]
    row = programs.row((words[0],)) if len(words) > 1 else None
    if row is None or not row.has_subs or "*" not in words[1] or words[1] == "*":
        return words
    pieces = _pieces(words[1])
    if words[1][0] == "*":
        return [words[0], *map(_within, pieces), *words[2:]]
    known = bool(pieces) and (pieces[0] in row.subs or programs.row((words[0], pieces[0])) is not None)
    if known and (len(pieces) > 1 or words[1].endswith(".*")):
        return [words[0], pieces[0], *map(_within, pieces[1:]), *words[2:]]
    return words


def _pieces(word: str) -> list[str]:
    """What stands between the stars of a word that is no path."""
    return [] if "/" in word else [piece for piece in word.replace(".*", "*").split("*") if piece]


def _within(piece: str) -> str:
    return piece if piece[0] == "-" else f"*{piece}*"


def _of_options(words: list[str]) -> Iterator[str]:
    for word in words:
        letters = _LETTERS.fullmatch(word) if word.startswith("-*") else None
        whole = _BEFORE_OPTION.sub("", word) if word[:1] in _STARS else word
        yield f"-{letters[1]}" if letters else whole


_ASSIGNMENT = late(r"[A-Za-z_]\w*=", needs=("=",))


def is_assignment(word: str) -> bool:
    """Whether a word before a program gives a variable a value."""
    return _ASSIGNMENT.match(word) is not None


def ends_name(text: str) -> bool:
    """Whether a pattern ends in a name and `:*`, as permission rules do (`git push:*`); of `http*:*` it is a part."""
    return text.endswith(":*") and re.search(r"(?:^|\s)[\w.-]+:\*$", text) is not None


def _split(text: str) -> list[str]:
    if "'" not in text and '"' not in text:
        return text.split()
    from shlex import split

    try:
        return split(text)
    except ValueError:
        return text.split()
