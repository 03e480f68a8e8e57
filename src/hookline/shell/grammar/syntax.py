"""The tree of a shell line: what stands where, before anything is expanded."""

from __future__ import annotations

from hookline.model.record import Record
from hookline.shell.grammar.branches import Case, For, Group, If, Subshell, While
from hookline.shell.grammar.pieces import Piece, Raw
from hookline.shell.grammar.tree import Chain, Compound, Pipeline, Sequence, Simple


class ArithmeticFor(Record):
    heads: tuple[Piece, ...]
    body: Sequence


class Function(Record):
    name: str
    body: Node
    start: int
    end: int


class Test(Record):
    """`[[ … ]]`: its words, operators among them."""

    words: tuple[Raw, ...]


class Calculation(Record):
    """`(( … ))`."""

    pieces: tuple[Piece, ...]


Node = (
    Simple | Pipeline | Chain | Compound | Group | Subshell | If | While | For | ArithmeticFor | Case | Function
    | Test | Calculation
)  # fmt: skip
