"""Changes to JSON texts that leave every other byte alone: comments, order, spacing, line ends.

What an insertion adds, the matching removal takes away to the byte, also after other edits to the file.
Comments and trailing commas are understood in every text. Paths are tuples of keys and indices.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from functools import lru_cache

from hookline.dialects.editing.json_layout import (
    Container,
    Element,
    Layout,
    container_at,
    layout_of,
    skip_blank,
    value_end,
)
from hookline.dialects.reading.json_text import parse_json
from hookline.dialects.reading.nodes import Node, path_part, to_plain
from hookline.model.errors import ConfigError
from hookline.model.record import Record
from hookline.model.typing import Any

Path = tuple[str | int, ...]

MARK = "\ufeff"
WHITE = " \t\r\n"

_LINE_COMMENT = r"//[^\n]*?(?=\r?\n|\Z)"
_SAME_LINE = re.compile(rf"(?>(?:[ \t]*(?>/\*(?s:.*?)\*/))*)(?:[ \t]*{_LINE_COMMENT})?")
_COMMENT = re.compile(rf"{_LINE_COMMENT}|/\*(?s:.*?)(?:\*/|\Z)")


class Edit(Record):
    """A changed text; `created` lists the parents that had to be made, outermost first.

    Keep `created` with what was inserted: handed to `remove_item` or `remove_key`, these parents go again
    once they are empty. `()` stands for the document itself.
    """

    text: str
    before: str
    created: tuple[Path, ...] = ()

    @property
    def changed(self) -> bool:
        return self.text != self.before


def set_value(text: str, path: Path, value: Any) -> Edit:
    """Give the member at `path` a value, making it and its parents when missing.

    ConfigError when a parent is something else than an object, or the text is not JSON.
    """
    mark, body, created = _opened(text)
    depth, at = _walk(body, path)
    if depth == len(path):
        if to_plain(parse_json(body[at : value_end(body, at)], "", comments=True)) == value:
            return Edit(text, text)
        shown = _rendered(value, layout_of(body), _line_indent(body, at), multi_line=True)
        return Edit(mark + body[:at] + shown + body[value_end(body, at) :], text, created)
    made = tuple(path[: count + 1] for count in range(depth, len(path) - 1))
    body = _add(body, at, path, depth, value)
    return Edit(mark + body, text, (*created, *made))


def insert_item(text: str, path: Path, value: Any, index: int | None = None) -> Edit:
    """Put `value` into the list at `path` before `index`, or at its end; makes the list when missing."""
    mark, body, created = _opened(text)
    depth, at = _walk(body, path)
    if depth < len(path):
        made = tuple(path[: count + 1] for count in range(depth, len(path)))
        return Edit(mark + _add(body, at, path, depth, [value]), text, (*created, *made))
    if body[at] != "[":
        raise _unexpected(path, "a list")
    return Edit(mark + _insert(body, container_at(body, at), None, value, index), text, created)


def remove_item(text: str, path: Path, index: int, created: Collection[Path] = ()) -> str:
    """The text without one item of the list at `path`, and without those of `created` that are now empty."""
    mark, body = _split(text)
    depth, at = _walk(body, path)
    if depth < len(path) or body[at] != "[":
        return text
    container = container_at(body, at)
    if not -len(container.elements) <= index < len(container.elements):
        return text
    return mark + _prune(_cut(body, container, index % len(container.elements)), path, created)


def remove_items(
    text: str, path: Path, unwanted: Callable[[Any], bool], created: Collection[Path] = ()
) -> str:
    """The text without the items of the list at `path` for which `unwanted(item)` holds."""
    _, body = _split(text)
    depth, at = _walk(body, path)
    if depth < len(path) or body[at] != "[":
        return text
    items = to_plain(parse_json(body[at : value_end(body, at)], "", comments=True))
    for index in reversed([index for index, item in enumerate(items) if unwanted(item)]):
        text = remove_item(text, path, index, created)
    return text


def remove_key(text: str, path: Path, created: Collection[Path] = ()) -> str:
    """The text without the member at `path`, and without those of `created` that are now empty."""
    mark, body = _split(text)
    depth, at = _walk(body, path[:-1])
    if depth < len(path) - 1 or body[at] != "{":
        return text
    container = container_at(body, at)
    index = container.index_of(path[-1])
    if index is None:
        return text
    return mark + _prune(_cut(body, container, index), path[:-1], created)


@lru_cache(maxsize=1)
def document(text: str) -> Node:
    """What stands in a text. Whoever puts in one entry asks for it four times. Raises ConfigError."""
    return parse_json(text, "", comments=True)


def _split(text: str) -> tuple[str, str]:
    """Byte order mark and the rest, which must be a sound document with an object at its top."""
    mark = MARK if text.startswith(MARK) else ""
    body = text.removeprefix(MARK)
    if document(body).kind != "object":
        raise ConfigError("the file holds something else than an object", "correct it by hand first")
    return mark, body


def _opened(text: str) -> tuple[str, str, tuple[Path, ...]]:
    """As `_split`, with an object made in a blank text."""
    if text.strip(WHITE + MARK):
        return *_split(text), ()
    mark = MARK if text.startswith(MARK) else ""
    return mark, text.removeprefix(MARK) + "{}\n", ((),)


def _walk(body: str, path: Path) -> tuple[int, int]:
    """How many steps of `path` exist, and where the value reached starts."""
    at = skip_blank(body, 0)
    for depth, step in enumerate(path):
        wanted = "{" if isinstance(step, str) else "["
        if body[at] != wanted:
            raise _unexpected(path[:depth], "an object" if wanted == "{" else "a list")
        container = container_at(body, at)
        index = container.index_of(step)
        if index is None:
            if isinstance(step, int):
                raise ConfigError(f"{_spoken(path[:depth])} has no item {step}")
            return depth, at
        at = container.elements[index].value_start
    return len(path), at


def _add(body: str, at: int, path: Path, depth: int, value: Any) -> str:
    """A new member in the object at `at`, holding the missing rest of `path`."""
    for step in reversed(path[depth + 1 :]):
        if isinstance(step, int):
            raise ConfigError(f"{_spoken(path)} cannot be made: a list is filled with `insert_item`")
        value = {step: value}
    return _insert(body, container_at(body, at), str(path[depth]), value, None)


def _insert(body: str, container: Container, key: str | None, value: Any, index: int | None) -> str:
    layout = layout_of(body)
    if not container.elements:
        return _fill(body, container, key, value, layout)
    place = len(container.elements) if index is None else index
    count = len(container.elements)
    place = max(0, place + count) if place < 0 else min(place, count)
    near = container.elements[min(place, count - 1)]
    own_line = _own_line(body, near.start)
    shown = _element(key, value, layout, own_line or "", multi_line=own_line is not None)
    between = layout.line_break + own_line if own_line is not None else _gap(body, container, layout)
    if place < count:
        return body[: near.start] + shown + "," + between + body[near.start :]
    end = near.end if near.comma is None else near.comma + 1
    after = _end_of_comment(body, end)
    if after > end and own_line is None and not body.endswith("*/", end, after):
        between = layout.line_break + _line_indent(body, near.start) + layout.unit
    if near.comma is None:
        return body[:end] + "," + body[end:after] + between + shown + body[after:]
    return body[:after] + between + shown + "," + body[after:]


def _fill(body: str, container: Container, key: str | None, value: Any, layout: Layout) -> str:
    inner = body[container.start + 1 : container.close]
    indent = _line_indent(body, container.start)
    child = indent + layout.unit
    if comments := list(_COMMENT.finditer(inner)):
        at = container.start + 1 + comments[-1].end()
        return body[:at] + layout.line_break + child + _element(key, value, layout, child) + body[at:]
    at = container.start + 1
    if not layout.multi_line:
        return body[:at] + _element(key, value, layout, "", multi_line=False) + body[at:]
    shown = layout.line_break + child + _element(key, value, layout, child) + layout.line_break + indent
    return body[:at] + shown + body[at:]


def _cut(body: str, container: Container, index: int) -> str:
    """The text without one element: the exact inverse of `_insert`."""
    elements = container.elements
    element = elements[index]
    if index + 1 < len(elements):
        comma = element.comma if element.comma is not None else element.end
        after = comma + 1 + len(body[comma + 1 :]) - len(body[comma + 1 :].lstrip(WHITE))
        return body[: element.start] + body[element.end : comma] + body[after:]
    start = len(body[: element.start].rstrip(WHITE))
    tail = _without_comma(body, element)
    if index:
        before = elements[index - 1].comma
        if element.comma is not None or before is None:
            return body[:start] + tail
        return body[:before] + body[before + 1 : start] + tail
    if start == container.start + 1 and start < element.start:
        closing = layout_of(body).line_break + _line_indent(body, container.start)
        if body[start : element.start].startswith(("\r", "\n")) and tail.startswith(closing):
            tail = tail[len(closing) :]
    return body[:start] + tail


def _prune(body: str, path: Path, created: Collection[Path]) -> str:
    """Take out parents that were made for an insertion and hold nothing any more."""
    for length in range(len(path), 0, -1):
        parent = path[:length]
        depth, at = _walk(body, parent)
        if parent not in created or depth < length or container_at(body, at).elements:
            return body
        _, above = _walk(body, parent[:-1])
        container = container_at(body, above)
        index = container.index_of(parent[-1])
        body = body if index is None else _cut(body, container, index)
    at = skip_blank(body, 0)
    if () in created and not container_at(body, at).elements:
        return body[:at] + body[value_end(body, at) :].removeprefix("\r").removeprefix("\n")
    return body


def _without_comma(body: str, element: Element) -> str:
    if element.comma is None:
        return body[element.end :]
    return body[element.end : element.comma] + body[element.comma + 1 :]


def _element(key: str | None, value: Any, layout: Layout, indent: str, *, multi_line: bool = True) -> str:
    shown = _rendered(value, layout, indent, multi_line=multi_line and layout.multi_line)
    return shown if key is None else json.dumps(key, ensure_ascii=False) + ":" + layout.colon + shown


def _rendered(value: Any, layout: Layout, indent: str, *, multi_line: bool) -> str:
    if not multi_line:
        separators = ("," + layout.colon, ":" + layout.colon)
        return json.dumps(value, ensure_ascii=False, separators=separators)
    shown = json.dumps(value, ensure_ascii=False, indent=layout.unit, separators=(",", ":" + layout.colon))
    return shown.replace("\n", layout.line_break + indent)


def _gap(body: str, container: Container, layout: Layout) -> str:
    """What stands between two elements of a container on one line."""
    for before, after in zip(container.elements, container.elements[1:], strict=False):
        if before.comma is not None and (gap := body[before.comma + 1 : after.start]).strip(" \t") == "":
            return gap
    return layout.colon


def _own_line(body: str, at: int) -> str | None:
    """The blanks before `at` when nothing else stands before it in its line; None otherwise."""
    start = body.rfind("\n", 0, at) + 1
    lead = body[start:at]
    return lead if start and not lead.strip(" \t") else None


def _line_indent(body: str, at: int) -> str:
    start = body.rfind("\n", 0, at) + 1
    line = body[start:at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _end_of_comment(body: str, at: int) -> int:
    found = _SAME_LINE.match(body, at)
    return found.end() if found else at


def _unexpected(path: Path, wanted: str) -> ConfigError:
    return ConfigError(f"{_spoken(path)} is not {wanted}", "correct it by hand first")


def _spoken(path: Path) -> str:
    return f"`{''.join(map(path_part, path)).removeprefix('.')}`" if path else "the file"
