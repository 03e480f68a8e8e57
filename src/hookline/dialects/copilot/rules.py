"""GitHub Copilot's events as rows, each under two spellings.

From github/docs (commit 05da5bc), the SDK types 1.0.14 and third-party probes of CLI 1.0.57 to 1.0.73;
none of it was observed. The spelling of an event's key decides what its hooks are sent: camelCase keys get
camelCase fields without an event name, PascalCase keys get Claude Code's fields and tool names.
Blocking a prompt is third-party knowledge (CLI 1.0.61); the documentation says it is not possible.
"""

from __future__ import annotations

from hookline.dialects.bridged.rules import AgentRule, by_kind, effects
from hookline.model.events import EventKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SOURCE = "github/docs 05da5bc; probes of CLI 1.0.57 to 1.0.73"
HANDLERS = frozenset({"command", "http"})
K = EventKind


def _rows(
    native: str, pascal: str, kind: EventKind, can: str = "", subject: str = "", **more: Any
) -> list[AgentRule]:
    """All hooks run one after another in the order of their sources."""
    found = AgentRule(
        native=native, kind=kind, subject=subject, effects=effects(can), order="sequential", timeout_s=30.0,
        cite=SOURCE, handlers=HANDLERS, **more,
    )  # fmt: skip
    from hookline.model.record import replace

    return [found, replace(found, native=pascal)] if pascal else [found]


ROWS: tuple[AgentRule, ...] = (
    *_rows("sessionStart", "SessionStart", K.SessionStart, "context"),
    *_rows("sessionEnd", "SessionEnd", K.SessionEnd),
    *_rows("userPromptSubmitted", "UserPromptSubmit", K.UserPromptSubmit, "deny"),
    *_rows("userPromptTransformed", "", K.UserPromptExpansion, "rewrite"),
    *_rows("preToolUse", "PreToolUse", K.PreToolUse, "deny ask allow rewrite", "tool_name"),
    # the only way to stop everything is `interrupt`, sent with a denial
    *_rows("permissionRequest", "PermissionRequest", K.PermissionRequest, "deny ask allow continue", "tool_name"),
    *_rows(
        "postToolUse", "PostToolUse", K.PostToolUse, "deny context product", "tool_name", feedback=True,
        products=("modifiedResult",),
    ),
    *_rows("postToolUseFailure", "", K.PostToolUseFailure, "deny context", "tool_name", feedback=True),
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
RULES = by_kind(ROWS)
EVENTS_LIKE_CLAUDE = frozenset({"PreToolUse", "PermissionRequest"})


def is_pascal(native: str) -> bool:
    """Whether hooks of this event are sent Claude Code's fields."""
    return native[:1].isupper()
