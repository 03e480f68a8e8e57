"""JSON that does not parse and whose faults are plain: each is told, and how to mend it."""

from __future__ import annotations

import re

from hookline.dialects.reading.json_text import parse_json
from hookline.dialects.reading.nodes import UnreadableConfig
from hookline.model.errors import Problem
from hookline.model.record import Record
from hookline.system.patterns.late import late

_MOST_FAULTS, _LONGEST = 100, 1 << 18  # each fault is a reading of the whole
_OF_WINDOWS = late(r"\b[A-Za-z]:\\[^\s\"']*")  # in such a path the escapes that JSON has are none either
_COMMENT = late(r"//[^\n]*|/\*[\s\S]*?\*/")
_LONE = late(r"\\\\?")


class Piece(Record):
    """A part of a text and what it becomes."""

    start: int
    end: int
    text: str


def sound_json(text: str, source: str) -> tuple[str, tuple[Problem, ...]]:
    """The text as it parses, and the faults on the way; no text where one of them is past mending."""
    found: dict[tuple[int, str], Problem] = {}
    for _ in range(_MOST_FAULTS if len(text) <= _LONGEST else 0):
        try:
            parse_json(text, source)
        except UnreadableConfig as error:
            found.setdefault((error.problem.line, error.problem.message), error.problem)
            at = offset_of(text, error.problem)
            piece = _without_comment(text, at) or piece_for(text, at, error.problem)
            if piece is None:
                break
            text = text[: piece.start] + piece.text + text[piece.end :]
        else:
            return text, tuple(found.values())
    return "", tuple(found.values())


def _without_comment(text: str, at: int | None) -> Piece | None:
    """A comment as blanks; on the disk it stays for a person to take away."""
    found = _COMMENT.match(text, at) if at is not None else None
    return Piece(found.start(), found.end(), re.sub(r"[^\n]", " ", found[0])) if found else None


def piece_for(text: str, at: int | None, problem: Problem) -> Piece | None:
    """What mends a fault without a change of what is meant."""
    if at is None:
        return None
    if "escape" in problem.message:
        back = text.rfind("\\", 0, at + 1)
        whole = next((each for each in _OF_WINDOWS.finditer(text) if each.start() < back < each.end()), None)
        if whole is None:
            return Piece(back, back, "\\") if back >= 0 else None
        return Piece(whole.start(), whole.end(), _LONE.sub(r"\\\\", whole[0]))
    if problem.hint.startswith("put a comma"):
        return Piece(at, at, ",")
    comma = len(text[:at].rstrip()) - 1
    if text[at : at + 1] in ("}", "]") and comma >= 0 and text[comma] == ",":
        return Piece(comma, comma + 1, "")
    return None


def offset_of(text: str, problem: Problem) -> int | None:
    """Where a problem is in its text; None where it names no place in it."""
    lines = text.split("\n")
    if not problem.line or not problem.column or problem.line > len(lines):
        return None
    return sum(len(line) + 1 for line in lines[: problem.line - 1]) + problem.column - 1
