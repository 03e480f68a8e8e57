"""The formats: each is one function from records to lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hookline.state.exports import Kept, cloudevents, dumped, ocsf
from hookline.state.exports.otel import Spans

MEDIA = {
    "jsonl": "application/x-ndjson", "otel": "application/json", "ocsf": "application/x-ndjson",
    "cloudevents": "application/cloudevents-batch+json",
}  # fmt: skip
FORMATS = tuple(MEDIA)


def writer(name: str) -> Callable[[Sequence[Kept]], list[str]]:
    """What turns records into lines of that format; for otel all of them are in one line."""
    match name:
        case "otel":
            return Spans().lines
        case "ocsf":
            return ocsf.lines
        case "cloudevents":
            return cloudevents.lines
    return as_lines


def as_lines(records: Sequence[Kept]) -> list[str]:
    """The objects of `history --json`, one a line, each with its evidence."""
    return [
        dumped({
            **record.shown, "workspace": record.workspace,
            "evidence": {
                "n": record.number, "previous": record.previous, "digest": record.digest, "facts": record.facts
            } if record.digest else None,
        })
        for record in records
    ]  # fmt: skip
