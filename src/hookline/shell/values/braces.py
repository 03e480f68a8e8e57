"""Brace expansion: `{a,b}`, `{1..9}`, `{a..e..2}`, before anything else in a word is expanded."""

from __future__ import annotations

import re
from itertools import takewhile

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.grammar.pieces import Parameter, Piece, Text
from hookline.shell.reading import Hole

if TYPE_CHECKING:
    from hookline.shell.values.running import Running

Items = list[Piece]  # each unquoted letter that may mean something here by itself

MOST_WORDS = 500
DEEPEST = 10
MOST_BRACES = 100  # each is looked for to the end of its word
_MARKS = re.compile(r"[{},]|\.\.|[^{},.]+|\.")
_RANGE = re.compile(r"(-?[0-9]{1,9}|[A-Za-z])\.\.(-?[0-9]{1,9}|[A-Za-z])(?:\.\.(-?[0-9]{1,9}))?")


class TooMany(Exception):
    """The braces make more words than anyone would look at."""


class Quotes(TooMany):
    """Some of them begin quotes."""


def several(reader: Running, pieces: tuple[Piece, ...], shown: str) -> list[tuple[Piece, ...]] | Hole:
    """What stands in each of the words that a word with braces becomes; a hole where nobody follows that."""
    if reader.option("B"):
        reader.one(pieces)
        return Hole("words", "its braces may stay as they are", shown)
    differs = "`{a,b}` is expanded by bash and not by dash"
    try:
        found = brace_words(pieces)
    except TooMany as error:
        last = takewhile(lambda piece: isinstance(piece, Text) and not piece.quoted, reversed(pieces))
        text = "".join(reversed([piece.text for piece in last]))
        if isinstance(error, Quotes) and not re.fullmatch(r"[^}]*\}", text):
            reader.unknown("a backtick that braces make may run what stands behind it", shown)
        reader.differs("dash", differs)
        reader.one(pieces)
        return Hole("words", "its braces make too many words")
    if len(found) != 1 or _braces_of(found[0]) != _braces_of(pieces):
        reader.differs("dash", differs)
    reader.spend(4 * len(found))
    return found


def brace_words(pieces: tuple[Piece, ...]) -> list[tuple[Piece, ...]]:
    """The words that braces make of one. Raises TooMany, before there are that many."""
    return [tuple(_rejoined(word)) for word in _expanded(_items(pieces))]


def _items(pieces: tuple[Piece, ...]) -> Items:
    items: Items = []
    for piece in pieces:
        if isinstance(piece, Text) and not piece.quoted:
            items += [Text(mark) for mark in _MARKS.findall(piece.text)]
        else:
            items.append(piece)
    return items


def _rejoined(items: Items) -> Items:
    found: Items = []
    for item in items:
        last = found[-1] if found else None
        if isinstance(item, Text) and item.text and isinstance(last, Text) and _joinable(last, item):
            found[-1] = Text(last.text + item.text, item.quoted)
        elif isinstance(item, Text) and isinstance(last, Parameter) and not item.quoted and not last.quoted:
            found[-1:] = _longer_name(last, item)
        elif isinstance(last, Text) and last.text == "$" and not last.quoted and _goes_on(item):
            raise TooMany  # the `$` begins something once the braces are gone
        else:
            found.append(item)
    return found


def _joinable(last: Text, item: Text) -> bool:
    lone = not item.quoted and "$" in (last.text, item.text)  # such a `$` keeps its word from being split
    return item.quoted == last.quoted and not lone


def _goes_on(item: Piece) -> bool:
    return not isinstance(item, Text) or item.quoted or bool(re.match(r"[\w{(\[*@#?$!-]", item.text))


def _longer_name(before: Parameter, behind: Text) -> Items:
    """Braces come first: `$x{a,b}` means `$xa` and `$xb`."""
    more = re.match(r"[A-Za-z0-9_]*", behind.text)
    if not more or not more[0] or before.text != f"${before.name}" or not before.name.isidentifier():
        return [before, behind]
    name = before.name + more[0]
    rest = behind.text[more.end() :]
    return [Parameter(name, f"${name}"), *([Text(rest)] if rest else [])]


