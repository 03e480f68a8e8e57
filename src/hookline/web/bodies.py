"""Requests read and answers written: JSON both ways, and errors as `{"error": words}`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from hookline.hosts.turns.host import TurnHost
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
