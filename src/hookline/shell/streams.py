"""What is read and what is printed, as far as the line tells."""

from __future__ import annotations

from hookline.shell.fields import glued
from hookline.shell.reading import Hole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.shell.state import Parts


class Stream:
    """What is still to be read; commands that share it read on where another stopped."""

    def __init__(self, parts: Parts, doubt: int) -> None:
        self.parts = parts
        self.doubt = doubt

    def line(self, doubt: int) -> str | Hole | None:
        """The next line without its newline; None at the end. A hole where that cannot be told."""
        if not self.parts:
            return None
        first = self.parts[0]
        if doubt > self.doubt or not isinstance(first, str):
            self.lose()
        elif "\n" in first or len(self.parts) == 1:
            text, _, rest = first.partition("\n")
            self.parts = ((rest,) if rest else ()) + self.parts[1:]
            return text
        else:
            self.lose()
        return Hole("words", "a line of input that is not told by the line")

    def lines(self) -> list[str] | None:
        """All that is left, by lines; None where a hole is in it."""
        if len(self.parts) > 1 or not all(isinstance(part, str) for part in self.parts):
            return None
        text = "".join(part for part in self.parts if isinstance(part, str))
        return text.split("\n")[:-1]  # `read` fails on a last line that no newline ends

    def lose(self) -> None:
        """Somebody may have read some of it."""
        if self.parts:
            self.parts = (Hole("words", "input that something else may have read"),)


class Output:
    """What commands print, as far as it can be told. `name` is what stands there in the line."""

    def __init__(self, doubt: int, name: str = "") -> None:
        self.parts: list[str | Hole] = []
        self.doubt = doubt
        self.name = name

    def add(self, parts: Parts, doubt: int, doubtful: bool) -> None:
        if parts and (doubtful or doubt > self.doubt):
            parts = (Hole("words", "this may be printed or not"),)
        if len(self.parts) < 200:
            self.parts += parts

    def text(self) -> Parts:
        whole = glued(self.parts)
        if self.name:
            whole = tuple(
                part if isinstance(part, str) else Hole(part.kind, part.why, self.name, part.content)
                for part in whole
            )
        return tuple(part.replace("\0", "") if isinstance(part, str) else part for part in whole)

    def stripped(self) -> Parts:
        """As a substitution gives it."""
        whole = list(self.text())
        for place in range(len(whole) - 1, -1, -1):  # newlines before a hole go too, where it becomes nothing
            part = whole[place]
            if isinstance(part, str):
                whole[place] = part.rstrip("\n")
                if whole[place]:
                    break
        return tuple(part for part in whole if part != "")
