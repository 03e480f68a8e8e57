"""Arrays and positional parameters, also such of which nobody knows how many they are: `set -- *.c`, `f $X .env`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hookline.model.record import replace
from hookline.shell.reading import MOST_CHOICES, UNSET, Hole, Parts, Unset, Word, glued
from hookline.shell.values.fields import listed

_ENDS = "elements that one of several ways gave a list"


class Array:
    """An array's elements by key; numbers are keys too. Never changed.

    `told` is false where others may be among them: what the environment held, or what nobody could follow. Of names
    that a pattern or a listing gives, `patterns` has what they fit, though nobody knows how many there are.
    """

    __slots__ = ("items", "keyed", "patterns", "told")

    def __init__(
        self, items: dict[str, Parts], keyed: bool = False, told: bool = True, patterns: Sequence[Parts] = ()
    ) -> None:
        self.items, self.keyed, self.told, self.patterns = items, keyed, told, tuple(patterns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Array) or (self.told, self.patterns) != (other.told, other.patterns):
            return False
        return list(self.items.items()) == list(other.items.items())

    __hash__ = None  # type: ignore[assignment]  # a value to compare, no key

    def in_row(self) -> bool:
        """Whether each element stands at the place that it has among them."""
        return not self.keyed and all(str(place) in self.items for place in range(len(self.items)))

    def values(self) -> list[Parts]:
        if self.keyed:
            return list(self.items.values())
        return [self.items[key] for key in sorted(self.items, key=int)]


Arguments = tuple[Parts, ...] | Array | Unset | None  # known, some known, lost, those of who calls the line

_LOST = Hole("words", "a list that nobody followed", "$@")


def arguments(words: Sequence[Word]) -> Arguments:
    """What these words are as parameters."""
    if all(word.single for word in words):
        return tuple(word.parts for word in words)
    if not any(word.parts and (word.single or listed(word.parts) or _choices(word.parts)) for word in words):
        return None if _outside([word.parts for word in words]) else UNSET
    return Array({}, told=False, patterns=[parts for word in words for parts in some_of(word.parts)])


def some_of(parts: Parts) -> list[Parts]:
    """A word, or for one that stands for names of files any number of those."""
    return [
        tuple(replace(part, kind="words") if isinstance(part, Hole) else part for part in line)
        for line in listed(parts)
    ] or [parts]


def nth(known: Array, number: int, shown: str) -> Parts:
    """One of them."""
    for place, parts in enumerate(known.patterns):
        if not Word(parts).single:
            first = place == number - 1 and listed(parts) and isinstance(parts[0], str)
            return _one_name(parts) if first else (any_of(known.patterns[place:], shown),)
        if place == number - 1:
            return parts
    return ()


def some_element(array: Array, shown: str) -> Parts:
    """One of an array's elements, whichever it is."""
    values = array.values()
    if (
        array.told
        and len(values) <= MOST_CHOICES
        and all(Word(parts).literal is not None for parts in values)
    ):
        hole = any_of(values, shown)
        return (replace(hole, choices=(*hole.choices, Word(())), only=True),)
    return (any_of(array.patterns or values or [(_LOST,)], shown),)


def shifted(known: Arguments, count: int | None) -> Arguments:
    """What `shift` leaves; as it was where it may be refused."""
    if isinstance(known, tuple):
        return UNSET if count is None else known[count:] if count <= len(known) else known
    if not isinstance(known, Array):
        return known and UNSET
    first = known.patterns[:count]
    if count is not None and all(Word(parts).single for parts in first):
        return _again(known.patterns[count:])
    return _again(_perhaps(known.patterns))


def one_of(values: Sequence[object]) -> Arguments:
    """What is known where one of several is right."""
    found: list[Parts] = []
    for value in values:
        given = value.patterns if isinstance(value, Array) else value
        found += given if isinstance(given, tuple) else [] if given is None else [(_LOST,)]
    return UNSET if found == [(_LOST,)] * len(found) else _again(_perhaps(found))


def either(name: str, values: Sequence[object]) -> Array | None:
    """A list of which several ways made one of these: what all begin with, and then one of their ends."""
    outside = Hole("words", f"`${name}` is set outside of the line", f"${name}", outside=True)
    rows: list[list[Parts]] = []
    for value in values:
        if isinstance(value, Array) and value.in_row() and (value.told or value.patterns):
            rows.append(list(value.patterns) or value.values())
        elif value is None or isinstance(value, Unset):
            rows.append([] if value else [(outside,)])
        else:
            return None
    begins: list[Parts] = []
    for first in rows[0]:
        if is_end(first) or not all(row[len(begins) : len(begins) + 1] == [first] for row in rows):
            break
        begins.append(first)
    ends = list(dict.fromkeys(end for row in rows for end in _ends(row[len(begins) :])))
    if len(ends) > MOST_CHOICES or not all(map(_is_told, (parts for row in rows for parts in row))):
        return None
    shown = f"${{{name}[@]:{len(begins)}}}"
    hole = Hole("words", _ENDS, shown, choices=tuple(map(Word, ends)), only=True)
    return Array({}, told=False, patterns=[*begins, (hole,)])


def is_end(parts: Parts) -> bool:
    """Whether it stands for all elements from some place on, in one of several ways."""
    return len(parts) == 1 and isinstance(parts[0], Hole) and parts[0].why == _ENDS


def _is_told(parts: Parts) -> bool:
    return (
        Word(parts).single
        or is_end(parts)
        or (len(parts) == 1 and isinstance(parts[0], Hole) and parts[0].outside)
    )


def _ends(row: Sequence[Parts]) -> list[Parts]:
    """Elements with a blank between, in each way in which they may be there."""
    found: list[Parts] = [()]
    for parts in row:
        hole = parts[0] if is_end(parts) else None
        ways = [choice.parts for choice in hole.choices] if isinstance(hole, Hole) else [_whole(parts)]
        found = [glued([*each, *(" " if each and way else ""), *way]) for each in found for way in ways]
    return found


def _whole(parts: Parts) -> Parts:
    """An element that stays one word where words are parted."""
    if parts and not any(isinstance(part, str) and re.search(r"[\s*?\[]", part) for part in parts):
        return parts
    shown = "".join(part if isinstance(part, str) else part.text for part in parts)
    return (Hole("word", "an element of a list", shown, choices=(Word(parts),), only=True),)


def _again(patterns: Sequence[Parts]) -> Arguments:
    if all(Word(parts).single for parts in patterns):
        return tuple(patterns)
    return Array({}, told=False, patterns=patterns)


def _one_name(parts: Parts) -> Parts:
    return tuple(replace(part, kind="word") if isinstance(part, Hole) else part for part in parts)


def _perhaps(patterns: Sequence[Parts]) -> list[Parts]:
    """Each of these may be there, any number of times."""
    return [(any_of(patterns, "$@"),)] if patterns else []


def any_of(patterns: Sequence[Parts], shown: str) -> Hole:
    choices = dict.fromkeys(
        each
        for parts in patterns
        for each in ((Word(parts),) if Word(parts).literal is not None or listed(parts) else _choices(parts))
    )
    why = f"`{shown}` is not told by the line"
    return Hole("words", why, shown, outside=_outside(patterns), choices=tuple(choices)[:MOST_CHOICES])


def _choices(parts: Parts) -> tuple[Word, ...]:
    only = parts[0] if len(parts) == 1 else ""
    return only.choices if isinstance(only, Hole) else ()


def _outside(patterns: Sequence[Parts]) -> bool:
    return all(part.outside for parts in patterns for part in parts if isinstance(part, Hole))
