"""Where a reader stands in a line, and how much it may still take apart."""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING, Any
from hookline.shell.reading import LONG_LINE

if TYPE_CHECKING:
    from hookline.shell.grammar.pieces import Assignment, Document, Piece, Raw
    from hookline.shell.grammar.tree import Sequence

MAX_NESTING = 100
MOST_PARTS = 8_000  # quotes, expansions, commands of a line; one that people or models write has a hundred
MOST_OF_LONG = 500
LONGEST_NAME = 500  # letters of a function's
OF_BASH = 1


def room(line: str, most: int, most_of_long: int) -> int:
    """How much of a line is looked at, so that nobody waits for one that was made to take long."""
    return most if len(line) <= LONG_LINE else most_of_long


class Unclear(Exception):
    """The line cannot be taken apart from `position` on."""

    def __init__(self, position: int, why: str) -> None:
        super().__init__(why)
        self.position = position
        self.why = why


class Position:
    """Reads at `at`. Columns are those of the line: `low + scale * at`, `high + scale * at`."""

    at = 0
    reprinted: int | None = None  # of a `$(…)`: 1 behind a here-document's head, 2 behind its body
    in_document = False

    def __init__(
        self,
        text: str,
        low: int = 0,
        high: int = 0,
        scale: int = 1,
        depth: int = 0,
        parts: list[int] | None = None,
    ) -> None:
        # of all that read one line: how many there may still be, how many are of bash alone
        self.parts = parts or [room(text, MOST_PARTS, MOST_OF_LONG), 0]
        self.text = text
        self.low, self.high, self.scale = low, high, scale
        self.depth = depth
        self.documents: list[Document] = []
        self.no_arithmetic: set[int] = set()

    def count(self, parts: int) -> None:
        self.parts[0] -= parts
        if self.parts[0] < 0:
            raise Unclear(self.at, "the line holds more than anyone would look at")

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise Unclear(self.at, f"it is nested more than {MAX_NESTING} deep")

    def nested(self, closer: str) -> Sequence:
        """The commands up to `closer`, which is taken too."""
        raise NotImplementedError

    def block(self, ends: frozenset[str], closer: str) -> Sequence:
        """The commands up to a reserved word of `ends`, a `)` or `;;`; none of these is taken."""
        raise NotImplementedError

    def reserved(self) -> str:
        """The reserved word that stands here; empty if none does."""
        raise NotImplementedError

    def closed(self, start: int) -> None:
        """Takes the `)` of the bracket before `start`."""
        raise NotImplementedError

    def blanks(self) -> None:
        raise NotImplementedError

    def blank_lines(self) -> None:
        raise NotImplementedError

    def command(self) -> Any:
        """One command of a pipeline."""
        raise NotImplementedError

    def arithmetic(self, start: int) -> tuple[Piece, ...] | None:
        """What stands between `((` and `))`; None where the brackets turn out to be of commands."""
        raise NotImplementedError

    def word(self) -> Raw:
        """The word that begins here; of no pieces where none does."""
        raise NotImplementedError

    def element(self) -> Raw | Assignment:
        """A word of a loop's list."""
        raise NotImplementedError

    def document(self, text: str, low: int, high: int, scale: int) -> tuple[Piece, ...]:
        """The pieces of a here-document's body, which another reader at those columns gives."""
        raise NotImplementedError

    def _find(self, mark: str, start: int) -> int:
        found = self.text.find(mark, start)
        if found < 0:
            raise Unclear(start - 1, f"the quote `{mark}` stays open")
        return found
