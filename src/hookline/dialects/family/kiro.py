"""Kiro (IDE 1.x, CLI 3): one list of hooks in files of a folder. From its documentation and others' notes."""

from __future__ import annotations

from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import TIMEOUT, Agent, File, event
from hookline.dialects.keys import Key
from hookline.dialects.tools import Tools
from hookline.model.record import replace

DIALECT = FamilyDialect(
    Agent(
        name="kiro",
        title="Kiro",
        program="kiro-cli",
        knows="low",
        sources="its documentation of August 2026 and others' notes, which differ on exit codes",
        files=(
            File("user", "{home}/.kiro/hooks/*.json"),
            File("user", "{home}/.kiro/hooks/hookline.json", ours=True),
            File("project", "{ws}/.kiro/hooks/*.json"),
            File("project", "{ws}/.kiro/hooks/hookline.json", ours=True),
        ),
        rows=(
            event("SessionStart", "context", plain_context=True, fields="", subject=""),
            event("UserPromptSubmit", "deny context", plain_context=True, subject="prompt"),
            event("PreToolUse", "deny", fields="tool_name tool_input"),
            event("PostToolUse", fields="tool_name tool_input tool_response", feedback=False),
            event("Stop", fields=""),
        ),
        apart=frozenset(
            {"PostFileCreate", "PostFileSave", "PostFileDelete", "PreTaskExec", "PostTaskExec", "Manual"}
        ),
        apart_types=frozenset({"agent"}),
        tools=Tools(
            names=(
                ("Bash", "shell"), ("Bash", "execute_bash"), ("Read", "read"), ("Read", "fs_read"),
                ("Write", "write"), ("Write", "fs_write"), ("Write", "fsWrite"), ("Edit", "str_replace"),
            ),
            fields={"Read": {"file_path": "path"}, "Write": {"file_path": "path"}, "Edit": {"file_path": "path"}},
            mcp="@{server}/{tool}",
        ),
        version="v1",
        event_key="trigger",
        action_key="action",
        keys=(
            Key("name", "text", "name", "what it is called", required=True),
            Key("description", "text", "description"),
            Key("trigger", words="when it runs", required=True),
            Key("matcher", words="names of tools, or what the prompt says, as a pattern; absent: all"),
            Key("action", "object", words='`{"type": "command", "command": …}`', required=True),
            replace(TIMEOUT, zero=True),
            Key("enabled", "tristate", "enabled", "a no turns it off", default=True),
        ),
        matching="regex",
        payload={"transcript_path": "", "permission_mode": "", "agent_id": "", "agent_type": ""},
        says=(),
        needs=("Kiro reads these files from IDE 1.0 and CLI 3.0 on; older ones leave them alone",),
        notes=(
            "Exit codes alone count, no JSON. By its documentation every code but 0 denies, by others' notes only 2: "
            "here 2 denies, and any other is a failure. End a guard with exit 2.",
            "What a hook prints with exit 0 goes to the model at `SessionStart` and `UserPromptSubmit`.",
            "`PostFileCreate`, `PostFileSave`, `PostFileDelete`, `PreTaskExec`, `PostTaskExec` and `Manual` are events "
            "of Kiro alone, and an action of type `agent` is a prompt to it: such hooks are told of, and not run here.",
            "The older hooks in `.kiro/agents/*.json` and `*.kiro.hook` are not read; a denial under CLI 2 was seen to "
            "have no effect.",
            "Names of tools differ between versions: `shell|execute_bash` fits both.",
        ),
    )
)  # fmt: skip
