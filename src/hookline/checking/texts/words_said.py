"""What is known of words that a script prints, and of those that it keeps."""

from __future__ import annotations

from collections.abc import Iterable

from hookline.model.record import Record

APART = "\f"  # what one name is given at several places


class Spoken(Record):
    """Words that are printed as they stand, what is filled in left out, on standard output or on standard error.

    `at`: where the statement stands that prints them, and `end`: where it ends. `told`: the words without what its
    variables are given. `names`: those variables, and the lists whose parts they are.
    """

    words: str
    on_stderr: bool
    at: int
    end: int
    told: str = ""
    names: tuple[str, ...] = ()


def joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """All texts that a name is given, one after the other."""
    found: dict[str, str] = {}
    for name, value in pairs:
        found[name] = f"{found[name]}{APART}{value}" if name in found else value
    return found
