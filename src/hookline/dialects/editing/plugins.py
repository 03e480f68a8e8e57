"""Our own program inside an agent whose hooks are programs: made from a template, found again, and taken out.

It is a file of ours alone, so its text says what to undo: `made:fp` counts the folders that were made for it. A file
of that name that somebody else wrote is left alone.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection

import hookline
from hookline.dialects import REGISTRY, dialect
from hookline.dialects.bridged import AgentDialect
from hookline.dialects.editing.entries import Entry, entries_of, head_of, made_before
from hookline.dialects.profile import Profile

_HEAD = re.compile(
    r"\A// Made by hookline\b[^\n]*\n// (?P<start>[^\n]+) bridge (?P<agent>[a-z][a-z0-9-]*)"
    r" # hookline(?: made:(?P<made>[a-z]+))?\n(?:const [^\n]*\n)*?"
    r"const LAUNCHER = (?P<launcher>\[[^\n]*\]);\nconst EVENTS = (?P<events>\[[^\n]*\]);\n"
)
GRACE_S = 10.0  # hookline answers in time by itself; the program waits a little longer, and never for ever


def installed(agent: AgentDialect, text: str) -> tuple[Entry, ...]:
    """The events our program reports, as entries; none where the text is not ours."""
    found = _HEAD.match(text)
    if found is None or found["agent"] != agent.name:
        return ()
    try:
        start, events = shlex.join(json.loads(found["launcher"])), json.loads(found["events"])
    except (ValueError, TypeError):
        return ()  # edited since, and nothing that runs any more
    return entries_of(agent.name, start, events, found["made"] or "")


def install(agent: AgentDialect, text: str, launcher: str, events: Collection[str], made: str) -> str:
    """Our program. Raises ConfigError where somebody else's stands in that file."""
    made = made_before(installed(agent, text), text, made, "program that hookline did not write")
    limit = max((row.timeout_s for row in agent.rows), default=60.0) + GRACE_S
    constants = {
        "AGENT": agent.name, "LAUNCHER": shlex.split(launcher), "EVENTS": list(events), "PACKAGE": hookline.__file__,
        "LIMIT_MS": int(limit * 1000), "PLACES": _places(),
    }  # fmt: skip
    program = agent.profile.style.program
    assert program is not None
    lines = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in constants.items())
    return f"{head_of(agent.name, launcher, made, '//')}{lines}\n{program()}"


def uninstall(agent: AgentDialect, text: str) -> tuple[str, str]:
    """Nothing where it is ours, and what was made for it."""
    entries = installed(agent, text)
    return ("", entries[0].made) if entries else (text, "")


def has_no_config(profile: Profile) -> bool:
    """Whether the agent's hooks are programs inside of it."""
    return profile.style.program is not None


def _places() -> list[str]:
    """Where config with hooks may be, of every dialect that has config."""
    return [
        place
        for name, row in REGISTRY.items()
        for place in row.places
        if not place.startswith("$") and not has_no_config(dialect(name).profile)
    ]
