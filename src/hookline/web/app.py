"""The HTTP application of the turn host: a table of routes behind one gate."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pwd import getpwuid

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hookline.hosts.turns.host import TurnHost
from hookline.hosts.turns.known_hooks import ensure_commit_hook
from hookline.hosts.turns.workspace_files import Refused
from hookline.model.errors import HooklineError
from hookline.state.history import History
from hookline.web import chat, hook_views, workspace_views
from hookline.web.bodies import Answer, defect, http_error, own_error
from hookline.web.gate import Gate, Guarding
from hookline.web.listening import Place, guarding_of, listen
from hookline.web.openapi import document
from hookline.web.pages import page, static
from hookline.web.records.records import Place as Standings
from hookline.web.records.records import Records
from hookline.web.records.views import RECORD_ROUTES, records_of
from hookline.web.service_origins import Keys, ServiceOrigins, call, tunnels

View = Callable[[Request], Awaitable[Response]]

FORWARDED = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
LOOK_S = 1.0


async def root(request: Request) -> Response:
    """The page for a browser, a word of life for programs."""
    if "text/html" in request.headers.get("accept", ""):
        return page("index.html")
    return Answer({"status": "ok", "service": "agent"})


async def records_page(request: Request) -> Response:
    """The page of `hookline page`, on the server's own workspace."""
    records_of(request)
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


WORKSPACE_ROUTES = (
    Route("/files", workspace_views.listed),
    Route("/files/search", workspace_views.searched),
    Route("/files/read", workspace_views.read),
    Route("/files/write", workspace_views.write, methods=["POST"]),
    Route("/files/delete", workspace_views.delete, methods=["POST"]),
    Route("/files/rename", workspace_views.rename, methods=["POST"]),
    Route("/diff", workspace_views.diff),
    Route("/commits", workspace_views.commits),
    Route("/services", workspace_views.services),
    Route("/services/{service}/start", workspace_views.start_service, methods=["POST"]),
    Route("/services/{service}/stop", workspace_views.stop_service, methods=["POST"]),
    Route("/services/{service}/output", workspace_views.service_output),
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
    Route("/hooks/{hook}/stop", hook_views.stop, methods=["POST"]),
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
    Route("/records", records_page),
    *RECORD_ROUTES,
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
            HTTPException: http_error,
            Refused: workspace_views.refused,
            HooklineError: own_error,
            Exception: defect,
        },
    )
    app.router.redirect_slashes = False
    app.state.host = host
    history = host.engine.history
    app.state.records = Records(host.opened, history) if isinstance(history, History) else None
    app.state.place = app.state.records.place("") if app.state.records else Standings(host.opened)
    app.state.keys = keys
    app.state.wants_token = bool(guarding.token)
    return app


def serve(host: TurnHost, place: Place) -> None:
    """Serves until a signal. Raises ConfigError when the address cannot be had, SystemExit on TERM."""
    asyncio.run(_serve(host, place))


async def _serve(host: TurnHost, place: Place) -> None:
    keys = Keys(place.token)
    app = make_app(host, guarding_of(place), keys)

    def end_streams() -> None:
        host.end_streams()
        if app.state.records is not None:
            app.state.records.close()

    await ensure_commit_hook(host.opened, host.say)
    watching = asyncio.gather(host.watch(), _tell_changes(host, app.state.place))
    try:
        await listen(app, place, end_streams, ws=tunnels(host, keys))
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        await host.close()


async def _tell_changes(host: TurnHost, hooks: Standings) -> None:
    """Those who look at the hooks hear when they, or what is trusted, changed on disk."""
    changes = hooks.look()
    while True:
        await asyncio.sleep(LOOK_S)
        if changes != (now := hooks.look()):
            changes = now
            host.hooks_changed()
