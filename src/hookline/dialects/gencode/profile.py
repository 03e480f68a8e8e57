"""GenCode beside its hooks: how its settings are written, and what they can say."""

from __future__ import annotations

from hookline.dialects.gencode.config import KEYS
from hookline.dialects.profile import (
    ALL_HANDLERS,
    CLAUDE_CODE,
    CLAUDE_SHAPES,
    Abilities,
    Matching,
    Profile,
    Words,
)
from hookline.dialects.profile.forms import JsonForm, entry_of

BASH = ("bash", "-c")
PROFILE = Profile(
    JsonForm(entry_of(KEYS), shell=BASH),
    ("json", "native"),
    Abilities(
        ALL_HANDLERS, BASH, shell_key=True, condition=True, background=True, rewake=True, once=True, status=True,
        longest_s=600.0, closes="blocking", options={"shell_fallback": ("sh", "-c"), "rewake": False},
    ),
    Words(
        speaks=CLAUDE_CODE, hears=frozenset({CLAUDE_CODE}),
        variables=frozenset((
            "CLAUDE_EVENT_TYPE", "CLAUDE_PROJECT_DIR", "CLAUDE_SESSION_ID", "CLAUDE_TOOL_NAME", "COMMAND", "CWD",
            "EXIT_CODE", "FILE_PATH", "GEN_EVENT_TYPE", "GEN_PROJECT_DIR", "GEN_SESSION_ID", "GEN_TOOL_NAME",
            "HOOK_EVENT_NAME", "SESSION_ID", "TOOL_NAME",
        )),
        answers=CLAUDE_SHAPES,
    ),
    Matching("fullregex", listed=True),
)  # fmt: skip
