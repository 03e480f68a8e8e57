"""iteratr beside its hooks: how its file is written, and what it can say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from hookline.dialects.iteratr.migration import migrated
from hookline.dialects.profile import Abilities, Profile, Renewal, Words
from hookline.model.hooks import HookSpec


def write(specs: Sequence[HookSpec]) -> str:
    """A `.iteratr.hooks.yml`."""
    hooks: dict[str, list[dict[str, Any]]] = {}
    for spec in specs:
        entry: dict[str, Any] = {"command": spec.command, "timeout": max(1, round(spec.timeout_s))}
        piped = bool(spec.options.get("pipe_output"))
        if piped or spec.native_event == "pre_iteration":
            entry["pipe_output"] = piped
        hooks.setdefault(spec.native_event, []).append(entry)
    text: str = yaml.safe_dump(
        {"version": 2, "hooks": hooks}, sort_keys=False, allow_unicode=True, width=1000
    )
    return text


PROFILE = Profile(
    write,
    ("yaml", ""),
    Abilities(whole_seconds=True, options={"pipe_output": True}),
    Words(variables=frozenset({"ITERATR_"})),
    program="iteratr",
    renewal=Renewal(
        ".iteratr.hooks.yml", "v1-habit", {"pipe_output": True}, migrated,
        "`pipe_output: true` added", "shared by an anchor; add `pipe_output: true` by hand",
    ),
)  # fmt: skip
