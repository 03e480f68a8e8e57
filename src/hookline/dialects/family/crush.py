"""Crush: one event, flat entries. Read from its sources of August 2026."""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.family.columns import CONTEXT, DENY, PERMISSIONS, REWRITE, TIMEOUT, Agent, File, event
from hookline.dialects.keys import COMMAND, Key
from hookline.dialects.tools import Tools

DIALECT = Agent(
    name="crush",
    title="Crush",
    program="crush",
    sources="its sources at 37f36e93 (August 2026)",
    files=(
        File("user", "{config}/crush/crush.json", ours=True),
        File("project", "{ws}/crush.json"),
        File("project", "{ws}/.crush.json", ours=True),
    ),
    drops=frozenset({"missing-key", "dead-matcher"}),
    dedupe=True,
    rows=(event("PreToolUse", "deny allow rewrite context continue"),),
    any_case=True,
    tools=Tools(
        names=(
            ("Bash", "bash"), ("Read", "view"), ("Write", "write"), ("Edit", "edit"), ("MultiEdit", "multiedit"),
            ("Glob", "glob"), ("Grep", "grep"), ("LS", "ls"), ("WebFetch", "fetch"), ("WebFetch", "web_fetch"),
            ("WebSearch", "web_search"), ("Agent", "agent"), ("TodoWrite", "todos"),
        ),
        mcp="mcp_{server}_{tool}",
    ),
    flat=True,
    keys=(
        Key("name", "text", "name"),
        COMMAND, TIMEOUT,
    ),
    timeout_s=30.0,
    matching="regex",
    payload={
        "hook_event_name": "event", "transcript_path": "", "tool_use_id": "", "permission_mode": "",
        "agent_id": "", "agent_type": "",
    },
    environment={
        "CRUSH": "1", "AGENT": "crush", "AI_AGENT": "crush", "CRUSH_EVENT": "{event}", "CRUSH_TOOL_NAME": "{tool}",
        "CRUSH_SESSION_ID": "{session}", "CRUSH_CWD": "{cwd}", "CRUSH_PROJECT_DIR": "{project}",
        "CRUSH_TOOL_INPUT_COMMAND": "{command}", "CRUSH_TOOL_INPUT_FILE_PATH": "{file}",
    },
    project_variable="CRUSH_PROJECT_DIR",
    says=(
        DENY,
        Says("allow", "decision", "allow"),
        Says("continue", "halt", True, "reason"),
        Says("rewrite", "updated_input"),
        Says("context", "context"),
        PERMISSIONS[0], PERMISSIONS[2], REWRITE, CONTEXT,
    ),
    exits={2: "deny", 49: "continue"},
    merges_input=True,
    as_read=frozenset({"specific_alone", "text_input"}),
)  # fmt: skip
