"""Gemini CLI beside its hooks: how its settings are written, installed and told of."""

from __future__ import annotations

from hookline.dialects.gemini.config import KEYS
from hookline.dialects.profile import (
    EXIT,
    LAUNCH,
    Abilities,
    ConfigFiles,
    Matching,
    Profile,
    Style,
    Switch,
    Words,
    context_shape,
    message_shape,
)
from hookline.dialects.profile.json_form import JsonForm, entry_of
from hookline.dialects.profile.traps import TRIGGERS, Traps
from hookline.model.events import EventKind as K

BASH = ("bash", "-c")
PROFILE = Profile(
    JsonForm(entry_of(KEYS), shell=BASH),
    ("jsonc", "settings"),
    Abilities(frozenset({"command"}), BASH, env=True),
    Words(
        variables=frozenset({"CLAUDE_PROJECT_DIR", "GEMINI_"}),
        fails_closed=frozenset({EXIT, LAUNCH}),
        answers={
            "ask": lambda native, text: {"decision": "ask", "systemMessage": text},
            "allow": lambda native, text: {"decision": "allow", "reason": text},
            "context": context_shape, "message": message_shape,
        },
    ),
    Matching("regex"),
    program="gemini",
    clears_git_hooks=True,
    files=ConfigFiles(".gemini/settings.json", folder=".gemini", user="settings.json"),
    # these come with every request to the model, AfterModel with every piece of an answer (observed)
    style=Style(
        unit=1000,
        more={"name": "hookline"},
        on_demand=frozenset({K.PreModelRequest, K.PostModelResponse, K.PreToolSelection, K.PreCompact}),
    ),
    needs=("Gemini CLI refuses project hooks in a folder it does not trust; `/hooks` shows them",),
    switches=(Switch("enabled", False, "`hooksConfig.enabled` is false", "set it to true"),),
    traps=Traps(
        sets=frozenset({"GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_PLANS_DIR", "GEMINI_CLI"}),
        values={
            K.SessionStart: ("startup", "resume", "clear"),
            K.SessionEnd: ("exit", "clear", "logout", "prompt_input_exit", "other"),
            K.PreCompact: TRIGGERS,
            K.Notification: ("ToolPermission",),
        },
        endless=True,
        root="GEMINI_PROJECT_DIR",
    ),
)  # fmt: skip
