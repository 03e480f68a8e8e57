"""Which proxy a request goes through, by the usual variables."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from hookline.model.errors import HandlerError
from hookline.model.record import Record


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
