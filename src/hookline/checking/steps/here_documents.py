"""The here-documents of a shell script, found in time that grows as the script does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hookline.model.record import Record
from hookline.system.patterns.late import late

_WORD = late(r"-?[ \t]*(?P<quote>[\"']?)(?P<word>\w+)[\"']?(?P<tail>[^\n]*)")
_CAT = late(r"\bcat\b")


class HereDocument(Record):
    """One that ends: by offset `start`, the beginning of its line, `mark`, where `<<` stands, and `end`; `cat` prints
    it (-1: another program). `between` stands behind that and before `<<`, `tail` behind its word."""

    start: int
    mark: int
    end: int
    text: str
    between: str
    tail: str
    word: str
    quoted: bool
    cat: int


def here_documents(text: str) -> Iterator[HereDocument]:
    """In their order, none within another."""
    if "<<" not in text:
        return
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    alone: dict[str, list[int]] = {}  # the last is the nearest
    for number in range(len(lines) - 1, -1, -1):
        alone.setdefault(lines[number].strip(), []).append(number)
    number = -1
    while number + 1 < len(lines):
        number += 1
        head, mark, rest = lines[number].rpartition("<<")
        opened = _WORD.match(rest) if mark and not head.endswith("<") else None
        if opened is None:
            continue
        ends = alone.get(opened["word"], [])
        while ends and ends[-1] <= number:
            ends.pop()
        if not ends:
            continue
        last, start = ends[-1], starts[number]
        cat = _CAT.search(head)
        if cat is not None and "#" in head[: cat.start()]:
            cat = None
        yield HereDocument(
            start, start + len(head), starts[last] + len(lines[last]),
            text[starts[number + 1] : starts[last]], head[cat.end() :] if cat else "", opened["tail"],
            opened["word"], bool(opened["quote"]), start + cat.start() if cat else -1,
        )  # fmt: skip
        number = last


def without(text: str, places: Iterable[tuple[int, int]]) -> str:
    """The text with blanks in these places, from where to where by offset."""
    parts, at = [], 0
    for start, end in places:
        parts += [text[at:start], re.sub(r"[^\n]", " ", text[start:end])]
        at = end
    return "".join((*parts, text[at:]))
