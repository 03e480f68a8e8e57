"""Listens, says so, serves until it is told to stop, and ends what it began."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys

import uvicorn

from hookline.hosts.turns.commit_hook import ensure_commit_hook
from hookline.model.errors import ConfigError, UsageError
from hookline.model.record import Record
from hookline.web.app import make_app
from hookline.web.gate import LOOPBACK, Guarding
from hookline.web.service_origins import Keys
from hookline.web.tunnels import tunnels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from hookline.hosts.turns.host import TurnHost

GRACEFUL_S = 3


class Place(Record):
    """Where to listen. `port` 0 picks a free one; `token` may be empty on loopback only."""

    host: str = "127.0.0.1"
    port: int = 8137
    token: str = ""


class Server(uvicorn.Server):
    """Prints the address once it answers, and lets go of endless streams when it is told to stop."""

    def __init__(self, config: uvicorn.Config, host: TurnHost, address: str) -> None:
        super().__init__(config)
        self._host = host
        self._address = address
        self._running: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._running = asyncio.get_running_loop()
        sys.stdout.write(f"listening on {self._address}\n")
        sys.stdout.flush()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if self._running is not None:
            self._running.call_soon_threadsafe(self._host.end_streams)


def serve(host: TurnHost, place: Place) -> None:
    """Serves until a signal. Raises ConfigError when the address cannot be had, SystemExit on TERM."""
    asyncio.run(_serve(host, place))


async def _serve(host: TurnHost, place: Place) -> None:
    listener = _listener(place)
    name = place.host if ":" not in place.host else f"[{place.host}]"
    address = f"http://{name}:{listener.getsockname()[1]}"
    keys = Keys(place.token)
    config = uvicorn.Config(
        make_app(host, guarding_of(place), keys),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws=tunnels(host, keys),
        timeout_graceful_shutdown=GRACEFUL_S,
    )
    signal.signal(signal.SIGTERM, _terminated)
    await ensure_commit_hook(host.opened, host.say)
    watching = asyncio.create_task(host.watch())
    try:
        await Server(config, host, address).serve([listener])
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        await host.close()
        listener.close()


def guarding_of(place: Place) -> Guarding:
    """Who may ask for what. Raises UsageError when strangers could reach it and no token is set."""
    is_loopback = place.host in LOOPBACK or place.host.startswith("127.")
    if not is_loopback and not place.token:
        raise UsageError(
            f"--host {place.host}: other machines could use this server, and no token is set",
            "give one with `--token` or HOOKLINE_TOKEN",
        )
    hosts = tuple(dict.fromkeys((*LOOPBACK, place.host.lower(), socket.gethostname().lower())))
    return Guarding(LOOPBACK if is_loopback else hosts, not is_loopback, place.token)


def _listener(place: Place) -> socket.socket:
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        listener = socket.create_server((place.host, place.port), family=family, backlog=128)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        hint = "`--port 0` picks a free one"
        raise ConfigError(f"cannot listen on {place.host}:{place.port}: {reason}", hint) from error
    # Connections inherit it. asyncio sets it only where the socket names its protocol, and without it an
    # answer's body waits 40 ms for the client to acknowledge its headers.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _terminated(number: int, frame: FrameType | None) -> None:
    del frame
    raise SystemExit(128 + number)
