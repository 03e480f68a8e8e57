"""One request passed on to a service and its answer passed back, both as they come, on a connection of its own."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import h11
from starlette.types import Receive, Scope, Send

from hookline.hosts.turns.services import Line
from hookline.web.bodies import problem
from hookline.web.service_headers import Way, lengths, to_client, to_service

ANSWER_S = 60.0
CHUNK = 64 * 1024
HEAD_LIMIT = 64 * 1024


class BadRequest(Exception):
    """What was sent cannot be passed on."""


class Forwarding:
    """A request under way. Connections are never used twice, so no request can hide behind another.

    `answer_s` is how long the service may be silent before its answer begins; after that the answer may
    take its time (events do), and ends with the client or the service.
    """

    def __init__(self, line: Line, way: Way, answer_s: float = ANSWER_S) -> None:
        self._line = line
        self._way = way
        self._answer_s = answer_s
        self._talk = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_LIMIT)
        self._limit: asyncio.Timeout | None = None
        self.begun = False

    async def run(self, scope: Scope, target: bytes, receive: Receive, send: Send) -> None:
        """Answers the client, with a problem (400, 502, 504) when the service gives nothing to pass on."""
        try:
            await self._run(scope, target, receive, send)
        except (BadRequest, h11.LocalProtocolError) as error:
            await self._say(400, "bad_request", str(error), scope, receive, send)
        except TimeoutError:
            why = f"no answer within {self._answer_s:g} s"
            await self._say(504, "service_timed_out", why, scope, receive, send)
        except (OSError, h11.RemoteProtocolError) as error:
            await self._say(502, "service_bad_answer", str(error), scope, receive, send)
        finally:
            self._line.writer.close()

    async def _say(
        self, status: int, words: str, why: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        # Once an answer has begun the only honest end is a broken connection, which is what comes of saying no more.
        if not self.begun:
            await problem(status, words, why=why)(scope, receive, send)

    async def _run(self, scope: Scope, target: bytes, receive: Receive, send: Send) -> None:
        await self._write(self._head(scope, target))
        up = asyncio.create_task(self._send_body(receive))
        down = asyncio.create_task(self._pass_answer(send))
        try:
            await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
            (down if down.done() else up).result()
        finally:
            for task in (up, down):
                task.cancel()
            await asyncio.gather(up, down, return_exceptions=True)

    def _head(self, scope: Scope, target: bytes) -> h11.Request:
        sizes, is_chunked = lengths(scope["headers"])
        if len(sizes) > 1 or (sizes and is_chunked):
            raise BadRequest("the body has two lengths")
        peer = scope["client"][0] if scope.get("client") else "unknown"
        headers = to_service(scope["headers"], self._way, peer)
        headers += [(b"content-length", size) for size in sizes]
        if is_chunked:
            headers.append((b"transfer-encoding", b"chunked"))
        headers.append((b"connection", b"close"))
        return h11.Request(method=scope["method"], headers=headers, target=target)

    async def _send_body(self, receive: Receive) -> None:
        """Ends when the client is gone; the body may be over long before."""
        more = True
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            if not more:
                continue
            more = message.get("more_body", False)
            with suppress(OSError):  # it may have answered already, without listening to the end
                if message.get("body"):
                    await self._write(h11.Data(data=message["body"]))
                if not more:
                    await self._write(h11.EndOfMessage())
            self._wait_anew()

    async def _write(self, event: h11.Event) -> None:
        content = self._talk.send(event)
        if content:
            self._line.writer.write(content)
            await self._line.writer.drain()

    async def _pass_answer(self, send: Send) -> None:
        async with asyncio.timeout(self._answer_s) as self._limit:
            event = await self._next()
            while isinstance(event, h11.InformationalResponse):
                event = await self._next()
            self._limit = None
        if not isinstance(event, h11.Response):
            raise h11.RemoteProtocolError("the service hung up")
        headers = to_client(event.headers, self._way)
        self.begun = True
        await send({"type": "http.response.start", "status": event.status_code, "headers": headers})
        while isinstance(event := await self._next(), h11.Data):
            await send({"type": "http.response.body", "body": bytes(event.data), "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    def _wait_anew(self) -> None:
        """The service's time begins again with every part of the body it has been sent."""
        if self._limit is not None and not self._limit.expired():
            self._limit.reschedule(asyncio.get_running_loop().time() + self._answer_s)

    async def _next(self) -> h11.Event:
        while (event := self._talk.next_event()) is h11.NEED_DATA:
            self._talk.receive_data(await self._line.reader.read(CHUNK))
        if not isinstance(event, h11.Event):
            raise h11.RemoteProtocolError("the service changed its protocol")
        return event
