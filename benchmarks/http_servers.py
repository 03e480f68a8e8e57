"""The servers that row 12 compares, each a process of its own: `python http_servers.py raw|starlette|hookline`.

Each prints its port. An event is a POST of JSON that is read whole, parsed and answered with JSON; a GET is a
stream for as long as its reader stays. A line on stdin sends the time, in nanoseconds of the monotonic clock,
to all who read.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

ANSWER = json.dumps({"error": "No pending question"}).encode()


class Raw(asyncio.Protocol):
    """The least that HTTP can be: no routes, no checks, no headers that are not needed."""

    readers: set[asyncio.Transport] = set()  # noqa: RUF012  # one server in this process

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._buffer = b""

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        if head.startswith(b"GET"):
            self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hello\n\n")
            self.readers.add(self._transport)
            self._buffer = b""
            return
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        if len(rest) < length:
            return
        json.loads(rest[:length])
        self._buffer = rest[length:]
        self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(ANSWER), ANSWER))

    def connection_lost(self, error: Exception | None) -> None:
        del error
        self.readers.discard(self._transport)


async def serve_raw() -> None:
    server = await asyncio.get_running_loop().create_server(Raw, "127.0.0.1", 0)

    def tell() -> None:
        line = b'event: notice\ndata: {"text": "%d"}\n\n' % time.monotonic_ns()
        for reader in Raw.readers:
            reader.write(line)

    await announced(server.sockets[0].getsockname()[1], tell)


async def serve_starlette() -> None:
    """A bare application of the same libraries."""
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response, StreamingResponse
    from starlette.routing import Route

    queues: set[asyncio.Queue[bytes]] = set()

    async def event(request: Request) -> Response:
        json.loads(await request.body())
        return Response(ANSWER, 200, media_type="application/json")

    async def stream(request: Request) -> Response:
        del request
        queue: asyncio.Queue[bytes] = asyncio.Queue()

        async def lines() -> AsyncIterator[bytes]:
            queues.add(queue)
            yield b": hello\n\n"
            while True:
                yield await queue.get()

        return StreamingResponse(lines(), 200, media_type="text/event-stream")

    def tell() -> None:
        line = b'event: notice\ndata: {"text": "%d"}\n\n' % time.monotonic_ns()
        for queue in queues:
            queue.put_nowait(line)

    routes = [
        Route("/default/chat/answer", event, methods=["POST"]),
        Route("/default/chat/stream", stream),
    ]
    await by_uvicorn(Starlette(routes=routes), tell)


async def serve_hookline() -> None:
    """The real application with its gate, over a host on an empty workspace."""
    from hookline.agents.models import open_model
    from hookline.engine.opening import open_engine
    from hookline.hosts.turns.host import TurnHost
    from hookline.system.files import write_atomic
    from hookline.web.app import make_app
    from hookline.web.gate import Guarding

    folder = tempfile.mkdtemp(prefix="hookline-http-")
    environment = {"HOME": folder, "PATH": os.defpath}
    write_atomic(f"{folder}/turns.yml", "turns: []\n")
    opened = open_engine(folder, environment=environment, history=False)
    host = TurnHost(opened, open_model(f"scripted:{folder}/turns.yml", environment, None, None))
    session = host.session("default")
    await by_uvicorn(
        make_app(host, Guarding()), lambda: session.tell("notice", {"text": str(time.monotonic_ns())})
    )


async def by_uvicorn(application: Any, tell: Callable[[], None]) -> None:
    import uvicorn

    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    config = uvicorn.Config(application, log_level="warning", access_log=False, lifespan="off", ws="none")
    port = listener.getsockname()[1]
    # Until it has started, connections wait in the backlog.
    await asyncio.gather(uvicorn.Server(config).serve([listener]), announced(port, tell))


async def announced(port: int, tell: Callable[[], None]) -> None:
    """Prints the port; then each line on stdin is an event, and its end is the end."""
    loop = asyncio.get_running_loop()

    def heard() -> None:
        content = os.read(0, 4096)
        if not content:
            os._exit(0)  # streams that never end are no reason to wait
        for _ in range(content.count(b"\n")):
            tell()

    loop.add_reader(0, heard)
    print(port, flush=True)
    await asyncio.Event().wait()


SERVERS: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {
    "raw": serve_raw, "starlette": serve_starlette, "hookline": serve_hookline,
}  # fmt: skip


if __name__ == "__main__":
    asyncio.run(SERVERS[sys.argv[1]]())
