"""The operations of the HTTP interface: each is one row, with its view and its description."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hookline.model.record import Record

View = Callable[[Request], Awaitable[Response]]
Schema = Mapping[str, Any]

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
YES_NO: Schema = {"type": "boolean"}
ANY: Schema = {"type": "object"}
SESSION_ID: Schema = {
    "type": "string", "minLength": 1, "maxLength": 128, "pattern": r"^(?!\.$)(?!.*\.\.)[A-Za-z0-9._-]+$",
}  # fmt: skip


def obj(required: Mapping[str, Schema], **optional: Schema) -> Schema:
    """An object with these fields; others may be there."""
    return {"type": "object", "properties": {**required, **optional}, "required": list(required)}


def many(items: Schema) -> Schema:
    return {"type": "array", "items": items}


PATH: Schema = {
    "type": "string", "minLength": 1, "pattern": r"^[^/\x00][^\x00]*$",
    "description": "relative to the workspace, inside it, and not git's own",
}  # fmt: skip
ERROR = obj({"error": TEXT}, completionId=TEXT, why=TEXT)
BAD = {400: ERROR, 404: ERROR}
STREAM = "text/event-stream"


class Operation(Record):
    """One method of one path, and the view that answers it.

    `answers` maps a status to a schema, a media type, or None for no body. The status 0 stands for all others.
    """

    method: str
    path: str
    view: View
    summary: str
    answers: Mapping[int, Schema | str | None]
    body: Schema | None = None
    takes_session: bool = False
    query: tuple[str, ...] = ()
    required: tuple[str, ...] = ()  # of the query
    headers: Mapping[str, Mapping[str, Any]] = {}


def routes_of(operations: Iterable[Operation]) -> list[Route]:
    """One route for all methods of a path, so that a refused method hears of every other."""
    views: dict[str, dict[str, View]] = {}
    for each in operations:
        views.setdefault(each.path.replace("{path}", "{path:path}"), {})[each.method.upper()] = each.view
    return [Route(path, _by_method(of_path), methods=list(of_path)) for path, of_path in views.items()]


def _by_method(views: Mapping[str, View]) -> View:
    async def view(request: Request) -> Response:
        return await views["GET" if request.method == "HEAD" else request.method](request)

    return view
