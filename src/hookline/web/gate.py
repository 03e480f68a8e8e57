"""What every request passes first: known host, own origin, token, size; and the headers every answer gets."""

from __future__ import annotations

import hmac
from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hookline.model.record import Record
from hookline.web.service_headers import cookie_named

BODY_LIMIT = 8 * 1024 * 1024
LOOPBACK = ("localhost", "127.0.0.1", "::1")
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
)
STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:38rem;margin:12vh auto;"
    "padding:0 16px}input,button{font:inherit;padding:6px 10px}input{width:100%;box-sizing:border-box;"
    "margin:4px 0 10px}code{overflow-wrap:anywhere}"
)
POLICY = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PAGE = f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>hookline wants its token</title><style>{STYLE}</style></head>
<body><main>
<h1>This page wants its token</h1>
<p>Only who started the server may use it. The terminal where it runs shows a line
<code>open http://…/?token=…</code>: open that address. A server that was started anew has a new token,
unless one was given with <code>--token-file</code>, <code>--token</code> or <code>HOOKLINE_TOKEN</code>.</p>
<form method="get" action="/">
<label for="token">Or put the token here</label>
<input id="token" name="token" type="password" autocomplete="off" required autofocus>
<button>Open</button>
</form>
</main></body></html>
"""


class Guarding(Record):
    """`hosts` are names a request may ask for; with `any_address` an IP address is as good. `token` may be
    empty, then nobody is asked for one; `cookie` is what a browser holds in its place until the server ends.
    """

    hosts: tuple[str, ...] = LOOPBACK
    any_address: bool = False
    token: str = ""
    cookie: str = ""


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
        guarding = self._guarding
        if not guarding.token:
            return None
        name = cookie_name(scope)
        is_known = is_same(cookie_named(name, scope["headers"]), guarding.cookie)
        if scope["path"] == "/" and scope["method"] == "GET":
            given, rest = _token_in(scope.get("query_string", b""))
            if is_same(given, guarding.token):
                # A browser cannot send a bearer token with a page it opens; it gets a cookie in its place.
                answer = RedirectResponse(rest, 303)
                answer.set_cookie(name, guarding.cookie, httponly=True, samesite="strict")
                return answer
            if given and is_known:
                return RedirectResponse(rest, 303)
        if is_known or is_same(headers.get(b"authorization", ""), f"Bearer {guarding.token}"):
            return None
        if scope["method"] == "GET" and "text/html" in headers.get(b"accept", ""):
            return locked_page()
        why = "send `Authorization: Bearer TOKEN`; a browser opens /?token=TOKEN once"
        return JSONResponse({"error": "unauthorized", "why": why}, 401, {"WWW-Authenticate": "Bearer"})


def cookie_name(scope: Scope) -> str:
    """Browsers keep the cookies of all ports of a host together: each port has a name of its own."""
    return f"hookline_{scope['server'][1]}"


def _token_in(query: bytes) -> tuple[str, str]:
    """The token an address brings, and the address without it."""
    fields = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    rest = urlencode([(name, value) for name, value in fields if name != "token"])
    return dict(fields).get("token", ""), f"/?{rest}" if rest else "/"


def is_too_large(scope: Scope) -> bool:
    """Whether the body is said to be beyond the limit."""
    sizes = [value for name, value in scope["headers"] if name == b"content-length"]
    return any(size.isdigit() and (len(size) > 18 or int(size) > BODY_LIMIT) for size in sizes)


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


def is_same(given: str, wanted: str) -> bool:
    """Whether they are one secret; no time tells how much of it was right. An empty one is none."""
    return bool(wanted) and hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def locked_page() -> HTMLResponse:
    """401, with the way in; nothing of the workspace is in it."""
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-store", "WWW-Authenticate": "Bearer"}
    return HTMLResponse(PAGE, 401, headers)
