"""JSON with positions: strict as RFC 8259, or with comments and trailing commas where a dialect has them."""

from __future__ import annotations

from hookline.dialects.reading.nodes import Kind
from hookline.model.typing import Any, NoReturn

try:
    from _json import scanstring  # `json` around it loads `re`, which costs 6 ms at every tool call
except ImportError:
    from json.decoder import scanstring  # type: ignore[attr-defined,no-redef]  # another interpreter

from hookline.dialects.reading.nodes import DEPTH_LIMIT, Lines, Node, UnreadableConfig, strip_mark
from hookline.model.errors import Problem
from hookline.model.short_json import read_json

_BLANKS = " \t\r\n"
_BLANKS_AND_SLASH = _BLANKS + "/"
_INDENT = 64  # blanks are taken by pieces of that size
_DIGITS = "0123456789"
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
_HINTS = {
    "'": 'write strings in double quotes: `"…"`',
    "//": "this file is plain JSON: remove the comment",
    "/*": "this file is plain JSON: remove the comment",
    "NaN": "JSON has no `NaN`: write a number",
    "Infinity": "JSON has no `Infinity`: write a number",
    "-Infinity": "JSON has no `-Infinity`: write a number",
    "True": "write `true`",
    "False": "write `false`",
    "None": "write `null`",
    "undefined": "write `null`, or leave the key out",
}


def parse_json(text: str, source: str, *, comments: bool = False) -> Node:
    """The document as nodes; UnreadableConfig at the first syntax fault.

    A byte order mark is passed over. `NaN`, `Infinity`, numbers beyond a float's range and nesting deeper
    than 100 are refused. With `comments`, `//`, `/* */` and one trailing comma per container are accepted.
    """
    return _Scanner(strip_mark(text), source, comments).document()


