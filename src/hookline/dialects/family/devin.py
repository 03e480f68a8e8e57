"""Devin in the terminal: events at the top of a file of its own. From its documentation."""

from __future__ import annotations

from hookline.dialects.family.columns import BLOCK, COMMAND, TIMEOUT, Agent, File, event
from hookline.dialects.keys import PROMPT, Key
from hookline.dialects.tools import Tools
from hookline.model.events import EventKind as K

DIALECT = Agent(
    name="devin",
    title="Devin",
    program="devin",
    knows="medium",
    sources="its documentation, autumn 2026",
    files=(
        File("user", "{config}/devin/config.json"),
        File("project", "{ws}/.devin/config.json"),
        File("project", "{ws}/.devin/hooks.v1.json", ours=True, top=""),
    ),
    rows=(
        event("PreToolUse", "deny"),
        event("PostToolUse", feedback=False),
        event("PermissionRequest"),
        event("UserPromptSubmit", "deny"),
        event("Stop", "deny reprompt"),
        event("SessionStart", exit_two="shown"),
        event("SessionEnd", exit_two="shown"),
        event("PostCompaction", "", K.PostCompact, exit_two="shown"),
    ),
    tools=Tools(names=(("Bash", "exec"), ("Edit", "edit"), ("Read", "read"), ("Write", "write"))),
    keys=(
        Key("type", "command|prompt", words="what kind of hook it is"),
        COMMAND, PROMPT, TIMEOUT,
    ),
    matching="regex",
    environment={"DEVIN_PROJECT_DIR": "{project}"},
    says=(BLOCK,),
    needs=("Devin reads `.claude/` as well: install for one of the two, or calls arrive twice",),
)  # fmt: skip
