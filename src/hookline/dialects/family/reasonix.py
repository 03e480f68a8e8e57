"""DeepSeek-Reasonix: flat entries under `match`. From others' notes alone."""

from __future__ import annotations

from hookline.dialects.family.columns import BLOCK, TIMEOUT, Agent, File, event
from hookline.dialects.keys import COMMAND, Key
from hookline.model.events import EventKind as K
from hookline.model.record import replace

DIALECT = Agent(
    name="reasonix",
    title="Reasonix",
    program="reasonix",
    knows="low",
    sources="a catalogue of hooks by others, autumn 2026",
    files=(
        File("user", "{home}/.reasonix/settings.json", ours=True),
        File("project", "{ws}/.reasonix/settings.json", ours=True),
    ),
    rows=(
        event("SessionStart", subject=""),
        event("SessionEnd", subject=""),
        event("UserPromptSubmit", "deny"),
        event("PreToolUse", "deny"),
        event("PermissionRequest"),
        event("PostToolUse", feedback=False),
        event("PostToolUseFailure", feedback=False),
        event("PostLLMCall", "", K.PostModelResponse),
        event("Stop", "deny reprompt"),
        event("StopFailure", subject=""),
        event("SubagentStop", "deny reprompt", subject=""),
        event("Notification", subject=""),
        event("PreCompact", subject=""),
    ),
    flat=True,
    keys=(
        Key("match", words="the whole name of a tool, as a pattern"),
        COMMAND,
        replace(TIMEOUT, type="milliseconds"),
    ),
    matcher_key="match",
    matching="fullregex",
    says=(BLOCK,),
)  # fmt: skip
