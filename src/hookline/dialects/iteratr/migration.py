"""From iteratr's version 1 to 2: `pre_iteration` hooks that were always piped must say so now.

Source: iteratr's Hooks document, Breaking Changes (v2) and Migration Guide.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hookline.dialects.profile import Migration
from hookline.dialects.reading.yaml_text import parse_yaml

__all__ = ["Migration", "migrated"]

KEY = "pipe_output"
LISTS = ("session_start", "pre_iteration", "post_iteration", "session_end", "on_task_complete", "on_error")


def migrated(text: str, source: str = ".iteratr.hooks.yml") -> Migration:
    """The config as version 2 needs it to mean what it meant in version 1. Raises UnreadableConfig."""
    parse_yaml(text, source)  # bounds depth and size before the composer sees it
    import yaml

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
