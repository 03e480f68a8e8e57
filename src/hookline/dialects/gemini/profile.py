"""Gemini CLI beside its hooks: how its settings are written, installed and told of."""

from __future__ import annotations

from hookline.dialects.family.profile import profile_of
from hookline.dialects.gemini import DIALECT
from hookline.dialects.profile import EXIT, LAUNCH, TEXT_SHAPES, Words
from hookline.dialects.profile.traps import TRIGGERS, Traps
from hookline.model.events import EventKind as K
from hookline.model.record import replace

_MADE = profile_of(DIALECT)
PROFILE = replace(
    _MADE,
    words=Words(
        variables=frozenset({"CLAUDE_PROJECT_DIR", "GEMINI_"}),
        fails_closed=frozenset({EXIT, LAUNCH}),
        answers={
            "ask": lambda native, text: {"decision": "ask", "systemMessage": text},
            "allow": lambda native, text: {"decision": "allow", "reason": text},
            **TEXT_SHAPES,
        },
    ),
    clears_git_hooks=True,
    # these come with every request to the model, AfterModel with every piece of an answer (observed)
    style=replace(
        _MADE.style,
        on_demand=frozenset({K.PreModelRequest, K.PostModelResponse, K.PreToolSelection, K.PreCompact}),
    ),
    traps=Traps(
        sent={"": "agent_id"},
        sets=frozenset({"GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_PLANS_DIR", "GEMINI_CLI"}),
        values={
            K.SessionStart: ("startup", "resume", "clear"),
            K.SessionEnd: ("exit", "clear", "logout", "prompt_input_exit", "other"),
            K.PreCompact: TRIGGERS,
            K.Notification: ("ToolPermission",),
        },
        endless=True,
        needs_words=True,
        root="GEMINI_PROJECT_DIR",
    ),
)  # fmt: skip
