"""TOML with positions: `tomllib` gives the values, a scanner of our own the places."""

from __future__ import annotations

import re

from hookline.dialects.reading.nodes import Kind, Lines, Node, UnreadableConfig, strip_mark
from hookline.model.errors import Problem
from hookline.model.typing import Any

_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_KEY = re.compile(r"""[ \t]*+([A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+""")
# Nothing possessive that could step back inside: Python before 3.11.5 loses its way there.
_SCALAR = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}(?!")'
    r"|'''.*?'{3,5}(?!')"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*+'"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.+Z-]++"
    r"|[^\s,\]}#]++",
    re.DOTALL,
)
_PLACE = re.compile(r" \(at (?:line ([0-9]+), column ([0-9]+)|end of document)\)$")


class _Place:
    """Where a value stands, and where its parts stand."""

    __slots__ = ("items", "key_offset", "members", "offset")

    def __init__(self, offset: int, key_offset: int = 0) -> None:
        self.offset = offset
        self.key_offset = key_offset
        self.members: dict[str, _Place] = {}
        self.items: list[_Place] = []

    def below(self, name: str, key_offset: int, offset: int) -> _Place:
        """The table `name` in this one, made if new; of an array of tables its newest entry."""
        place = self.members.get(name)
        if place is None:
            place = self.members[name] = _Place(offset, key_offset)
        return place.items[-1] if place.items else place


def parse_toml(text: str, source: str) -> Node:
    """The document as nodes; UnreadableConfig at the first syntax fault."""
    import tomllib

    text = strip_mark(text)
    lines = Lines(text)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnreadableConfig(_problem(str(error), source, lines)) from error
    except (RecursionError, ValueError) as error:
        words = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise UnreadableConfig(Problem(source, 1, 1, "", "bad-toml", words)) from error
    return _build(values, _Places(text).scan(), lines, None, None)


def _problem(words: str, source: str, lines: Lines) -> Problem:
    found = _PLACE.search(words)
    line, column = lines.place(len(lines.text))
    if found and found[1]:
        line, column = int(found[1]), int(found[2])
    message = words[: found.start()] if found else words
    return Problem(source, line, column, "", "bad-toml", message[:1].lower() + message[1:])


class _Places:
    """Reads places out of a text that `tomllib` has accepted."""

    def __init__(self, text: str) -> None:
        self.text = text

    def scan(self) -> _Place:
        root = table = _Place(0)
        at = self._blank(0)
        while at < len(self.text):
            if self.text[at] == "[":
                table, at = self._header(at, root)
            else:
                at = self._pair(at, table)
            at = self._blank(at)
        return root

    def _header(self, at: int, root: _Place) -> tuple[_Place, int]:
        is_array = self.text.startswith("[[", at)
        names, end = self._names(at + 1 + is_array)
        table = root
        for name, key_offset in names[:-1]:
            table = table.below(name, key_offset, at)
        name, key_offset = names[-1]
        if is_array:
            array = table.members.setdefault(name, _Place(at, key_offset))
            array.items.append(_Place(at))
            return array.items[-1], end + 2
        return table.below(name, key_offset, at), end + 1

    def _pair(self, at: int, table: _Place) -> int:
        names, end = self._names(at)
        for name, key_offset in names[:-1]:
            table = table.below(name, key_offset, at)
        name, key_offset = names[-1]
        place, end = self._value(self._blank(end + 1))
        place.key_offset = key_offset
        table.members[name] = place
        return end

    def _names(self, at: int) -> tuple[list[tuple[str, int]], int]:
        names = []
        while found := _KEY.match(self.text, at):
            names.append((_name(found[1]), found.start(1)))
            at = found.end()
            if not self.text.startswith(".", at):
                break
            at += 1
        return names, at

    def _value(self, at: int) -> tuple[_Place, int]:
        place = _Place(at)
        if self.text[at] in "[{":
            return place, self._container(at, place)
        found = _SCALAR.match(self.text, at)
        return place, found.end() if found else at + 1

    def _container(self, at: int, place: _Place) -> int:
        is_array = self.text[at] == "["
        at = self._blank(at + 1)
        while self.text[at] not in "]}":
            if self.text[at] == ",":
                at = self._blank(at + 1)
            elif is_array:
                item, at = self._value(at)
                place.items.append(item)
            else:
                at = self._pair(at, place)
            at = self._blank(at)
        return at + 1

    def _blank(self, at: int) -> int:
        return _BLANK.match(self.text, at).end()  # type: ignore[union-attr]  # matches nothing too


def _name(token: str) -> str:
    if token[0] == "'":
        return token[1:-1]
    if token[0] == '"':
        if "\\" not in token:
            return token[1:-1]
        import tomllib

        return str(tomllib.loads(f"k = {token}")["k"])
    return token


def _build(value: Any, place: _Place, lines: Lines, parent: Node | None, key: str | int | None) -> Node:
    if isinstance(value, dict):
        node = Node({}, "object", place.offset, lines, parent, key)
        node.key_offsets = {}
        for name, child in value.items():
            below = place.members.get(name, place)
            node.value[name] = _build(child, below, lines, node, name)
            node.key_offsets[name] = below.key_offset
        return node
    if isinstance(value, list):
        node = Node([], "array", place.offset, lines, parent, key)
        for index, child in enumerate(value):
            below = place.items[index] if index < len(place.items) else place
            node.value.append(_build(child, below, lines, node, index))
        return node
    return Node(value, _kind(value), place.offset, lines, parent, key)


def _kind(value: object) -> Kind:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    return "string" if isinstance(value, str) else "datetime"
