"""The workspace routes: files, what is not committed, commits, and services with what they print."""

from __future__ import annotations

from base64 import b64decode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from hookline.hosts.turns import workspace_files as workspace
from hookline.hosts.turns.workspace_files import Refused
from hookline.web.bodies import Answer, body_of, completion_stream, host_of, problem
from hookline.web.operations import ANY, BAD, COUNT, ERROR, PATH, STREAM, TEXT, YES_NO, Operation, many, obj

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


BASE64 = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
NEW_FILE = {
    "anyOf": [
        obj({"path": PATH, "content": TEXT}, encoding={"const": "utf8"}),
        obj(
            {"path": PATH, "content": {"type": "string", "pattern": BASE64}, "encoding": {"const": "base64"}}
        ),
    ]
}
FILE = obj({"path": TEXT, "status": {"enum": ["added", "modified", "deleted"]}}, patch=TEXT, binary=YES_NO)
PATH_QUERY = ("path",)
OPERATIONS = (
    Operation("get", "/files", listed, "A folder", {200: obj({"path": TEXT, "entries": many(ANY)}), **BAD},
              query=PATH_QUERY),
    Operation("get", "/files/search", searched, "Files by name",
              {200: obj({"query": TEXT, "results": many(obj({"path": TEXT, "type": TEXT}))}), 400: ERROR},
              query=("q", "limit")),
    Operation("get", "/files/read", read, "A file",
              {200: obj({"path": TEXT, "content": TEXT, "encoding": TEXT, "size": COUNT}), **BAD},
              query=PATH_QUERY, required=PATH_QUERY),
    Operation("post", "/files/write", write, "Write a file", {200: obj({"path": TEXT, "size": COUNT}), 400: ERROR},
              NEW_FILE),
    Operation("post", "/files/delete", delete, "Delete a file",
              {200: obj({"path": TEXT, "type": TEXT}), 409: ERROR, **BAD},
              obj({"path": PATH})),
    Operation("post", "/files/rename", rename, "Move a file",
              {200: obj({"oldPath": TEXT, "newPath": TEXT}), 409: ERROR, **BAD},
              obj({"oldPath": PATH, "newPath": PATH})),
    Operation("get", "/diff", diff, "What is not committed", {200: obj({"files": many(FILE), "stats": ANY}), **BAD},
              query=("path", "format")),
    Operation("get", "/commits", commits, "Commits behind a parent as patches",
              {200: obj({"head": TEXT, "commitCount": COUNT, "patches": TEXT}), 409: ERROR, **BAD},
              query=("parent",), required=("parent",)),
    Operation("get", "/services", services, "The services", {200: obj({"services": many(ANY)})}),
    Operation("post", "/services/{service}/start", start_service, "Start a service",
              {202: obj({"status": TEXT, "serviceId": TEXT}), 409: ERROR, **BAD}),
    Operation("post", "/services/{service}/stop", stop_service, "Stop it",
              {200: obj({"success": YES_NO, "serviceId": TEXT}), **BAD}),
    Operation("get", "/services/{service}/output", service_output, "What it prints, as events",
              {200: STREAM, 404: ERROR}),
)  # fmt: skip
