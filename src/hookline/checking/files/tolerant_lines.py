"""TOML and YAML that are broken, as they were probably meant: each line that stops the reading is mended, or left out.

For hints about the rest of a file, never for running it. Every value keeps its line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from hookline.dialects.reading.documents import parse_text
from hookline.dialects.reading.nodes import UnreadableConfig
from hookline.system.patterns.late import late

_MOST_FAULTS, _MOST_LEFT_OUT, _LONGEST = 30, 5, 1 << 16
_HEADER = late(r"\s*(\[{0,2})\s*([\w.\"'-]+)\s*(\]{0,2})\s*(?:[,:]\s*)?(?:#.*)?")
_PAIR = late(r"(?P<key>\s*(?:- +)?[\w.-]+)\s*(?P<by>=>|:=|[=:]|(?<=\s))\s*(?P<value>.*?)[\s,;]*")
_ITEM = late(r"(\s*- +)(.*)")
_AT = {"toml": " = ", "yaml": ": "}
_WORDS = {"True": "true", "False": "false", "yes": "true", "no": "false", "on": "true", "off": "false"}
_Place = tuple[int, int]
_Change = tuple[bool, int, int, int, int, str]
_STRAIGHT = str.maketrans("“”‘’\u00a0", "\"\"'' ")


def meant_lines(language: str, text: str, source: str) -> tuple[str, frozenset[int]]:
    """The text as it was probably meant, and the lines that are another now; no text where that would be a guess."""
    rows, left_out = text.split("\n"), 0
    changed: set[int] = set()
    for _ in range(_MOST_FAULTS if len(text) <= _LONGEST else 0):
        at = _fault(language, rows, source)
        if at is None:
            guessed = changed if not left_out else range(len(rows))
            return "\n".join(rows), frozenset(line + 1 for line in guessed)
        found = min(_tried(language, rows, at, source), default=None)
        if found is None:
            break
        *_, line, row = found
        left_out += not row
        if left_out > _MOST_LEFT_OUT:
            break
        rows[line] = row
        changed.add(line)
    return "", frozenset()


def _tried(language: str, rows: Sequence[str], at: _Place, source: str) -> Iterator[_Change]:
    """The changes of one line with which the reading gets further, the best one the least."""
    before = next((line for line in range(at[0] - 1, -1, -1) if rows[line].strip()), at[0])
    for line in dict.fromkeys((at[0], before)):
        for rank, row in enumerate((*dict.fromkeys(_meant(language, rows, line)), "")):
            if row == rows[line]:
                continue
            reached = _fault(language, [*rows[:line], row, *rows[line + 1 :]], source) or (len(rows), 0)
            if reached > (at if line < at[0] else (at[0], len(rows[line]))):
                yield not row, -reached[0], -reached[1], rank, line, row


def _fault(language: str, rows: Sequence[str], source: str) -> _Place | None:
    """The line, counted from 0, and the column that stop the reading."""
    try:
        parse_text(language, "\n".join(rows), source)
    except UnreadableConfig as error:
        return min(max(error.problem.line, 1), len(rows)) - 1, error.problem.column
    return None


def _meant(language: str, rows: Sequence[str], at: int) -> Iterator[str]:
    """What a line may have been meant to be, the likelier first."""
    row = rows[at].translate(_STRAIGHT).rstrip()
    yield row
    if row.lstrip().startswith("//"):
        yield row.replace("//", "#", 1)
    yield row.rstrip(",;")
    header = _HEADER.fullmatch(row) if language == "toml" else None
    if header and (header[1] or header[3]):
        depth = max(len(header[1]), len(header[3]))
        yield f"{'[' * depth}{header[2]}{']' * depth}"
        return
    if language == "yaml":
        yield row.replace("\t", "  ")
        above = (each for each in reversed(rows[:at]) if each.strip())
        for _, each in zip(range(6), above, strict=False):
            indent = each[: len(each) - len(each.lstrip())]
            yield indent + row.lstrip()
            if each.lstrip().startswith("- "):
                yield f"{indent}  {row.lstrip()}"
        if item := _ITEM.fullmatch(row):
            yield item[1] + _quoted(item[2])
        if row and not row.endswith(":"):
            yield f"{row}:"
    pair = _PAIR.fullmatch(row)
    if pair:
        key, value = pair["key"] + _AT[language], pair["value"]
        yield key + value
        yield key + _WORDS.get(value, value)
        if value.startswith("["):
            items = (each.strip(" \t\"'") for each in value.strip("[]").split(","))
            yield f"{key}[{', '.join(json.dumps(each) for each in items if each)}]"
        elif value.startswith("{"):
            yield from (key + value + end for end in ("}", '"}'))
        else:
            yield key + _quoted(value)


def _quoted(value: str) -> str:
    """A text in quotes, whatever quotes it has; of one that stands alone at an end the other is lost."""
    first, last = value[:1], value[-1:]
    if first in ('"', "'") and (last == first or value.count(first) == 1):
        value = value[1:].removesuffix(first)
    elif last in ('"', "'") and value.count(last) == 1:
        value = value[:-1]
    return json.dumps(value.replace('\\"', '"'), ensure_ascii=False)
