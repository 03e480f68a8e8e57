"""Decisions of the history in the words of other systems: what is handed on of each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hookline.model.record import Record


class Kept(Record):
    """One decision of the history: its number, its object without secrets, and the facts and digest of its evidence.

    `facts` is empty for decisions of versions without evidence.
    """

    number: int
    shown: Mapping[str, Any]
    workspace: str
    facts: Mapping[str, Any]
    previous: str = ""
    digest: str = ""


def dumped(value: object) -> str:
    """One line of JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def without_outputs(shown: dict[str, Any]) -> dict[str, Any]:
    """The object without what hooks printed."""
    hooks = [{name: value for name, value in hook.items() if name not in _PRINTED} for hook in shown["hooks"]]
    return {**shown, "hooks": hooks}


_PRINTED = ("stdout", "stderr", "output_path", "truncated")