def _expanded(items: Items) -> list[Items]:
    words: list[Items] = [[]]
    at = begun = 0
    if sum(_is(item, "{") for item in items) > MOST_BRACES:
        raise TooMany
    while at < len(items):
        end = _end(items, at, at == begun) if _is(items[at], "{") else None
        if end is None:
            for word in words:
                word.append(items[at])
            at += 1
            continue
        choices = _choices(items[at + 1 : end])
        if len(words) * len(choices) > MOST_WORDS:
            raise TooMany
        words = [word + choice for word in words for choice in choices]
        at = begun = end + 1
    return words


def _end(items: Items, opened: int, first: bool) -> int | None:
    """Where a brace is closed, as bash looks for it: what closes before any `,` or `..` closes nothing."""
    if opened + 1 < len(items) and _is(items[opened + 1], "}"):
        if first:
            return None
        if items[opened - 1].text[-1:].isspace():
            raise TooMany  # bash looks at the letter before it, as it stands in the line
    depth = several = 0
    for place in range(opened + 1, len(items)):
        if _is(items[place], "{"):
            depth += 1
            if depth > DEEPEST:
                raise TooMany
        elif _is(items[place], "}"):
            if depth == 0 and several:
                return place
            depth = max(0, depth - 1)
        elif depth == 0:
            ranged = _is(items[place], "..") and place + 1 < len(items) and not _is(items[place + 1], "}")
            several += ranged or _is(items[place], ",")
    return None


def _is(item: Piece, mark: str) -> bool:
    return isinstance(item, Text) and not item.quoted and item.text == mark


def _choices(inner: Items) -> list[Items]:
    """What stands between two braces, as a list; of one, the braces too, where they mean themselves."""
    depth = 0
    parts: list[Items] = [[]]
    for item in inner:
        depth = max(0, depth + _is(item, "{") - _is(item, "}"))
        if depth == 0 and _is(item, ","):
            parts.append([])
        else:
            parts[-1].append(item)
    if len(parts) > 1:
        several = [word for part in parts for word in _expanded(part)]
        if len(several) > MOST_WORDS:
            raise TooMany
        return several
    if any("," in item.text for item in inner):
        # bash takes any comma for one of a list once it saw `..`, so that the list has one part
        if any("," in item.text for item in inner if not _is(item, ",")):
            raise TooMany  # it counts a quoted comma too, but by the letters as they stand in the line
        return _expanded(inner)
    found = None
    if all(isinstance(item, Text) and not item.quoted for item in inner):
        found = _range("".join(item.text for item in inner))
    # nothing in it is expanded either
    return found or [[Text("{", True), *inner, Text("}", True)]]


def _range(text: str) -> list[Items] | None:
    found = _RANGE.fullmatch(text)
    if found is None and re.search(r"[+\s]", text):
        raise TooMany  # bash may take these for parts of a number
    if found is None or found[1].isalpha() != found[2].isalpha():
        return None
    letters = found[1].isalpha()
    if letters and found[1].isupper() != found[2].isupper():
        raise Quotes  # a backslash and a backtick are among them, and quote what follows
    first, last = (ord(found[1]), ord(found[2])) if letters else (int(found[1]), int(found[2]))
    step = abs(int(found[3] or 1)) or 1
    if abs(last - first) // step >= MOST_WORDS:
        raise TooMany
    numbers = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    if letters:
        return [[Text(chr(number))] for number in numbers]
    padded = any(re.match(r"-?0[0-9]", end) for end in (found[1], found[2]))
    width = max(len(found[1]), len(found[2])) if padded else 0
    return [[Text(f"{number:0{width}d}" if width else str(number))] for number in numbers]


def _braces_of(pieces: tuple[Piece, ...]) -> int:
    """How many braces stand there as they are: `{}` is no list."""
    return sum(piece.text.count("{") for piece in pieces if isinstance(piece, Text) and not piece.quoted)
