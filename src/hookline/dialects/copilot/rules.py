"""GitHub Copilot's events as rows, each under two spellings.

Seen by running CLI 1.0.102; where that showed nothing from github/docs (commit 05da5bc), the SDK types 1.0.14 and
third-party probes. The spelling of an event's key decides what its hooks are sent: camelCase keys get camelCase
fields without an event name, PascalCase keys get Claude Code's fields and tool names, with Copilot's arguments.
"""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.bridged.rules import AgentRule, effects
from hookline.dialects.tools import Tools
from hookline.model.events import EventKind
from hookline.model.record import replace
from hookline.model.typing import Any

LIKE_CLAUDE = "hookSpecificOutput"
SOURCE = "Copilot CLI 1.0.102, observed; github/docs 05da5bc"
K = EventKind


def _rows(
    native: str, pascal: str, kind: EventKind, can: str = "", subject: str = "", **more: Any
) -> list[AgentRule]:
    found = AgentRule(native=native, kind=kind, subject=subject, effects=effects(can), **more)
    return [found, replace(found, native=pascal)] if pascal else [found]


ROWS: tuple[AgentRule, ...] = (
    *_rows("sessionStart", "SessionStart", K.SessionStart, "context"),
    *_rows("sessionEnd", "SessionEnd", K.SessionEnd),
    *_rows("userPromptSubmitted", "UserPromptSubmit", K.UserPromptSubmit, "deny context rewrite"),
    *_rows("userPromptTransformed", "", K.UserPromptExpansion, "rewrite"),
    *_rows("preToolUse", "PreToolUse", K.PreToolUse, "deny ask allow rewrite context", "tool_name"),
    # the only way to stop everything is `interrupt`, sent with a denial
    *_rows("permissionRequest", "PermissionRequest", K.PermissionRequest, "deny ask allow continue", "tool_name"),
    *_rows(
        "postToolUse", "PostToolUse", K.PostToolUse, "deny context product", "tool_name", feedback=True,
        products=("modifiedResult",),
    ),
    *_rows(
        "postToolUseFailure", "PostToolUseFailure", K.PostToolUseFailure, "deny context", "tool_name",
        feedback=True,
    ),
    *_rows("preCompact", "PreCompact", K.PreCompact, "", "trigger"),
    *_rows("agentStop", "Stop", K.Stop, "deny reprompt"),
    *_rows("subagentStart", "", K.SubagentStart, "context", "agent_type"),
    *_rows(
        "subagentStop", "SubagentStop", K.SubagentStop, "deny reprompt product", "agent_type",
        products=("modifiedResponse",),
    ),
    *_rows("errorOccurred", "ErrorOccurred", K.StopFailure),
    *_rows("notification", "", K.Notification, "context", "notification_type"),
)  # fmt: skip
TOOLS = Tools(
    agent="copilot",
    names=(
        ("Bash", "bash"), ("Bash", "powershell"), ("Read", "view"), ("Write", "create"), ("Edit", "edit"),
        ("Edit", "str_replace_editor"), ("Edit", "apply_patch"), ("Grep", "grep"), ("Grep", "rg"),
        ("Glob", "glob"), ("WebFetch", "web_fetch"), ("WebSearch", "web_search"),
        ("AskUserQuestion", "ask_user"), ("TodoWrite", "update_todo"), ("Agent", "task"),
    ),
    fields={
        "Read": {"file_path": "path"},
        "Write": {"file_path": "path", "content": "file_text"},
        "Edit": {"file_path": "path", "old_string": "old_str", "new_string": "new_str"},
    },
    mcp="{server}-{tool}",
)  # fmt: skip
_PRE, _ASKED = frozenset({K.PreToolUse}), frozenset({K.PermissionRequest})
_BLOCKED = frozenset({K.UserPromptSubmit, K.PostToolUse, K.PostToolUseFailure, K.Stop, K.SubagentStop})
SAYS = (
    *(Says(word, "permissionDecision", word, "permissionDecisionReason", _PRE) for word in ("allow", "deny", "ask")),
    *(  # Claude Code's shape denies as well (observed)
        Says(word, f"{LIKE_CLAUDE}.permissionDecision", word, f"{LIKE_CLAUDE}.permissionDecisionReason", _PRE)
        for word in ("allow", "deny", "ask")
    ),
    Says("allow", "behavior", "allow", "|message", _ASKED),
    Says("deny", "behavior", "deny", "message", _ASKED),
    Says("ask", "behavior", "ask", "message", _ASKED),
    Says("interrupt", "interrupt", True, at=_ASKED),
    Says("deny", "decision", "block", "reason", _BLOCKED),
    Says("rewrite", "modifiedArgs", at=_PRE),
    Says("rewrite", "modifiedPrompt", at=frozenset({K.UserPromptSubmit})),
    Says("rewrite", "modifiedTransformedPrompt", at=frozenset({K.UserPromptExpansion})),
    Says("context", "additionalContext"),
    Says("modifiedResult", "modifiedResult", at=frozenset({K.PostToolUse})),
    Says("modifiedResponse", "modifiedResponse", at=frozenset({K.SubagentStop})),
)  # fmt: skip
EVENTS_LIKE_CLAUDE = frozenset({"PreToolUse", "PermissionRequest"})


def is_pascal(native: str) -> bool:
    """Whether hooks of this event are sent Claude Code's fields."""
    return native[:1].isupper()
