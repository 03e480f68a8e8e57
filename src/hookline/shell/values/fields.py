"""The fields that one word becomes: split where it must be, with its holes and its patterns for files."""

from __future__ import annotations

import re

from hookline.model.record import replace
from hookline.shell.reading import EMPTY, FITTING, FOUND, Hole, Parts, Word, glued

_PATTERN = r"[*?]|[+@!]\("
BLANKS = " \t\n\r\f\v"
_NUMBERS = frozenset({"$?", "$$", "$#"})
_DIGITS = frozenset("-0123456789")
_SPECIAL = r"([*?\[\]\\+@!(|)])"


class Fields:
    """Filled from left to right; a piece is text with whether it is quoted, or a hole."""

    def __init__(self, separators: str | None, whole: bool = False) -> None:
        self.separators = separators  # None where nobody knows
        self.whole = whole  # nothing is split: a value, a `case` subject
        self.done: list[list[tuple[str, bool] | Hole]] = []
        self.current: list[tuple[str, bool] | Hole] | None = None
        self.parted = False  # blanks, of several kinds of separators, have just ended a field
        self.quotes = 0  # pairs of quotes around nothing, in the field that is begun

    def add(self, text: str, quoted: bool) -> None:
        self.parted = False
        if self.current is None:
            self.current, self.quotes = [], 0
        if text:
            self.current.append((text, quoted))
        else:
            self.quotes += quoted

    def hole(self, hole: Hole) -> None:
        self.parted = False
        if self.current is None:
            self.current, self.quotes = [], 0
        self.current.append(hole)

    def end(self) -> None:
        if self.current is not None:
            self.done.append(self.current)
            self.current = None

    def value(self, parts: Parts, quoted: bool) -> None:
        """What a variable or a command gave."""
        if quoted:
            self.add("", True)
        for part in parts:
            if isinstance(part, str):
                if quoted:
                    self.add(part, True)
                else:
                    self._split(part)
            else:
                self.hole(within_quotes(part) if quoted else outside_quotes(part, self.separators))

    def _split(self, text: str) -> None:
        separators = self.separators
        if separators is None:
            self.hole(Hole("words", "`IFS` is not known, so nobody knows the words in this", text))
        elif separators == " \t\n":
            self._split_blanks(text)
        elif not separators:
            self.add(text, False)
        else:
            self._split_at(text, separators)

    def _split_blanks(self, text: str) -> None:
        if not text:
            return
        if text[0] in " \t\n":
            self.end()
        words = re.split(r"[ \t\n]+", text)
        for place, word in enumerate(words):
            if place:
                self.end()
            if word:
                self.add(word, False)

    def _split_at(self, text: str, separators: str) -> None:
        blanks, hard = blanks_of(separators)
        if not hard:
            for place, word in enumerate(re.split(f"[{re.escape(blanks)}]", text)):
                if place:
                    self.end()
                if word:
                    self.add(word, False)
            return
        soft = f"[{re.escape(blanks)}]*" if blanks else ""
        rest = text.lstrip(blanks) if blanks and self.current is None else text
        if self.parted and rest[:1] in tuple(hard):
            rest = rest[1:].lstrip(blanks)  # blanks before it, which have parted words already, belong to it
            self.parted = False
        self.parted = self.parted and not rest
        cut = re.compile(f"{soft}[{re.escape(hard)}]{soft}" + (f"|[{re.escape(blanks)}]+" if blanks else ""))
        at = 0
        for found in cut.finditer(rest):
            if found.start() > at or any(letter in hard for letter in found[0]):
                self.add(rest[at : found.start()], False)
            self.end()
            at = found.end()
            self.parted = at == len(rest) and all(letter in blanks for letter in found[0])
        if rest[at:]:
            self.add(rest[at:], False)

    def words(self, start: int, end: int, globbing: bool = True) -> list[Word]:
        """All fields as words."""
        self.end()
        return [Word(_parts(field, globbing), start, end) for field in self.done]


def blanks_of(separators: str) -> tuple[str, str]:
    """Those letters of `IFS` of which several part once, and the others; bash counts all white space."""
    blanks = "".join(letter for letter in separators if letter in BLANKS)
    return blanks, "".join(letter for letter in separators if letter not in BLANKS)


