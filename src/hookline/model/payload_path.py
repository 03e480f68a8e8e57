"""A value inside a payload by names and places with dots between, as `hookline get` and `where` take it."""

from __future__ import annotations

from typing import Any


def value_at(value: Any, path: str) -> Any:
    """The value at `tool_input.edits.0.path` in a payload; None where there is none."""
    for step in path.strip(".").split("."):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value
