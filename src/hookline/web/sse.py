"""Logs as server-sent events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from starlette.responses import StreamingResponse

from hookline.hosts.turns.log import Entry, TurnLog, merged

PING_S = 15.0
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


def completion_stream(log: TurnLog, after: int) -> StreamingResponse:
    """One completion: what happened so far with its deltas merged, then what happens, then `[DONE]`."""

    async def lines() -> AsyncIterator[str | bytes]:
        past = log.after(after)
        if past:
            yield "".join(event_lines(entry.data, entry.id) for entry in merged(past))
        async for live in log.follow(past[-1].number if past else after, PING_S):
            yield b"".join(_sent(log, entry) for entry in live) or ": ping\n\n"
        yield "data: [DONE]\n\n"

    return _stream(lines())


def session_stream(
    log: TurnLog, history: Sequence[Mapping[str, Any]] | None, after: int, headers: Mapping[str, str]
) -> StreamingResponse:
    """Everything of a session for as long as the reader stays, as named events.

    It begins with the conversation so far, unless `history` is None: the reader has come back.
    """

    async def lines() -> AsyncIterator[str | bytes]:
        if history is not None:
            yield event_lines({}, name="history-start")
            for message in history:
                yield event_lines({"message": message}, name="history-message")
            yield event_lines({}, name="history-end")
        async for live in log.follow(after, PING_S):
            yield b"".join(_sent(log, entry, entry.name) for entry in live) or event_lines({}, name="ping")

    return _stream(lines(), headers)


def event_lines(data: Mapping[str, Any], id: str = "", name: str = "") -> str:
    """One event; the data is JSON on a line."""
    head = (f"id: {id}\n" if id else "") + (f"event: {name}\n" if name else "")
    return f"{head}data: {_json(data)}\n\n"


def _sent(log: TurnLog, entry: Entry, name: str = "") -> bytes:
    """An entry as bytes: a log is read in one form only, so all its readers share them."""
    found = log.sent.get(entry.number)
    if found is None:
        found = log.sent[entry.number] = event_lines(entry.data, entry.id, name).encode()
    return found


def _json(value: Any) -> str:
    # Lone surrogates, from file names that are no text, are no UTF-8; as escapes they are JSON.
    return json.dumps(value, default=str)


def _stream(lines: AsyncIterator[str | bytes], headers: Mapping[str, str] | None = None) -> StreamingResponse:
    return StreamingResponse(lines, 200, {**HEADERS, **(headers or {})}, "text/event-stream")
