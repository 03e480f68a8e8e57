"""Claude Code's 33 events as rows.

From the hooks reference and the SDK's type definitions of Claude Code 2.1.330; `observed` marks what that
version did when it was run, which wins over its documentation where the two differ.
"""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.bridged.rules import ALL_TYPES, COMMAND_TYPES, AgentRule, by_kind, effects
from hookline.model.events import EventKind
from hookline.model.typing import Any

TOOL = ("tool_name", "tool_input")
SWITCH = (
    "from_model", "to_model", "requested_model", "source", "context_tokens", "prompt_cache_warm",
    "cache_ttl", "estimated_cache_write_usd", "pricing",
)  # fmt: skip
RESUMED = (
    "seconds_since_last_response?", "context_tokens?", "prompt_cache_likely_expired?",
    "estimated_cache_write_usd?",
)  # fmt: skip
TASK = ("task_id", "task_subject", "task_description?", "teammate_name?", "team_name?")
STOPPED = ("last_assistant_message?", "background_tasks?", "session_crons?")
REFERENCE = "Claude Code hooks reference 2.1.330"
OBSERVED = f"{REFERENCE}; observed"


def _row(
    kind: EventKind,
    can: str,
    fields: tuple[str, ...],
    subject: str = "",
    timeout_s: float = 600.0,
    handlers: frozenset[str] = COMMAND_TYPES,
    cite: str = OBSERVED,
    **more: Any,
) -> AgentRule:
    """Hooks of every event start together and identical ones run once (observed)."""
    return AgentRule(
        native=kind.value, kind=kind, subject=subject, effects=effects(can), order="parallel",
        timeout_s=timeout_s, dedupe=True, cite=cite, fields=fields, handlers=handlers, **more,
    )  # fmt: skip


