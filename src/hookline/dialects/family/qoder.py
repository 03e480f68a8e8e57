"""Qoder CLI: nearly all of Claude Code's events and keys. Read in part from its program, 1.1."""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.family.columns import CLAUDE_SAYS, COMMAND, TIMEOUT, Agent, File, event
from hookline.dialects.keys import ALLOWED_ENV, ARGS, CONDITION, HEADERS, MODEL, PROMPT, STATUS, URL, Key
from hookline.model.events import EventKind as K

DECISION = "hookSpecificOutput.permissionDecision"
ALL = "deny context continue message"

DIALECT = Agent(
    name="qoder",
    title="Qoder",
    program="qodercli",
    knows="medium",
    sources="Qoder CLI 1.1, its program in part and its documentation",
    files=(
        File("user", "{home}/.qoder/settings.json", ours=True),
        File("project", "{ws}/.qoder/settings.json", ours=True),
        File("local", "{ws}/.qoder/settings.local.json", ours=True),
    ),
    rows=(
        event("SessionStart", "context message", plain_context=True, exit_two="shown"),
        event("Setup", "context message", fields="trigger", exit_two="shown"),
        event("InstructionsLoaded", exit_two="ignored"),
        event("UserPromptSubmit", f"{ALL} rewrite", plain_context=True),
        event("PreToolUse", "deny ask allow defer rewrite context continue message"),
        event("PermissionRequest", "deny allow rewrite message", rewrite_allows=True),
        event("PermissionDenied", "message", exit_two="ignored"),
        event("PostToolUse", ALL),
        event("PostToolUseFailure", ALL),
        event("Notification", exit_two="ignored"),
        event("Stop", "deny reprompt continue message"),
        event("StopFailure", exit_two="ignored"),
        event("SubagentStart", "context message", exit_two="shown"),
        event("SubagentStop", "deny reprompt continue message"),
        event("TaskCreated", "deny message", fields="task_id task_subject?"),
        event("TaskCompleted", "deny message", fields="task_id task_subject?"),
        event("TeammateIdle", "deny message", fields="teammate_name team_name?"),
        event("PreCompact", "deny"),
        event("PostCompact", exit_two="shown"),
        event("ConfigChange", "deny", fields="source file_path?", subject="source"),
        event("CwdChanged", "message", fields="old_cwd new_cwd", exit_two="shown"),
        event("FileChanged", "message", fields="file_path event", subject="file_path", exit_two="shown"),
        event("WorktreeCreate", fields="name", exit_two="shown"),
        event("WorktreeRemove", fields="worktree_path", exit_two="ignored"),
        event("Elicitation", fields="mcp_server_name message", subject="mcp_server_name", exit_two="shown"),
        event("ElicitationResult", fields="mcp_server_name action", subject="mcp_server_name", exit_two="shown"),
        event("SessionEnd", exit_two="shown"),
    ),
    keys=(
        Key("type", "command|http|prompt|agent", words="what kind of hook it is"),
        CONDITION, COMMAND, ARGS, URL, HEADERS, ALLOWED_ENV, PROMPT, MODEL, TIMEOUT, STATUS,
    ),
    environment={"QODER_PROJECT_DIR": "{project}", "CLAUDE_PROJECT_DIR": "{project}"},
    project_variable="QODER_PROJECT_DIR",
    withheld=frozenset({"defer"}),
    says=(
        *CLAUDE_SAYS, Says("rewrite", "hookSpecificOutput.prompt", at=frozenset({K.UserPromptSubmit})),
        Says("defer", DECISION, "defer", f"{DECISION}Reason", frozenset({K.PreToolUse})),
    ),
)  # fmt: skip
