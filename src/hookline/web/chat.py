"""The chat routes: begin, read, follow, cancel and forget completions (Discobot's agent API)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from hookline.hosts.turns.host import TurnHost
from hookline.hosts.turns.session import Busy, Session
from hookline.hosts.turns.turn_options import PHASES, TurnWish, credentials, git_identity
from hookline.hosts.turns.ui_stream import text_of
from hookline.model.errors import UsageError
from hookline.web.bodies import (
    Answer,
    body_of,
    completion_stream,
    host_of,
    problem,
    session_of,
    session_stream,
)
from hookline.web.operations import ANY, ERROR, STREAM, TEXT, YES_NO, Operation, Schema, many, obj

CREDENTIALS = "X-Discobot-Credentials"
GIT_NAME = "X-Discobot-Git-User-Name"
GIT_EMAIL = "X-Discobot-Git-User-Email"
CHOICES = {
    "mode": ("", "plan", None),
    "reasoning": ("", "enabled", "disabled", None),
    "phase": ("", *PHASES, None),
}


async def begin(request: Request) -> Response:
    """POST chat: 202 with the completion's id, 409 while one runs, 400 without a user message."""
    session = session_of(request)
    body = await body_of(request)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return problem(400, "messages array required")
    message = next(
        (each for each in reversed(messages) if isinstance(each, dict) and each.get("role") == "user"), None
    )
    if message is None or not text_of(message):
        return problem(400, "No user message found")
    refusal = _wrong_choice(body)
    if refusal:
        return problem(400, refusal)
    host = host_of(request)
    try:
        completion = host.start(session, _kept(message), wish=_wish(request, host, body))
    except UsageError as error:
        return problem(400, error.message, **({"why": error.hint} if error.hint else {}))
    except Busy as busy:
        return problem(409, "completion_in_progress", completionId=busy.completion_id)
    if body.get("reasoning"):
        host.session(session).tell(
            "notice", {"text": "`reasoning` is left to the model: it is not passed on"}
        )
    return Answer({"completionId": completion.id, "status": "started"}, 202)


async def read(request: Request) -> Response:
    """GET chat: the messages as JSON; or, as an event stream, the completion under way (204: none)."""
    session = host_of(request).find(session_of(request))
    if "text/event-stream" not in request.headers.get("accept", ""):
        return Answer({"messages": [] if session is None else session.messages})
    completion = session.completion if session is not None else None
    if session is None or completion is None:
        return Response(status_code=204)
    known = completion.log.number_of(request.headers.get("last-event-id", ""))
    if session.running is None and (known is None or known >= completion.log.last):
        return Response(status_code=204)
    return completion_stream(completion.log, known or 0)


async def follow(request: Request) -> Response:
    """GET chat/stream: one stream for the whole session, through all completions and evaluations."""
    host = host_of(request)
    session = host.session(session_of(request))
    known = session.log.number_of(request.headers.get("last-event-id", ""))
    running = session.running
    headers = {"X-Discobot-Completion-Active": "true" if running is not None else "false"}
    if known is not None:
        return session_stream(session.log, None, known, headers)
    start = session.log.last
    if running is not None:
        first = running.log.after(0)
        start = (session.log.number_of(first[0].id) or start + 1) - 1 if first else start
    return session_stream(session.log, list(session.messages), start, headers)


async def forget(request: Request) -> Response:
    """DELETE chat: ends the session and its conversation."""
    await host_of(request).forget(session_of(request))
    return Answer({"success": True})


async def status(request: Request) -> Response:
    """GET chat/status."""
    session = host_of(request).find(session_of(request))
    return Answer(state_of(session))


async def cancel(request: Request) -> Response:
    """POST chat/cancel: 200 for a completion or an evaluation under way, 409 without one."""
    ended = await host_of(request).cancel(session_of(request))
    if ended is None:
        return problem(409, "no_active_completion")
    return Answer({"success": True, "completionId": ended, "status": "cancelled"})


async def question(request: Request) -> Response:
    """GET chat/question: tools ask nothing here, so none is ever pending."""
    session_of(request)
    return Answer({"status": "answered", "question": None})


async def answer(request: Request) -> Response:
    """POST chat/answer: 404, as no question is pending."""
    session_of(request)
    body = await body_of(request)
    if not isinstance(body.get("toolUseID"), str) or not isinstance(body.get("answers"), dict):
        return problem(400, "toolUseID and answers required")
    return problem(404, "No pending question")


async def models(request: Request) -> Response:
    """GET models: the one model the server was started with."""
    name = host_of(request).model.name
    return Answer({"models": [{"id": name, "name": name}]})


