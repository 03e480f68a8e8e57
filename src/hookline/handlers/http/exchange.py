"""One HTTP request and its answer, over an address that a hook may reach and that is not looked up again."""

from __future__ import annotations

import http.client
import socket
import ssl
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from threading import Lock
from urllib.parse import SplitResult, quote, unquote, urlsplit

from hookline.model.errors import HandlerError
from hookline.model.record import Record

BODY_LIMIT = 1 << 20
CONNECT_S = 120.0  # the next address of the host is tried after this
PORTS = {"http": 80, "https": 443}

Address = IPv4Address | IPv6Address


Endpoint = tuple[int, tuple[str, int]]

# Loopback is absent on purpose: development servers live there, and the payload does not leave the machine.
CLOSED = (
    ("0.0.0.0/8", "an unspecified address"),
    ("10.0.0.0/8", "a private address"),
    ("100.64.0.0/10", "a carrier's shared address"),
    ("169.254.0.0/16", "a link-local address, where clouds keep their credentials"),
    ("172.16.0.0/12", "a private address"),
    ("192.0.0.0/24", "a protocol address"),
    ("192.0.2.0/24", "a documentation address"),
    ("192.168.0.0/16", "a private address"),
    ("198.18.0.0/15", "a benchmark address"),
    ("198.51.100.0/24", "a documentation address"),
    ("203.0.113.0/24", "a documentation address"),
    ("224.0.0.0/4", "a multicast address"),
    ("240.0.0.0/4", "a reserved address"),
    ("::/128", "an unspecified address"),
    ("64:ff9b:1::/48", "a local translation address"),
    ("100::/64", "a discard address"),
    ("2001::/32", "a tunnel address"),
    ("2001:db8::/32", "a documentation address"),
    ("fc00::/7", "a private address"),
    ("fe80::/10", "a link-local address"),
    ("fec0::/10", "a private address"),
    ("ff00::/8", "a multicast address"),
)
# IPv6 ranges that carry an IPv4 address, and by how many bits that lies left of the end.
CARRIERS = (("::ffff:0:0/96", 0), ("64:ff9b::/96", 0), ("::/96", 0), ("2002::/16", 80))


class Target(Record):
    """Where a request goes; `path` holds the query too, `login` is the URL's own user and password."""

    scheme: str
    host: str
    port: int
    path: str
    login: str = ""


class Request(Record):
    """A request to send; `allowed` opens closed addresses, `authorities` is a file of certificates.

    It knows no time limit of its own: whoever waits for it closes it.
    """

    target: Target
    method: str
    headers: Mapping[str, str]
    body: bytes
    allowed: tuple[str, ...] = ()
    proxy: Proxy | None = None
    authorities: str = ""


class Answer(Record):
    """What came back; at most `BODY_LIMIT` bytes of the body."""

    status: int
    reason: str
    body: bytes
    truncated: bool = False


