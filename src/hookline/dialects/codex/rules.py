"""Codex CLI's events as rows.

From its hooks page and generated schemas, and third-party wire models; `observed` marks what 0.169 did
when it was run, which wins where they differ.
"""

from __future__ import annotations

from hookline.dialects.bridged.rules import AgentRule, by_kind, effects
from hookline.dialects.tools import Tools
from hookline.model.events import EventKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SOURCE = "Codex CLI hooks page and schemas, 0.145 to 0.169; observed"
HANDLERS = frozenset({"command", "mcp_tool"})
WHO = ("turn_id", "agent_id?", "agent_type?", "model", "permission_mode")
CALL = (*WHO, "tool_name", "tool_input")
COMPACT = ("turn_id", "model", "trigger")
STOPPED = ("stop_hook_active", "last_assistant_message")


def _row(
    native: str, kind: EventKind, can: str, fields: tuple[str, ...], subject: str = "", **more: Any
) -> AgentRule:
    """Hooks start together; identical ones each run (observed)."""
    return AgentRule(
        native=native, kind=kind, subject=subject, effects=effects(can), order="parallel",
        timeout_s=more.pop("timeout_s", 600.0), cite=SOURCE, fields=fields, handlers=HANDLERS, **more,
    )  # fmt: skip


K = EventKind
ROWS: tuple[AgentRule, ...] = (
    # `fork` as a source was seen by third parties only
    _row(
        "SessionStart", K.SessionStart, "context continue message", ("model", "permission_mode", "source"),
        "source", plain_context=True, exit_two="fails",
    ),
    _row(
        "SubagentStart", K.SubagentStart, "context message",
        ("turn_id", "model", "permission_mode", "agent_id", "agent_type"), "agent_type",
        plain_context=True, exit_two="fails",
    ),
    _row(
        "UserPromptSubmit", K.UserPromptSubmit, "deny context continue message", (*WHO, "prompt"),
        plain_context=True,
    ),
    # an approval can only be sent with a changed input; `continue: false` lets the tool run (observed)
    _row("PreToolUse", K.PreToolUse, "deny rewrite context message", (*CALL, "tool_use_id"), "tool_name"),
    _row("PermissionRequest", K.PermissionRequest, "deny ask allow message", CALL, "tool_name"),
    # a block replaces the tool's output; after `continue: false` the loop goes on all the same (observed)
    _row(
        "PostToolUse", K.PostToolUse, "deny context message", (*CALL, "tool_response", "tool_use_id"),
        "tool_name", feedback=True,
    ),
    _row("PreCompact", K.PreCompact, "continue message", COMPACT, "trigger", exit_two="fails"),
    _row("PostCompact", K.PostCompact, "continue message", COMPACT, "trigger", exit_two="fails"),
    _row(
        "SubagentStop", K.SubagentStop, "deny reprompt continue message",
        ("turn_id", "agent_transcript_path", "model", "permission_mode", "agent_id", "agent_type", *STOPPED),
        "agent_type",
    ),
    _row("Stop", K.Stop, "deny reprompt continue message", ("turn_id", "model", "permission_mode", *STOPPED)),
    _row(
        "Interrupt", K.Interrupt, "", ("turn_id", "model", "permission_mode"), timeout_s=1.0,
        exit_two="fails",
    ),
    _row("SessionEnd", K.SessionEnd, "", ("reason",), "reason", timeout_s=1.0, exit_two="fails"),
)  # fmt: skip
RULES = by_kind(ROWS)
TOOLS = Tools(
    "codex",
    names=(
        ("Bash", "Bash"), ("Edit", "apply_patch"), ("Write", "apply_patch"), ("Agent", "spawn_agent"),
        ("TodoWrite", "update_plan"),
    ),
    aliases={"apply_patch": ("Edit", "Write"), "spawn_agent": ("Agent",)},
    patches=True,
)  # fmt: skip