MESSAGE = obj({"id": TEXT, "role": {"enum": ["user", "assistant"]}, "parts": many(ANY)}, metadata=ANY)
NEW_MESSAGES: Schema = {
    "type": "array",
    "minItems": 1,
    "contains": {
        "type": "object",
        "required": ["role", "parts"],
        "properties": {
            "role": {"const": "user"},
            "parts": {
                "type": "array",
                "contains": {
                    "type": "object",
                    "required": ["type", "text"],
                    "properties": {"type": {"const": "text"}, "text": {"type": "string", "minLength": 1}},
                },
            },
        },
    },
    "description": "UI messages, each with `role` and `parts`; the text of the last user's one is sent on",
    "examples": [[{"id": "1", "role": "user", "parts": [{"type": "text", "text": "hello"}]}]],
}
CHAT_BODY = obj(
    {"messages": NEW_MESSAGES},
    model={"type": ["string", "null"]},
    **{name: {"enum": list(words)} for name, words in CHOICES.items()},
)
NAME_TEXT: Schema = {"type": "string", "pattern": "^[ -~]*$"}
CREDENTIAL = obj(
    {
        "envVar": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
        "value": {"type": "string", "pattern": r"^[^\x00]*$"},
    }
)
HEADERS: Mapping[str, Mapping[str, Any]] = {
    CREDENTIALS: {"content": {"application/json": {"schema": many(CREDENTIAL)}}},
    GIT_NAME: {"schema": NAME_TEXT},
    GIT_EMAIL: {"schema": NAME_TEXT},
}


def _operations(path: str) -> tuple[Operation, ...]:
    begun = obj(
        {"completionId": {"type": "string", "pattern": "^[0-9a-f]{8}$"}, "status": {"const": "started"}}
    )
    state = obj({"isRunning": YES_NO, "completionId": {"type": ["string", "null"]}, "evaluating": YES_NO})
    ended = obj({"success": YES_NO, "completionId": TEXT, "status": {"const": "cancelled"}})
    pending = obj({"status": TEXT, "question": {"type": ["object", "null"]}})
    reply = obj({"toolUseID": TEXT, "answers": ANY})
    bad = {400: ERROR}
    return (
        Operation("post", path, begin, "Begin a completion", {202: begun, 409: ERROR, **bad}, CHAT_BODY,
                  headers=HEADERS),
        Operation("get", path, read, "The messages, or the completion under way as events",
                  {200: obj({"messages": many(MESSAGE)}), 204: None, **bad}),
        Operation("delete", path, forget, "End the session", {200: obj({"success": YES_NO}), **bad}),
        Operation("get", f"{path}/stream", follow, "Everything of the session as events", {200: STREAM, **bad}),
        Operation("get", f"{path}/status", status, "What is under way", {200: state, **bad}),
        Operation("post", f"{path}/cancel", cancel, "End what is under way", {200: ended, 409: ERROR, **bad}),
        Operation("get", f"{path}/question", question, "The pending question", {200: pending, **bad}),
        Operation("post", f"{path}/answer", answer, "Answer it", {404: ERROR, **bad}, reply),
    )  # fmt: skip


OPERATIONS = (*_operations("/{agent}/chat"), *_operations("/{agent}/sessions/{session}/chat"))
MODELS = Operation(
    "get",
    "/{agent}/models",
    models,
    "The models",
    {200: obj({"models": many(obj({"id": TEXT, "name": TEXT}))})},
)


def state_of(session: Session | None) -> dict[str, Any]:
    if session is None:
        return {"isRunning": False, "completionId": None, "evaluating": False}
    running = session.running
    return {
        "isRunning": running is not None,
        "completionId": running.id if running is not None else None,
        "evaluating": session.evaluating,
    }


def _wish(request: Request, host: TurnHost, body: dict[str, Any]) -> TurnWish:
    """What the message asks for (Discobot's fields and headers). Raises UsageError."""
    secrets = credentials(_header(request, CREDENTIALS))
    identity = git_identity(_header(request, GIT_NAME), _header(request, GIT_EMAIL))
    model = host.model_named(body.get("model") or "")
    mode, phase = body.get("mode") or "", body.get("phase") or ""
    return TurnWish(mode, phase, model, {**identity, **secrets}, secrets)


def _header(request: Request, name: str) -> str:
    try:
        return request.headers.get(name, "").encode("latin-1").decode()
    except UnicodeDecodeError:
        raise UsageError(f"the header {name} is no UTF-8") from None


def _wrong_choice(body: dict[str, Any]) -> str:
    for name, allowed in CHOICES.items():
        if body.get(name) not in allowed:
            return f"{name} must be one of {', '.join(each for each in allowed if each)}, or empty"
    return "" if isinstance(body.get("model"), str | None) else "model must be a string"


def _kept(message: dict[str, Any]) -> dict[str, Any]:
    given = message.get("id")
    name = given if isinstance(given, str) and 0 < len(given) <= 200 and given.isprintable() else ""
    return {"id": name, "role": "user", "parts": [{"type": "text", "text": text_of(message)}]}
