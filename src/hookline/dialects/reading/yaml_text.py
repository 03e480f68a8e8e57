"""YAML with positions; scalars mean what YAML 1.2's core schema says, so `on` is a word, not a boolean."""

from __future__ import annotations

import re

from hookline.dialects.reading.nodes import (
    DEPTH_LIMIT,
    NODE_LIMIT,
    Kind,
    Lines,
    Node,
    UnreadableConfig,
    strip_mark,
)
from hookline.model.errors import Problem
from hookline.model.typing import Any, NoReturn

_TAG = "tag:yaml.org,2002:"
_CORE = re.compile(
    r"(?P<null>~|null|Null|NULL|)"
    r"|(?P<bool>true|True|TRUE|false|False|FALSE)"
    r"|(?P<int>[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)"
    r"|(?P<float>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))"
)
_FIRSTS = frozenset("~nNtTfF+-.0123456789")
_TOO_DEEP = f"nested deeper than {DEPTH_LIMIT} levels"


def parse_yaml(text: str, source: str) -> Node:
    """The one document of the text as nodes; UnreadableConfig at the first syntax fault.

    Anchors and merge keys are followed, up to 200 000 values in all and 100 levels. A text without content
    is an object without keys. Keys that are numbers or words keep their spelling; others are refused.
    """
    import yaml

    text = strip_mark(text)
    lines = Lines(text)
    loader: Any = None
    try:
        # Events, not `compose`: its C version recurses without bound and takes the process down.
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        return _Builder(source, lines, loader).document()
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark or error.context_mark
        _report(source, lines, at.index if at else 0, _fault_words(error, lines))
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        _report(source, lines, getattr(error, "position", 0), f"not YAML text: {_first_line(error)}")
    finally:
        if loader is not None:
            loader.dispose()


