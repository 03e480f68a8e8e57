"""An origin for each service: `ID.localhost`, on the server's own port.

Pages of a service must not be pages of ours: whatever has our origin can drive our API as the user. Browsers take
`ID.localhost` to be this machine, keep its cookies and storage apart from `localhost`'s and from every other
service's, and count it as another site. The token does not lead there; our own route hands out a key for it.
"""

from __future__ import annotations

import hmac
import re
import time
from hashlib import sha256
from secrets import token_bytes, token_urlsafe
from urllib.parse import parse_qs, quote, unquote, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from hookline.hosts.turns.host import TurnHost
from hookline.hosts.turns.service_lines import reach, wake
from hookline.hosts.turns.workspace_files import Refused
from hookline.web.bodies import problem
from hookline.web.forwarding import Forwarding
from hookline.web.gate import LOOPBACK, TooLarge, bounded, is_same, is_too_large, too_large
from hookline.web.service_headers import Way, cookie_named
from hookline.web.workspace_views import refusal_of

ENTRANCE = "/.hookline/enter"
KEY_S = 60.0
MOST_KEYS = 100
NAME = re.compile(r"([a-z0-9_-]+)\.localhost(?::([0-9]{1,5}))?", re.ASCII)
BELOW = re.compile(rb"/services/([^/]+)/http(/.*)?", re.DOTALL)
READING = ("GET", "HEAD")


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
