"""Brace expansion: `{a,b}`, `{1..9}`, `{a..e..2}`, before anything else in a word is expanded."""

from __future__ import annotations

import re

from hookline.shell.grammar.syntax import Parameter, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.shell.grammar.syntax import Piece

    Items = list[Piece]  # each unquoted letter that may mean something here by itself

MOST_WORDS = 500
DEEPEST = 10
_MARKS = re.compile(r"[{},]|\.\.|[^{},.]+|\.")
_RANGE = re.compile(r"(-?[0-9]{1,9}|[A-Za-z])\.\.(-?[0-9]{1,9}|[A-Za-z])(?:\.\.(-?[0-9]{1,9}))?")


class TooMany(Exception):
    """The braces make more words than anyone would look at."""


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
        if isinstance(item, Text) and isinstance(last, Text) and _joinable(last, item):
            found[-1] = Text(last.text + item.text, item.quoted)
        elif isinstance(item, Text) and isinstance(last, Parameter) and not item.quoted and not last.quoted:
            found[-1:] = _longer_name(last, item)
        else:
            found.append(item)
    return found


def _joinable(last: Text, item: Text) -> bool:
    lone = not item.quoted and "$" in (last.text, item.text)  # such a `$` keeps its word from being split
    return item.quoted == last.quoted and not lone


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
    at = 0
    ends = _matching(items)
    while at < len(items):
        choices = None
        if at in ends:
            choices = _choices(items[at + 1 : ends[at]])
        if choices is None:
            for word in words:
                word.append(items[at])
            at += 1
            continue
        if len(words) * len(choices) > MOST_WORDS:
            raise TooMany
        words = [word + choice for word in words for choice in choices]
        at = ends[at] + 1
    return words


def _matching(items: Items) -> dict[int, int]:
    """Where each brace that is closed is closed."""
    open_braces: list[int] = []
    ends: dict[int, int] = {}
    for place, item in enumerate(items):
        if _is(item, "{"):
            open_braces.append(place)
            if len(open_braces) > DEEPEST:
                raise TooMany
        elif _is(item, "}") and open_braces:
            ends[open_braces.pop()] = place
    return ends


def _is(item: Piece, mark: str) -> bool:
    return isinstance(item, Text) and not item.quoted and item.text == mark


def _choices(inner: Items) -> list[Items] | None:
    """What stands between two braces, as a list; None where they mean themselves."""
    depth = 0
    parts: list[Items] = [[]]
    for item in inner:
        depth += _is(item, "{") - _is(item, "}")
        if depth == 0 and _is(item, ","):
            parts.append([])
        else:
            parts[-1].append(item)
    if len(parts) > 1:
        several = [word for part in parts for word in _expanded(part)]
        if len(several) > MOST_WORDS:
            raise TooMany
        return several
    ranged = _range_mark(inner)
    if ranged and any("," in item.text for item in inner):
        # bash takes any comma for one of a list once it saw `..`, so that the list has one part
        if any("," in item.text for item in inner if not _is(item, ",")):
            raise TooMany  # it counts a quoted comma too, but by the letters as they stand in the line
        return _expanded(inner)
    found = None
    if all(isinstance(item, Text) and not item.quoted for item in inner):
        found = _range("".join(item.text for item in inner))
    if found is None and ranged:  # nothing in it is expanded either
        return [[Text("{", True), *inner, Text("}", True)]]
    return found


def _range_mark(inner: Items) -> bool:
    """Whether `..` stands there outside of other braces, and something behind it."""
    depth = 0
    for item in inner[:-1]:
        depth += _is(item, "{") - _is(item, "}")
        if depth == 0 and _is(item, ".."):
            return True
    return False


def _range(text: str) -> list[Items] | None:
    found = _RANGE.fullmatch(text)
    if found is None or found[1].isalpha() != found[2].isalpha():
        return None
    letters = found[1].isalpha()
    first, last = (ord(found[1]), ord(found[2])) if letters else (int(found[1]), int(found[2]))
    step = abs(int(found[3] or 1)) or 1
    if abs(last - first) // step >= MOST_WORDS:
        raise TooMany
    numbers = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    if letters:
        return [[Text(chr(number), not chr(number).isalnum())] for number in numbers]
    padded = any(re.match(r"-?0[0-9]", end) for end in (found[1], found[2]))
    width = max(len(found[1]), len(found[2])) if padded else 0
    return [[Text(f"{number:0{width}d}" if width else str(number))] for number in numbers]
