"""The HTTP application of the turn host: a table of routes behind one gate."""

from __future__ import annotations

import os

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import Route

from hookline.hosts.turns.workspace_files import Refused
from hookline.model.errors import HooklineError
from hookline.system.files import list_dir, read_bytes
from hookline.web import chat, hook_views, service_views, workspace_views
from hookline.web.bodies import Answer, problem
from hookline.web.gate import Gate, Guarding
from hookline.web.service_origins import Keys, ServiceOrigins, call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

    from hookline.hosts.turns.host import TurnHost

    View = Callable[[Request], Awaitable[Response]]

STATIC = os.path.join(os.path.dirname(__file__), "static")
FORWARDED = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
PAGE_LIMIT = 4 * 1024 * 1024
MEDIA = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
}
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


async def root(request: Request) -> Response:
    """The page for a browser, a word of life for programs."""
    if "text/html" in request.headers.get("accept", ""):
        page = read_bytes(os.path.join(STATIC, "index.html"), PAGE_LIMIT)
        if page.state not in ("missing", "unreadable"):
            headers = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-cache"}
            return Response(page.content, 200, headers, "text/html; charset=utf-8")
    return Answer({"status": "ok", "service": "agent"})


async def static(request: Request) -> Response:
    """One of the page's own files; a name that is not in their folder is none."""
    name = request.path_params["name"]
    media = MEDIA.get(os.path.splitext(name)[1])
    if media is None or name not in [entry.name for entry in list_dir(STATIC).entries]:
        raise HTTPException(404)
    headers = {"Cache-Control": "no-cache"}
    return Response(read_bytes(os.path.join(STATIC, name), PAGE_LIMIT).content, 200, headers, media)


async def health(request: Request) -> Response:
    del request
    return Answer({"healthy": True, "connected": True})


async def user(request: Request) -> Response:
    """Who the tools run as."""
    del request
    from pwd import getpwuid

    number = os.getuid()
    try:
        name = getpwuid(number).pw_name
    except KeyError:
        name = str(number)
    return Answer({"username": name, "uid": number, "gid": os.getgid()})


async def openapi(request: Request) -> Response:
    """The description of all routes."""
    from hookline.web.openapi import document

    return Answer(document(request.app.state.wants_token))


WORKSPACE_ROUTES = (
    Route("/files", workspace_views.listed),
    Route("/files/search", workspace_views.searched),
    Route("/files/read", workspace_views.read),
    Route("/files/write", workspace_views.write, methods=["POST"]),
    Route("/files/delete", workspace_views.delete, methods=["POST"]),
    Route("/files/rename", workspace_views.rename, methods=["POST"]),
    Route("/diff", workspace_views.diff),
    Route("/commits", workspace_views.commits),
    Route("/services", service_views.listed),
    Route("/services/{service}/start", service_views.start, methods=["POST"]),
    Route("/services/{service}/stop", service_views.stop, methods=["POST"]),
    Route("/services/{service}/output", service_views.output),
    Route("/services/{service}/http/{path:path}", call, methods=list(FORWARDED)),
)

HOOK_ROUTES = (
    Route("/hooks/status", hook_views.status),
    Route("/hooks/state", hook_views.state),
    Route("/hooks/timeline", hook_views.timeline),
    Route("/hooks/execution", hook_views.pause_all, methods=["PATCH"]),
    Route("/hooks/{hook}/output", hook_views.output),
    Route("/hooks/{hook}/output/download", hook_views.download),
    Route("/hooks/{hook}/rerun", hook_views.rerun, methods=["POST"]),
    Route("/hooks/{hook}/execution", hook_views.pause_one, methods=["PATCH"]),
)


def _by_method(path: str, **views: View) -> Route:
    """One route for all methods of a path, so that a refused method hears of every other."""

    async def view(request: Request) -> Response:
        return await views["GET" if request.method == "HEAD" else request.method](request)

    return Route(path, view, methods=list(views))


CHAT = ("/{agent}/chat", "/{agent}/sessions/{session}/chat")
CHAT_ROUTES = tuple(
    route
    for path in CHAT
    for route in (
        _by_method(path, POST=chat.begin, GET=chat.read, DELETE=chat.forget),
        Route(f"{path}/stream", chat.follow),
        Route(f"{path}/status", chat.status),
        Route(f"{path}/cancel", chat.cancel, methods=["POST"]),
        Route(f"{path}/question", chat.question),
        Route(f"{path}/answer", chat.answer, methods=["POST"]),
    )
)

ROUTES = (
    *CHAT_ROUTES,  # first, as routes are tried one by one and these are asked for all the time
    Route("/", root),
    Route("/health", health),
    Route("/user", user),
    Route("/openapi.json", openapi),
    Route("/static/{name}", static),
    *HOOK_ROUTES,
    *WORKSPACE_ROUTES,
    Route("/{agent}/models", chat.models),
)


def make_app(host: TurnHost, guarding: Guarding, keys: Keys | None = None) -> Starlette:
    """The application over a turn host; every request passes the gate, or is for a service's own origin."""
    keys = keys or Keys(guarding.token)
    app = Starlette(
        routes=list(ROUTES),
        middleware=[
            Middleware(ServiceOrigins, host=host, keys=keys),
            Middleware(Gate, guarding=guarding),
        ],
        exception_handlers={
            HTTPException: _http_error,
            Refused: workspace_views.refused,
            HooklineError: _own_error,
            Exception: _defect,
        },
    )
    app.router.redirect_slashes = False
    app.state.host = host
    app.state.keys = keys
    app.state.wants_token = bool(guarding.token)
    return app


async def _http_error(request: Request, error: Exception) -> Response:
    del request
    assert isinstance(error, HTTPException)
    answer = problem(error.status_code, error.detail)
    answer.headers.update(error.headers or {})
    return answer


async def _own_error(request: Request, error: Exception) -> Response:
    del request
    assert isinstance(error, HooklineError)
    return problem(400 if error.exit_code == 64 else 500, error.message)


async def _defect(request: Request, error: Exception) -> Response:
    del request, error
    return problem(500, "a defect in hookline; its details are in the server's own output")
