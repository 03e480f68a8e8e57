"""Abacus: Claude Code's hooks, commands only. From its documentation."""

from __future__ import annotations

from hookline.dialects.family.columns import COMMAND, TIMEOUT, TYPE, Agent, File, event
from hookline.dialects.keys import ARGS, BACKGROUND, CONDITION, ON_FAILURE, ONCE

ALL = "deny context continue message"

DIALECT = Agent(
    name="abacus",
    title="Abacus",
    program="abacusai",
    knows="medium",
    sources="its documentation, autumn 2026",
    files=(
        File("user", "{home}/.abacusai/config.json", ours=True),
        File("project", "{ws}/.abacusai/config.json", ours=True),
    ),
    dedupe=True,
    rows=(
        event("SessionStart", "context message", plain_context=True, exit_two="shown"),
        event("SessionEnd", exit_two="shown"),
        event("UserPromptSubmit", ALL, plain_context=True),
        event("PreToolUse", "deny ask allow rewrite context continue message"),
        event("PermissionRequest", "deny allow rewrite message", rewrite_allows=True),
        event("PostToolUse", ALL),
        event("PostToolUseFailure", "deny context message"),
        event("Notification", exit_two="ignored"),
        event("Stop", "deny reprompt continue message"),
        event("StopFailure", exit_two="ignored"),
        event("SubagentStart", "context message", exit_two="shown"),
        event("SubagentStop", "deny reprompt continue message"),
        event("PreCompact", "deny"),
        event("PostCompact", exit_two="shown"),
    ),
    keys=(
        TYPE, COMMAND, ARGS, CONDITION, ONCE, BACKGROUND, ON_FAILURE, TIMEOUT,
    ),
    timeout_s=600.0,
    needs=("Abacus reads a project's config in trusted workspaces only",),
)  # fmt: skip
