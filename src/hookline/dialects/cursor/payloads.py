"""Cursor's payloads, which differ by event, to canonical fields and back."""

from __future__ import annotations

from hookline.dialects.bridged.payloads import (
    canonical_call,
    decoded,
    encoded,
    native_call,
    native_of,
    result_text,
    with_extra,
)
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.cursor.rules import TOOLS
from hookline.dialects.tools import mcp_parts
from hookline.model.events import Event, EventKind
from hookline.model.typing import Any, Callable, Mapping

STATUS_KINDS = {"error": EventKind.StopFailure, "aborted": EventKind.Interrupt}


def read_fields(native: str, given: dict[str, Any]) -> dict[str, Any]:
    """Adds the canonical fields to a payload, in place; returns the words that were Cursor's own."""
    roots = given.get("workspace_roots")
    given.setdefault("session_id", given.get("conversation_id", ""))
    given.setdefault("cwd", str(roots[0]) if isinstance(roots, list) and roots else "")
    words = {"event": native, **(_READERS[native](given) if native in _READERS else {})}
    if "duration" in given:
        given["duration_ms"] = given["duration"]
    return words


def cursor_payload(event: Event, rule: AgentRule) -> dict[str, Any]:
    """What Cursor itself would send for this event."""
    extra = event.extra
    payload: dict[str, Any] = {
        "conversation_id": extra.get("conversation_id", event.session_id),
        "generation_id": extra.get("generation_id", extra.get("prompt_id", "")),
        "model": extra.get("model", ""),
        "hook_event_name": rule.native,
        "cursor_version": extra.get("cursor_version", ""),
        "workspace_roots": extra.get("workspace_roots") or [event.workspace or event.cwd],
        "user_email": extra.get("user_email"),
        "transcript_path": event.transcript_path or None,
    }
    if rule.native in _WRITERS:
        payload.update(_WRITERS[rule.native](event))
    return with_extra(payload, event, ("duration_ms",) if "duration" in extra else ())


# -- reading ------------------------------------------------------------------------------------------


def _read_call(given: dict[str, Any]) -> dict[str, Any]:
    given["tool_input"] = decoded(given.get("tool_input"))
    words = canonical_call(TOOLS, given, str(given.get("mcp_server_name") or ""))
    if "tool_output" in given:
        given["tool_response"] = decoded(given["tool_output"])
    if "result_json" in given:
        given["tool_response"] = decoded(given["result_json"])
    error = given.get("error_message", given.get("error"))
    if error is not None:
        given["error"] = encoded(error)
    return words


def _read_shell(given: dict[str, Any]) -> dict[str, Any]:
    given.update({"tool_name": "Bash", "tool_input": {"command": given.get("command")}})
    if "output" in given:
        given["tool_response"] = {"stdout": given["output"], "stderr": "", "interrupted": False}
    return {}


def _read_file(given: dict[str, Any]) -> dict[str, Any]:
    given.update({"tool_name": "Read", "tool_input": {"file_path": given.get("file_path") or ""}})
    return {}


def _read_edit(given: dict[str, Any]) -> dict[str, Any]:
    edits = given.get("edits")
    edits = edits if isinstance(edits, list) else []
    single = edits[0] if len(edits) == 1 and isinstance(edits[0], dict) else {}
    change = {key: single[key] for key in ("old_string", "new_string") if key in single}
    path = str(given.get("file_path", ""))
    given.update({"tool_name": "Edit", "tool_input": {"file_path": path, **change, "edits": edits}})
    return {}


def _read_subagent(given: dict[str, Any]) -> dict[str, Any]:
    given["agent_type"] = str(given.get("subagent_type", ""))
    if isinstance(given.get("summary"), str):
        given["last_assistant_message"] = given["summary"]
    return _read_loop(given)


def _read_loop(given: dict[str, Any]) -> dict[str, Any]:
    count = given.get("loop_count")
    if isinstance(count, int):
        given.update({"stop_hook_active": count > 0, "attempt": count + 1})
    return {}


