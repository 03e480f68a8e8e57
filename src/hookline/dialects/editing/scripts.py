"""Our executable for an agent that has one for each event: one text for all, which tells them apart by its name."""

from __future__ import annotations

import re
from collections.abc import Collection

from hookline.dialects.bridged import AgentDialect
from hookline.dialects.editing.entries import Entry, entries_of, head_of, made_before

_HEAD = re.compile(
    r"\A#!/bin/sh\n# Made by hookline\b[^\n]*\n# (?P<start>[^\n]+) bridge (?P<agent>[a-z][a-z0-9-]*)"
    r" # hookline(?: made:(?P<made>[a-z]+))?\n# events: (?P<events>[\w ]*)\n"
)


def installed(agent: AgentDialect, text: str) -> tuple[Entry, ...]:
    """The events our executable and those beside it report, as entries; none where the text is not ours."""
    found = _HEAD.match(text)
    if found is None or found["agent"] != agent.name:
        return ()
    return entries_of(agent.name, found["start"], found["events"].split(), found["made"] or "")


def install(agent: AgentDialect, text: str, launcher: str, events: Collection[str], made: str) -> str:
    """Our executable. Raises ConfigError where somebody else's stands in that file."""
    words = "hook that hookline did not write; there can be one for each event"
    made = made_before(installed(agent, text), text, made, words)
    line = f'exec {launcher} bridge {agent.name} --event "${{0##*/}}"'
    return f"#!/bin/sh\n{head_of(agent.name, launcher, made, '#')}# events: {' '.join(events)}\n{line}\n"


def uninstall(agent: AgentDialect, text: str) -> tuple[str, str]:
    """Nothing where it is ours, and what was made for it."""
    entries = installed(agent, text)
    return ("", entries[0].made) if entries else (text, "")
