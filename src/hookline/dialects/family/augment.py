"""Auggie, Augment's CLI: names of its own, answers by event. Read from its program, 0.36."""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import (
    COMMAND,
    MESSAGE,
    PERMISSIONS,
    REWRITE,
    STOP,
    TIMEOUT,
    TYPE,
    Agent,
    File,
    event,
)
from hookline.dialects.keys import ARGS
from hookline.dialects.matching.matchers import Compiled, regex
from hookline.dialects.tools import TOOL_EVENTS, Tools
from hookline.model.events import Event
from hookline.model.events import EventKind as K
from hookline.model.record import replace
from hookline.model.typing import Any


class AuggieDialect(FamilyDialect):
    """A matcher that begins with `mcp:` is for tools of MCP servers; a call says whether it is of one."""

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        found = super().payload(event, rule)
        if event.kind in TOOL_EVENTS:
            found.setdefault("is_mcp_tool", event.tool_name.startswith("mcp__"))
        return found

    def compiled(self, row: AgentRule | None, text: str | None) -> Compiled:
        if text is None or not text.startswith("mcp:"):
            return super().compiled(row, text)

        tool = text[4:]
        if tool == "*":
            return regex("^mcp__")
        return regex(f"^mcp__.+__{tool[1:]}" if tool.startswith("^") else f"^mcp__.*(?:{tool})")


AFTER = frozenset({K.PostToolUse, K.Stop})

DIALECT = AuggieDialect(
    Agent(
        name="augment",
        title="Auggie",
        program="auggie",
        sources="auggie 0.36.0, its program",
        files=(
            File("managed", "/etc/augment/settings.json"),
            File("user", "{home}/.augment/settings.json", ours=True),
            File("project", "{ws}/.augment/settings.json", ours=True),
            File("local", "{ws}/.augment/settings.local.json", ours=True),
        ),
        rows=(
            event("PreToolUse", "deny allow rewrite context continue message", fields="tool_name tool_input"),
            event("PostToolUse", "deny context continue message", fields="tool_name tool_input tool_response?"),
            event("Stop", "deny reprompt continue message"),
            event("SessionStart", "context message", exit_two="shown"),
            event("SessionEnd", "message", exit_two="shown"),
            event("Notification", "message", exit_two="shown"),
            event("PromptSubmit", "context message", K.UserPromptSubmit, exit_two="shown"),
        ),
        tools=Tools(
            names=(
                ("Bash", "launch-process"), ("Read", "view"), ("Write", "save-file"), ("Edit", "str-replace-editor"),
                ("Edit", "apply_patch"), ("Delete", "remove-files"),
            ),
            fields={
                "Read": {"file_path": "path"},
                "Write": {"file_path": "path", "content": "file_content"},
                "Edit": {"file_path": "path"}, "Delete": {"paths": "file_paths"},
            },
        ),
        keys=(
            TYPE, COMMAND, ARGS,
            replace(TIMEOUT, type="milliseconds"),
        ),
        matching="regex",
        star=False,
        payload={
            "session_id": "conversation_id", "cwd": "workspace_roots", "transcript_path": "", "tool_use_id": "",
            "permission_mode": "", "agent_id": "", "agent_type": "",
        },
        lists=frozenset({"cwd"}),
        environment={
            "AUGMENT_PROJECT_DIR": "{project}", "AUGMENT_CONVERSATION_ID": "{session}",
            "AUGMENT_HOOK_EVENT": "{event}", "AUGMENT_TOOL_NAME": "{tool}",
        },
        project_variable="AUGMENT_PROJECT_DIR",
        says=(
            PERMISSIONS[0], PERMISSIONS[2], REWRITE,
            Says("deny", "hookSpecificOutput.decision", "block", "hookSpecificOutput.reason", AFTER),
            STOP,
            Says("context", "additionalContext"),
            MESSAGE,
        ),
        named="must",
    )
)  # fmt: skip
