"""Junie: a few of Claude Code's events, in the user's config alone. From others' notes."""

from __future__ import annotations

from hookline.dialects.family.columns import BLOCK, COMMAND, TIMEOUT, TYPE, Agent, File, event
from hookline.dialects.keys import Key

DIALECT = Agent(
    name="junie",
    title="Junie",
    program="junie",
    knows="low",
    sources="a converter of others, autumn 2026",
    files=(File("user", "{home}/.junie/config.json", ours=True),),
    rows=(
        event("SessionStart"),
        event("SessionEnd"),
        event("UserPromptSubmit", "deny"),
        event("PreToolUse", "deny"),
        event("PermissionRequest"),
        event("Stop", "deny reprompt"),
        event("StopFailure"),
    ),
    keys=(
        TYPE,
        COMMAND,
        TIMEOUT,
        Key("async", "flag", "background", "nobody waits for it"),
        Key("blockOnError", "flag", "on_failure", "its own failure denies", means="block"),
    ),
    says=(BLOCK,),
)
