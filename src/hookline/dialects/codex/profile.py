"""Codex CLI beside its hooks: how its file is written, installed and told of."""

from __future__ import annotations

from hookline.dialects.codex import DIALECT
from hookline.dialects.family.profile import profile_of
from hookline.dialects.profile import CLAUDE_CODE, TEXT_SHAPES, Matching, Words
from hookline.dialects.profile.traps import CONFUSED, SOURCES, TRIGGERS, Traps
from hookline.model.events import EventKind as K
from hookline.model.record import replace

PROFILE = replace(
    profile_of(DIALECT),
    words=Words(
        speaks=CLAUDE_CODE, hears=frozenset({CLAUDE_CODE}),
        variables=frozenset({"CLAUDE_PLUGIN_ROOT"}),
        answers=TEXT_SHAPES,
    ),
    matching=Matching("names", plain=r"[A-Za-z0-9_]+"),
    traps=Traps(
        sent={"": "agent_id agent_type"},
        words=CONFUSED,
        sets=frozenset({"PLUGIN_ROOT", "PLUGIN_DATA", "CLAUDE_PLUGIN_DATA", "CODEX_HOME", "CODEX_MANAGED_"}),
        values={K.SessionStart: SOURCES, K.PreCompact: TRIGGERS, K.PostCompact: TRIGGERS},
        arguments={"patch": "command"},
        lacks=frozenset({"Read", "Glob", "Grep", "LS", "NotebookEdit", "NotebookRead", "WebFetch", "WebSearch"}),
        starts_below=True,
        silent=True,
        needs={"permissionDecision": "hookSpecificOutput", "hookSpecificOutput": "hookEventName"},
        json_only=frozenset({K.Stop, K.SubagentStop}),
        needs_reason=True,
        endless=True,
    ),
)  # fmt: skip
