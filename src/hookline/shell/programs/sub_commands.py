"""Is a word behind an option that no row has its value: where the sub-command that follows says so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from hookline.shell.programs.table import Row
from hookline.shell.reading import Word


def is_value(word: Word, rest: Sequence[Word], row: Row, place: int) -> bool:
    """`vercel -t X promote`: `X` is no sub-command of its program, and a later word is one.

    `rest` are the words behind, the last first; `place` counts the operands so far.
    """
    asked = _asked(row, place)
    if not asked or _is_one(word, row, asked, place):
        return False
    return any(_is_one(other, row, asked, place) for other in rest if other.prefix[:1] != "-")


def _asked(row: Row, place: int) -> frozenset[str]:
    """The sub-commands that may stand there: those with a row, and those that the conditions of the row name."""
    words = [word for deed in row.deeds for _, words in deed.conditions for word in words]
    begins = f"{place + 1}="
    named = (word.removeprefix(begins) for word in words if word.startswith(begins))
    return frozenset((*(row.subs if not place else ()), *(name for name in named if re.match(r"\w", name))))


def _is_one(word: Word, row: Row, asked: frozenset[str], place: int) -> bool:
    text = word.literal
    if text is None:
        return False
    return text in asked or any("*" in name and fnmatchcase(text, name) for name in asked)
