"""Decisions as CloudEvents 1.0 in JSON; a batch of them is a JSON array."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from hookline.state.exports import Kept, dumped

TYPE = "dev.hookline.decision.v1"


def lines(records: Sequence[Kept]) -> list[str]:
    """One event a line. `source` and `id` together are unique, so that who gets one twice can tell."""
    return [dumped(_event(record)) for record in records]


def _event(record: Kept) -> dict[str, object]:
    shown = record.shown
    event = {
        "specversion": "1.0",
        "id": shown["run"],
        "source": f"/hookline{quote(record.workspace)}",
        "type": TYPE,
        "subject": f"{shown['event']}/{shown['session_id']}",
        "time": shown["at"],
        "datacontenttype": "application/json",
        "data": {**shown, "evidence": {"n": record.number, "digest": record.digest, "facts": record.facts}},
    }
    # The extension for distributed tracing
    return {**event, "traceparent": shown["traceparent"]} if shown.get("traceparent") else event
