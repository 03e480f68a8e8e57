"""Our executable for an agent that has one for each event: one text for all, which tells them apart by its name."""

from __future__ import annotations

import re
from collections.abc import Collection

from hookline.dialects.bridged import AgentDialect
from hookline.dialects.editing.entries import Entry
from hookline.model.errors import ConfigError

_HEAD = re.compile(
    r"\A#!/bin/sh\n# Made by hookline\b[^\n]*\n# (?P<start>[^\n]+) bridge (?P<agent>[a-z][a-z0-9-]*)"
    r" # hookline(?: made:(?P<made>[a-z]+))?\n# events: (?P<events>[\w ]*)\n"
)


def installed(name: str, text: str) -> tuple[Entry, ...]:
    """The events our executable and those beside it report, as entries; none where the text is not ours."""
    found = _HEAD.match(text)
    if found is None or found["agent"] != name:
        return ()
    start, made = found["start"], found["made"] or ""
    return tuple(
        Entry(
            native,
            0,
            None,
            f"{start} bridge {name} --event {native} # hookline",
            "" if number else made,
            True,
        )
        for number, native in enumerate(found["events"].split())
    )


def install(
    agent: AgentDialect, text: str | None, launcher: str, events: Collection[str], folders: int
) -> str:
    """Our executable. Raises ConfigError where somebody else's stands in that file."""
    present = installed(agent.name, text or "")
    if text and text.strip() and not present:
        words = "this is a hook that hookline did not write; there can be one for each event"
        raise ConfigError(words, "move it away, then install again")
    made = present[0].made if present else "f" + "p" * folders if text is None else ""
    return (
        f"#!/bin/sh\n# Made by hookline: `hookline install {agent.name}` renews it, `hookline uninstall {agent.name}` "
        f"takes it out.\n# {launcher} bridge {agent.name} # hookline{f' made:{made}' if made else ''}\n"
        f"# events: {' '.join(events)}\n"
        f'exec {launcher} bridge {agent.name} --event "${{0##*/}}"\n'
    )
