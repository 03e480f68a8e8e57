"""What stands in the words of a line as they are written, before anything is expanded."""

from __future__ import annotations

from hookline.model.record import Record
from hookline.shell.grammar.tree import Sequence
from hookline.shell.reading import Word


class Text(Record):
    """Letters; unquoted ones may still mean something (`*`, `{`, `~`)."""

    text: str
    quoted: bool = False


class Parameter(Record):
    """`$name`, `${name[index]op argument}`. `prefix` is `#` (length) or `!` (indirection)."""

    name: str
    text: str
    quoted: bool = False
    prefix: str = ""
    index: tuple[Piece, ...] | None = None
    operator: str = ""
    argument: tuple[Piece, ...] = ()


class Substitution(Record):
    """`$(…)`, backticks."""

    body: Sequence
    text: str
    quoted: bool = False
    start: int = 0
    end: int = 0


class Process(Record):
    """`<(…)` and `>(…)`; `direction` is the first letter."""

    body: Sequence
    direction: str
    text: str
    start: int = 0
    end: int = 0


class Arithmetic(Record):
    pieces: tuple[Piece, ...]
    text: str
    quoted: bool = False


class Raw(Record):
    """A word as written. `plain` is its text where nothing in it needs expanding."""

    pieces: tuple[Piece, ...]
    start: int
    end: int
    plain: str | None = None


class Assignment(Record):
    """`name=value`, `name[index]+=value`, `name=(…)`; `whole` is the same as a word like any other."""

    name: str
    value: Raw
    whole: Raw
    append: bool = False
    index: tuple[Piece, ...] | None = None
    elements: tuple[Raw | Assignment, ...] | None = None


class Document:
    """A here-document on its way: it is announced on one line, and its `pieces` are read behind that line."""

    __slots__ = ("delimiter", "pieces", "quoted", "tabs", "word")

    def __init__(self, delimiter: str, tabs: bool, quoted: bool, word: Raw | Word) -> None:
        self.delimiter, self.tabs, self.quoted, self.word = delimiter, tabs, quoted, word
        self.pieces: tuple[Piece, ...] = ()


Piece = Text | Parameter | Substitution | Process | Arithmetic
