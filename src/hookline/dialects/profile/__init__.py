"""What an agent is beside its hooks: how its config is written, installed, converted, and told of.

Each agent's `profile` module has one; it is read by commands about config, never while an agent waits.
"""

from hookline.dialects.profile.parts import (
    ALL_HANDLERS,
    ANY_EXIT,
    CLAUDE_CODE,
    EVERY_FAILURE,
    EXIT,
    LAUNCH,
    SCRIPTS,
    TIME_OUT,
    Abilities,
    ConfigFiles,
    Matching,
    Migration,
    Profile,
    Renewal,
    Style,
    Words,
    context_shape,
    decision_shape,
    message_shape,
)  # fmt: skip

__all__ = [
    "ALL_HANDLERS", "ANY_EXIT", "CLAUDE_CODE", "EVERY_FAILURE", "EXIT", "LAUNCH", "SCRIPTS", "TIME_OUT",
    "Abilities", "ConfigFiles", "Matching", "Migration", "Profile", "Renewal", "Style", "Words",
    "context_shape", "decision_shape", "message_shape",
]  # fmt: skip
