"""What goes over the resident's socket: one request, a word that it is taken, one reply.

A request is `HKL1`, three 32-bit numbers (how many strings, their bytes, the payload's bytes), the strings,
each with a NUL behind it (version, agent or `@command`, event, workspace, directory, then the environment),
and the payload. The resident says at once `T` and in how many milliseconds after its own start the
caller does the call itself, or `N`: not for me. Then
comes `A`, the exit code, the bytes of stdout and of stderr, and both. Numbers are in the machine's order.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from hookline.model.record import Record

MAGIC = b"HKL1"
HEAD = struct.Struct("=4sIII")
TAKEN = struct.Struct("=cI")
REPLY = struct.Struct("=cIII")
REFUSED = TAKEN.pack(b"N", 0)
STRINGS = 5  # before the environment
MOST_BYTES = 256 * 1024 * 1024


class BadFrame(Exception):
    """Bytes that are no request."""


class Request(Record):
    """A call, or a command to the resident itself (`agent` begins with `@`).

    `variables` is the environment as it came: the same bytes are the same environment.
    """

    version: str
    agent: str
    event: str = ""
    workspace: str = ""
    cwd: str = ""
    variables: bytes = b""
    payload: bytes = b""

    @property
    def environment(self) -> dict[str, str]:
        """The caller's environment."""
        pairs = self.variables.decode("utf-8", "surrogateescape").split("\0")[:-1]
        return {name: value for name, _, value in (pair.partition("=") for pair in pairs)}


def encode_request(request: Request) -> bytes:
    """The bytes of a request."""
    strings = [request.version, request.agent, request.event, request.workspace, request.cwd]
    block = b"".join(string.encode("utf-8", "surrogateescape") + b"\0" for string in strings)
    block += request.variables
    return HEAD.pack(MAGIC, block.count(0), len(block), len(request.payload)) + block + request.payload


def size_of(head: bytes | bytearray) -> int:
    """Bytes of a whole request, by its first ones; 0 for what is no request."""
    magic, count, strings, payload = HEAD.unpack_from(head)
    fits = magic == MAGIC and count >= STRINGS and strings + payload <= MOST_BYTES
    return HEAD.size + strings + payload if fits else 0


def decode_request(frame: bytes) -> Request:
    """A whole request. Raises BadFrame."""
    end = HEAD.size + HEAD.unpack_from(frame)[2]
    *words, variables = frame[HEAD.size : end].split(b"\0", STRINGS)
    if len(words) < STRINGS or (variables and variables[-1]):
        raise BadFrame("the strings are cut")
    version, agent, event, workspace, cwd = (word.decode("utf-8", "surrogateescape") for word in words)
    return Request(version, agent, event, workspace, cwd, variables, frame[end:])


def encode_reply(exit_code: int, stdout: str, stderr: Sequence[str] = ()) -> bytes:
    """The bytes of an answer; `stderr` in lines."""
    return encode_texts(exit_code, stdout, "".join(f"hookline: {line}\n" for line in stderr))


def encode_texts(exit_code: int, stdout: str, stderr: str) -> bytes:
    """The bytes of an answer whose texts are written as they are."""
    out, err = stdout.encode("utf-8", "replace"), stderr.encode("utf-8", "replace")
    return REPLY.pack(b"A", exit_code, len(out), len(err)) + out + err


def taken(seconds: float) -> bytes:
    """The word that a call is being worked on, and how long after its start the caller waits for that."""
    return TAKEN.pack(b"T", min(int(seconds * 1000), 2**31))
