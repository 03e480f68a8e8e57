"""Requests read and answers written: JSON both ways, errors as `{"error": words}`, logs as events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from hookline.hosts.turns.host import TurnHost
from hookline.hosts.turns.log import Entry, TurnLog, merged
from hookline.model.errors import HooklineError, UsageError
from hookline.state.paths import checked_session_id


class Answer(Response):
    """JSON, also for file names that are no text."""

    media_type = "application/json"

    def __init__(
        self, content: Any, status_code: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(json.dumps(content, default=str).encode(), status_code, headers)


def host_of(request: Request) -> TurnHost:
    """The turn host the server serves."""
    host: TurnHost = request.app.state.host
    return host


def problem(status: int, words: str, **more: Any) -> Answer:
    return Answer({"error": words, **more}, status)


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON object of a request; 400 for anything else."""
    try:
        content = await request.body()
    except ClientDisconnect as gone:  # nobody reads the answer
        raise HTTPException(400, "the body did not come whole") from gone
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, "the body must be JSON") from error
    if not isinstance(value, dict):
        raise HTTPException(400, "the body must be a JSON object")
    return value


def session_of(request: Request) -> str:
    """The session a request is about: of its path, of `?session=`, or the host's own; 400 for no usable id."""
    given = request.path_params.get("session")
    if given is None and request.scope["query_string"]:
        given = request.query_params.get("session")
    try:
        return host_of(request).default_session if given is None else checked_session_id(given)
    except UsageError as error:
        raise HTTPException(400, error.message) from error


async def http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    answer = problem(error.status_code, error.detail)
    answer.headers.update(error.headers or {})
    return answer


async def own_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HooklineError)
    return problem(400 if error.exit_code == 64 else 500, error.message)


async def defect(request: Request, error: Exception) -> Response:
    return problem(500, "a defect in hookline; its details are in the server's own output")


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
