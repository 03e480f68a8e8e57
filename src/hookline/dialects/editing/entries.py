"""An entry of ours in an agent's config, whatever the config is."""

from __future__ import annotations

from hookline.model.record import Record


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