def target_of(url: str) -> Target:
    """The parts of a URL that may be asked; raises HandlerError for any other."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port or PORTS.get(parts.scheme, 0)
    except ValueError as error:
        raise HandlerError(f"the webhook's URL is wrong: {error}") from error
    if parts.scheme not in PORTS:
        found = f"is of the kind `{parts.scheme}:`" if parts.scheme else "does not say how to reach it"
        raise HandlerError(f"the webhook's URL {found}", "write `https://…` or `http://…`")
    if not parts.hostname:
        raise HandlerError("the webhook's URL names no host", f"write `{parts.scheme}://host/path`")
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
    return Target(
        parts.scheme, _ascii(parts.hostname), port, f"{path}?{query}" if query else path, _login(parts)
    )


class Exchange:
    """One request under way in a thread; `close` from any other thread ends it."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._lock = Lock()
        self._socket: socket.socket | None = None
        self._closed = False

    def run(self) -> Answer:
        """Sends the request and reads its answer. Raises HandlerError when there is none, in words."""
        try:
            return self._run()
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise HandlerError(_words(error, self._request)) from None
        finally:
            self.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._socket is not None:
                _hang_up(self._socket)

    def _run(self) -> Answer:
        request = self._request
        connection = self._through(request.proxy) if request.proxy else self._straight()
        headers: dict[str, str | bytes] = {
            name: value.encode("utf-8", "replace") for name, value in request.headers.items()
        }
        path = request.target.path
        if request.proxy and request.target.scheme == "http":
            path = f"http://{_authority(request.target)}{path}"
            headers.update(_proxy_headers(request.proxy))
        try:
            connection.request(request.method, path, request.body, headers)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it may have answered before it had read everything
        with connection.getresponse() as response:
            body = response.read(BODY_LIMIT + 1)
        return Answer(response.status, response.reason, body[:BODY_LIMIT], len(body) > BODY_LIMIT)

    def _straight(self) -> http.client.HTTPConnection:
        request, target = self._request, self._request.target
        endpoints = resolve(target.host, target.port, request.allowed)
        kind = http.client.HTTPSConnection if target.scheme == "https" else http.client.HTTPConnection
        connection = kind(target.host, target.port)
        connection.sock = self._secured(self._dialled(endpoints))
        return connection

    def _through(self, proxy: Proxy) -> http.client.HTTPConnection:
        """By way of a proxy, which looks the name up itself; what can be known of it here is checked."""
        request, target = self._request, self._request.target
        try:
            resolve(target.host, target.port, request.allowed)
        except HandlerError as error:
            if not isinstance(error.__cause__, OSError):  # a name only the proxy knows is fine
                raise
        connection = http.client.HTTPConnection(proxy.host, proxy.port)
        if target.scheme == "https":
            connection.set_tunnel(target.host, target.port, _proxy_headers(proxy))
        connection.connect()
        connection.sock = self._secured(self._held(connection.sock))
        return connection

    def _dialled(self, endpoints: tuple[Endpoint, ...]) -> socket.socket:
        failure: OSError = OSError("it has no address")
        for _, place in endpoints:
            try:
                found = self._held(socket.create_connection(place, CONNECT_S))
            except OSError as error:
                failure = error
            else:
                found.settimeout(None)
                return found
        raise failure

    def _secured(self, plain: socket.socket) -> socket.socket:
        target = self._request.target
        if target.scheme != "https":
            return plain
        context = ssl.create_default_context()
        if self._request.authorities:
            context.load_verify_locations(self._request.authorities)
        # the handshake waits for the server, so it begins only when `close` can reach the socket
        secured = context.wrap_socket(plain, server_hostname=target.host, do_handshake_on_connect=False)
        self._held(secured)
        secured.do_handshake()
        return secured

    def _held(self, sock: socket.socket) -> socket.socket:
        with self._lock:
            self._socket = sock
            if self._closed:
                _hang_up(sock)
        return sock


