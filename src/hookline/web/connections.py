"""One connection of the server: what it may send as a head, and how long it may be silent."""

from __future__ import annotations

from asyncio import BaseTransport, TimerHandle, Transport
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_S = 10.0  # for the whole head, from the connection's start or the head's first byte
SILENCE_S = 30.0  # between two parts of a body
HEAD_LIMIT = 64 * 1024
MOST_HEADERS = 100
TOO_LARGE = b'{"error": "headers too large"}'
REFUSAL = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: application/json\r\n"
    b"connection: close\r\ncontent-length: %d\r\n\r\n%s" % (len(TOO_LARGE), TOO_LARGE)
)


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
