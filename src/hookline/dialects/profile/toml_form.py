"""Hooks as TOML tables: what a dialect with a `[[hooks]]` file reads back as the same hooks."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def hook_tables(tables: Sequence[Mapping[str, Any]]) -> str:
    """One `[[hooks]]` each."""
    return "\n".join(
        "[[hooks]]\n" + "".join(f"{toml_key(key)} = {toml_value(value)}\n" for key, value in table.items())
        for table in tables
    )


def toml_value(value: Any) -> str:
    """A value in TOML: tables and lists on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    items = ", ".join(
        f"{toml_key(key)} = {toml_value(item)}" for key, item in value.items() if item is not None
    )
    return f"{{ {items} }}" if items else "{}"


def toml_key(key: str) -> str:
    return key if _BARE.fullmatch(key) else toml_value(key)
