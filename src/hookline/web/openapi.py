"""All that the turn host answers, and the description of it (OpenAPI 3.1)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pwd import getpwuid
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from hookline import __version__
from hookline.web import chat, hook_views, workspace_views
from hookline.web.bodies import Answer
from hookline.web.operations import ANY, BAD, COUNT, ERROR, PATH, SESSION_ID, TEXT, YES_NO, Operation, obj
from hookline.web.pages import page
from hookline.web.records import views as record_views
from hookline.web.service_origins import call

COMMIT = {"type": "string", "pattern": "^([0-9a-f]{40}|[0-9a-f]{64})$"}
QUERIES: Mapping[str, Mapping[str, Any]] = {
    "limit": {"type": "integer", "minimum": 1, "maximum": 999_999_999},
    "format": {"enum": ["files", "full"]},
    "parent": COMMIT,
    "failed": {"enum": ["true", "false"]},
    **{
        name: {"type": "integer", "minimum": 0, "maximum": 999_999_999_999}
        for name in ("since", "until", "before", "after")
    },
    "path": {"type": "string", "pattern": r"^([^/\x00][^\x00]*)?$"},
}
WORDS = {
    0: "what the service answers", 202: "begun", 204: "nothing is under way", 307: "its page is elsewhere",
    400: "what was sent is not usable", 401: "the token is missing", 403: "a foreign host or origin",
    404: "there is no such thing", 409: "not now", 413: "the body is too large",
    502: "the service has ended, or makes no sense", 503: "it does not run, or does not listen",
    504: "it does not answer",
}  # fmt: skip


async def root(request: Request) -> Response:
    """The page for a browser, a word of life for programs."""
    if "text/html" in request.headers.get("accept", ""):
        return page("index.html")
    return Answer({"status": "ok", "service": "agent"})


async def records_page(request: Request) -> Response:
    """The page of `hookline page`, on the server's own workspace."""
    record_views.records_of(request)
    return page("records.html")


async def health(request: Request) -> Response:
    return Answer({"healthy": True, "connected": True})


async def user(request: Request) -> Response:
    """Who the tools run as."""

    number = os.getuid()
    try:
        name = getpwuid(number).pw_name
    except KeyError:
        name = str(number)
    return Answer({"username": name, "uid": number, "gid": os.getgid()})


async def openapi(request: Request) -> Response:
    """The description of all routes."""
    return Answer(document(request.app.state.wants_token))


FORWARDED = ("get", "post", "put", "patch", "delete", "options")
FORWARDING = tuple(
    Operation(method, "/services/{service}/http/{path}", call, "Ask the service itself",
              {0: "*/*", 307: None, 502: ERROR, 503: ERROR, 504: ERROR, **BAD})
    for method in FORWARDED
)  # fmt: skip

OPERATIONS = (
    *chat.OPERATIONS,  # first, as routes are tried one by one and these are asked for all the time
    Operation("get", "/", root, "A word of life", {200: obj({"status": TEXT, "service": TEXT})}),
    Operation(
        "get", "/health", health, "Whether it works", {200: obj({"healthy": YES_NO, "connected": YES_NO})}
    ),
    Operation(
        "get", "/user", user, "Who tools run as", {200: obj({"username": TEXT, "uid": COUNT, "gid": COUNT})}
    ),
    Operation("get", "/openapi.json", openapi, "This description", {200: ANY}),
    Operation(
        "get", "/records", records_page, "The page on hooks and history", {200: "text/html", 404: ERROR}
    ),
    *record_views.OPERATIONS,
    *hook_views.OPERATIONS,
    *workspace_views.OPERATIONS,
    *FORWARDING,
    chat.MODELS,
)


def document(wants_token: bool) -> dict[str, Any]:
    """The whole description; `wants_token` when requests must carry one."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _described(operation)
    found: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "hookline turn host", "version": __version__},
        "paths": paths,
    }
    if wants_token:
        found["components"] = {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}}
        found["security"] = [{"token": []}]
    return found


def _described(operation: Operation) -> dict[str, Any]:
    answers = {**operation.answers, 401: ERROR, 403: ERROR, **({413: ERROR} if operation.body else {})}
    found: dict[str, Any] = {
        "summary": operation.summary,
        "parameters": _parameters(operation),
        "responses": {
            str(status or "default"): _answer(status, answer) for status, answer in sorted(answers.items())
        },
    }
    if operation.body is not None:
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": operation.body}}}
    return found


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    named = {
        **{each: {**TEXT, "minLength": 1} for each in ("{agent}", "{hook}", "{service}", "{run}")},
        "{session}": SESSION_ID,
    }
    found = [
        {"name": name.strip("{}"), "in": "path", "required": True, "schema": schema}
        for name, schema in named.items()
        if name in operation.path
    ]
    if "{path}" in operation.path:
        found.append({"name": "path", "in": "path", "required": True, "schema": TEXT})
    found += [
        {
            "name": name,
            "in": "query",
            "required": name in operation.required,
            "schema": PATH if name == "path" and name in operation.required else QUERIES.get(name, TEXT),
        }
        for name in operation.query
    ]
    found += [
        {"name": name, "in": "header", "required": False, **content}
        for name, content in operation.headers.items()
    ]
    if operation.takes_session:
        found.append({"name": "session", "in": "query", "required": False, "schema": SESSION_ID})
    return found


def _answer(status: int, answer: Mapping[str, Any] | str | None) -> dict[str, Any]:
    found: dict[str, Any] = {"description": WORDS.get(status, "as asked")}
    if isinstance(answer, str):
        found["content"] = {answer: {"schema": TEXT}}
    elif answer is not None:
        found["content"] = {"application/json": {"schema": answer}}
    return found
