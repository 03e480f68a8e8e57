"""cocode beside its hooks: how its file is written, and what it can say."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hookline.dialects.actions import action_said, handler_type
from hookline.dialects.cocode.config import ENTRY, SHELL, WEBHOOK
from hookline.dialects.keys import write_keys
from hookline.dialects.profile import ANY_EXIT, EXIT, LAUNCH, Abilities, Matching, Profile, Words
from hookline.dialects.profile.forms import hook_tables
from hookline.model.hooks import HookSpec, Webhook
from hookline.model.typing import Any


def write(specs: Sequence[HookSpec]) -> str:
    """A `hooks.toml` of cocode."""
    return hook_tables([_table(spec) for spec in specs])


def _table(spec: HookSpec) -> dict[str, Any]:
    table = {"event": spec.native_event, **write_keys(spec, ENTRY, "")}
    if re.fullmatch(rf"{spec.native_event} \d+", spec.name):  # the name it has without one
        del table["name"]
    name, keys = ("webhook", WEBHOOK) if isinstance(spec.action, Webhook) else ("shell", SHELL)
    return {**table, name: write_keys(spec, keys, handler_type(spec), action_said(spec, keys))}


PROFILE = Profile(
    write,
    ("toml", ""),
    Abilities(
        frozenset({"command", "webhook"}), once=True, whole_seconds=True, closes="exit",
        options={"on_timeout": "continue"}, slow={"on_timeout": "reject"},
    ),
    Words(
        variables=frozenset({"HOOK_EVENT", "HOOK_SESSION_ID", "HOOK_TOOL_NAME", "ARGUMENTS"}),
        fails_closed=frozenset({ANY_EXIT, EXIT, LAUNCH}), heard_by="parse_result",
    ),
    Matching("prefix"),
)  # fmt: skip
