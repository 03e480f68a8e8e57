"""An agent's own hooks taken out of its config's text, and put back. Pure functions on texts.

Taken are those that the agent's own entry for hookline can stand for: commands, at an event at which we are called,
with no longer a time limit than the agent gives us.
"""

from __future__ import annotations

from hookline.dialects.bridged import AgentDialect
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.editing.json_edits import insert_item, remove_item, set_value
from hookline.dialects.editing.json_entries import above, handlers, members
from hookline.model.events import EventKind
from hookline.model.record import Record
from hookline.model.typing import Any


class Taken(Record):
    """What taking the hooks out gives: the config without them, a config of only them, and how many stay."""

    left: str
    hooks: str
    kinds: frozenset[EventKind] = frozenset()
    count: int = 0
    staying: int = 0


def why_staying(agent: AgentDialect, shown: str) -> str:
    """Why no hook can be taken out of an agent's settings, whose file for our entries is `shown`; else empty."""
    style = agent.profile.style
    if style.program is not None:
        return f"hooks of {agent.title} are programs, which only it can run"
    if (form := agent.profile.read_as[0]) in ("toml", "yaml"):
        words = "of which hookline changes nothing but its own part"
        return f"hooks of {agent.title} stand in a {form.upper()} file, {words}"
    if style.flat_events:
        return f"hooks of {agent.title} stand in sets with names of their own, and hookline edits only its own set"
    if "hookline" in shown:
        return f"hooks of {agent.title} stand in files of their own beside `{shown}`, and hookline edits no other"
    return ""


def take_out(agent: AgentDialect, text: str) -> Taken:
    """Takes the hooks out of a config without entries of ours. Raises ConfigError where the text is no object."""
    style = agent.profile.style
    root = members(text)
    place = above(style, root)
    events = root.get(str(place[0])) if place else root
    left, hooks = text, set_value("", ("version",), style.version).text if style.version else ""
    kinds, count, staying = set(), 0, 0
    for native, items in events.items() if isinstance(events, dict) else ():
        row = agent.row(native)
        if row is None or not isinstance(items, list):
            continue
        path = (*place, native)
        for index in reversed(range(len(items))):
            if not _fits(agent, row, items[index]):
                staying += len(handlers(style, items[index]))
                continue
            left = remove_item(left, path, index, (path,))
            hooks = insert_item(hooks, path, items[index], 0).text
            kinds.add(row.kind)
            count += len(handlers(style, items[index]))
    return Taken(left, hooks, frozenset(kinds), count, staying)


def put_back(agent: AgentDialect, text: str, hooks: str) -> str:
    """The config with these hooks in front of those that have come since."""
    root = members(hooks)
    place = above(agent.profile.style, root)
    events = root.get(str(place[0])) if place else root
    for native, items in events.items() if isinstance(events, dict) else ():
        for item in reversed(items if isinstance(items, list) else []):
            text = insert_item(text, (*above(agent.profile.style, members(text)), native), item, 0).text
    return text


def _fits(agent: AgentDialect, row: AgentRule, item: Any) -> bool:
    style = agent.profile.style
    found = handlers(style, item)
    return row.native not in style.never and bool(found) and all(_is_ours(agent, row, each) for each in found)


def _is_ours(agent: AgentDialect, row: AgentRule, handler: Any) -> bool:
    style = agent.profile.style
    if not isinstance(handler, dict) or handler.get("type", "command") != "command":
        return False
    limit = handler.get(style.timeout_key, 0)
    given = style.limits.get(row.kind, row.timeout_s) * style.unit
    is_command = isinstance(handler.get(style.command_key), str)
    return is_command and isinstance(limit, int | float) and limit <= given
