"""Kimi Code: Claude Code's events in one TOML list of the user's. Read from its sources of August 2026."""

from __future__ import annotations

from hookline.dialects.family.columns import BLOCK, COMMAND, PERMISSIONS, TIMEOUT, Agent, File, event
from hookline.dialects.keys import Key
from hookline.model.record import replace

_CALL = "tool_name tool_input tool_use_id?"

DIALECT = Agent(
    name="kimi",
    title="Kimi Code",
    program="kimi",
    sources="its sources at d723cc47, and its documentation",
    files=(File("user", "{home}/.kimi-code/config.toml", ours=True, top=""),),
    format="toml",
    event_key="event",
    drops=frozenset({"unknown-key", "unknown-event", "missing-key"}),
    dedupe=True,
    rows=(
        event("SessionStart"),
        event("SessionEnd"),
        event("UserPromptSubmit", "deny context", plain_context=True, subject="prompt"),
        event("PreToolUse", "deny"),
        event("PostToolUse", fields=f"{_CALL} tool_response", feedback=False),
        event("PostToolUseFailure", fields=f"{_CALL} error", feedback=False),
        event("PermissionRequest"),
        event("Stop", "deny reprompt"),
        event("StopFailure"),
        event("Interrupt", fields=""),
        event("SubagentStart"),
        event("SubagentStop"),
        event("PreCompact"),
        event("PostCompact"),
        event("Notification"),
    ),
    apart=frozenset({
        "PermissionResult", "SessionHeartbeat", "TaskStarted", "TurnStarted", "UserPromptQueued",
    }),
    keys=(
        Key("event", words="when it runs", required=True),
        Key("matcher", words="which values it is for, as a pattern; absent: all"),
        COMMAND,
        replace(TIMEOUT, most=600.0),
    ),
    timeout_s=30.0,
    matching="regex",
    payload={"tool_use_id": "tool_call_id", "tool_response": "tool_output", "transcript_path": ""},
    says=(PERMISSIONS[0], BLOCK),
    needs=("Kimi Code reads its config when a session starts",),
)  # fmt: skip
