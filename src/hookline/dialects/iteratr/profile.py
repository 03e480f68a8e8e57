"""iteratr beside its hooks: how its file is written, and what it can say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from hookline.dialects.actions import action_said
from hookline.dialects.iteratr.config import HOOK
from hookline.dialects.iteratr.migration import migrated
from hookline.dialects.keys import write_keys
from hookline.dialects.profile import Abilities, Profile, Renewal, Words
from hookline.model.hooks import HookSpec


def write(specs: Sequence[HookSpec]) -> str:
    """A `.iteratr.hooks.yml`."""
    hooks: dict[str, list[dict[str, Any]]] = {}
    for spec in specs:
        entry = write_keys(spec, HOOK, "command", action_said(spec, HOOK))
        if spec.native_event == "pre_iteration":  # without it, version 1 meant a yes
            entry.setdefault("pipe_output", False)
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
