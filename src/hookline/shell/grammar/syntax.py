"""The tree of a shell line: what stands where, before anything is expanded."""

from __future__ import annotations

from hookline.model.record import Record
from hookline.shell.grammar.pieces import Assignment, Piece, Raw
from hookline.shell.grammar.tree import Chain, Compound, Pipeline, Sequence, Simple


class Group(Record):
    body: Sequence


class Subshell(Record):
    body: Sequence
    coproc: bool = False


class If(Record):
    branches: tuple[tuple[Sequence, Sequence], ...]
    otherwise: Sequence | None = None


class While(Record):
    condition: Sequence
    body: Sequence
    until: bool = False


class For(Record):
    """`words` is None where the positional parameters are meant."""

    name: str
    words: tuple[Raw | Assignment, ...] | None
    body: Sequence
    select: bool = False


class ArithmeticFor(Record):
    heads: tuple[Piece, ...]
    body: Sequence


class Clause(Record):
    patterns: tuple[Raw, ...]
    body: Sequence
    terminator: str


class Case(Record):
    subject: Raw
    clauses: tuple[Clause, ...]


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
