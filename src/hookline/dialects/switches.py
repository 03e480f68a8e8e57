"""The settings by which an agent runs no hooks."""

from __future__ import annotations

from hookline.model.record import Record


class Switch(Record):
    """One of them: its (dotted) key, the value that switches off, what to say of it, and what to do."""

    key: str
    value: bool
    words: str
    hint: str
