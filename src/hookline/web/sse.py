"""Logs as server-sent events."""

from __future__ import annotations

import json

from starlette.responses import StreamingResponse

from hookline.hosts.turns.log import merged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from typing import Any

    from hookline.hosts.turns.log import Entry, TurnLog

PING_S = 15.0
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


def completion_stream(log: TurnLog, after: int) -> StreamingResponse:
    """One completion: what happened so far with its deltas merged, then what happens, then `[DONE]`."""

    async def lines() -> AsyncIterator[str]:
        past = log.after(after)
        for entry in merged(past):
            yield event_lines(entry.data, entry.id)
        async for live in log.follow(past[-1].number if past else after, PING_S):
            yield ": ping\n\n" if live is None else event_lines(live.data, live.id)
        yield "data: [DONE]\n\n"

    return _stream(lines())


def session_stream(
    log: TurnLog, history: Sequence[Mapping[str, Any]] | None, after: int, headers: Mapping[str, str]
) -> StreamingResponse:
    """Everything of a session for as long as the reader stays, as named events.

    It begins with the conversation so far, unless `history` is None: the reader has come back.
    """

    async def lines() -> AsyncIterator[str]:
        if history is not None:
            yield event_lines({}, name="history-start")
            for message in history:
                yield event_lines({"message": message}, name="history-message")
            yield event_lines({}, name="history-end")
        async for entry in log.follow(after, PING_S):
            yield _named(entry)

    return _stream(lines(), headers)


def event_lines(data: Mapping[str, Any], id: str = "", name: str = "") -> str:
    """One event; the data is JSON on a line."""
    head = (f"id: {id}\n" if id else "") + (f"event: {name}\n" if name else "")
    return f"{head}data: {_json(data)}\n\n"


def _named(entry: Entry | None) -> str:
    return event_lines({}, name="ping") if entry is None else event_lines(entry.data, entry.id, entry.name)


def _json(value: Any) -> str:
    # Lone surrogates, from file names that are no text, are no UTF-8; as escapes they are JSON.
    return json.dumps(value, default=str)


def _stream(lines: AsyncIterator[str], headers: Mapping[str, str] | None = None) -> StreamingResponse:
    return StreamingResponse(lines, 200, {**HEADERS, **(headers or {})}, "text/event-stream")
