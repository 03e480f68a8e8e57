"""The JSON Schema of what a file of a family's agent may say, made from its columns."""

from __future__ import annotations

from hookline.dialects.answering import put
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import Agent, File, entry_keys
from hookline.dialects.schemas import file_schema, group_schema, handler_schema, table_schema
from hookline.model.typing import Any


def schema(dialect: FamilyDialect) -> dict[str, Any]:
    """The JSON Schema of a file, made from the rows."""
    agent = dialect.agent
    if agent.plugin or agent.scripts:
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": f"{agent.title} has no file of hooks: its {'hooks' if agent.scripts else 'plugins'} are programs",
            "not": {},
        }
    handler = handler_schema(agent.keys)
    sequence = {agent.sequence_key: {"type": "boolean"}} if agent.sequence_key else None
    group = handler_schema(entry_keys(agent)) if agent.flat else group_schema(handler, sequence)
    events = {row.native: {"type": "array", "items": group} for row in dialect.rows}
    top = _ours(dialect).top
    known: dict[str, Any] = {**events, **{key: {} for key in sorted(agent.free)}}
    hooks = table_schema(known)
    if agent.sets:
        bare = {name: {"type": "array", "items": handler} for name in agent.flat_events}
        named_set = table_schema({**events, **bare, "enabled": {"type": "boolean"}})
        top, events = "", {}
    if agent.event_key:
        named = {agent.event_key: {"enum": [*events, *sorted(agent.apart)]}}
        entry = {**handler, "properties": {**handler["properties"], **named}}
        top, hooks = "hooks", {"type": "array", "items": entry}
    version = {"version": {"const": agent.version}} if agent.version else {}
    needed = {"required": ["version", *([top] if top else [])]} if agent.version else {}
    properties = {**version, **_switch_schemas(agent), **({top: hooks} if top else events)}
    sets = {"additionalProperties": named_set} if agent.sets else {}
    return file_schema(f"{agent.title} hooks", properties, **sets, **needed)


def _switch_schemas(agent: Agent) -> dict[str, Any]:
    """What its switches may be, in the objects their dotted keys stand in."""
    found: dict[str, Any] = {}
    for switch in agent.switches:
        put(found, switch.key.replace(".", ".properties."), {"type": "boolean"})
    if agent.names_off:
        names = {"type": "array", "items": {"type": "string"}}
        put(found, agent.names_off.replace(".", ".properties."), names)
    return found


def _ours(dialect: FamilyDialect) -> File:
    files = dialect.agent.files
    return next((file for file in files if file.ours), files[0] if files else File("project", ""))