_READERS: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "preToolUse": _read_call, "postToolUse": _read_call, "postToolUseFailure": _read_call,
    "beforeMCPExecution": _read_call, "afterMCPExecution": _read_call,
    "beforeShellExecution": _read_shell, "afterShellExecution": _read_shell,
    "beforeReadFile": _read_file, "beforeTabFileRead": _read_file,
    "afterFileEdit": _read_edit, "afterTabFileEdit": _read_edit,
    "subagentStart": _read_subagent, "subagentStop": _read_subagent, "stop": _read_loop,
}  # fmt: skip


# -- writing ------------------------------------------------------------------------------------------


def _call(event: Event) -> dict[str, Any]:
    found = {**native_call(TOOLS, event), "tool_use_id": event.get("tool_use_id") or "", "cwd": event.cwd}
    if event.kind is EventKind.PostToolUse:
        found["tool_output"] = encoded(event.get("tool_response"))
    if event.kind is EventKind.PostToolUseFailure:
        found["error_message"] = event.get("error") or ""
    if event.get("duration_ms") is not None:
        found["duration"] = event.get("duration_ms")
    return found


def _mcp(event: Event) -> dict[str, Any]:
    parts = mcp_parts(event.get("tool_name") or "")
    native = native_of(event, "cursor").get("tool_name")
    found = {
        "tool_name": native or (parts[1] if parts else event.get("tool_name")),
        "tool_input": encoded(event.get("tool_input") or {}),
        "mcp_server_name": parts[0] if parts else "",
    }
    if event.kind is EventKind.PostToolUse:
        found["result_json"] = encoded(event.get("tool_response"))
    return found


def _shell(event: Event) -> dict[str, Any]:
    given = event.get("tool_input") or {}
    found = {"command": given.get("command", ""), "cwd": event.cwd, "sandbox": False}
    if event.kind is EventKind.PostToolUse:
        output = result_text(event.get("tool_response"))
        found.update({"output": output, "duration": event.get("duration_ms") or 0})
    return found


def _file(event: Event) -> dict[str, Any]:
    given = event.get("tool_input") or {}
    return {"file_path": given.get("file_path", ""), "content": event.get("content") or ""}


def _edit(event: Event) -> dict[str, Any]:
    given = event.get("tool_input") or {}
    change = {
        "old_string": given.get("old_string", ""),
        "new_string": given.get("new_string", given.get("content", "")),
    }
    path = given.get("file_path", given.get("notebook_path", ""))
    return {"file_path": path, "edits": given.get("edits") or [change]}


def _stop(event: Event) -> dict[str, Any]:
    words = {EventKind.StopFailure: "error", EventKind.Interrupt: "aborted"}
    return {"status": words.get(event.kind, "completed"), "loop_count": (event.get("attempt") or 1) - 1}


def _said(event: Event) -> dict[str, Any]:
    response = event.get("llm_response")
    text = response.get("text") if isinstance(response, dict) else event.get("text")
    return {"text": str(text or "")}


def _subagent(event: Event) -> dict[str, Any]:
    found: dict[str, Any] = {"subagent_type": event.agent_type}
    if event.kind is EventKind.SubagentStop:
        found.update({**_stop(event), "summary": event.get("last_assistant_message") or ""})
    return found


_WRITERS: Mapping[str, Callable[[Event], dict[str, Any]]] = {
    "sessionStart": lambda event: {"session_id": event.session_id},
    "sessionEnd": lambda event: {"session_id": event.session_id, "reason": event.get("reason") or "other"},
    "preToolUse": _call, "postToolUse": _call, "postToolUseFailure": _call,
    "beforeMCPExecution": _mcp, "afterMCPExecution": _mcp,
    "beforeShellExecution": _shell, "afterShellExecution": _shell,
    "beforeReadFile": _file, "beforeTabFileRead": _file, "afterFileEdit": _edit, "afterTabFileEdit": _edit,
    "afterAgentResponse": _said,
    "beforeSubmitPrompt": lambda event: {
        "prompt": event.get("prompt") or "", "attachments": event.get("attachments") or [],
    },
    "stop": _stop, "subagentStart": _subagent, "subagentStop": _subagent,
    "preCompact": lambda event: {"trigger": event.get("trigger") or "auto"},
}  # fmt: skip
