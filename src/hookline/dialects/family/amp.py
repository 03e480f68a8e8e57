"""Amp: a plugin in its own process. From the types of its plugin interface and plugins of others; never run here."""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.family.columns import BLOCK, MESSAGE, PERMISSIONS, STOP, Agent, File, event
from hookline.dialects.tools import Tools
from hookline.model.events import EventKind as K

_SAYS: tuple[Says, ...] = (PERMISSIONS[1], BLOCK, STOP, MESSAGE)

DIALECT = Agent(
    name="amp",
    title="Amp",
    program="amp",
    knows="low",
    sources="the pages on its plugin interface, which call it experimental, its types of April to June 2026, and "
    "plugins of others; the program wants an account and was not run",
    files=(
        File("user", "{config}/amp/plugins/hookline.ts", ours=True),
        File("user", "{config}/amp/plugins/*"),
        File("project", "{ws}/.amp/plugins/hookline.ts", ours=True),
        File("project", "{ws}/.amp/plugins/*"),
    ),
    rows=(
        event("session.start", "message", K.SessionStart),
        event("agent.start", "message", K.UserPromptSubmit),
        event("tool.call", "deny ask message", K.PreToolUse),
        event("tool.result", "message", K.PostToolUse, feedback=False),
        event("tool.error", "message", K.PostToolUseFailure, feedback=False),
        event("agent.end", "deny reprompt message", K.Stop),
        event("agent.error", "message", K.StopFailure),
    ),
    tools=Tools(
        names=(
            ("Bash", "Bash"), ("Bash", "shell_command"), ("Read", "Read"), ("Write", "create_file"),
            ("Edit", "edit_file"), ("Edit", "apply_patch"), ("Grep", "Grep"), ("Glob", "glob"),
            ("WebSearch", "web_search"), ("WebFetch", "read_web_page"), ("Task", "Task"),
        ),
        fields={
            "Read": {"file_path": "path"}, "Write": {"file_path": "path"},
            "Edit": {"file_path": "path", "old_string": "old_str", "new_string": "new_str"},
        },
    ),
    timeout_s=600.0,
    matching="none",
    says=_SAYS,
    denies_by_exit=False,
    stop_limit=False,
    plugin="amp.js",
    needs=(
        "Amp reads its plugins when it starts; `plugins: reload` in its palette reads them again",
    ),
)  # fmt: skip
