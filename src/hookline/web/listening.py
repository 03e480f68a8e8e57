"""Where a server of ours listens, who may ask it, and how it starts and ends."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import sys
from asyncio import BaseTransport, TimerHandle, Transport
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import EACCES, EADDRINUSE
from secrets import token_urlsafe
from types import FrameType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hookline.model.errors import ConfigError, UsageError
from hookline.model.record import Record
from hookline.system.loops.ending import end_in_order, ended
from hookline.web.gate import LOOPBACK, Guarding

GRACEFUL_S = 3
HEAD_S = 10.0  # for the whole head, from the connection's start or the head's first byte
SILENCE_S = 30.0  # between two parts of a body
HEAD_LIMIT = 64 * 1024
MOST_HEADERS = 100
TOO_LARGE = b'{"error": "headers too large"}'
REFUSAL = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: application/json\r\n"
    b"connection: close\r\ncontent-length: %d\r\n\r\n%s" % (len(TOO_LARGE), TOO_LARGE)
)


class Place(Record):
    """Where to listen. `port` 0 picks a free one; `token` may be empty on loopback only.

    With `shows_token` the token is ours to tell: nobody else knows it yet.
    """

    host: str = "127.0.0.1"
    port: int = 8137
    token: str = ""
    shows_token: bool = False


class Server(uvicorn.Server):
    """Says `lines` once it answers; `end_streams` lets go of endless streams when it is told to stop."""

    def __init__(self, config: uvicorn.Config, end_streams: Callable[[], object], lines: str) -> None:
        super().__init__(config)
        self._end_streams = end_streams
        self._lines = lines
        self._running: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._running = asyncio.get_running_loop()
        gc.collect()
        gc.freeze()  # what was loaded stays; looking through all of it would hold up every session at once
        sys.stdout.write(self._lines)
        sys.stdout.flush()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """A terminal that is closed (HUP) ends it in order too, as what it has started would outlive it."""
        with super().capture_signals():
            ends = signal.getsignal(signal.SIGHUP) is ended
            if ends:
                signal.signal(signal.SIGHUP, self.handle_exit)
            try:
                yield
            finally:
                if ends:
                    signal.signal(signal.SIGHUP, ended)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if self._running is not None:
            self._running.call_soon_threadsafe(self._end_streams)


async def listen(
    app: Starlette, place: Place, end_streams: Callable[[], object], *, ws: Any = "none"
) -> None:
    """Serves until a signal. Raises ConfigError when the address cannot be had, SystemExit on TERM and HUP."""
    listener = _listener(place)
    name = place.host if ":" not in place.host else f"[{place.host}]"
    address = f"http://{name}:{listener.getsockname()[1]}"
    lines = f"listening on {address}\n"
    if place.shows_token:
        lines += f"open {address}/?token={place.token}\n"
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        http=Connection,
        ws=ws,
        timeout_graceful_shutdown=GRACEFUL_S,
    )
    end_in_order()
    try:
        await Server(config, end_streams, lines).serve([listener])
    finally:
        listener.close()


def guarding_of(place: Place) -> Guarding:
    """Who may ask for what. Raises UsageError for no host, which would be every address of this machine, and when
    strangers could reach it and no token is set.
    """
    if not place.host:
        raise UsageError("--host: no address is given", "`--host 0.0.0.0` listens on every address")
    is_loopback = place.host in LOOPBACK or place.host.startswith("127.")
    if not is_loopback and not place.token:
        raise UsageError(
            f"--host {place.host}: other machines could use this server, and no token is set",
            "leave out `--no-token`",
        )
    hosts = tuple(dict.fromkeys((*LOOPBACK, place.host.lower(), socket.gethostname().lower())))
    return Guarding(LOOPBACK if is_loopback else hosts, not is_loopback, place.token, token_urlsafe(32))


def _listener(place: Place) -> socket.socket:
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        listener = socket.create_server((place.host, place.port), family=family, backlog=128)
    except OverflowError as error:
        raise UsageError(f"--port {place.port}: expected a number from 0 to 65535") from error
    except OSError as error:
        reason = error.strerror or error
        hint = "`--port 0` picks a free one" if error.errno in (EADDRINUSE, EACCES) else None
        raise ConfigError(f"cannot listen on {place.host}:{place.port}: {reason}", hint) from error
    # Connections inherit it. asyncio sets it only where the socket names its protocol, and without it an
    # answer's body waits 40 ms for the client to acknowledge its headers.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


class Connection(HttpToolsProtocol):
    """Lets go of clients that hold a connection without asking anything; answers may take as long as they do."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._in_head = True
        self._head_size = 0
        self._patience: TimerHandle | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        assert isinstance(transport, Transport)
        super().connection_made(transport)
        self._wait(HEAD_S)

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            if self._patience is None:
                self._wait(HEAD_S)
            self._head_size += len(data)
        elif self._patience is not None:
            self._wait(SILENCE_S)
        super().data_received(data)
        if self._in_head and self._head_size > HEAD_LIMIT and not self.transport.is_closing():
            self.send_400_response("")

    def on_headers_complete(self) -> None:
        size = sum(len(name) + len(value) for name, value in self.headers) + len(self.url)
        if size > HEAD_LIMIT or len(self.headers) > MOST_HEADERS:
            self._head_size = HEAD_LIMIT + 1
            raise ValueError("the head is too large")  # the parser stops, and the answer is a refusal
        self._in_head = False
        self._head_size = 0
        self._wait(SILENCE_S)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._wait(None)
        self._in_head = True
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        self._wait(None)
        super().handle_websocket_upgrade()

    def send_400_response(self, msg: str) -> None:
        """Also what a head gets that is too large; `msg` is the word for all others."""
        if self._head_size <= HEAD_LIMIT:
            super().send_400_response(msg)
            return
        self.transport.write(REFUSAL)
        self.transport.close()

    def _wait(self, seconds: float | None) -> None:
        """Lets go of the client when it says nothing for so long; None: it need not."""
        if self._patience is not None:
            self._patience.cancel()
        self._patience = None if seconds is None else self.loop.call_later(seconds, self._let_go)

    def _let_go(self) -> None:
        self._patience = None
        if self.flow.read_paused:  # it is us who do not read on
            self._wait(SILENCE_S)
        elif not self.transport.is_closing():
            self.transport.close()
