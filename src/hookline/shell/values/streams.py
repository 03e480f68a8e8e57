"""What is read and what is printed, as far as the line tells."""

from __future__ import annotations

from hookline.model.record import replace
from hookline.shell.reading import FOUND, NAMED, Hole, Parts, Word, glued, of_list

MOST_PARTS = 200
_RACED = Hole("words", "several print it at the same time")
_MORE = Hole("words", "more is printed than anyone would follow")


class Stream:
    """What is still to be read; commands that share it read on where another stopped."""

    def __init__(self, parts: Parts, doubt: int) -> None:
        self.parts = parts
        self.doubt = doubt
        self.begins = self.ends = ""  # how each line begins and ends of which the rest is lost
        self.torn = False  # what is left may begin within a line
        self.names_files = ""  # why the lines that are lost are names of files, where they are

    def line(self, doubt: int) -> str | Hole | None:
        """The next line without its newline; None at the end. A hole where that cannot be told."""
        if not self.parts:
            return None
        first = self.parts[0]
        searched = first.text if isinstance(first, Hole) and " | grep " in first.text else ""
        if doubt > self.doubt or not isinstance(first, str):
            self.lose()
        elif "\n" in first or len(self.parts) == 1:
            text, _, rest = first.replace("\0", "").partition("\n")
            self.parts = ((rest,) if rest else ()) + self.parts[1:]
            return text
        else:
            self.lose()
        return Hole("words", "a line of input that is not told by the line", searched)

    def lines(self, whole: bool = False) -> list[str] | None:
        """All that is left, by lines, a last one that no newline ends if it is `whole`; None where a hole is in it."""
        if len(self.parts) > 1 or not all(isinstance(part, str) for part in self.parts):
            return None
        text = "".join(part for part in self.parts if isinstance(part, str))
        lines = text.split("\n")
        return (
            lines if whole and lines[-1] else lines[:-1]
        )  # `read` fails on a last line that no newline ends

    def ended(self) -> bool:
        """Whether no line is left that a newline ends."""
        return all(isinstance(part, str) and "\n" not in part for part in self.parts)

    def listed(self) -> list[Parts]:
        """The lines, where each is names of files that a listing or a pattern says; none where one is anything else."""
        from hookline.shell.values.fields import listed

        return listed(self.parts)

    def empty(self, doubt: int) -> None:
        """All of it was read."""
        self.lose()
        self.parts = self.parts if doubt > self.doubt else ()

    def lose(self, torn: bool = False) -> None:
        """Somebody may have read some of it; `torn`: not by whole lines."""
        self.torn = self.torn or torn
        if self.torn:
            self.begins = self.ends = self.names_files = ""
        elif self.parts:
            self.begins = self.begins or _common_start(self.parts)
            self.ends = self.ends or _common_end(self.parts)
            holes = [part for part in self.parts if isinstance(part, Hole)]
            lists = len(holes) == len(self.parts) and all(map(of_list, holes))
            whys = {NAMED} if lists else {hole.why for hole in holes}
            self.names_files = next((why for why in (FOUND, NAMED) if why in whys), self.names_files)
        if self.parts:
            outside = all(isinstance(part, Hole) and part.outside for part in self.parts)
            self.parts = (Hole("words", "input that something else may have read", outside=outside),)


class Output:
    """What commands print, as far as it can be told. `name` is what stands there in the line."""

    def __init__(self, doubt: int, name: str = "") -> None:
        self.parts: list[str | Hole] = []
        self.count = 0  # how often something was added
        self.racing = False  # something that still runs printed some of it
        self.doubt = doubt
        self.name = name

    def add(self, parts: Parts, doubt: int, doubtful: bool) -> None:
        self.count += bool(parts)
        if parts and self.racing:
            self.parts, parts = [], (_RACED,)
        if parts and (doubtful or doubt > self.doubt):
            told = all(isinstance(part, str) for part in parts)
            only = parts[0] if len(parts) == 1 else None
            text, choices = (only.text, only.choices) if isinstance(only, Hole) else ("", ())
            choices = (Word(glued(parts)), Word(())) if told else choices
            why = only.why if isinstance(only, Hole) and of_list(only) else "this may be printed or not"
            parts = (Hole("words", why, text, choices=choices, only=told),)
        if len(self.parts) >= MOST_PARTS:
            self.parts = list(glued(self.parts))
        if len(self.parts) < MOST_PARTS:
            self.parts += parts
        elif parts and self.parts[-1] is not _MORE:
            self.parts.append(_MORE)

    def text(self) -> Parts:
        whole = glued(self.parts)
        if self.name:
            whole = tuple(
                part if isinstance(part, str) or part.kind == "glob" else replace(part, text=self.name)
                for part in whole
            )
        return whole

    def stripped(self) -> Parts:
        """As a substitution gives it."""
        whole = [part.replace("\0", "") if isinstance(part, str) else part for part in self.text()]
        for place in range(len(whole) - 1, -1, -1):  # newlines before a hole go too, where it becomes nothing
            part = whole[place]
            if isinstance(part, str):
                whole[place] = part.rstrip("\n")
                if whole[place]:
                    break
            elif part.kind == "glob":
                break  # which is never nothing
            elif part.choices:
                whole[place] = replace(part, choices=_ended(part.choices, place == len(whole) - 1))
        return tuple(part for part in whole if part != "")


def _ended(choices: tuple[Word, ...], last: bool) -> tuple[Word, ...]:
    """Texts that may stand at the end, without the newlines there; with them too where more may follow."""
    stripped = [
        Word((text.rstrip("\n"),)) if (text := choice.literal) and text.strip("\n") else Word(())
        for choice in choices
    ]
    return tuple(dict.fromkeys((*stripped, *(() if last else choices))))


def _common_start(parts: Parts) -> str:
    """The text that all lines begin with, such as the folder in which `find` looks."""
    starts: list[str] = []
    fresh = True
    for part in parts:
        if isinstance(part, Hole):
            if fresh:
                return ""
            continue
        lines = part.replace("\0", "\n").split("\n")
        starts += lines[:1] * fresh + lines[1:]
        fresh = part[-1] in "\n\0"
        if fresh:
            starts.pop()
    low, high = (min(starts), max(starts)) if starts else ("", "")
    return low[: next((at for at, letter in enumerate(low) if high[at : at + 1] != letter), len(low))]


def _common_end(parts: Parts) -> str:
    """The name that all lines end with, such as the one that `find` looks for; none of text that is told."""
    if all(isinstance(part, str) for part in parts):
        return ""
    shown = "".join(part if isinstance(part, str) else "\1" for part in parts)
    lines = list(filter(None, shown.replace("\0", "\n").split("\n")))
    ends = {line.rpartition("\1")[2] for line in lines}
    return ends.pop() if len(ends) == 1 and all("\1" in line for line in lines) else ""
