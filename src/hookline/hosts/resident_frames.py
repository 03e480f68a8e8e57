"""What goes over the resident's socket: one request, a word that it is taken, one reply.

A request is `HKL1`, three 32-bit numbers (how many strings, their bytes, the payload's bytes), the strings,
each with a NUL behind it (version, agent or `@command`, event, workspace, directory, then the environment),
and the payload. The resident says at once `T` and the milliseconds it may take, or `N`: not for me. Then
comes `A`, the exit code, the bytes of stdout and of stderr, and both. Numbers are in the machine's order.
"""

from __future__ import annotations

import struct

from hookline.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAGIC = b"HKL1"
HEAD = struct.Struct("=4sIII")
TAKEN = struct.Struct("=cI")
REPLY = struct.Struct("=cIII")
REFUSED = TAKEN.pack(b"N", 0)
MOST_BYTES = 256 * 1024 * 1024


class BadFrame(Exception):
    """Bytes that are no request."""


class Request(Record):
    """A call, or a command to the resident itself (`agent` begins with `@`)."""

    version: str
    agent: str
    event: str = ""
    workspace: str = ""
    cwd: str = ""
    environment: Mapping[str, str] = {}
    payload: bytes = b""


def encode_request(request: Request) -> bytes:
    """The bytes of a request."""
    pairs = [f"{name}={value}" for name, value in request.environment.items()]
    strings = [request.version, request.agent, request.event, request.workspace, request.cwd, *pairs]
    block = b"".join(string.encode("utf-8", "surrogateescape") + b"\0" for string in strings)
    return HEAD.pack(MAGIC, len(strings), len(block), len(request.payload)) + block + request.payload


def sizes(head: bytes) -> tuple[int, int]:
    """Bytes of the strings and of the payload, by the first bytes of a request. Raises BadFrame."""
    magic, count, strings, payload = HEAD.unpack(head)
    if magic != MAGIC or count < 5 or strings + payload > MOST_BYTES:
        raise BadFrame(f"no request: {head[:16]!r}")
    return strings, payload


def decode_request(strings: bytes, payload: bytes) -> Request:
    """The request behind its head. Raises BadFrame."""
    parts = strings.decode("utf-8", "surrogateescape").split("\0")
    if len(parts) < 6 or parts[-1]:
        raise BadFrame("the strings are cut")
    version, agent, event, workspace, cwd, *pairs = parts[:-1]
    environment = {name: value for name, _, value in (pair.partition("=") for pair in pairs)}
    return Request(version, agent, event, workspace, cwd, environment, payload)


def encode_reply(exit_code: int, stdout: str, stderr: Sequence[str] = ()) -> bytes:
    """The bytes of an answer; `stderr` in lines."""
    out = stdout.encode("utf-8", "replace")
    err = "".join(f"hookline: {line}\n" for line in stderr).encode("utf-8", "replace")
    return REPLY.pack(b"A", exit_code, len(out), len(err)) + out + err


def taken(seconds: float) -> bytes:
    """The word that a call is being worked on, for at most so long."""
    return TAKEN.pack(b"T", min(int(seconds * 1000), 2**31))