def is_parted_otherwise(separators: str, elements: list[Parts]) -> bool:
    """Whether a letter of `IFS` that is no blank begins or ends an element, which bash takes with its neighbour's."""
    blanks, hard = blanks_of(separators)
    if not hard:
        return False
    first = f"[{re.escape(blanks)}]+[{re.escape(hard)}]"
    last = f"[{re.escape(hard)}][{re.escape(blanks)} ]*\\Z"
    begins = [each[0] for each in elements if each and blanks]
    ends = [each[-1] for each in elements[:-1] if each]
    return any(isinstance(part, str) and re.match(first, part) for part in begins) or any(
        isinstance(part, str) and re.search(last, part) for part in ends
    )


def within_quotes(hole: Hole) -> Hole:
    """The same hole where it cannot become several words."""
    return hole if hole.kind == "word" else replace(hole, kind="word")


def outside_quotes(hole: Hole, separators: str | None) -> Hole:
    """The same hole where what parts words in it makes several; numbers hold none but digits."""
    number = hole.text in _NUMBERS or hole.text.startswith(("$((", "${#"))
    if hole.kind != "word" or (number and separators is not None and _DIGITS.isdisjoint(separators)):
        return hole
    return replace(hole, kind="words")


def is_written_at_once(parts: Parts) -> bool:
    """Whether who reads a file meanwhile finds all of it or nothing: bash writes line by line."""
    return len(parts) < 2 and all(isinstance(part, str) and "\n" not in part[:-1] for part in parts)


def listed(parts: Parts) -> list[Parts]:
    """The lines of a text, where each is names of files that a listing or a pattern says; none where one is not.

    None, too, where a backslash stands, which who reads them may take for a quote.
    """
    if any(isinstance(part, str) and "\\" in part for part in parts):
        return []
    lines: list[list[str | Hole]] = [[]]
    for part in parts:
        first, *more = re.split("[\n\0]", part) if isinstance(part, str) else (part,)
        lines[-1].append(first)
        lines += [[each] for each in more]
    found = list(map(glued, lines if any(lines[-1]) else lines[:-1]))
    return found if all(map(is_listed, found)) else []


def is_listed(line: Parts) -> bool:
    """Whether it is a pattern of names, or a place below a folder that is told."""
    holes = [part for part in line if isinstance(part, Hole)]
    if all(hole.kind == "glob" or hole.why == FITTING for hole in holes):
        return bool(holes)
    told = len(line) > 1 and isinstance(line[0], str)
    return told and all(hole.kind == "glob" or hole.why in (FOUND, EMPTY, FITTING) for hole in holes)


def _parts(field: list[tuple[str, bool] | Hole], globbing: bool) -> Parts:
    if globbing and any(not isinstance(piece, Hole) and not piece[1] for piece in field):
        loose = "".join("\0" if isinstance(piece, Hole) or piece[1] else piece[0] for piece in field)
        if _first(loose) is not None:
            return _with_patterns(field)
    return glued([piece if isinstance(piece, Hole) else piece[0] for piece in field])


def _with_patterns(field: list[tuple[str, bool] | Hole]) -> Parts:
    """Each run of text between holes that has a pattern in it ends in a hole from there on."""
    found: list[str | Hole] = []
    run: list[tuple[str, bool]] = []
    for piece in [*field, None]:
        if piece is not None and not isinstance(piece, Hole):
            run.append(piece)
            continue
        found += _pattern_run(run)
        run = []
        if piece is not None:
            found.append(piece)
    return glued(found)


def _first(loose: str) -> int | None:
    """Where a pattern begins."""
    bracket = loose.find("[")
    if bracket >= 0 and loose.rfind("]") > bracket:
        found = re.compile(_PATTERN).search(loose, 0, bracket)
        return found.start() if found else bracket
    found = re.compile(_PATTERN).search(loose)
    return found.start() if found else None


def _pattern_run(run: list[tuple[str, bool]]) -> list[str | Hole]:
    text = "".join(piece for piece, _ in run)
    loose = "".join("\0" * len(piece) if quoted else piece for piece, quoted in run)
    slash = loose.find("\\")  # of a value: it means the letter behind it, as in any pattern
    at = min((place for place in (_first(loose), slash) if place is not None and place >= 0), default=None)
    if at is None:
        return [text]
    pattern = "".join(
        letter if mark != "\0" else re.compile(_SPECIAL).sub(r"\\\1", letter)
        for letter, mark in zip(text[at:], loose[at:], strict=True)
    )
    return [text[:at], Hole("glob", FITTING, pattern)]
