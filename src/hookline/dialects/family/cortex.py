"""Cortex Code (Snowflake): Claude Code's hooks, commands only. From its documentation and the types of its SDK."""

from __future__ import annotations

from hookline.dialects.family.columns import COMMAND, TIMEOUT, TYPE, Agent, File, event
from hookline.dialects.keys import STATUS
from hookline.model.record import replace

ALL = "deny context continue message"

DIALECT = Agent(
    name="cortex",
    title="Cortex Code",
    program="cortex",
    knows="medium",
    sources="Snowflake's pages on its settings and on the hooks of its desktop, and the types of "
    "`cortex-code-agent-sdk` 1.0.7; the program wants an account and was not run",
    files=(
        File("user", "{home}/.snowflake/cortex/settings.json"),
        File("user", "{home}/.snowflake/cortex/hooks.json", ours=True),
        File("project", "{ws}/.snowflake/cortex/settings.json"),
        File("project", "{ws}/.cortex/settings.json", ours=True),
    ),
    rows=(
        event("SessionStart", "context message", exit_two="shown"),
        event("SessionEnd", exit_two="shown"),
        event("UserPromptSubmit", ALL),
        event("PreToolUse", "deny ask allow rewrite context continue message"),
        event("PermissionRequest", "deny allow rewrite message", rewrite_allows=True),
        event("PostToolUse", "context message", exit_two="shown", feedback=False),
        event("PostToolUseFailure", "context message", exit_two="shown", feedback=False),
        event("Notification", exit_two="shown"),
        event("Stop", "deny reprompt continue message"),
        event("SubagentStart", "context message", exit_two="shown"),
        event("SubagentStop", exit_two="shown"),
        event("PreCompact", exit_two="shown"),
        event("Setup", "deny message"),
    ),
    keys=(replace(TYPE, type="command"), COMMAND, TIMEOUT, STATUS),
    matching="regex",
    needs=(
        "the desktop program keeps hooks in `settings.json` (`~/.snowflake/cortex`, `.snowflake/cortex` of a "
        "workspace): move the entries there if it does not show them",
    ),
)  # fmt: skip
