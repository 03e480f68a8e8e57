"""An entry of ours in an agent's config, whatever the config is."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hookline.dialects import OWN_START
from hookline.model.record import Record

ENTRY = re.compile(
    OWN_START + r"""(?P<agent>[a-z][a-z0-9-]*)\s+--event[ =](?P<event>\w+)"""
    r"""(?:.*?#\s*hookline(?:\s+made:(?P<made>[a-z]+))?\s*$)?""",
    re.DOTALL,
)
ADOPTED = "a"  # among the letters of an entry: hooks of the file were moved behind us


class Entry(Record):
    """One entry of ours: where it stands, its command, and what was made for it.

    `made` is a word of letters: `e` the event's list, `h` the object `hooks`, `v` the version, `d` the
    document, `f` the file, and a `p` for each folder above it; `a` that the agent's own hooks were taken out.
    """

    native: str
    group: int
    handler: int | None
    command: str
    made: str
    alone: bool


def entries_of(agent: str, start: str, events: Iterable[str], made: str) -> tuple[Entry, ...]:
    """What a program of ours reports, as entries: each calls `start`, and the first holds what was made."""
    return tuple(
        Entry(
            native,
            0,
            None,
            f"{start} bridge {agent} --event {native} # hookline",
            "" if number else made,
            True,
        )
        for number, native in enumerate(events)
    )


def without_program(entries: tuple[Entry, ...], text: str) -> tuple[str | None, int]:
    """Nothing where the program is ours (its file was empty before, or not there), and the folders that go too."""
    if not entries:
        return text, 0
    made = entries[0].made
    return (None, made.count("p")) if "f" in made else ("", 0)
