"""How a JSON text is laid out: where each element starts and ends, and in what style it is written."""

from __future__ import annotations

import json
import re

from hookline.model.record import Record

# A group that steps back inside is atomic, not possessive: Python before 3.11.5 loses its way there.
_BLANK = re.compile(r"(?>(?:[ \t\r\n]++|//[^\n]*+|(?>/\*(?s:.*?)\*/))*)")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"|//[^\n]*+|/\*(?s:.*?)(?:\*/|\Z)|[{\[\]}]')
_SCALAR = re.compile(r"[^\s,\]}/]++")
_LINE = re.compile(r"\r?\n")
_INDENTED = re.compile(r'[{\[,][ \t]*\r?\n([ \t]+)["{\[\w/-]')
_COLON = re.compile(r'"[ \t]*:([ \t]?)')


class Element(Record):
    """One item or member: its text is `[start, end)`, its value begins at `value_start`."""

    start: int
    value_start: int
    end: int
    key: str | None = None
    comma: int | None = None


class Container(Record):
    """A list or an object from its opening bracket at `start` to its closing one at `close`."""

    start: int
    close: int
    elements: tuple[Element, ...]

    def index_of(self, step: str | int) -> int | None:
        """Which element a path step means; of keys given twice the last, as parsers do."""
        if isinstance(step, int):
            count = len(self.elements)
            return step % count if -count <= step < count else None
        found = [index for index, element in enumerate(self.elements) if element.key == step]
        return found[-1] if found else None


class Layout(Record):
    """The style of a document: `unit` indents one level, `colon` follows a colon."""

    line_break: str
    unit: str
    colon: str
    multi_line: bool


def layout_of(text: str) -> Layout:
    """Read off the text; an empty document is written in lines, indented by two blanks."""
    line = _LINE.search(text)
    indented = _INDENTED.search(text)
    colon = _COLON.search(text)
    first = skip_blank(text, 0)
    has_lines = _LINE.search(text, first, value_end(text, first)) is not None
    empty = not container_at(text, first).elements
    return Layout(
        line[0] if line else "\n",
        indented[1] if indented else "  ",
        colon[1] if colon else " ",
        has_lines or empty,
    )


def container_at(text: str, at: int) -> Container:
    """The container that opens at `at`, of a text known to be sound."""
    elements = []
    place = skip_blank(text, at + 1)
    while text[place] not in "]}":
        start = value_start = place
        key = None
        if text[at] == "{":
            end = value_end(text, place)
            key = str(json.loads(text[place:end]))
            value_start = skip_blank(text, skip_blank(text, end) + 1)
        end = value_end(text, value_start)
        comma = skip_blank(text, end)
        is_comma = text[comma] == ","
        elements.append(Element(start, value_start, end, key, comma if is_comma else None))
        place = skip_blank(text, comma + 1) if is_comma else comma
    return Container(at, place, tuple(elements))


def value_end(text: str, at: int) -> int:
    """Where the value that starts at `at` ends."""
    if text[at] in "{[":
        return _close(text, at) + 1
    found = (_STRING if text[at] == '"' else _SCALAR).match(text, at)
    return found.end() if found else at


def _close(text: str, at: int) -> int:
    """Where the container that opens at `at` closes."""
    depth, closed = 0, at
    for found in _BRACKET.finditer(text, at):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(found[0], 0)
        if not depth:
            closed = found.start()
            break
    return closed


def skip_blank(text: str, at: int) -> int:
    """The first place from `at` on that is neither blank nor comment."""
    return _BLANK.match(text, at).end()  # type: ignore[union-attr]  # matches nothing too
