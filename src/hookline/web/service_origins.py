"""An origin for each service: `ID.localhost`, on the server's own port.

Pages of a service must not be pages of ours: whatever has our origin can drive our API as the user. Browsers take
`ID.localhost` to be this machine, keep its cookies and storage apart from `localhost`'s and from every other
service's, and count it as another site. The token does not lead there; our own route hands out a key for it.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import time
from contextlib import suppress
from hashlib import sha256
from secrets import token_bytes, token_urlsafe
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import h11
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from hookline.hosts.turns.host import TurnHost
from hookline.hosts.turns.services import Line, reach, wake
from hookline.hosts.turns.workspace_files import Refused
from hookline.web.bodies import problem
from hookline.web.forwarding import ANSWER_S, CHUNK, HEAD_LIMIT, Forwarding
from hookline.web.gate import LOOPBACK, TooLarge, bounded, is_same, is_too_large, too_large
from hookline.web.service_headers import Way, cookie_named, lengths, to_client, to_service
from hookline.web.workspace_views import refusal_of

ENTRANCE = "/.hookline/enter"
KEY_S = 60.0
MOST_KEYS = 100
NAME = re.compile(r"([a-z0-9_-]+)\.localhost(?::([0-9]{1,5}))?", re.ASCII)
BELOW = re.compile(rb"/services/([^/]+)/http(/.*)?", re.DOTALL)
READING = ("GET", "HEAD")
SWITCH = [(b"connection", b"Upgrade"), (b"upgrade", b"websocket")]


class ServiceOrigins:
    """In front of the application: answers what is asked of `ID.localhost`, and passes all else on."""

    def __init__(self, app: ASGIApp, host: TurnHost, keys: Keys) -> None:
        self._app = app
        self._host = host
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        named = NAME.fullmatch(header(scope, b"host")) if scope["type"] == "http" else None
        if named is None:
            await self._app(scope, receive, send)
            return
        name = named[1]
        answer = self._entered(scope, name) or refusal(scope, name, self._keys)
        if answer is not None:
            await answer(scope, receive, send)
            return
        try:
            line = await reach(self._host.services, name, scope["server"][1])
        except Refused as refused:
            await refusal_of(refused)(scope, receive, send)
            return
        way = Way(line.origin, client_origin(scope), token=self._keys.token)
        forwarding = Forwarding(line, way)
        try:
            await forwarding.run(scope, _target(scope, scope["raw_path"]), bounded(receive), send)
        except TooLarge:
            if not forwarding.begun:
                await too_large()(scope, receive, send)

    def _entered(self, scope: Scope, name: str) -> Response | None:
        """The cookie for whoever comes with a key, and on to where they wanted to go."""
        if scope["path"] != ENTRANCE or scope["method"] != "GET" or not self._keys.token:
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if not self._keys.take(name, query.get("key", [""])[0]):
            return problem(401, "unauthorized", why="the key is used, or too old; open the service anew")
        answer = RedirectResponse(_inside(query.get("to", ["/"])[0]), 303, {"Cache-Control": "no-store"})
        answer.set_cookie(_cookie_name(scope), self._keys.cookie(name), httponly=True, samesite="lax")
        return answer


class Keys:
    """What opens a service's origin where the server has a token: a key, once, for a cookie that lasts."""

    def __init__(self, token: str) -> None:
        self.token = token
        self._secret = token_bytes(32)
        self._given: dict[str, tuple[str, float]] = {}

    def give(self, name: str) -> str:
        key = token_urlsafe(24)
        self._given[key] = (name, time.monotonic() + KEY_S)
        while len(self._given) > MOST_KEYS:
            del self._given[next(iter(self._given))]
        return key

    def take(self, name: str, key: str) -> bool:
        """Whether the key is good for this service; it never is again."""
        of, end = self._given.pop(key, ("", 0.0))
        return of == name and time.monotonic() < end

    def cookie(self, name: str) -> str:
        """The value that opens one service and nothing else."""
        return hmac.new(self._secret, f"hookline service {name}".encode(), sha256).hexdigest()


