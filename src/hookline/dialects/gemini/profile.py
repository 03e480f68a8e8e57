"""Gemini CLI beside its hooks: how its settings are written, installed and told of."""

from __future__ import annotations

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
from hookline.dialects.profile.json_form import Entry, JsonForm, action_entry, number
from hookline.dialects.profile.traps import TRIGGERS, Traps
from hookline.model.events import EventKind as K
from hookline.model.hooks import HookSpec


def entry(spec: HookSpec, form: JsonForm) -> Entry:
    entry: Entry = {**action_entry(spec, form), "timeout": number(spec.timeout_s * form.unit)}
    named = {"name": spec.name, "description": spec.description, "env": dict(spec.env)}
    return {**entry, **{key: value for key, value in named.items() if value}}


BASH = ("bash", "-c")
PROFILE = Profile(
    JsonForm(entry, unit=1000, shell=BASH),
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
