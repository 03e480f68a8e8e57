"""WebSockets of a service's pages: after the handshake, bytes both ways until either side is gone."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import h11

from hookline.hosts.turns.host import TurnHost
from hookline.hosts.turns.service_lines import Line, reach
from hookline.hosts.turns.workspace_files import Refused
from hookline.web.forwarding import ANSWER_S, CHUNK, HEAD_LIMIT
from hookline.web.service_headers import Way, lengths, to_client, to_service
from hookline.web.service_origins import NAME, Keys, client_origin, header, refusal

SWITCH = [(b"connection", b"Upgrade"), (b"upgrade", b"websocket")]


def tunnels(host: TurnHost, keys: Keys) -> type[Tunnel]:
    """The protocol that the server hands connections to which want to become WebSockets."""
    return type("HostTunnel", (Tunnel,), {"host": host, "keys": keys})


class Tunnel(asyncio.StreamReaderProtocol):
    """One connection. Only a service's own origin has WebSockets; ours has none."""

    host: TurnHost
    keys: Keys

    def __init__(self, config: Any, server_state: Any, app_state: Any, _loop: Any = None) -> None:
        del config, app_state, _loop
        self._connections: set[Any] = server_state.connections
        self._wire: asyncio.BaseTransport | None = None
        super().__init__(asyncio.StreamReader(HEAD_LIMIT), self._serve)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._wire = transport
        self._connections.add(self)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._connections.discard(self)
        super().connection_lost(error)

    def shutdown(self) -> None:
        """The server ends."""
        if self._wire is not None:
            self._wire.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            refused = await self._joined(reader, writer)
            if refused is not None:
                status, words = refused
                body = b'{"error": "%s"}' % words.encode()
                head = f"HTTP/1.1 {status} Refused\r\ncontent-type: application/json\r\nconnection: close\r\n"
                writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
                await writer.drain()
        writer.close()

    async def _joined(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> tuple[int, str] | None:
        """Joins client and service for as long as both stay; or why not, as status and words."""
        try:
            scope = _scope(await reader.readuntil(b"\r\n\r\n"))
            named = NAME.fullmatch(header(scope, b"host"))
            if named is None:
                return 403, "no_websockets_here"
            refused = refusal(scope, named[1], self.keys)
            if refused is not None:
                return refused.status_code, "unauthorized" if refused.status_code == 401 else "foreign origin"
            line = await reach(self.host.services, named[1], writer.get_extra_info("sockname")[1])
        except h11.ProtocolError:
            return 400, "bad_request"
        except Refused as refused_service:
            return refused_service.status, refused_service.message
        try:
            way = Way(line.origin, client_origin(scope), token=self.keys.token)
            return await _switched(scope, way, line, reader, writer)
        except (h11.ProtocolError, OSError):
            return 502, "service_bad_answer"
        except TimeoutError:
            return 504, "service_timed_out"
        finally:
            line.writer.close()


async def _switched(
    scope: dict[str, Any], way: Way, line: Line, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> tuple[int, str] | None:
    talk = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_LIMIT)
    headers = to_service(scope["headers"], way, str(writer.get_extra_info("peername")[0])) + SWITCH
    line.writer.write(talk.send(h11.Request(method="GET", target=scope["target"], headers=headers)) or b"")
    line.writer.write(talk.send(h11.EndOfMessage()) or b"")
    async with asyncio.timeout(ANSWER_S):
        event = await _answer(talk, line.reader)
    if not isinstance(event, h11.InformationalResponse):
        # Its connection would stay open for requests that nobody looks at, so it is not passed on.
        return 502, "service_refused_websocket"
    head = [b"%s: %s\r\n" % each for each in to_client(event.headers, way) + SWITCH]
    writer.write(b"HTTP/1.1 101 Switching Protocols\r\n" + b"".join(head) + b"\r\n" + talk.trailing_data[0])
    await _both_ways((reader, line.writer), (line.reader, writer))
    return None


async def _answer(talk: h11.Connection, reader: asyncio.StreamReader) -> h11.Event:
    """The switch of protocols, or the answer that there is none."""
    while True:
        event = talk.next_event()
        if event is h11.NEED_DATA:
            talk.receive_data(await reader.read(CHUNK))
        elif isinstance(event, h11.Response):
            return event
        elif isinstance(event, h11.InformationalResponse):
            if event.status_code == 101:
                return event
        else:
            raise h11.RemoteProtocolError("no answer")


async def _both_ways(*pairs: tuple[asyncio.StreamReader, asyncio.StreamWriter]) -> None:
    copies = [asyncio.create_task(_copy(*pair)) for pair in pairs]
    try:
        await asyncio.wait(copies, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for copy in copies:
            copy.cancel()
        await asyncio.gather(*copies, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(CHUNK):
        writer.write(chunk)
        await writer.drain()


def _scope(head: bytes) -> dict[str, Any]:
    """The handshake in the words of an HTTP request; h11.ProtocolError for what is none."""
    talk = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)
    talk.receive_data(head)
    request = talk.next_event()
    if not isinstance(request, h11.Request) or request.method != b"GET":
        raise h11.RemoteProtocolError("not a handshake")
    headers = list(request.headers)
    if any(lengths(headers)):
        raise h11.RemoteProtocolError("a handshake has no body")
    return {"type": "websocket", "method": "GET", "headers": headers, "target": request.target}
