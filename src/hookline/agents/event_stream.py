"""Server-sent events as models send them: bytes in any pieces to `(event, data)` pairs."""

from __future__ import annotations

from collections.abc import AsyncIterator

EVENT_LIMIT = 32 << 20


class StreamTooLong(ValueError):
    """One event that never ends."""


async def events(pieces: AsyncIterator[bytes]) -> AsyncIterator[tuple[str, str]]:
    """Each event's name (`message` when it has none) and its data, as the HTML standard reads a stream."""
    name, data, size = "", list[str](), 0
    async for line in _lines(pieces):
        if not line:
            if data:
                yield name or "message", "\n".join(data)
            name, data, size = "", [], 0
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        size += len(value)
        if size > EVENT_LIMIT:
            raise StreamTooLong(f"an event of more than {EVENT_LIMIT} characters")
        if field == "data":
            data.append(value)
        elif field == "event":
            name = value


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[str]:
    rest = bytearray()
    async for piece in pieces:
        rest += piece
        if len(rest) > EVENT_LIMIT:
            raise StreamTooLong(f"a line of more than {EVENT_LIMIT} bytes")
        while (end := _line_end(rest)) is not None:
            at, after = end
            yield rest[:at].decode("utf-8", "replace")
            del rest[:after]


def _line_end(rest: bytearray) -> tuple[int, int] | None:
    """Where the first line ends and the next begins; a last CR waits, it may be half of CRLF."""
    found = [at for mark in (b"\n", b"\r") if (at := rest.find(mark)) >= 0]
    if not found:
        return None
    at = min(found)
    if rest[at] == 10:
        return at, at + 1
    if at + 1 == len(rest):
        return None
    return at, at + 2 if rest[at + 1] == 10 else at + 1
