"""What a project tells its agents: AGENTS.md and its kin, read at the start of a session."""

from __future__ import annotations

import os
from collections.abc import Sequence

from hookline.model.record import Record
from hookline.system.files import read_text

NAMES = ("AGENTS.md", "CLAUDE.md", "GEN.md")
SIZE_LIMIT = 64 << 10


class Instructions(Record):
    """One file of instructions."""

    path: str
    text: str


def read_instructions(workspace: str) -> tuple[Instructions, ...]:
    """Those in the root of the workspace; a name that leads to the same file as another counts once."""
    found: dict[str, Instructions] = {}
    for name in NAMES:
        path = os.path.join(workspace, name)
        given = read_text(path, SIZE_LIMIT)
        if given.state == "text":
            found.setdefault(given.real_path, Instructions(path, given.text))
    return tuple(found.values())


def with_instructions(system: str, instructions: Sequence[Instructions]) -> str:
    """The system prompt with the project's own words below it."""
    parts = [f"{os.path.basename(each.path)} of this project says:\n\n{each.text}" for each in instructions]
    return "\n\n".join((system, *parts))
