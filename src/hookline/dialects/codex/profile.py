"""Codex CLI beside its hooks: how its file is written, installed and told of."""

from __future__ import annotations

from hookline.dialects.codex.config import KEYS
from hookline.dialects.profile import (
    CLAUDE_CODE,
    Abilities,
    ConfigFiles,
    Matching,
    Profile,
    Style,
    Words,
    context_shape,
    message_shape,
)
from hookline.dialects.profile.json_form import JsonForm, entry_of
from hookline.dialects.profile.traps import SOURCES, TRIGGERS, Traps
from hookline.dialects.switches import Switch
from hookline.model.events import EventKind as K

BASH = ("bash", "-c")
PROFILE = Profile(
    JsonForm(entry_of(KEYS), shell=BASH),
    ("json", "hooks"),
    Abilities(frozenset({"command", "mcp_tool"}), BASH, background=True, status=True),
    Words(
        speaks=CLAUDE_CODE, hears=frozenset({CLAUDE_CODE}),
        variables=frozenset({"CLAUDE_PLUGIN_ROOT"}),
        answers={"context": context_shape, "message": message_shape},
    ),
    Matching("names", plain=r"[A-Za-z0-9_]+"),
    program="codex",
    files=ConfigFiles(".codex/hooks.json", folder=".codex", user="hooks.json", variable="CODEX_HOME"),
    style=Style(limits={K.SessionEnd: 3.0, K.Interrupt: 3.0}),
    needs=(
        "Codex skips every hook without a word until it is reviewed: run `/hooks` in Codex and approve them",
        "a changed entry has to be approved again; hooks of a project need the project to be trusted",
    ),
    switches=(Switch("hooks", False, "`[features] hooks` is false", "set it to true in `config.toml`"),),
    traps=Traps(
        sets=frozenset({"PLUGIN_ROOT", "PLUGIN_DATA", "CLAUDE_PLUGIN_DATA", "CODEX_HOME", "CODEX_MANAGED_"}),
        values={K.SessionStart: SOURCES, K.PreCompact: TRIGGERS, K.PostCompact: TRIGGERS},
        silent=True,
        needs={"permissionDecision": "hookSpecificOutput", "hookSpecificOutput": "hookEventName"},
        json_only=frozenset({K.Stop, K.SubagentStop}),
        needs_reason=True,
        endless=True,
    ),
)  # fmt: skip