def refusal(scope: Scope, name: str, keys: Keys) -> Response | None:
    """Why a request to a service's own origin is not passed on: another site's, without a key, too large.

    Another site may lead its reader there, as any link does; it may neither send nor embed anything.
    """
    is_visit = (
        scope["type"] == "http"
        and scope["method"] in READING
        and header(scope, b"sec-fetch-mode") == "navigate"
        and header(scope, b"sec-fetch-dest") == "document"
    )
    crosses = header(scope, b"sec-fetch-site") in ("cross-site", "same-site") and not is_visit
    origin = header(scope, b"origin")
    if crosses or (origin and origin != client_origin(scope)):
        return problem(403, "foreign origin")
    if is_too_large(scope):
        return too_large()
    if not keys.token or is_same(header(scope, b"authorization"), f"Bearer {keys.token}"):
        return None
    if is_same(cookie_named(_cookie_name(scope), scope["headers"]), keys.cookie(name)):
        return None
    why = f"open /services/{name}/http/ of the main address, which leads here"
    return problem(401, "unauthorized", why=why)


async def call(request: Request) -> Response:
    """ANY /services/{id}/http/*: on to the service for programs, to its own origin for browsers."""
    scope, host = request.scope, request.app.state.host
    name = request.path_params["service"]
    found = BELOW.fullmatch(scope["raw_path"])
    if found is None or unquote(found[1].decode("latin-1")) != name:
        raise Refused("service_not_found", 404)
    target = _target(scope, found[2] or b"/")
    wake(host.services, name)
    if is_page(request):
        return _led_away(request, name, target)
    if request.headers.get("sec-fetch-dest", "empty") != "empty":
        return problem(403, "not_under_this_origin", why=f"parts of pages are at {name}.localhost")
    line = await reach(host.services, name, scope["server"][1])
    way = Way(line.origin, client_origin(scope), f"/services/{name}/http")
    return Forwarded(Forwarding(line, way), target)


class Forwarded(Response):
    """An answer that a service gives."""

    def __init__(self, forwarding: Forwarding, target: bytes) -> None:
        super().__init__()
        self._forwarding = forwarding
        self._target = target

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._forwarding.run(scope, self._target, receive, send)


def is_page(request: Request) -> bool:
    """Whether a browser asks, for something it would show as a page."""
    mode = request.headers.get("sec-fetch-mode")
    return mode == "navigate" if mode else "text/html" in request.headers.get("accept", "")


def _led_away(request: Request, name: str, target: bytes) -> Response:
    keys: Keys = request.app.state.keys
    place = urlsplit(client_origin(request.scope))
    if request.method not in READING or request.headers.get("sec-fetch-dest", "document") != "document":
        return problem(403, "not_under_this_origin", why=f"pages of this service are at {name}.localhost")
    if place.hostname not in LOOPBACK:
        why = "browsers know `ID.localhost` on this machine only; `ssh -L` brings the port to yours"
        return problem(403, "not_under_this_origin", why=why)
    port = f":{place.port}" if place.port else ""
    path = target.decode("latin-1")
    if keys.token:
        path = f"{ENTRANCE}?key={keys.give(name)}&to={quote(path, safe='')}"
    headers = {"Location": f"http://{name}.localhost{port}{path}", "Cache-Control": "no-store"}
    return Response(None, 307, headers)


def _cookie_name(scope: Scope) -> str:
    """By the port that was asked: a handshake's scope knows no other."""
    return f"hookline_service_{urlsplit(client_origin(scope)).port or 80}"


def client_origin(scope: Scope) -> str:
    """The origin that the client asked, by its own word; the gate has checked the name."""
    return f"http://{header(scope, b'host').lower()}"


def header(scope: Scope, name: bytes) -> str:
    """The last value of a request's header; empty without one."""
    values = [value for key, value in scope["headers"] if key == name]
    return values[-1].decode("latin-1") if values else ""


def _target(scope: Scope, path: bytes) -> bytes:
    query: bytes = scope["query_string"]
    return path + b"?" + query if query else path


def _inside(path: str) -> str:
    """A path of the same origin; browsers read two slashes, of either kind, as another host."""
    return "/" + path.replace("\\", "/").lstrip("/") if not path.startswith("/?") else path


def tunnels(host: TurnHost, keys: Keys) -> type[Tunnel]:
    """The protocol that the server hands connections to which want to become WebSockets."""
    return type("HostTunnel", (Tunnel,), {"host": host, "keys": keys})


class Tunnel(asyncio.StreamReaderProtocol):
    """One connection. Only a service's own origin has WebSockets; ours has none."""

    host: TurnHost
    keys: Keys

    def __init__(self, config: Any, server_state: Any, app_state: Any, _loop: Any = None) -> None:
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
