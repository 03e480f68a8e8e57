"""Goose: a folder per plugin, two answers. Read from its guide (0825b570) and older sources."""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.family.columns import BLOCK, COMMAND, TIMEOUT, TYPE, Agent, File, event
from hookline.dialects.keys import Key
from hookline.dialects.tools import Tools
from hookline.model.events import EventKind as K

TWICE = frozenset({"BeforeReadFile", "AfterFileEdit", "BeforeShellExecution", "AfterShellExecution"})

DIALECT = Agent(
    name="goose",
    title="Goose",
    program="goose",
    sources="its hooks guide for 1.48 to 1.50, and hooks/mod.rs of an older version",
    files=(
        File("user", "{home}/.agents/plugins/*/hooks/hooks.json"),
        File("user", "{home}/.agents/plugins/hookline/hooks/hooks.json", ours=True),
        File("project", "{ws}/.agents/plugins/*/hooks/hooks.json"),
        File("project", "{ws}/.agents/plugins/hookline/hooks/hooks.json", ours=True),
    ),
    order="sequential",
    stop_at="deny",
    rows=(
        event("SessionStart", subject=""),
        event("SessionEnd", subject=""),
        event("UserPromptSubmit", subject="prompt"),
        event("PreToolUse", "deny"),
        event("PostToolUse", feedback=False),
        event("PostToolUseFailure", feedback=False),
        event("Stop", "deny reprompt", fields="last_assistant_message?"),
        event("PreToolUseResult", "", K.PermissionDenied, fields="tool_name tool_input reason?"),
        event("BeforeReadFile", "", K.PreToolUse, subject="file"),
        event("AfterFileEdit", "", K.PostToolUse, subject="file", feedback=False),
        event("BeforeShellExecution", "", K.PreToolUse, subject="command"),
        event("AfterShellExecution", "", K.PostToolUse, subject="command", feedback=False),
    ),
    about={
        "BeforeReadFile": ("Read",), "AfterFileEdit": ("Edit", "Write"), "BeforeShellExecution": ("Bash",),
        "AfterShellExecution": ("Bash",),
    },
    never=TWICE | {"PreToolUseResult"},
    tools=Tools(
        names=(
            ("Bash", "developer__shell"), ("Write", "developer__write"), ("Edit", "developer__edit"),
            ("LS", "developer__tree"),
        ),
        fields={
            "Write": {"file_path": "path"},
            "Edit": {"file_path": "path", "old_string": "before", "new_string": "after"},
        },
        mcp="{server}__{tool}",
    ),
    keys=(
        TYPE, COMMAND, TIMEOUT,
        Key("on_failure", "allow|block", "on_failure", "what becomes of the call when the hook decides nothing"),
    ),
    timeout_s=30.0,
    closes_at=frozenset({K.PreToolUse}),
    drops=frozenset({"bad-value"}),
    matching="regex",
    star=False,
    payload={
        "hook_event_name": "event", "cwd": "working_dir", "prompt": "message", "tool_use_id": "tool_call_id",
        "transcript_path": "", "permission_mode": "", "agent_id": "", "agent_type": "",
    },
    adds={"matcher_context": "{subject}"},
    environment={"PLUGIN_ROOT": "{plugin}"},
    says=(BLOCK, Says("allow", "decision", "allow")),
    json_counts="always",
    plain_is="undecided",
    as_read=frozenset({"a_decision"}),
    needs=(
        "Goose reads plugins when it starts; it wants a `plugin.json` (name, version, description) beside `hooks`",
        "other agents may read `.agents/plugins` too: install for one of them",
    ),
)  # fmt: skip
