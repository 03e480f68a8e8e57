"""JSON with positions: strict as RFC 8259, or with comments and trailing commas where a dialect has them."""

from __future__ import annotations

import re
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]  # absent from the stubs

from hookline.dialects.reading.nodes import DEPTH_LIMIT, Lines, Node, UnreadableConfig, strip_mark
from hookline.model.errors import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from hookline.dialects.reading.nodes import Kind

_SPACE = r"[ \t\r\n]*+"
# A group that steps back inside is atomic, not possessive: Python before 3.11.5 loses its way there.
SPACE_AND_COMMENTS = r"(?>(?:[ \t\r\n]++|//[^\n]*+|(?>/\*(?s:.*?)\*/))*)"
_STRING = re.compile(r'"([^"\\\x00-\x1f]*+)"')
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*+))(\.[0-9]++)?([eE][-+]?[0-9]++)?")
_WORD = re.compile(r"[\w.+-]+|//|/\*")
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


class _Grammar:
    """The patterns of one flavour; each takes the blanks after its token along."""

    def __init__(self, blank: str, comments: bool) -> None:
        self.comments = comments
        self.blank = re.compile(blank)
        self.open = re.compile(r"[{\[]" + blank)
        self.key = re.compile(r'"([^"\\\x00-\x1f]*+)"' + blank + ":" + blank)
        self.colon = re.compile(blank + ":" + blank)
        self.next = re.compile(blank + r"([,}\]])" + blank)


_GRAMMARS: dict[bool, _Grammar] = {}


def _grammar(comments: bool) -> _Grammar:
    # Compiled when first used: start-up is paid at every tool call
    if comments not in _GRAMMARS:
        _GRAMMARS[comments] = _Grammar(SPACE_AND_COMMENTS if comments else _SPACE, comments)
    return _GRAMMARS[comments]


def parse_json(text: str, source: str, *, comments: bool = False) -> Node:
    """The document as nodes; UnreadableConfig at the first syntax fault.

    A byte order mark is passed over. `NaN`, `Infinity`, numbers beyond a float's range and nesting deeper
    than 100 are refused. With `comments`, `//`, `/* */` and one trailing comma per container are accepted.
    """
    return _Scanner(strip_mark(text), source, _grammar(comments)).document()


