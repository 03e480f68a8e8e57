"""Our own program for an agent whose hooks are programs: made from a template, found again, and taken out.

Inside of an agent it is one file, which says what it reports. Where there is an executable for each event, all have one
text, which tells them apart by its name. A file of ours alone says what to undo: `made:fp` counts the folders that were
made for it. A file of that name that somebody else wrote is left alone.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection

import hookline
from hookline.dialects import REGISTRY, dialect
from hookline.dialects.bridged import AgentDialect
from hookline.dialects.editing.entries import ENTRY, Entry, call_of
from hookline.model.errors import ConfigError

_MADE = (
    r"Made by hookline\b[^\n]*\n{0} (?P<start>[^\n]+) bridge (?P<agent>[a-z][a-z0-9-]*)"
    r" # hookline(?: made:(?P<made>[a-z]+))?\n"
)
_HEADS = (
    re.compile(
        rf"\A// {_MADE.format('//')}(?:const [^\n]*\n)*?"
        r"const LAUNCHER = (?P<launcher>\[[^\n]*\]);\nconst EVENTS = (?P<reported>\[[^\n]*\]);\n"
    ),
    re.compile(rf"\A#!/bin/sh\n# {_MADE.format('#')}# events: (?P<events>[\w ]*)\n"),
)
GRACE_S = 10.0  # hookline answers in time by itself; the program waits a little longer, and never for ever


def installed(agent: AgentDialect, text: str) -> tuple[Entry, ...]:
    """The events our program reports, as entries; none where the text is not ours. The first holds what was made."""
    found = next(filter(None, (head.match(text) for head in _HEADS)), None)
    if found is None or found["agent"] != agent.name:
        return ()
    said = found.groupdict()
    start, events = said["start"], said.get("events", "").split()
    if "launcher" in said:
        try:
            start, events = shlex.join(json.loads(said["launcher"])), json.loads(said["reported"])
        except (ValueError, TypeError):
            return ()  # edited since, and nothing that runs any more
    commands = {native: call_of(agent.name, start, native) for native in events}
    return tuple(
        Entry(native, 0, None, command, "" if number else said["made"] or "", True)
        for number, (native, command) in enumerate(commands.items())
        if ENTRY.match(command)
    )


def install(agent: AgentDialect, text: str, launcher: str, events: Collection[str], made: str) -> str:
    """Our program. Raises ConfigError where somebody else's stands in that file."""
    style, present = agent.profile.style, installed(agent, text)
    if text.strip() and not present:
        one_of_many = "hook that hookline did not write; there can be one for each event"
        what = one_of_many if style.scripts else "program that hookline did not write"
        raise ConfigError(f"this is a {what}", "move it away, then install again")
    made = present[0].made if present else made
    mark = "#" if style.scripts else "//"
    head = (
        f"{mark} Made by hookline: `hookline install {agent.name}` renews it, `hookline uninstall {agent.name}` "
        f"takes it out.\n{mark} {launcher} bridge {agent.name} # hookline{f' made:{made}' if made else ''}\n"
    )
    if style.scripts:
        line = f'exec {launcher} bridge {agent.name} --event "${{0##*/}}"'
        return f"#!/bin/sh\n{head}# events: {' '.join(events)}\n{line}\n"
    limit = max((row.timeout_s for row in agent.rows), default=60.0) + GRACE_S
    constants = {
        "AGENT": agent.name, "LAUNCHER": shlex.split(launcher), "EVENTS": list(events), "PACKAGE": hookline.__file__,
        "LIMIT_MS": int(limit * 1000), "PLACES": _places(),
    }  # fmt: skip
    assert style.program is not None
    lines = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in constants.items())
    return f"{head}{lines}\n{style.program()}"


def uninstall(agent: AgentDialect, text: str) -> tuple[str, str]:
    """Nothing where it is ours, and what was made for it."""
    entries = installed(agent, text)
    return ("", entries[0].made) if entries else (text, "")


def _places() -> list[str]:
    """Where config with hooks may be, of every dialect that has config."""
    return [
        place
        for name, row in REGISTRY.items()
        for place in row.places
        if not place.startswith("$") and dialect(name).profile.style.program is None
    ]