K = EventKind
ROWS: tuple[AgentRule, ...] = (
    _row(
        K.SessionStart, "context message product",
        ("source", "agent_type?", "model?", "session_title?", *RESUMED), "source",
        exit_two="shown", plain_context=True, handlers=frozenset({"command", "mcp_tool"}),
        products=("initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"),
    ),
    # an MCP tool fails here, as there is no client yet (observed)
    _row(
        K.Setup, "context message", ("trigger",), "trigger",
        exit_two="shown", handlers=frozenset({"command"}),
    ),
    _row(
        K.InstructionsLoaded, "",
        ("file_path", "memory_type", "load_reason", "globs?", "trigger_file_path?", "parent_file_path?"),
        "load_reason", exit_two="ignored",
    ),
    _row(
        K.UserPromptSubmit, "deny context continue message product", ("prompt", "source?", "session_title?"),
        timeout_s=30.0, plain_context=True, handlers=ALL_TYPES,
        products=("sessionTitle", "suppressOriginalPrompt"),
    ),
    _row(
        K.UserPromptExpansion, "deny context continue message product",
        ("expansion_type", "command_name", "command_args", "command_source?", "prompt"), "command_name",
        plain_context=True, handlers=ALL_TYPES, products=("suppressOriginalPrompt",),
    ),
    _row(
        K.MessageDisplay, "product", ("turn_id", "message_id", "index", "final", "delta"),
        timeout_s=10.0, exit_two="ignored", products=("displayContent",),
    ),
    _row(
        K.PreToolUse, "deny defer ask allow rewrite context continue message",
        (*TOOL, "tool_use_id", "mcp_server?"), "tool_name", handlers=ALL_TYPES,
    ),
    # exit 2 was seen to change nothing here; only the JSON decision does. Agent hooks are not run (observed)
    _row(
        K.PermissionRequest, "deny ask allow rewrite continue message product",
        (*TOOL, "permission_suggestions?", "mcp_server?"), "tool_name",
        exit_two="ignored", handlers=ALL_TYPES - {"agent"}, rewrite_allows=True,
    ),
    _row(
        K.PermissionDenied, "message product", (*TOOL, "tool_use_id", "reason", "mcp_server?"), "tool_name",
        exit_two="ignored", handlers=ALL_TYPES, products=("retry",),
    ),
    _row(
        K.PostToolUse, "deny context continue message product",
        (*TOOL, "tool_response", "tool_use_id", "duration_ms?", "mcp_server?"), "tool_name",
        feedback=True, handlers=ALL_TYPES,
        products=("updatedToolOutput", "updatedMCPToolOutput", "classifierContext"),
    ),
    _row(
        K.PostToolUseFailure, "deny context message",
        (*TOOL, "tool_use_id", "error", "is_interrupt?", "duration_ms?", "mcp_server?"), "tool_name",
        feedback=True, handlers=ALL_TYPES,
    ),
    _row(K.PostToolBatch, "deny context continue message", ("tool_calls",), handlers=ALL_TYPES),
    # the types list additionalContext for it, the documentation gives it no effect
    _row(
        K.Notification, "", ("message", "title?", "notification_type"), "notification_type",
        exit_two="ignored",
    ),
    _row(
        K.Stop, "deny reprompt continue message", ("stop_hook_active", *STOPPED), handlers=ALL_TYPES,
    ),
    _row(
        K.StopFailure, "", ("error", "error_details?", "last_assistant_message?"), "error",
        exit_two="ignored",
    ),
    _row(K.SubagentStart, "context message", ("agent_id", "agent_type"), "agent_type", exit_two="shown"),
    _row(
        K.SubagentStop, "deny reprompt continue message",
        ("stop_hook_active", "agent_id", "agent_type", "agent_transcript_path?", *STOPPED), "agent_type",
        handlers=ALL_TYPES,
    ),
    _row(K.TaskCreated, "deny message", TASK, handlers=ALL_TYPES),
    _row(K.TaskCompleted, "deny continue message", TASK, handlers=ALL_TYPES),
    _row(
        K.TeammateIdle, "deny continue message", ("teammate_name", "team_name?"), handlers=ALL_TYPES,
        cite=REFERENCE,
    ),
    # plain text becomes instructions for the summary (observed)
    _row(K.PreCompact, "deny context", ("trigger", "custom_instructions"), "trigger", plain_context=True),
    _row(K.PostCompact, "", ("trigger", "compact_summary"), "trigger", exit_two="shown"),
    # the only event whose time-out blocks
    _row(K.PreModelSwitch, "deny ask allow", SWITCH, "to_model", 30.0),
    _row(K.PostModelSwitch, "context", SWITCH, "to_model", 30.0, exit_two="shown", plain_context=True),
    # a change of the managed policy cannot be blocked
    _row(K.ConfigChange, "deny", ("source", "file_path?"), "source"),
    _row(
        K.CwdChanged, "message product", ("old_cwd", "new_cwd"), exit_two="shown", products=("watchPaths",),
    ),
    _row(K.DirectoryAdded, "message", ("directory", "source"), "source", exit_two="ignored"),
    # the matcher is also the list of files that are watched; it is tested on the base name
    _row(
        K.FileChanged, "message product", ("file_path", "event"), "file_path", exit_two="shown",
        products=("watchPaths",),
    ),
    # every failure, not only exit 2, keeps the worktree from being made
    _row(K.WorktreeCreate, "deny product", ("name",), products=("worktreePath",)),
    _row(K.WorktreeRemove, "", ("worktree_path",), exit_two="ignored"),
    _row(
        K.Elicitation, "deny product",
        ("mcp_server_name", "message", "mode?", "url?", "elicitation_id?", "requested_schema?"),
        "mcp_server_name", products=("action", "content"),
    ),
    _row(
        K.ElicitationResult, "deny product",
        ("mcp_server_name", "elicitation_id?", "mode?", "action", "content?"), "mcp_server_name",
        products=("action", "content"),
    ),
    # one budget for all of them together, raised by the longest `timeout` to at most 60 s
    _row(K.SessionEnd, "", ("reason",), "reason", timeout_s=1.5, exit_two="shown"),
)  # fmt: skip
BY_PERMISSION = frozenset({K.PreToolUse, K.PreModelSwitch})
ASKED, ELICITED = frozenset({K.PermissionRequest}), frozenset({K.Elicitation, K.ElicitationResult})
# Their denial is exit 2 with its reason on stderr; of the JSON only `continue: false` is documented there.
BY_EXIT = frozenset({K.TaskCompleted, K.TeammateIdle})
_BLOCKED = frozenset(row.kind for row in ROWS if not row.effects.isdisjoint(("deny", "reprompt")))
_PERMISSION, _REQUEST = "hookSpecificOutput.permissionDecision", "hookSpecificOutput.decision"
SAYS = (
    *(
        Says(word, _PERMISSION, word, f"{_PERMISSION}Reason", BY_PERMISSION)
        for word in ("allow", "ask", "defer", "deny")
    ),
    Says("allow", f"{_REQUEST}.behavior", "allow", at=ASKED),
    Says("deny", f"{_REQUEST}.behavior", "deny", f"{_REQUEST}.message", ASKED),
    Says("interrupt", f"{_REQUEST}.interrupt", True, at=ASKED),
    Says("rewrite", f"{_REQUEST}.updatedInput", at=ASKED),
    Says("updated_permissions", f"{_REQUEST}.updatedPermissions", at=ASKED),
    Says("deny", "hookSpecificOutput.action", "decline", at=ELICITED),
    Says("deny", "decision", "block", "reason", _BLOCKED - BY_EXIT),
    Says("continue", "continue", False, "stopReason"),
    Says("rewrite", "hookSpecificOutput.updatedInput", at=frozenset({K.PreToolUse})),
    Says("context", "hookSpecificOutput.additionalContext"),
    Says("message", "systemMessage"),
)

RULES = by_kind(ROWS)