def _hang_up(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads from it
    except OSError:
        pass
    sock.close()


def _proxy_headers(proxy: Proxy) -> dict[str, str]:
    return {"Proxy-Authorization": proxy.authorization} if proxy.authorization else {}


def _authority(target: Target) -> str:
    host = f"[{target.host}]" if ":" in target.host else target.host
    return host if target.port == PORTS[target.scheme] else f"{host}:{target.port}"


def _login(parts: SplitResult) -> str:
    return f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else ""


def _ascii(host: str) -> str:
    try:
        return host.encode("idna").decode("ascii") if not host.isascii() else host
    except UnicodeError as error:
        raise HandlerError(f"`{host}` is no name for a host") from error


def _words(error: Exception, request: Request) -> str:
    """The failure for people; never the error's own text where that may quote what was sent."""
    place = _authority(request.target)
    match error:
        case ssl.SSLCertVerificationError():
            return f"the certificate of `{place}` was refused: {error.verify_message}"
        case ssl.SSLError():
            return f"no secure connection with `{place}`: {error.reason or 'TLS failed'}"
        case TimeoutError():
            return f"`{place}` did not take the connection"
        case ConnectionRefusedError():
            return f"`{place}` refused the connection"
        case http.client.RemoteDisconnected() | ConnectionResetError() | BrokenPipeError():
            return f"`{place}` closed the connection without an answer"
        case http.client.IncompleteRead():
            return f"`{place}` closed the connection in the middle of its answer"
        case http.client.HTTPException():
            return f"`{place}` did not answer in HTTP"
        case OSError():
            return f"no connection with `{place}`: {error.strerror or error}"
    return f"the request to `{place}` could not be written"


def resolve(host: str, port: int, allowed: Sequence[str] = ()) -> tuple[Endpoint, ...]:
    """The addresses of `host` as (family, (address, port)), all of them reachable by the rules.

    Connect to one of these and never to the name again: a second look-up may answer differently.
    Raises HandlerError when the name is unknown or any of its addresses is closed; `allowed` opens hosts
    (`intranet`, `*.corp.example`) and addresses (`10.0.0.5`, `10.1.0.0/16`).
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise HandlerError(f"the name `{host}` could not be resolved: {_fault_words(error)}") from error
    endpoints = tuple(dict.fromkeys((int(family), (str(place[0]), port)) for family, *_, place in found))
    if not is_allowed_host(host, allowed):
        check(host, [place[0] for _, place in endpoints], allowed)
    return endpoints


def check(host: str, addresses: Iterable[str], allowed: Sequence[str] = ()) -> None:
    """Raises HandlerError when one of the addresses of `host` is closed."""
    for address in addresses:
        reason = closed_reason(address, allowed)
        if reason:
            shown = f"`{host}`" if host == address else f"`{host}` ({address})"
            raise HandlerError(
                f"{shown} is {reason}, which webhooks may not reach",
                f"list it in `allow_hosts` or in HOOKLINE_WEBHOOK_ALLOW if it is meant: `{host}`",
            )


def closed_reason(address: str, allowed: Sequence[str] = ()) -> str:
    """What kind of closed address this is, in words; empty when it may be reached."""
    given = ip_address(address.partition("%")[0])
    for each in (given, _carried(given)):
        if each is None or each.is_loopback:
            continue
        for network, reason in CLOSED:
            if each in ip_network(network):
                return "" if _is_listed(given, allowed) or _is_listed(each, allowed) else reason
    return ""


def is_allowed_host(host: str, allowed: Sequence[str]) -> bool:
    """Whether `host` is listed by name, exactly or as `*.suffix`."""
    name = host.lower().rstrip(".")
    return any(
        name == entry or (entry.startswith("*.") and name.endswith(entry[1:]))
        for entry in (entry.strip().lower().rstrip(".") for entry in allowed)
    )


def _carried(address: Address) -> Address | None:
    """The IPv4 address inside an IPv6 one that stands for it."""
    if address.version == 4 or address.is_loopback:
        return None
    for network, shift in CARRIERS:
        if address in ip_network(network):
            return IPv4Address(int(address) >> shift & 0xFFFFFFFF)
    return None


def _is_listed(address: Address, allowed: Sequence[str]) -> bool:
    for entry in allowed:
        try:
            if address in ip_network(entry.strip(), strict=False):
                return True
        except ValueError:
            continue  # a host name
    return False


def _fault_words(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


class Proxy(Record):
    """An HTTP proxy; `authorization` is the value of its own header, empty without a password."""

    host: str
    port: int
    authorization: str = ""


def proxy_for(scheme: str, host: str, port: int, env: Mapping[str, str]) -> Proxy | None:
    """The proxy for one request: `https_proxy`, `http_proxy`, `all_proxy`, in small or capital letters.

    None for this machine itself and for what `no_proxy` lists. Raises HandlerError for a proxy that does
    not speak HTTP.
    """
    names = (f"{scheme}_proxy", f"{scheme}_proxy".upper(), "all_proxy", "ALL_PROXY")
    address = next((env[name] for name in names if env.get(name)), "")
    if not address or _is_local(host) or _is_exempt(host, port, env):
        return None
    return _parsed(address)


def _parsed(address: str) -> Proxy:
    parts = urlsplit(address if "://" in address else f"http://{address}")
    if parts.scheme != "http" or not parts.hostname:
        raise HandlerError(
            f"a proxy of the kind `{parts.scheme}` cannot be used for webhooks",
            "set an `http://` proxy, or list the host in `no_proxy`",
        )
    authorization = ""
    if parts.username:
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = "Basic " + b64encode(login.encode()).decode()
    return Proxy(parts.hostname, parts.port or 80, authorization)


def _is_local(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost") or host.startswith("127.") or host == "::1"


def _is_exempt(host: str, port: int, env: Mapping[str, str]) -> bool:
    listed = env.get("no_proxy") or env.get("NO_PROXY") or ""
    for entry in (part.strip().lower() for part in listed.split(",")):
        name, _, wanted = entry.partition(":") if entry.count(":") == 1 else (entry, "", "")
        name = name.removeprefix("*").removeprefix(".")
        if entry == "*" or (name and (not wanted or wanted == str(port)) and _ends(host, name)):
            return True
    return False


def _ends(host: str, name: str) -> bool:
    return host == name or host.endswith(f".{name}")
