"""iteratr beside its hooks: how its file is written, and what it can say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import yaml

from hookline.dialects.actions import action_said
from hookline.dialects.iteratr.config import HOOK
from hookline.dialects.keys import write_keys
from hookline.dialects.profile import Abilities, Migration, Profile, Renewal, Words
from hookline.dialects.profile.yaml_form import yaml_text
from hookline.dialects.reading.yaml_text import parse_yaml
from hookline.model.hooks import HookSpec
from hookline.model.typing import Any

__all__ = ["Migration", "migrated"]

KEY = "pipe_output"
LISTS = ("session_start", "pre_iteration", "post_iteration", "session_end", "on_task_complete", "on_error")


def migrated(text: str, source: str = ".iteratr.hooks.yml") -> Migration:
    """The config as version 2 needs it to mean what it meant in version 1. Raises UnreadableConfig."""
    parse_yaml(text, source)  # bounds depth and size before the composer sees it
    lists = _lists(yaml.compose(text, Loader=yaml.SafeLoader))
    shared = {id(item) for name, items in lists.items() if name != "pre_iteration" for item in items}
    added, left, insertions = [], [], {}
    for item in {id(each): each for each in lists.get("pre_iteration", ())}.values():
        keys = [key.value for key, _ in item.value]
        if KEY in keys or "command" not in keys:
            continue
        line = item.start_mark.line + 1
        if id(item) in shared or "<<" in keys:
            left.append(line)
            continue
        added.append(line)
        place, addition = _insertion(text, item)
        insertions[place] = addition
    for place in sorted(insertions, reverse=True):
        text = text[:place] + insertions[place] + text[place:]
    return Migration(text, tuple(added), tuple(left))


def _lists(root: Any) -> dict[str, list[Any]]:
    hooks = dict(_members(root)).get("hooks")
    return {
        name: [item for item in items.value if hasattr(item, "flow_style") and item.id == "mapping"]
        for name, items in _members(hooks)
        if name in LISTS and items.id == "sequence"
    }


def _members(node: Any) -> Iterator[tuple[str, Any]]:
    if node is not None and node.id == "mapping":
        yield from ((str(key.value), value) for key, value in node.value)


def _insertion(text: str, item: Any) -> tuple[int, str]:
    """Where to add the key and the text to add there: behind the last value, or before the last key."""
    key, value = item.value[-1]
    if item.flow_style:
        return value.end_mark.index, f", {KEY}: true"
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = " " * key.start_mark.column
    simple = value.id == "scalar" and value.style not in ("|", ">")
    if not simple or value.start_mark.line != value.end_mark.line:
        return key.start_mark.index, f"{KEY}: true{newline}{indent}"
    end = text.find("\n", value.end_mark.index)
    if end < 0:
        return len(text), f"{newline}{indent}{KEY}: true"
    end -= text[end - 1] == "\r"
    return end, f"{newline}{indent}{KEY}: true"


def write(specs: Sequence[HookSpec]) -> str:
    """A `.iteratr.hooks.yml`."""
    hooks: dict[str, list[dict[str, Any]]] = {}
    for spec in specs:
        entry = write_keys(spec, HOOK, "command", action_said(spec, HOOK))
        if spec.native_event == "pre_iteration":  # without it, version 1 meant a yes
            entry.setdefault("pipe_output", False)
        hooks.setdefault(spec.native_event, []).append(entry)
    return yaml_text({"version": 2, "hooks": hooks})


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
