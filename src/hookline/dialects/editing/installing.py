"""Our own entries in an agent's config: put in, found again, and taken out without a trace.

Pure functions on the config's text, by the editor of its format. Removing what was installed gives the text back to
the byte.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hookline.dialects.bridged import AgentDialect
from hookline.dialects.editing import json_entries, programs, tables, yaml_lists
from hookline.dialects.editing.entries import ADOPTED, Entry
from hookline.model.events import EventKind
from hookline.model.typing import Protocol


class Editor(Protocol):
    """What each module of a format does."""

    def installed(self, agent: AgentDialect, text: str) -> tuple[Entry, ...]: ...

    def install(
        self, agent: AgentDialect, text: str, launcher: str, events: Collection[str], made: str
    ) -> str: ...

    def uninstall(self, agent: AgentDialect, text: str) -> tuple[str, str]: ...


def wanted_events(agent: AgentDialect, kinds: Collection[EventKind]) -> tuple[str, ...]:
    """The native events to install, in the agent's own order; `kinds` are those that have hooks here."""
    style = agent.profile.style
    chosen = []
    for row in agent.rows:
        if row.native in style.never:
            continue
        if row.kind not in style.on_demand or row.kind in kinds:
            chosen.append(row.native)
    return tuple(dict.fromkeys(chosen))


def installed(agent: AgentDialect, text: str) -> tuple[Entry, ...]:
    """Our entries in a config text, in the order they stand in. Raises ConfigError for what cannot be read."""
    return _editor(agent).installed(agent, text)


def install(
    agent: AgentDialect,
    text: str | None,
    launcher: str,
    kinds: Collection[EventKind],
    folders: int = 0,
    adopted: bool = False,
) -> str:
    """The config with our entries, each calling `launcher bridge AGENT --event NATIVE`.

    `text` is None for a missing file, `folders` how many folders have to be made for it; `adopted` notes that the
    agent's own hooks were taken out. Entries that stand there already are brought up to date.
    Raises ConfigError where they cannot be put in.
    """
    made = ("f" + "p" * folders if text is None else "") + ADOPTED * adopted
    return _editor(agent).install(agent, text or "", launcher, wanted_events(agent, kinds), made)


def is_altered(agent: AgentDialect, text: str, entries: Sequence[Entry]) -> bool:
    """Whether our program inside an agent is not what would be written today: changed, or of another version."""
    if agent.profile.style.program is None or not entries:
        return False
    events, first = [entry.native for entry in entries], entries[0]
    return _editor(agent).install(agent, text, first.start, events, first.made) != text


def uninstall(agent: AgentDialect, text: str) -> tuple[str | None, int]:
    """The config without our entries, and how many folders above it go as well; None: the file goes too."""
    left, made = _editor(agent).uninstall(agent, text)
    return (None, made.count("p")) if "f" in made and not left.removeprefix("\ufeff") else (left, 0)


def _editor(agent: AgentDialect) -> Editor:
    style, form = agent.profile.style, agent.profile.read_as[0]
    if style.program is not None:
        return programs
    if form == "yaml":
        return yaml_lists
    return tables if form == "toml" and style.event_key else json_entries
