"""Tabnine CLI: Gemini CLI's hooks in a folder of its own. From its documentation."""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.family.columns import (
    BLOCK,
    COMMAND,
    CONTEXT,
    DENY,
    MESSAGE,
    STOP,
    TIMEOUT,
    TYPE,
    Agent,
    File,
    event,
)
from hookline.dialects.keys import Key, Switch
from hookline.dialects.tools import Tools
from hookline.model.events import EventKind as K
from hookline.model.record import replace

CALL = "tool_name tool_input mcp_context?"
PROMPT = "prompt last_assistant_message stop_hook_active"

DIALECT = Agent(
    name="tabnine",
    title="Tabnine CLI",
    program="tabnine",
    knows="medium",
    sources="its documentation; the rest as Gemini CLI does it",
    files=(
        File("user", "{home}/.tabnine/agent/settings.json", ours=True),
        File("project", "{ws}/.tabnine/agent/settings.json", ours=True),
    ),
    format="jsonc",
    rows=(
        event("SessionStart", "context message"),
        event("SessionEnd", "message"),
        event("BeforeAgent", "deny context continue message", K.UserPromptSubmit),
        event("AfterAgent", "deny reprompt continue message", K.Stop, fields=PROMPT),
        event("BeforeModel", "deny continue message", K.PreModelRequest, fields="llm_request"),
        event("AfterModel", "message", K.PostModelResponse, fields="llm_request llm_response"),
        event("BeforeToolSelection", "", K.PreToolSelection, fields="llm_request"),
        event("BeforeTool", "deny ask allow rewrite continue message", K.PreToolUse, fields=CALL),
        event("AfterTool", "deny context continue message", K.PostToolUse, fields=f"{CALL} tool_response"),
        event("PreCompress", "message", K.PreCompact),
        event("Notification", "message"),
    ),
    tools=Tools(
        names=(
            ("Bash", "run_shell_command"), ("Read", "read_file"), ("Read", "read_many_files"),
            ("Write", "write_file"), ("Edit", "replace"),
            ("Glob", "glob"), ("Grep", "grep_search"), ("LS", "list_directory"), ("WebFetch", "web_fetch"),
            ("WebSearch", "google_web_search"), ("TodoWrite", "write_todos"),
        ),
        fields={"Read": {"paths": "include"}},
        mcp="mcp_{server}_{tool}",
    ),
    keys=(
        TYPE, COMMAND,
        Key("name", "text", "name"), Key("description", "text", "description"),
        Key("env", "map", "env", "further variables"),
        replace(TIMEOUT, type="milliseconds"),
    ),
    matching="regex",
    shell=("bash", "-c"),
    adds={"timestamp": "{time}"},
    result=("llmContent", "returnDisplay"),
    payload={"last_assistant_message": "prompt_response", "permission_mode": "", "agent_id": "", "agent_type": ""},
    environment={
        "TABNINE_PROJECT_DIR": "{project}", "GEMINI_PROJECT_DIR": "{project}", "CLAUDE_PROJECT_DIR": "{project}",
    },
    project_variable="TABNINE_PROJECT_DIR",
    says=(
        DENY, BLOCK,
        Says("ask", "decision", "ask", "systemMessage"),
        Says("allow", "decision", "allow"),
        STOP,
        Says("rewrite", "hookSpecificOutput.tool_input", at=frozenset({K.PreToolUse})),
        CONTEXT, MESSAGE,
    ),
    json_counts="always",
    denies_from=2,
    stop_limit=False,
    switches=(
        Switch("disableAllHooks", True, "`disableAllHooks` is set", "remove it"),
        Switch("hooksConfig.enabled", False, "`hooksConfig.enabled` is false", "set it to true"),
    ),
    names_off="hooksConfig.disabled",
)  # fmt: skip