class _Scanner:
    """One pass over one text."""

    __slots__ = ("comments", "end", "lines", "source", "text")

    def __init__(self, text: str, source: str, comments: bool) -> None:
        self.text = text
        self.end = len(text)
        self.source = source
        self.comments = comments
        self.lines = Lines(text)

    def document(self) -> Node:
        try:
            return self._document()
        except (
            SystemError
        ):  # the C code has no error of its own for a bad string: it takes that of `json`, once loaded
            import json.decoder  # noqa: F401

            return self._document()

    def _document(self) -> Node:
        try:
            node, end = self._value(self._skip(0), None, None, 0)
        except ValueError as error:  # of `scanstring`
            self._bad_string(error.msg, error.pos)  # type: ignore[attr-defined]  # it is a JSONDecodeError
        end = self._skip(end)
        if end < self.end:
            self._fault(end, "the end of the file", "one value makes up the file: remove what follows it")
        return node

    def _value(self, at: int, parent: Node | None, key: str | int | None, depth: int) -> tuple[Node, int]:
        first = self.text[at : at + 1]
        if first == '"':
            value, end = scanstring(self.text, at + 1)
            return Node(value, "string", at, self.lines, parent, key), end
        if first == "{" or first == "[":
            if depth >= DEPTH_LIMIT:
                self._report(at, f"nested deeper than {DEPTH_LIMIT} levels", "")
            read = self._object if first == "{" else self._array
            return read(at, parent, key, depth + 1)
        word = self._word(at)
        if word in _WORDS:
            plain = _WORDS[word]
            kind: Kind = "null" if plain is None else "boolean"
            return Node(plain, kind, at, self.lines, parent, key), at + len(word)
        return self._number(at, word, parent, key), at + len(word)

    def _object(self, at: int, parent: Node | None, key: str | int | None, depth: int) -> tuple[Node, int]:
        members: dict[str, Node] = {}
        node = Node(members, "object", at, self.lines, parent, key)
        node.key_offsets = offsets = {}
        at = self._skip(at + 1)
        if self.text.startswith("}", at):
            return node, at + 1
        while True:
            name, start = self._key(at, bool(members))
            if self.text.startswith('"', start):  # most values are
                value, end = scanstring(self.text, start + 1)
                child = Node(value, "string", start, self.lines, node, name)
            else:
                child, end = self._value(start, node, name, depth)
            if name in members:
                node.duplicates += ((name, at),)
            members[name] = child
            offsets[name] = at
            at, ended = self._next(end, "}")
            if ended:
                return node, at

    def _array(self, at: int, parent: Node | None, key: str | int | None, depth: int) -> tuple[Node, int]:
        items: list[Node] = []
        node = Node(items, "array", at, self.lines, parent, key)
        at = self._skip(at + 1)
        if self.text.startswith("]", at):
            return node, at + 1
        while True:
            if self.text.startswith("]", at):
                self._fault(at, "a value after `,`", "remove the comma before `]`")
            child, end = self._value(at, node, len(items), depth)
            items.append(child)
            at, ended = self._next(end, "]")
            if ended:
                return node, at

    def _next(self, end: int, closing: str) -> tuple[int, bool]:
        """Where it goes on after a value, and whether its container has ended there."""
        text = self.text
        at = end if text.startswith(",", end) else self._skip(end)
        if text.startswith(closing, at):
            return at + 1, True
        if not text.startswith(",", at):
            self._fault(at, f"`,` or `{closing}`", self._missing_comma(at))
        at = self._skip(at + 1)
        if self.comments and self.text.startswith(closing, at):
            return at + 1, True
        return at, False

    def _key(self, at: int, after_comma: bool) -> tuple[str, int]:
        """A key, and where its value begins."""
        if not self.text.startswith('"', at):
            if after_comma and self.text.startswith("}", at):
                self._fault(at, "a key after `,`", "remove the comma before `}`")
            self._fault(at, "a key in double quotes", _key_hint(self._word(at)))
        name, end = scanstring(self.text, at + 1)
        if not self.text.startswith(":", end):
            end = self._skip(end)
            if not self.text.startswith(":", end):
                self._fault(end, "`:` after the key")
        start = end + 2 if self.text.startswith(" ", end + 1) else end + 1  # as most files are written
        return name, self._skip(start)

    def _number(self, at: int, word: str, parent: Node | None, key: str | int | None) -> Node:
        if len(word) > 4000 and word.removeprefix("-").isdecimal():
            self._report(at, "this number is too long", "")
        try:
            value = (
                read_json(word) if word[-1:] in _DIGITS else None
            )  # `NaN` and `Infinity` are none of JSON's
        except ValueError:
            value = None
        if value is None:
            self._fault(at, "a value")
        if value - value != 0:
            self._report(at, f"`{word[:40]}` is beyond the range of a number", "")
        return Node(value, "integer" if isinstance(value, int) else "number", at, self.lines, parent, key)

    def _skip(self, at: int) -> int:
        """Where the blanks end that begin at `at`, and the comments where there may be any."""
        text = self.text
        while text[at : at + 1] in _BLANKS_AND_SLASH:
            piece = text[at : at + _INDENT]
            rest = piece.lstrip(_BLANKS)
            at += len(piece) - len(rest)
            if not rest:
                if not piece:
                    break
            elif not self.comments or (after := self._after_comment(at)) == at:
                break
            else:
                at = after
        return at

    def _after_comment(self, at: int) -> int:
        if self.text.startswith("//", at):
            end = self.text.find("\n", at)
            return end if end >= 0 else self.end
        end = self.text.find("*/", at + 2) if self.text.startswith("/*", at) else -1
        return end + 2 if end >= 0 else at

    def _word(self, at: int) -> str:
        """The letters and digits there, for want of them the one character."""
        text, end = self.text, at
        if text.startswith(("//", "/*"), at):
            return text[at : at + 2]
        while end < self.end and (text[end].isalnum() or text[end] in "_.+-"):
            end += 1
        return text[at : max(end, at + 1)]

    def _missing_comma(self, at: int) -> str:
        after = self.text[at : at + 1]
        return "put a comma after the value before it" if after and after in '"{[' else ""

    def _fault(self, at: int, wanted: str, hint: str = "") -> NoReturn:
        word = self._word(at)
        if word == "/*" and self.comments:
            self._report(at, "this comment has no closing `*/`", "")
        found = f"`{word[:40]}`" if word else "the end of the file"
        self._report(at, f"expected {wanted}, found {found}", _HINTS.get(word, hint))

    def _bad_string(self, message: str, at: int) -> NoReturn:
        if message.startswith("Unterminated"):
            self._report(at, 'this string has no closing `"`', "")
        if message.startswith("Invalid control"):
            hint = "write `\\n` for a line break, `\\t` for a tab"
            self._report(at, "a string may not hold a raw line break or control character", hint)
        self._report(at, "this escape is not one of JSON's", "write `\\\\` for a backslash")

    def _report(self, at: int, message: str, hint: str) -> NoReturn:
        line, column = self.lines.place(at)
        raise UnreadableConfig(Problem(self.source, line, column, "", "bad-json", message, hint))


def _key_hint(word: str) -> str:
    return f'write `"{word}"`' if word.replace("_", "a").isalnum() else ""
