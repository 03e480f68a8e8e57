"""Decisions of the history in the words of other systems: what is handed on of each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hookline.model.record import Record
from hookline.state.history import History
from hookline.state.redaction import Redactor

STEP = 500
_COLUMNS = "n, object, workspace, facts, previous, digest"


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


def records_after(
    history: History, after: int, filters: Mapping[str, object], redactor: Redactor, outputs: bool
) -> list[Kept]:
    """The next records behind number `after`, without secrets; with `outputs` also what hooks printed.

    `filters`: as of `History.select`.
    """
    rows = history.select(_COLUMNS, "n", STEP, after=after, **filters)
    return [_kept(row, redactor, outputs) for row in rows]


def _kept(row: tuple[Any, ...], redactor: Redactor, outputs: bool) -> Kept:
    number, text, workspace, facts, previous, digest = row
    shown = json.loads(text)
    shown = redactor.value(shown if outputs else without_outputs(shown))
    return Kept(
        number, shown, redactor.text(workspace), redactor.value(json.loads(facts)) if facts else {},
        bytes(previous or b"").hex(), bytes(digest or b"").hex(),
    )  # fmt: skip
