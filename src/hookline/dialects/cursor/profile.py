"""Cursor beside its hooks: how its file is written, installed and told of."""

from __future__ import annotations

from hookline.dialects.cursor import DIALECT
from hookline.dialects.family.profile import profile_of
from hookline.dialects.profile import CLAUDE_CODE, Words
from hookline.dialects.profile.traps import Traps
from hookline.model.events import EventKind as K
from hookline.model.record import replace

_MADE = profile_of(DIALECT)
PROFILE = replace(
    _MADE,
    can=replace(_MADE.can, options={"loop_limit": 5}),
    words=Words(
        hears=frozenset({CLAUDE_CODE}),
        variables=frozenset((
            "CLAUDE_PLUGIN_ROOT", "CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "CURSOR_TRANSCRIPT_PATH",
            "CURSOR_USER_EMAIL", "CURSOR_VERSION",
        )),
        answers={"allow": lambda native, text: {"permission": "allow"}},
    ),
    style=replace(_MADE.style, on_demand=frozenset({K.Setup, K.PostModelResponse})),
    traps=Traps(
        whole_paths=True,
        beside_file=True,
        closed={"status": ("completed", "aborted", "error")},
        words={("permission", "block"): "deny", ("permission", "reject"): "deny"},
        sets=frozenset(
            {
                "CURSOR_VERSION", "CURSOR_USER_EMAIL", "CURSOR_TRANSCRIPT_PATH", "CURSOR_CODE_REMOTE",
                "CURSOR_PLUGIN_ROOT",
            }
        ),
        silent=True,
        answers={
            "userMessage": "user_message", "agentMessage": "agent_message", "followupMessage": "followup_message",
            "updatedInput": "updated_input", "additionalContext": "additional_context",
        },
        counter="loop_count",
        hearsay={
            "decision": "`permission`, at `beforeSubmitPrompt` `continue`, at `stop` `followup_message`",
            "beforeSubmitPrompt.permission": "`continue`: false", "stop.permission": "`followup_message`",
        },
    ),
)  # fmt: skip
