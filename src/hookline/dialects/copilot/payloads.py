"""Copilot's two kinds of payload to canonical fields and back."""

from __future__ import annotations

from hookline.dialects.bridged.payloads import (
    canonical_call,
    decoded,
    encoded,
    native_call,
    native_input,
    native_of,
    result_text,
    with_extra,
)
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.copilot.rules import TOOLS, is_pascal
from hookline.dialects.json_output import snake_case
from hookline.model.events import Event, EventKind
from hookline.model.rendering import iso_time
from hookline.model.typing import Any, Mapping
from hookline.system.clock import now

# What Copilot calls what the others call otherwise.
VALUES: Mapping[str, Mapping[str, str]] = {"source": {"new": "startup"}, "reason": {"complete": "other"}}
# camelCase field -> canonical one
FIELDS: Mapping[str, str] = {
    "sessionId": "session_id", "workingDirectory": "cwd", "transcriptPath": "transcript_path",
    "toolName": "tool_name", "toolArgs": "tool_input", "toolInput": "tool_input",
    "toolResult": "tool_response", "tool_result": "tool_response", "customInstructions": "custom_instructions",
    "stopHookActive": "stop_hook_active", "agentId": "agent_id", "agentType": "agent_type",
    "response": "last_assistant_message", "notificationType": "notification_type",
    "permissionSuggestions": "permission_suggestions",
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
    EventKind.Stop: (("stop_hook_active", "stop_hook_active", "stop_hook_active"),),
    EventKind.SubagentStart: (("agent_type", "agentName", "agent_name"),),
    EventKind.SubagentStop: (
        ("agent_id", "agentId", "agent_id"), ("agent_type", "agentType", "agent_type"),
        ("last_assistant_message", "response", "last_assistant_message"),
        ("stop_hook_active", "stop_hook_active", "stop_hook_active"),
    ),
    EventKind.StopFailure: (("error", "error", "error"),),
    EventKind.Notification: (
        ("notification_type", "notification_type", "notification_type"), ("message", "message", "message"),
        ("title", "title", "title"),
    ),
}  # fmt: skip


def read_fields(native: str, given: dict[str, Any]) -> dict[str, Any]:
    """Renames the fields of a payload to canonical ones, in place; returns what was Copilot's own."""
    words: dict[str, Any] = {"event": native}
    for field, canonical in FIELDS.items():
        if field in given and canonical not in given:
            given[canonical] = given.pop(field)
            words.setdefault("fields", {})[canonical] = field
    _read_subagent(given, words)
    for field, meant in VALUES.items():
        if isinstance(said := given.get(field), str) and said in meant:
            words[field], given[field] = said, meant[said]
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
    pascal = is_pascal(rule.native)
    at = event.at or now()
    native = native_of(event, "copilot")
    session = native.get("session_id", event.session_id)
    if rule.kind is EventKind.PermissionRequest:  # the same under both spellings
        payload: dict[str, Any] = {
            "hookName": "permissionRequest", "sessionId": session,
            "timestamp": event.extra.get("timestamp", int(at * 1000)), "cwd": event.cwd,
            **_write_request(event),
        }  # fmt: skip
    elif pascal:
        payload = {
            "hook_event_name": rule.native, "session_id": session,
            "timestamp": event.extra.get("timestamp", iso_time(at)), "cwd": event.cwd,
        }  # fmt: skip
    else:
        payload = {
            "sessionId": session, "timestamp": event.extra.get("timestamp", int(at * 1000)),
            "cwd": event.cwd,
        }  # fmt: skip
    if event.transcript_path and event.kind in _WITH_TRANSCRIPT:
        payload["transcript_path" if pascal else "transcriptPath"] = event.transcript_path
    for field in ("agent_id", "agent_type"):
        if getattr(event, field):
            payload[field if pascal else _CAMEL[field]] = getattr(event, field)
    if event.get("tool_name") and rule.kind is not EventKind.PermissionRequest:
        payload.update(_write_call(event, pascal))
    for canonical, camel, snake in EVENT_FIELDS.get(event.kind, ()):
        value = native.get(canonical) or _said(canonical, event.get(canonical), event.host)
        if value not in (None, ""):
            payload[native.get("fields", {}).get(canonical, snake if pascal else camel)] = value
    if event.host != "copilot":
        payload.update(_spelled(_as_own(event), pascal))
    if event.kind is EventKind.Notification:
        payload["hook_event_name"] = "Notification"  # the only one of its spelling that is named
    if event.kind is EventKind.StopFailure:
        payload["error"] = native.get("error") or {"message": event.get("error") or ""}
    return with_extra(payload, event, ("permission_suggestions",))  # there `permissionSuggestions`


def _as_own(event: Event) -> dict[str, Any]:
    """What Copilot always says at an event and others do not, or in another form."""
    match event.kind:
        case EventKind.PostToolUse:
            text = result_text(event.get("tool_response"))
            return {"toolResult": {"resultType": "success", "textResultForLlm": text}}
        case EventKind.UserPromptExpansion:
            return {"transformedPrompt": event.get("prompt") or ""}
        case EventKind.Stop:
            return {"stopReason": "end_turn"}
        case EventKind.SubagentStop:
            return {"stopReason": "end_turn", "agentName": event.agent_type}
        case EventKind.StopFailure:
            return {"errorContext": "model_call", "recoverable": False}
    return {}


def _spelled(fields: dict[str, Any], pascal: bool) -> dict[str, Any]:
    if not pascal:
        return fields
    return {
        snake_case(name): _spelled(value, pascal) if isinstance(value, dict) else value
        for name, value in fields.items()
    }


def _read_call(given: dict[str, Any]) -> dict[str, Any]:
    text = given.get("tool_input")
    words: dict[str, Any] = {"as_text": True} if isinstance(text, str) else {}  # as older versions send them
    given["tool_input"] = decoded(text)
    words.update(canonical_call(TOOLS, given, str(given.get("serverName") or "")))
    return words


def _write_call(event: Event, pascal: bool) -> dict[str, Any]:
    """PascalCase events have Claude Code's tool names; the arguments are Copilot's at both."""
    given = native_input(TOOLS, event, event.get("tool_input") or {})
    if pascal:
        return {"tool_name": event.get("tool_name"), "tool_input": given}
    if native_of(event, "copilot").get("as_text"):
        given = encoded(given)
    return {"toolName": native_call(TOOLS, event)["tool_name"], "toolArgs": given}


def _write_request(event: Event) -> dict[str, Any]:
    call = native_call(TOOLS, event)
    return {
        "toolName": call["tool_name"], "toolInput": call["tool_input"],
        "permissionSuggestions": event.get("permission_suggestions") or [],
    }  # fmt: skip


def _read_subagent(given: dict[str, Any], words: dict[str, Any]) -> None:
    """A subagent's id stands in for its session's; hooks that keep count of a session want the whole one."""
    parent = given.get("parentAgentId") or given.get("parent_agent_id")
    if isinstance(parent, str) and parent and given.get("session_id") == given.get("agent_id"):
        words["session_id"], given["session_id"] = given["session_id"], parent


def _said(field: str, value: Any, host: str) -> Any:
    """A value in Copilot's words, unless they are its own."""
    if host == "copilot":
        return value
    return next((own for own, meant in VALUES.get(field, {}).items() if meant == value), value)


_CAMEL = {"agent_id": "agentId", "agent_type": "agentType"}
_WITH_TRANSCRIPT = frozenset({EventKind.Stop, EventKind.SubagentStart, EventKind.SubagentStop})
