"""The turn host behind HTTP: serves until it is told to stop, and ends what it began."""

from __future__ import annotations

import asyncio

from hookline.hosts.turns.commit_hook import ensure_commit_hook
from hookline.hosts.turns.host import TurnHost
from hookline.web.app import make_app
from hookline.web.listening import Place, guarding_of, listen
from hookline.web.records.records import Place as Standings
from hookline.web.service_origins import Keys
from hookline.web.tunnels import tunnels

LOOK_S = 1.0


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
