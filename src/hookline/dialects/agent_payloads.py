"""Payloads with snake_case fields: to an event without losing a field, and back in the same words."""

from __future__ import annotations

from hookline.model.errors import PayloadError
from hookline.model.events import event_from_payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hookline.dialects.agent_rules import AgentRule
    from hookline.model.events import Event, EventKind

# Kept in `Event.extra` under this key: the agent's own event, tool and input, where ours differ from them.
NATIVE = "native"


def read_agent_event(
    kind: EventKind, host: str, payload: Mapping[str, Any], native: Mapping[str, Any]
) -> Event:
    """The event of a payload in canonical fields; `native` is what was translated, for the way back."""
    given = dict(payload)
    tool_input = given.get("tool_input")
    if tool_input is not None and not isinstance(tool_input, dict):
        given["tool_input"] = {"value": tool_input}
        native = {**native, "tool_input": tool_input}
    if native:
        given[NATIVE] = dict(native)
    event = event_from_payload(kind, given, host=host)
    if event.workspace or not event.cwd:
        return event
    from hookline.model.record import replace

    return replace(event, workspace=event.cwd)


def native_of(event: Event, agent: str) -> Mapping[str, Any]:
    """What the agent itself said, if the event comes from it; else nothing."""
    native = event.extra.get(NATIVE)
    return native if event.host == agent and isinstance(native, dict) else {}


def write_fields(rule: AgentRule, event: Event) -> dict[str, Any]:
    """The row's own fields of an event, optional ones only where there is a value."""
    found: dict[str, Any] = {}
    for name in rule.fields:
        field = name.removesuffix("?")
        value = event.get(field)
        if field != name and (value is None or value == ""):
            continue
        found[field] = list(value) if isinstance(value, tuple) else value
    return found


def with_extra(payload: dict[str, Any], event: Event, omitted: Iterable[str] = ()) -> dict[str, Any]:
    """The payload with every field no row knows, so that nothing is lost on the way to the hook."""
    left_out = {NATIVE, *omitted}
    for field, value in event.extra.items():
        if field not in left_out:
            payload.setdefault(field, value)
    return payload


def require_object(payload: object, agent: str) -> Mapping[str, Any]:
    """The payload if it is a JSON object. Raises PayloadError."""
    if not isinstance(payload, dict):
        raise PayloadError(f"{agent} sends a JSON object, found {type(payload).__name__}")
    return payload
