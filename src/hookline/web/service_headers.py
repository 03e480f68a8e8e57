"""Which headers pass between a client and a service, in either direction, and how they read on the other side."""

from __future__ import annotations

from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from hookline.model.record import Record

Headers = Iterable[tuple[bytes, bytes]]

OUR_COOKIES = "hookline_"
# They belong to one connection (RFC 9110, 7.6.1). `te` and `trailer` go too: trailers are not passed on.
HOP = frozenset(
    (
        b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te",
        b"trailer", b"transfer-encoding", b"upgrade", b"http2-settings", b"expect",
    )
)  # fmt: skip
ABOUT_US = (b"x-forwarded-", b"x-discobot-", b"x-real-ip", b"forwarded")
PERSONAL = frozenset((b"authorization", b"cookie", b"origin", b"referer"))
# An answer under our own origin says what it is, and nothing that a browser would act on.
PLAIN = frozenset(
    (
        b"content-type", b"content-length", b"content-encoding", b"content-language", b"content-range",
        b"content-disposition", b"accept-ranges", b"allow", b"cache-control", b"etag", b"expires", b"last-modified",
        b"location", b"retry-after", b"vary",
    )
)  # fmt: skip
INERT = ((b"content-security-policy", b"sandbox; default-src 'none'"),)
NEVER_BACK = frozenset((b"date", b"strict-transport-security", b"alt-svc"))


class Way(Record):
    """How a request gets to a service: `service` and `client` are the origin as each side knows it.

    With a `prefix` it comes through our own origin, below that path; without one, through an origin that
    only this service has. `token` is the server's own, which no service may see.
    """

    service: str
    client: str
    prefix: str = ""
    token: str = ""

    @property
    def is_own(self) -> bool:
        return not self.prefix


def to_service(given: Headers, way: Way, peer: str) -> list[tuple[bytes, bytes]]:
    """The request's headers as the service gets them, its own `Host` first; nothing that says how long it is."""
    given = list(given)
    dropped = HOP | _named_by_connection(given) | {b"host", b"content-length"}
    found = [(b"host", urlsplit(way.service).netloc.encode())]
    for name, value in given:
        if name in dropped or name.startswith(ABOUT_US):
            continue
        passed = _passed(name, value, way)
        if passed is not None:
            found.append((name, passed))
    client = urlsplit(way.client)
    found += [(b"x-forwarded-for", peer.encode()), (b"x-forwarded-host", client.netloc.encode())]
    found += [(b"x-forwarded-proto", client.scheme.encode())]
    if way.prefix:
        found.append((b"x-forwarded-prefix", way.prefix.encode()))
    return found


def to_client(given: Headers, way: Way) -> list[tuple[bytes, bytes]]:
    """The answer's headers as the client gets them."""
    given = list(given)
    dropped = HOP | _named_by_connection(given) | NEVER_BACK
    kept = [(name, value) for name, value in given if name not in dropped]
    if not way.is_own:
        kept = [(name, value) for name, value in kept if name in PLAIN]
    found = []
    for name, value in kept:
        if name == b"location":
            value = rewritten_location(value, way)
        elif name == b"set-cookie":
            value = _own_cookie(value)
        if value:
            found.append((name, value))
    return found if way.is_own else [*found, *INERT]


def rewritten_location(value: bytes, way: Way) -> bytes:
    """Where a redirect within the service leads for the client; one to another place stays as it is."""
    text = value.decode("latin-1")
    try:
        parts = urlsplit(text)
        place = (parts.hostname, parts.port)
    except ValueError:
        return value
    own = urlsplit(way.service)
    is_service = place[0] in ("localhost", "127.0.0.1", "::1") and place[1] == own.port
    if is_service and (parts.scheme == own.scheme or not parts.scheme):
        rest = text.split("//", 1)[1]
        cut = min((at for at in map(rest.find, "/?#") if at >= 0), default=len(rest))
        text = rest[cut:]
        text = text if text.startswith("/") else f"/{text}"
    elif parts.scheme or parts.netloc or not text.startswith("/"):
        return value
    # `//name` would be another host.
    return f"{way.prefix}/{text.lstrip('/')}".encode("latin-1")


def lengths(given: Headers) -> tuple[list[bytes], bool]:
    """All `Content-Length` values, and whether the body comes in chunks."""
    found = list(given)
    sizes = [value.strip() for name, value in found if name == b"content-length"]
    return sizes, any(name == b"transfer-encoding" for name, _ in found)


def _passed(name: bytes, value: bytes, way: Way) -> bytes | None:
    if not way.is_own:
        return None if name in PERSONAL or name.startswith(b"sec-fetch-") else value
    if name == b"authorization" and way.token and value == f"Bearer {way.token}".encode():
        return None
    if name == b"cookie":
        return _without_ours(value) or None
    if name in (b"origin", b"referer") and (value + b"/").startswith(way.client.encode() + b"/"):
        return way.service.encode() + value[len(way.client) :]
    return value


def _without_ours(value: bytes) -> bytes:
    parts = [part.strip() for part in value.split(b";")]
    return b"; ".join(part for part in parts if part and not part.startswith(OUR_COOKIES.encode()))


def _own_cookie(value: bytes) -> bytes:
    """A cookie for this origin alone; empty for one with a name of ours."""
    parts = [part.strip() for part in value.split(b";")]
    if parts[0].startswith(OUR_COOKIES.encode()):
        return b""
    return b"; ".join(part for part in parts if not part.lower().startswith(b"domain="))


def _named_by_connection(given: Headers) -> frozenset[bytes]:
    values = [value for name, value in given if name == b"connection"]
    return frozenset(part.strip().lower() for value in values for part in value.split(b","))


def cookie_named(name: str, headers: Headers) -> str:
    """The value of a request's cookie; empty without one."""
    for key, value in headers:
        if key == b"cookie":
            try:
                found = SimpleCookie(value.decode("latin-1")).get(name)
            except CookieError:
                continue
            if found is not None:
                return found.value
    return ""
