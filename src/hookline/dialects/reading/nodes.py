"""Config values that know where they stand in their file, whatever language it is written in."""

from __future__ import annotations

from hookline.model.errors import ConfigError, Problem
from hookline.model.typing import Any, Iterator, Literal

Kind = Literal["object", "array", "string", "integer", "number", "boolean", "null", "datetime"]

KIND_WORDS = {
    "object": "an object",
    "array": "a list",
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "datetime": "a date or time",
}
DEPTH_LIMIT = 100
NODE_LIMIT = 200_000
SHOWN = 60


class UnreadableConfig(ConfigError):
    """A config text that does not parse; `problem` says where."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem), problem.hint or None)
        self.problem = problem


class Lines:
    """Turns offsets in a text into lines and columns, both counted from 1: each from the one asked before."""

    __slots__ = ("_latest", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._latest = (0, 1)

    def line(self, offset: int) -> int:
        text, (known, line) = self.text, self._latest
        line += text.count("\n", known, offset) if known < offset else -text.count("\n", offset, known)
        self._latest = (offset, line)
        return line

    def place(self, offset: int) -> tuple[int, int]:
        return self.line(offset), offset - self.text.rfind("\n", 0, offset)


class Node:
    """One value: `value` is a scalar, `dict[str, Node]` in file order, or `list[Node]`.

    Line, column and path (`hooks.PreToolUse[0].timeout`) are worked out when asked. Never changed once read.
    `duplicates` holds the offsets of keys that were given again; the last one counts, as in every parser.
    """

    __slots__ = ("duplicates", "key", "key_offsets", "kind", "lines", "offset", "parent", "value")

    def __init__(
        self,
        value: Any,
        kind: Kind,
        offset: int,
        lines: Lines,
        parent: Node | None = None,
        key: str | int | None = None,
    ) -> None:
        self.value = value
        self.kind = kind
        self.offset = offset
        self.lines = lines
        self.parent = parent
        self.key = key
        self.key_offsets: dict[str, int] = NO_KEYS
        self.duplicates: tuple[tuple[str, int], ...] = ()

    @property
    def line(self) -> int:
        return self.lines.line(self.offset)

    @property
    def column(self) -> int:
        return self.lines.place(self.offset)[1]

    @property
    def path(self) -> str:
        """Where in the document, in words a user can search for; empty for the root."""
        parts: list[str] = []
        node: Node | None = self
        while node is not None and node.parent is not None:
            parts.append(path_part(node.key))
            node = node.parent
        return "".join(reversed(parts)).removeprefix(".")

    @property
    def members(self) -> dict[str, Node]:
        """Key and value of an object in file order; empty for anything else."""
        return self.value if self.kind == "object" else {}

    @property
    def items(self) -> list[Node]:
        """The values of a list; empty for anything else."""
        return self.value if self.kind == "array" else []

    def get(self, key: str) -> Node | None:
        return self.value.get(key) if self.kind == "object" else None

    def key_place(self, key: str) -> tuple[int, int]:
        """Line and column of a key of this object (of the object itself when it has no such key)."""
        return self.lines.place(self.key_offsets.get(key, self.offset))

    def walk(self) -> Iterator[Node]:
        """This node and all below, in file order."""
        yield self
        for child in self.members.values() if self.kind == "object" else self.items:
            yield from child.walk()

    def __repr__(self) -> str:
        return f"Node({self.path or 'root'}: {shown(self)} at {self.line}:{self.column})"


NO_KEYS: dict[str, int] = {}


def path_part(key: str | int | None) -> str:
    """One step of a path: `.name`, `["a.b"]` or `[0]`."""
    if isinstance(key, int):
        return f"[{key}]"
    if key is not None and key.replace("_", "a").replace("$", "a").replace("-", "a").isalnum():
        return f".{key}"
    return f'["{key}"]'


def to_plain(node: Node) -> Any:
    """The value as ordinary dicts, lists and scalars."""
    if node.kind == "object":
        return {key: to_plain(child) for key, child in node.value.items()}
    if node.kind == "array":
        return [to_plain(child) for child in node.value]
    return node.value


def shown(node: Node) -> str:
    """The value as a user wrote it, cut to a line; containers by name."""
    if node.kind == "string":
        text = str(node.value)
        cut = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
        return '"' + cut.replace("\n", "\\n").replace("\r", "\\r") + '"'
    if node.kind == "boolean":
        return "true" if node.value else "false"
    if node.kind in ("integer", "number", "datetime"):
        return str(node.value)[:SHOWN]
    return KIND_WORDS[node.kind]


def strip_mark(text: str) -> str:
    """The text without a leading byte order mark."""
    return text.removeprefix("\ufeff")
