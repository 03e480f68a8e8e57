"""cocode beside its hooks: how its file is written, and what it can say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hookline.dialects.profile import ANY_EXIT, EXIT, LAUNCH, Abilities, Matching, Profile, Words
from hookline.dialects.profile.toml_form import hook_tables
from hookline.model.hooks import HookSpec, Webhook


def write(specs: Sequence[HookSpec]) -> str:
    """A `hooks.toml` of cocode."""
    return hook_tables([_table(spec) for spec in specs])


def _table(spec: HookSpec) -> dict[str, Any]:
    table: dict[str, Any] = {"event": spec.native_event}
    if spec.name and not re.fullmatch(rf"{spec.native_event} \d+", spec.name):  # the name it has without one
        table["name"] = spec.name
    if spec.matcher is not None:
        table["tool_matcher"] = spec.matcher.text
    if spec.once:
        table["once"] = True
    table["timeout_sec"] = max(1, round(spec.timeout_s))
    if spec.options.get("on_timeout") == "reject":
        table["on_timeout"] = "reject"
    action = spec.action
    if isinstance(action, Webhook):
        hook: dict[str, Any] = {"url": action.url, "method": action.method.capitalize()}
        table["webhook"] = {**hook, **({"headers": dict(action.headers)} if action.headers else {})}
        return table
    flags = {key: True for key in ("pass_context", "parse_result") if spec.options.get(key)}
    table["shell"] = {"command": spec.command, **flags}
    return table


PROFILE = Profile(
    write,
    ("toml", ""),
    Abilities(
        frozenset({"command", "webhook"}), once=True, whole_seconds=True, closes="exit",
        options={"on_timeout": "continue"}, slow={"on_timeout": "reject"},
    ),
    Words(
        variables=frozenset({"HOOK_EVENT", "HOOK_TOOL_NAME", "ARGUMENTS"}),
        fails_closed=frozenset({ANY_EXIT, EXIT, LAUNCH}), heard_by="parse_result",
    ),
    Matching("prefix"),
)  # fmt: skip