class _Builder:
    """Turns PyYAML's events into nodes, expanding aliases within bounds."""

    def __init__(self, source: str, lines: Lines, loader: Any) -> None:
        self.source = source
        self.lines = lines
        self.next: Any = loader.get_event
        self.made = 0
        self.anchors: dict[str, Node | None] = {}

    def document(self) -> Node:
        self.next()
        if _kind_of(self.next()) == "StreamEnd":
            return Node({}, "object", 0, self.lines)
        first = self.next()
        root = self._node(first, None, None, 0)
        self.next()
        after = self.next()
        if _kind_of(after) != "StreamEnd":
            self._fault(after.start_mark.index, "expected one document, found a second one after `---`")
        if _kind_of(first) == "Scalar" and root.kind == "null" and not first.value:
            return Node({}, "object", 0, self.lines)
        return root

    def _node(self, event: Any, parent: Node | None, key: str | int | None, depth: int) -> Node:
        at = event.start_mark.index
        kind = _kind_of(event)
        if kind == "Alias":
            return self._copy(self._anchored(event.anchor, at), at, parent, key, depth)
        self._bound(at, depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        if kind == "Scalar":
            value, scalar_kind = self._scalar(event)
            node = Node(value, scalar_kind, at, self.lines, parent, key)
        elif kind == "SequenceStart":
            self._only_tag(event, "seq")
            node = self._sequence(Node([], "array", at, self.lines, parent, key), depth)
        else:
            self._only_tag(event, "map")
            node = self._mapping(Node({}, "object", at, self.lines, parent, key), depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def _sequence(self, node: Node, depth: int) -> Node:
        while _kind_of(event := self.next()) != "SequenceEnd":
            node.value.append(self._node(event, node, len(node.value), depth + 1))
        return node

    def _mapping(self, node: Node, depth: int) -> Node:
        members: dict[str, Node] = node.value
        node.key_offsets = {}
        merged = []
        while _kind_of(event := self.next()) != "MappingEnd":
            at = event.start_mark.index
            if _kind_of(event) != "Scalar":
                self._fault(at, "expected a word as key, found a list, an object or an alias")
            name = event.value
            if name == "<<" and event.implicit[0]:
                merged.append(self._node(self.next(), node, name, depth + 1))
                continue
            if name in members:
                node.duplicates += ((name, at),)
            members[name] = self._node(self.next(), node, name, depth + 1)
            node.key_offsets[name] = at
        for source in merged:
            self._merge(node, source)
        return node

    def _merge(self, node: Node, source: Node) -> None:
        for given in source.items if source.kind == "array" else [source]:
            if given.kind != "object":
                self._fault(given.offset, "expected an object to merge with `<<`")
            for name, child in given.members.items():
                if name not in node.value:
                    node.value[name] = child
                    node.key_offsets[name] = given.key_offsets[name]
                    child.parent = node

    def _anchored(self, name: str, at: int) -> Node:
        if name not in self.anchors:
            self._fault(at, f"the anchor `&{name}` is not defined before this")
        node = self.anchors[name]
        if node is None:
            self._fault(at, f"`*{name}` stands inside of what it names")
        return node

    def _copy(self, node: Node, at: int, parent: Node | None, key: str | int | None, depth: int) -> Node:
        self._bound(at, depth)
        copy = Node(node.value, node.kind, node.offset, self.lines, parent, key)
        copy.key_offsets = node.key_offsets
        if node.kind == "object":
            copy.value = {
                name: self._copy(child, at, copy, name, depth + 1) for name, child in node.value.items()
            }
        elif node.kind == "array":
            copy.value = [
                self._copy(child, at, copy, index, depth + 1) for index, child in enumerate(node.value)
            ]
        return copy

    def _bound(self, at: int, depth: int) -> None:
        self.made += 1
        if self.made > NODE_LIMIT:
            self._fault(at, f"more than {NODE_LIMIT} values once its anchors are expanded")
        if depth > DEPTH_LIMIT:
            self._fault(at, _TOO_DEEP)

    def _scalar(self, event: Any) -> tuple[Any, Kind]:
        text = event.value
        if event.implicit[0]:
            if text and text[0] not in _FIRSTS:
                return text, "string"
            found = _CORE.fullmatch(text)
            name = (found.lastgroup or "str") if found else "str"
        else:
            name = "str" if event.implicit[1] else (event.tag or "!").removeprefix(_TAG)
        try:
            return _typed(name, text)
        except ValueError:
            self._fault(event.start_mark.index, f"`{text[:40]}` is not a value of the tag `{name}`")
        except LookupError:
            self._fault(event.start_mark.index, f"the tag `{str(event.tag)[:60]}` is not supported")

    def _only_tag(self, event: Any, name: str) -> None:
        if not event.implicit and event.tag not in (_TAG + name, "!"):
            self._fault(event.start_mark.index, f"the tag `{str(event.tag)[:60]}` is not supported")

    def _fault(self, at: int, message: str) -> NoReturn:
        _report(self.source, self.lines, at, message)


def _kind_of(event: Any) -> str:
    name: str = type(event).__name__
    return name.removesuffix("Event")


def _typed(name: str, text: str) -> tuple[Any, Kind]:
    match name:
        case "str" | "!":
            return text, "string"
        case "null":
            return None, "null"
        case "bool":
            if text.lower() not in ("true", "false"):
                raise ValueError(text)
            return text.lower() == "true", "boolean"
        case "int":
            return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10)), "integer"
        case "float":
            return float(text.lower().replace(".inf", "inf").replace(".nan", "nan")), "number"
    raise LookupError(name)


def _report(source: str, lines: Lines, at: int, message: str) -> NoReturn:
    line, column = lines.place(at)
    tab = lines.text[at : at + 1] == "\t"
    hint = "indent with blanks: YAML allows no tabs there" if tab else ""
    raise UnreadableConfig(Problem(source, line, column, "", "bad-yaml", message, hint))


def _fault_words(error: Any, lines: Lines) -> str:
    if "nesting depth" in (error.problem or ""):
        return _TOO_DEEP  # newer versions of the library have a limit of their own, which text ahead of us may meet
    began, at = error.context_mark, error.problem_mark
    further = began is not None and at is not None and began.line != at.line
    place = f", which began in line {lines.place(began.index)[0]}" if further else ""
    context = f" ({error.context}{place})" if error.context else ""
    return f"{error.problem or 'cannot be read'}{context}"


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
