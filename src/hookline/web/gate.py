"""What every request passes first: known host, own origin, token, size; and the headers every answer gets."""

from __future__ import annotations

import hmac
from functools import lru_cache
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

from starlette.responses import JSONResponse, RedirectResponse, Response

from hookline.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_LIMIT = 8 * 1024 * 1024
COOKIE = "hookline_token"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
)


class Guarding(Record):
    """`hosts` are names a request may ask for; with `any_address` an IP address is as good. `token` may be
    empty, then nobody is asked for one.
    """

    hosts: tuple[str, ...] = LOOPBACK
    any_address: bool = False
    token: str = ""


class TooLarge(Exception):
    """The body went on beyond the limit."""


class Gate:
    """Refuses a foreign Host (DNS rebinding) or Origin (other pages), a missing token, an endless body."""

    def __init__(self, app: ASGIApp, guarding: Guarding) -> None:
        self._app = app
        self._guarding = guarding

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        begun = False

        async def send_guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message = {**message, "headers": [*message["headers"], *HEADERS]}
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send_guarded)
            return
        try:
            await self._app(scope, bounded(receive), send_guarded)
        except TooLarge:
            if not begun:
                await too_large()(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        if not self._is_known(host):
            return JSONResponse({"error": "unknown host"}, 403)
        crosses = headers.get(b"sec-fetch-site", "") in ("cross-site", "same-site")
        if crosses or not _is_own(headers.get(b"origin"), host):
            return JSONResponse({"error": "foreign origin"}, 403)
        if is_too_large(scope):
            return too_large()
        return self._without_token(scope, headers)

    def _is_known(self, host: str) -> bool:
        name = _host_name(host)
        if name in self._guarding.hosts:
            return True
        if not self._guarding.any_address or name is None:
            return False
        try:
            ip_address(name)
        except ValueError:
            return False
        return True

    def _without_token(self, scope: Scope, headers: dict[bytes, str]) -> Response | None:
        token = self._guarding.token
        if not token:
            return None
        if is_same(headers.get(b"authorization", ""), f"Bearer {token}"):
            return None
        if is_same(_cookie(headers.get(b"cookie", "")), cookie_value(token)):
            return None
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if scope["path"] == "/" and scope["method"] == "GET" and is_same(given, token):
            # A browser cannot send a bearer token with a page it opens; it gets a cookie in its place.
            answer = RedirectResponse("/", 303)
            answer.set_cookie(COOKIE, cookie_value(token), httponly=True, samesite="strict")
            return answer
        return JSONResponse({"error": "unauthorized"}, 401, {"WWW-Authenticate": "Bearer"})


def cookie_value(token: str) -> str:
    """What a browser holds instead of the token itself."""
    return sha256(f"hookline page {token}".encode()).hexdigest()


def is_too_large(scope: Scope) -> bool:
    """Whether the body is said to be beyond the limit."""
    sizes = [value for name, value in scope["headers"] if name == b"content-length"]
    return any(size.isdigit() and int(size) > BODY_LIMIT for size in sizes)


def bounded(receive: Receive) -> Receive:
    """Raises TooLarge once the body has gone beyond the limit."""
    taken = 0

    async def receive_bounded() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > BODY_LIMIT:
            raise TooLarge
        return message

    return receive_bounded


def too_large() -> Response:
    return JSONResponse({"error": "body too large"}, 413)


@lru_cache(64)
def _host_name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _is_own(origin: str | None, host: str) -> bool:
    if origin is None:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def _cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def is_same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())
