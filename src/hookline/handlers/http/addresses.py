"""Which network addresses a webhook may reach, so that no URL can point a hook inside the network."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from hookline.model.errors import HandlerError

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


def resolve(host: str, port: int, allowed: Sequence[str] = ()) -> tuple[Endpoint, ...]:
    """The addresses of `host` as (family, (address, port)), all of them reachable by the rules.

    Connect to one of these and never to the name again: a second look-up may answer differently.
    Raises HandlerError when the name is unknown or any of its addresses is closed; `allowed` opens hosts
    (`intranet`, `*.corp.example`) and addresses (`10.0.0.5`, `10.1.0.0/16`).
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise HandlerError(f"the name `{host}` could not be resolved: {_words(error)}") from error
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


def _words(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)
