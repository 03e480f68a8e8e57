"""Grok Build: a folder of hook files; only PreToolUse blocks. From documentation and others' trials, 1.0."""

from __future__ import annotations

from hookline.dialects.family.columns import BLOCK, COMMAND, DENY, TIMEOUT, Agent, File, event
from hookline.dialects.keys import ALLOWED_ENV, HEADERS, URL, Key
from hookline.model.events import EventKind as K

DIALECT = Agent(
    name="grok",
    title="Grok Build",
    program="grok",
    knows="medium",
    sources="its documentation for 1.0, and others' trials",
    files=(
        File("user", "{home}/.grok/hooks/*.json"),
        File("user", "{home}/.grok/hooks/hookline.json", ours=True),
        File("project", "{ws}/.grok/hooks/*.json"),
        File("project", "{ws}/.grok/hooks/hookline.json", ours=True),
    ),
    rows=(
        event("SessionStart", exit_two="shown"),
        event("SessionEnd", exit_two="shown"),
        event("UserPromptSubmit", exit_two="shown"),
        event("PreToolUse", "deny"),
        event("PostToolUse", exit_two="shown", feedback=False),
        event("PostToolUseFailure", exit_two="shown", feedback=False),
        event("PermissionDenied", exit_two="shown"),
        event("Stop", exit_two="shown"),
        event("StopFailure", exit_two="shown"),
        event("StopCancelled", "", K.Interrupt, exit_two="shown"),
        event("Notification", exit_two="shown"),
        event("SubagentStart", exit_two="shown"),
        event("SubagentStop", exit_two="shown"),
        event("PreCompact", exit_two="shown"),
        event("PostCompact", exit_two="shown"),
    ),
    keys=(
        Key("type", "command|http", words="what kind of hook it is"),
        COMMAND, URL, HEADERS, ALLOWED_ENV,
        Key("env", "map", "env", "further variables", handlers=frozenset({"command"})),
        TIMEOUT,
    ),
    mark_voids=True,
    timeout_s=5.0,
    matching="regex",
    says=(DENY, BLOCK),
    needs=(
        "Grok runs a project's hooks once they are trusted: `/hooks-trust`, or `--trust`",
        "Grok reads `.claude/settings.json` and `.cursor/hooks.json` as well: install for one of them",
    ),
)  # fmt: skip
