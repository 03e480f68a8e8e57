"""GenCode's events: what a matcher is tested on, and what hooks of each can do."""

from __future__ import annotations

from hookline.dialects.base import EventRule
from hookline.dialects.tools import SUBJECTS
from hookline.model.events import EventKind
from hookline.model.typing import Mapping

K = EventKind
_SUBJECTS: Mapping[EventKind, str] = {**SUBJECTS, K.Setup: "trigger", K.ConfigChange: "source"}
_FEEDBACK = frozenset({"reprompt", "context", "continue"})
_CONTEXT = frozenset({"context"})
_WATCH: frozenset[str] = frozenset()
_STOP = frozenset({"deny", "reprompt", "context", "continue"})
_SEED, _NOTES, _GO = "Available Events", "Phase 2 - Integration", "Go implementation"
_ROWS: tuple[tuple[EventKind, frozenset[str], str], ...] = (
    (K.PreToolUse, frozenset({"deny", "ask", "allow", "rewrite", "context", "continue"}), _SEED),
    (K.PostToolUse, _FEEDBACK, _SEED),
    (K.PostToolUseFailure, _FEEDBACK, _NOTES),
    (K.UserPromptSubmit, frozenset({"deny", "context", "continue"}), _SEED),
    (K.Notification, _WATCH, _SEED),
    (K.Stop, _STOP, _SEED),
    (K.SessionStart, _CONTEXT | {"product"}, _SEED),
    (K.SubagentStop, _STOP, "API Design"),
    (K.SessionEnd, _WATCH, _GO),
    (K.PermissionRequest, frozenset({"deny", "allow", "rewrite", "product"}), _GO),
    (K.PermissionDenied, frozenset({"product"}), _GO),
    (K.StopFailure, _WATCH, _GO),
    (K.SubagentStart, _CONTEXT, _GO),
    (K.Setup, _CONTEXT, _GO),
    (K.TaskCreated, _WATCH, _GO),
    (K.TaskCompleted, _WATCH, _GO),
    (K.ConfigChange, _WATCH, _GO),
    (K.InstructionsLoaded, _WATCH, _GO),
    (K.CwdChanged, frozenset({"product"}), _GO),
    (K.FileChanged, frozenset({"product"}), _GO),
    (K.PreCompact, frozenset({"deny"}), _GO),
    (K.PostCompact, _WATCH, _GO),
    (K.WorktreeCreate, _WATCH, _GO),
    (K.WorktreeRemove, _WATCH, _GO),
)
_PLAIN_CONTEXT = frozenset({K.UserPromptSubmit, K.SessionStart})
_PRODUCTS: Mapping[EventKind, tuple[str, ...]] = {
    K.SessionStart: ("watchPaths", "initialUserMessage"),
    K.CwdChanged: ("watchPaths",),
    K.FileChanged: ("watchPaths",),
    K.PermissionDenied: ("retry",),
}


def _rule(kind: EventKind, effects: frozenset[str], cite: str) -> EventRule:
    return EventRule(
        kind.value, kind, _SUBJECTS.get(kind, ""), effects, "parallel", dedupe=True, cite=cite,
        plain_context=kind in _PLAIN_CONTEXT, products=_PRODUCTS.get(kind, ()),
    )  # fmt: skip


RULES: Mapping[EventKind, EventRule] = {row[0]: _rule(*row) for row in _ROWS}
KNOWN_TOOLS = (
    "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Bash", "BashOutput", "Glob", "Grep", "LS", "LSP",
    "WebFetch", "WebSearch", "TodoWrite", "AskUserQuestion", "Task", "TaskOutput", "Agent", "Skill",
    "EnterPlanMode", "ExitPlanMode",
)  # fmt: skip
