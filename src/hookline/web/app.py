"""The HTTP application of the turn host: its operations behind one gate."""

from __future__ import annotations

import asyncio

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Route

from hookline.hosts.turns.host import TurnHost
from hookline.hosts.turns.known_hooks import ensure_commit_hook
from hookline.hosts.turns.workspace_files import Refused
from hookline.model.errors import HooklineError
from hookline.state.history import History
from hookline.web import workspace_views
from hookline.web.bodies import defect, http_error, own_error
from hookline.web.gate import Gate, Guarding
from hookline.web.listening import Place, guarding_of, listen
from hookline.web.openapi import OPERATIONS
from hookline.web.operations import routes_of
from hookline.web.pages import static
from hookline.web.records.records import Place as Standings
from hookline.web.records.records import Records
from hookline.web.service_origins import Keys, ServiceOrigins, tunnels

LOOK_S = 1.0
ROUTES = (*routes_of(OPERATIONS), Route("/static/{name}", static))


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
