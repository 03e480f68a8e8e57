"""Records of the history, oldest first and in steps, so that any number of them can be handed on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hookline.state.exports import Kept, without_outputs
from hookline.state.history import History
from hookline.state.redaction import Redactor

STEP = 500
_TESTS = {
    "session": "session = ?", "event": "event = ?", "verdict": "verdict = ?", "since": "at >= ?",
    "workspace": "workspace = ?",
}  # fmt: skip


def records_after(
    history: History, after: int, filters: Mapping[str, object], redactor: Redactor, outputs: bool
) -> list[Kept]:
    """The next records behind number `after`, without secrets; with `outputs` also what hooks printed.

    `filters`: session, event, verdict, since (seconds since the epoch), workspace; None counts as none.
    """
    used = {name: value for name, value in filters.items() if value is not None}
    where = " AND ".join(["n > ?", *(_TESTS[name] for name in used)])
    sql = f"SELECT n, object, workspace, facts, previous, digest FROM runs WHERE {where} ORDER BY n LIMIT ?"
    values = [after, *used.values(), STEP]
    nothing: list[Any] = []
    if not history.database.exists:
        history.database.tell_of_folder()
        return []
    rows = history.database.read(lambda connection: connection.execute(sql, values).fetchall(), nothing)
    return [_kept(row, redactor, outputs) for row in rows]


def _kept(row: tuple[Any, ...], redactor: Redactor, outputs: bool) -> Kept:
    number, text, workspace, facts, previous, digest = row
    shown = json.loads(text)
    shown = redactor.value(shown if outputs else without_outputs(shown))
    return Kept(
        number, shown, redactor.text(workspace), redactor.value(json.loads(facts)) if facts else {},
        bytes(previous or b"").hex(), bytes(digest or b"").hex(),
    )  # fmt: skip
