"""The workspace routes: files, what is not committed, commits, and services with what they print."""

from __future__ import annotations

from base64 import b64decode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from hookline.hosts.turns import workspace_files as workspace
from hookline.hosts.turns.workspace_files import Refused
from hookline.web.bodies import Answer, body_of, host_of, problem
from hookline.web.sse import completion_stream

SEARCH_DEFAULT = 50
SEARCH_MOST = 200
ENCODINGS = ("utf8", "base64")


async def listed(request: Request) -> Response:
    """GET /files?path="""
    return Answer(workspace.listed(_root(request), request.query_params.get("path", "")))


async def searched(request: Request) -> Response:
    """GET /files/search?q&limit: 50 results unless told, 200 at most."""
    given = request.query_params.get("limit", str(SEARCH_DEFAULT))
    if not (given.isascii() and given.isdigit()) or len(given) > 9 or int(given) < 1:
        raise HTTPException(400, "limit must be a number from 1")
    query = request.query_params.get("q", "")
    return Answer(await workspace.searched(_root(request), query, min(int(given), SEARCH_MOST)))


async def read(request: Request) -> Response:
    """GET /files/read?path"""
    path = request.query_params.get("path", "")
    if not path:
        raise HTTPException(400, "path required")
    return Answer(workspace.read(_root(request), path))


async def write(request: Request) -> Response:
    """POST /files/write {path, content, encoding?}"""
    body = await body_of(request)
    content, encoding = body.get("content"), body.get("encoding", "utf8")
    if not isinstance(content, str) or encoding not in ENCODINGS:
        raise HTTPException(400, "content must be text, and encoding `utf8` or `base64`")
    return Answer(workspace.write(_root(request), _path(body.get("path")), _bytes(content, encoding)))


async def delete(request: Request) -> Response:
    """POST /files/delete {path}"""
    body = await body_of(request)
    return Answer(workspace.delete(_root(request), _path(body.get("path"))))


async def rename(request: Request) -> Response:
    """POST /files/rename {oldPath, newPath}"""
    body = await body_of(request)
    old, new = _path(body.get("oldPath")), _path(body.get("newPath"))
    return Answer(workspace.rename(_root(request), old, new))


async def diff(request: Request) -> Response:
    """GET /diff?path&format=files|full"""
    form = request.query_params.get("format", "full")
    if form not in ("files", "full"):
        raise HTTPException(400, "format must be `files` or `full`")
    path = request.query_params.get("path", "")
    return Answer(await workspace.diff(_root(request), path, form == "full"))


async def commits(request: Request) -> Response:
    """GET /commits?parent"""
    return Answer(await workspace.commits(_root(request), request.query_params.get("parent", "")))


async def refused(request: Request, error: Exception) -> Response:
    """A request about the workspace that cannot be met."""
    assert isinstance(error, Refused)
    return refusal_of(error)


def refusal_of(refused: Refused) -> Answer:
    """What a client hears of it."""
    return problem(refused.status, refused.message, **({"why": refused.why} if refused.why else {}))


def _root(request: Request) -> str:
    return host_of(request).opened.place


def _path(given: object) -> str:
    if not isinstance(given, str) or not given:
        raise HTTPException(400, "path required")
    return given


def _bytes(content: str, encoding: str) -> bytes:
    try:
        return b64decode(content, validate=True) if encoding == "base64" else content.encode()
    except ValueError as error:
        raise HTTPException(400, "content is not in the encoding it names") from error


async def services(request: Request) -> Response:
    """GET /services"""
    return Answer({"services": host_of(request).services.shown()})


async def start_service(request: Request) -> Response:
    """POST /services/{id}/start: 202, 404, 409 while it runs, 400 for a passive one."""
    name = request.path_params["service"]
    host_of(request).services.start(name)
    return Answer({"status": "starting", "serviceId": name}, 202)


async def stop_service(request: Request) -> Response:
    """POST /services/{id}/stop: 200, 404, 400 when it does not run."""
    name = request.path_params["service"]
    host_of(request).services.stop(name)
    return Answer({"success": True, "serviceId": name})


async def service_output(request: Request) -> Response:
    """GET /services/{id}/output: what its last start printed and prints, as events, then `[DONE]`."""
    run = host_of(request).services.run_of(request.path_params["service"])
    if run is None:
        return Response("data: [DONE]\n\n", media_type="text/event-stream")
    known = run.log.number_of(request.headers.get("last-event-id", ""))
    return completion_stream(run.log, known or 0)
