"""Factory Droid: Claude Code's nine first events, exit 3. Read from its program (0.215) and documentation."""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.family.columns import (
    BLOCK,
    CONTEXT,
    MESSAGE,
    PERMISSIONS,
    REWRITE,
    STOP,
    Agent,
    File,
    event,
)
from hookline.dialects.keys import Switch
from hookline.dialects.tools import Tools
from hookline.model.events import EventKind as K
from hookline.model.record import replace

STOPS = frozenset({K.Stop, K.SubagentStop})
SUBAGENT = "stop_hook_active? task_name? task_result? task_error?"

DIALECT = Agent(
    name="droid",
    title="Factory Droid",
    program="droid",
    needs_beside={"decision": "reason"},
    sends={
        "": "permission_mode", "Stop": "tool_execution_count elapsed_time message_id",
        "PreCompact": "message_count estimated_tokens", "SubagentStop": "last_assistant_message",
    },
    promises=frozenset({K.SessionStart, K.UserPromptSubmit}),
    sources="droid 0.215 and 0.225, its program; docs.factory.ai",
    files=(
        File("user", "{home}/.factory/settings.json"),
        File("user", "{home}/.factory/hooks/hooks.json", top="", unless="{home}/.factory/hooks.json"),
        File("user", "{home}/.factory/hooks.json", ours=True, top=""),
        File("project", "{ws}/.factory/settings.json"),
        File("project", "{ws}/.factory/hooks/hooks.json", top="", unless="{ws}/.factory/hooks.json"),
        File("project", "{ws}/.factory/hooks.json", ours=True, top=""),
    ),
    levels="event",
    rows=(
        event("SessionStart"),
        event("SessionEnd"),
        event("UserPromptSubmit", "deny rewrite continue message", fields="prompt message_id? has_images?"),
        event("PreToolUse", "deny allow rewrite continue message", fields="tool_name tool_input"),
        event("PostToolUse", "deny context continue message", fields="tool_name tool_input tool_response"),
        event("Notification", fields="message notification_type? message_id?"),
        event("Stop", "deny reprompt continue message", fields="stop_hook_active"),
        event("SubagentStop", "deny reprompt continue message", fields=SUBAGENT, subject=""),
        event("PreCompact", "deny"),
    ),
    tools=Tools(
        names=(
            ("Bash", "Execute"), ("Read", "Read"), ("Write", "Create"), ("Edit", "Edit"),
            ("MultiEdit", "MultiEdit"),
            ("Edit", "ApplyPatch"), ("LS", "LS"), ("Glob", "Glob"), ("Grep", "Grep"), ("WebFetch", "FetchUrl"),
            ("WebSearch", "WebSearch"), ("Agent", "Task"), ("TodoWrite", "TodoWrite"),
        ),
        fields={"Edit": {"old_string": "old_str", "new_string": "new_str"}},
    ),
    matching="regex",
    group_filter="commandRegex",
    free=frozenset({"showHookOutput"}),
    payload={"tool_use_id": "", "agent_id": "", "agent_type": ""},
    environment={
        "FACTORY_PROJECT_DIR": "{cwd}", "DROID_PROJECT_DIR": "{cwd}", "CLAUDE_PROJECT_DIR": "{cwd}",
    },
    payload_in_environment=True,
    project_variable="FACTORY_PROJECT_DIR",
    says=(
        PERMISSIONS[0], PERMISSIONS[2], replace(BLOCK, at=STOPS, wants_words=True), STOP, REWRITE,
        Says("rewrite", "hookSpecificOutput.updatedInput.prompt", at=frozenset({K.UserPromptSubmit})),
        CONTEXT, MESSAGE,
    ),
    exits={2: "deny", 3: "continue"},
    json_counts="always",
    merges_input=True,
    switches=(Switch("hooksDisabled", True, "`hooksDisabled` is set", "remove it"),),
    needs=("Droid runs no hook in a folder before its user trusts it",),
)  # fmt: skip
