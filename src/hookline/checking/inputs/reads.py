"""What a script takes out of the JSON it is given: the ways to each value, told apart from all other JSON it reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hookline.model.record import Record

Way = tuple[str, ...]  # the names of the steps to a value; none is the whole input
# The ways to what an expression may be, in the order they are tried; None where it may be anything else.
Ways = tuple[Way, ...] | None
WHOLE: Ways = ((),)
CONSTANT: Ways = ()  # a word of the script's own
TEXT = "\0text"  # a last step: the JSON as it came, not yet parsed
RAW: Ways = ((TEXT,),)
EACH = "[]"  # a step to one of several, whose names nobody looks for here
_DEEPEST = 20
MOST = 4_000  # expressions looked at in one script


class Read(Record):
    """One value that is taken from the input, by these ways in turn."""

    ways: tuple[Way, ...]


def either(found: Iterable[Ways]) -> Ways:
    """The ways to one of several values; None if one of them may be anything."""
    ways: dict[Way, None] = {}
    for each in found:
        if each is None:
            return None
        ways.update(dict.fromkeys(each))
    return tuple(ways)


def parsed(ways: Ways) -> Ways:
    """What is made of JSON text, and of a value that is text of JSON itself."""
    if ways is None:
        return None
    return tuple(way[:-1] if way[-1:] == (TEXT,) else way for way in ways)


def as_text(ways: Ways) -> Ways:
    """What a file holds that is named so: the JSON, where its name stands for that; of any other nobody knows."""
    return ways if ways and all(way[-1:] == (TEXT,) for way in ways) else None


def stepped(ways: Ways, name: str) -> Ways:
    """The value under a name, of objects that were parsed."""
    if ways is None or any(way[-1:] == (TEXT,) or len(way) > _DEEPEST for way in ways):
        return None
    return tuple((*way, name) for way in ways) or None


def reads(ways: Ways) -> Iterator[Read]:
    """That a value is taken, if all ways to it are known."""
    if ways and all(way and way[-1] != TEXT for way in ways):
        yield Read(ways)


def asked_for(ways: Iterable[Way], asked: Iterable[Way]) -> bool:
    """Whether a script looks first if there is such a value, or the one that it is part of."""
    return any(way[: len(each)] == each for each in asked for way in ways)
