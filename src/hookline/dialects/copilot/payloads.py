"""Copilot's two kinds of payload to canonical fields and back."""

from __future__ import annotations

from hookline.dialects.bridged.payloads import (
    canonical_call,
    native_call,
    native_input,
    native_of,
    with_extra,
)
from hookline.dialects.copilot.rules import is_pascal
from hookline.model.events import EventKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.dialects.bridged.rules import AgentRule
    from hookline.model.events import Event

# camelCase field -> canonical one
FIELDS: Mapping[str, str] = {
    "sessionId": "session_id", "workingDirectory": "cwd", "transcriptPath": "transcript_path",
    "toolName": "tool_name", "toolArgs": "tool_input", "toolInput": "tool_input",
    "toolResult": "tool_response", "tool_result": "tool_response", "customInstructions": "custom_instructions",
    "stopHookActive": "stop_hook_active", "agentId": "agent_id", "agentType": "agent_type",
    "response": "last_assistant_message", "notificationType": "notification_type",
}  # fmt: skip
# The canonical fields of each event, in camelCase and in PascalCase events.
EVENT_FIELDS: Mapping[EventKind, tuple[tuple[str, str, str], ...]] = {
    EventKind.SessionStart: (("source", "source", "source"),),
    EventKind.SessionEnd: (("reason", "reason", "reason"),),
    EventKind.UserPromptSubmit: (("prompt", "prompt", "prompt"),),
    EventKind.UserPromptExpansion: (("prompt", "prompt", "prompt"),),
    EventKind.PostToolUse: (("tool_response", "toolResult", "tool_result"),),
    EventKind.PostToolUseFailure: (("error", "error", "error"),),
    EventKind.PreCompact: (
        ("trigger", "trigger", "trigger"), ("custom_instructions", "customInstructions", "custom_instructions"),
    ),
    EventKind.Stop: (("stop_hook_active", "stopHookActive", "stop_hook_active"),),
    EventKind.SubagentStart: (("agent_type", "agentName", "agent_name"),),
    EventKind.SubagentStop: (
        ("agent_id", "agentId", "agent_id"), ("agent_type", "agentType", "agent_type"),
        ("last_assistant_message", "response", "last_assistant_message"),
    ),
    EventKind.StopFailure: (("error", "error", "error"),),
    EventKind.Notification: (
        ("notification_type", "notification_type", "notification_type"), ("message", "message", "message"),
    ),
}  # fmt: skip


def read_fields(native: str, given: dict[str, Any]) -> dict[str, Any]:
    """Renames the fields of a payload to canonical ones, in place; returns what was Copilot's own."""
    words: dict[str, Any] = {"event": native}
    for field, canonical in FIELDS.items():
        if field in given and canonical not in given:
            given[canonical] = given.pop(field)
            words.setdefault("fields", {})[canonical] = field
    if "agent_type" not in given and isinstance(given.get("agentName"), str):
        given["agent_type"] = given["agentName"]
    if "tool_name" in given:
        words.update(_read_call(given))
    error = given.get("error")
    if isinstance(error, dict):
        given["error"], words["error"] = str(error.get("message", "")), error
    return words


def copilot_payload(event: Event, rule: AgentRule) -> dict[str, Any]:
    """What Copilot itself would send for this event, in the fields its spelling calls for."""
    from hookline.system.clock import iso_time, now

    pascal = is_pascal(rule.native)
    at = event.at or now()
    if pascal:
        payload: dict[str, Any] = {
            "hook_event_name": rule.native, "session_id": event.session_id,
            "timestamp": event.extra.get("timestamp", iso_time(at)), "cwd": event.cwd,
        }  # fmt: skip
    else:
        payload = {
            "sessionId": event.session_id, "timestamp": event.extra.get("timestamp", int(at * 1000)),
            "cwd": event.cwd,
        }  # fmt: skip
    if event.kind is EventKind.Stop and not pascal and event.transcript_path:
        payload["transcriptPath"] = event.transcript_path
    if event.get("tool_name"):
        payload.update(_write_call(event, pascal))
    for canonical, camel, snake in EVENT_FIELDS.get(event.kind, ()):
        value = event.get(canonical)
        if value not in (None, ""):
            payload[snake if pascal else camel] = value
    if event.kind is EventKind.StopFailure:
        payload["error"] = native_of(event, "copilot").get("error") or {"message": event.get("error") or ""}
    return with_extra(payload, event)


def _read_call(given: dict[str, Any]) -> dict[str, Any]:
    import json

    text = given.get("tool_input")
    words: dict[str, Any] = {}
    if isinstance(text, str):
        try:
            given["tool_input"] = json.loads(text)
        except ValueError:
            given["tool_input"] = {"value": text}
    words.update(canonical_call("copilot", given, str(given.get("serverName") or "")))
    return words


def _write_call(event: Event, pascal: bool) -> dict[str, Any]:
    """PascalCase events have Claude Code's names and an object; the others a JSON text."""
    import json

    if pascal:
        return {"tool_name": event.get("tool_name"), "tool_input": event.get("tool_input") or {}}
    call = native_call("copilot", event)
    given = native_input("copilot", event, event.get("tool_input") or {})
    return {"toolName": call["tool_name"], "toolArgs": json.dumps(given, ensure_ascii=False)}