class _Scanner:
    """One pass over one text."""

    __slots__ = ("grammar", "lines", "source", "text")

    def __init__(self, text: str, source: str, grammar: _Grammar) -> None:
        self.text = text
        self.source = source
        self.grammar = grammar
        self.lines = Lines(text)

    def document(self) -> Node:
        start = self._skip(0)
        node, end = self._value(start, None, None, 0)
        end = self._skip(end)
        if end < len(self.text):
            self._fault(end, "the end of the file", "one value makes up the file: remove what follows it")
        return node

    def _value(self, at: int, parent: Node | None, key: str | int | None, depth: int) -> tuple[Node, int]:
        text = self.text
        first = text[at : at + 1]
        if first == '"':
            if found := _STRING.match(text, at):
                return Node(found[1], "string", at, self.lines, parent, key), found.end()
            value, end = self._escaped(at)
            return Node(value, "string", at, self.lines, parent, key), end
        if first == "{" or first == "[":
            if depth >= DEPTH_LIMIT:
                self._report(at, f"nested deeper than {DEPTH_LIMIT} levels", "")
            read = self._object if first == "{" else self._array
            return read(at, parent, key, depth + 1)
        if found := _NUMBER.match(text, at):
            return self._number(found, parent, key)
        for word, value in _WORDS.items():
            if text.startswith(word, at) and self._word(at) == word:
                kind: Kind = "null" if value is None else "boolean"
                return Node(value, kind, at, self.lines, parent, key), at + len(word)
        self._fault(at, "a value")

    def _object(self, at: int, parent: Node | None, key: str | int | None, depth: int) -> tuple[Node, int]:
        members: dict[str, Node] = {}
        node = Node(members, "object", at, self.lines, parent, key)
        node.key_offsets = offsets = {}
        grammar, text = self.grammar, self.text
        at = grammar.open.match(text, at).end()  # type: ignore[union-attr]  # the caller saw the brace
        if text.startswith("}", at):
            return node, at + 1
        while True:
            if found := grammar.key.match(text, at):
                name, start = found[1], found.end()
            else:
                name, start = self._key(at, bool(members))
            if plain := _STRING.match(text, start):  # most values are
                child, end = Node(plain[1], "string", start, self.lines, node, name), plain.end()
            else:
                child, end = self._value(start, node, name, depth)
            if name in members:
                node.duplicates += ((name, at),)
            members[name] = child
            offsets[name] = at
            after = grammar.next.match(text, end)
            if after is None or after[1] == "]":
                self._fault(self._skip(end), "`,` or `}`", self._missing_comma(end))
            if after[1] == "}":
                return node, after.end(1)
            at = after.end()
            if text.startswith("}", at) and grammar.comments:
                return node, at + 1

    def _array(self, at: int, parent: Node | None, key: str | int | None, depth: int) -> tuple[Node, int]:
        items: list[Node] = []
        node = Node(items, "array", at, self.lines, parent, key)
        grammar, text = self.grammar, self.text
        at = grammar.open.match(text, at).end()  # type: ignore[union-attr]  # the caller saw the bracket
        if text.startswith("]", at):
            return node, at + 1
        while True:
            if text.startswith("]", at):
                self._fault(at, "a value after `,`", "remove the comma before `]`")
            child, end = self._value(at, node, len(items), depth)
            items.append(child)
            after = grammar.next.match(text, end)
            if after is None or after[1] == "}":
                self._fault(self._skip(end), "`,` or `]`", self._missing_comma(end))
            if after[1] == "]":
                return node, after.end(1)
            at = after.end()
            if text.startswith("]", at) and grammar.comments:
                return node, at + 1

    def _key(self, at: int, after_comma: bool) -> tuple[str, int]:
        if after_comma and self.text.startswith("}", at):
            self._fault(at, "a key after `,`", "remove the comma before `}`")
        if not self.text.startswith('"', at):
            self._fault(at, "a key in double quotes", _key_hint(self._word(at)))
        name, end = self._escaped(at)
        colon = self.grammar.colon.match(self.text, end)
        if colon is None:
            self._fault(self._skip(end), "`:` after the key")
        return name, colon.end()

    def _escaped(self, at: int) -> tuple[str, int]:
        try:
            value, end = scanstring(self.text, at + 1, True)
            return str(value), int(end)
        except JSONDecodeError as error:
            if error.msg.startswith("Unterminated"):
                self._report(at, 'this string has no closing `"`', "")
            if error.msg.startswith("Invalid control"):
                hint = "write `\\n` for a line break, `\\t` for a tab"
                self._report(error.pos, "a string may not hold a raw line break or control character", hint)
            self._report(error.pos, "this escape is not one of JSON's", "write `\\\\` for a backslash")

    def _number(self, found: re.Match[str], parent: Node | None, key: str | int | None) -> tuple[Node, int]:
        at, end = found.span()
        if self._word(at) != found[0]:
            self._fault(at, "a value")
        if found[2] is None and found[3] is None:
            if end - at > 4000:
                self._report(at, "this number is too long", "")
            return Node(int(found[1]), "integer", at, self.lines, parent, key), end
        value = float(found[0])
        if value - value != 0:
            self._report(at, f"`{found[0][:40]}` is beyond the range of a number", "")
        return Node(value, "number", at, self.lines, parent, key), end

    def _skip(self, at: int) -> int:
        return self.grammar.blank.match(self.text, at).end()  # type: ignore[union-attr]  # matches nothing too

    def _word(self, at: int) -> str:
        found = _WORD.match(self.text, at)
        return found[0] if found else self.text[at : at + 1]

    def _missing_comma(self, end: int) -> str:
        after = self.text[self._skip(end) : self._skip(end) + 1]
        return "put a comma after the value before it" if after and after in '"{[' else ""

    def _fault(self, at: int, wanted: str, hint: str = "") -> NoReturn:
        word = self._word(at)
        if word == "/*" and self.grammar.comments:
            self._report(at, "this comment has no closing `*/`", "")
        found = f"`{word[:40]}`" if word else "the end of the file"
        self._report(at, f"expected {wanted}, found {found}", _HINTS.get(word, hint))

    def _report(self, at: int, message: str, hint: str) -> NoReturn:
        line, column = self.lines.place(at)
        raise UnreadableConfig(Problem(self.source, line, column, "", "bad-json", message, hint))


def _key_hint(word: str) -> str:
    return f'write `"{word}"`' if word.replace("_", "a").isalnum() else ""
