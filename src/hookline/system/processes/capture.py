"""Keeps the head and the tail of a stream in bounded memory, and the whole of it in a capped file."""

from __future__ import annotations

import os
from collections import deque

from hookline.model.record import Record


class Captured(Record):
    """One stream of a process.

    `text` is UTF-8 with replacement: the head, a visible mark when bytes are missing, the tail, cut between
    characters. `kept` is the same without the mark, as bytes. `size` counts what the process wrote.
    """

    text: str = ""
    size: int = 0
    truncated: bool = False
    invalid_utf8: bool = False
    kept: bytes = b""

    def __repr__(self) -> str:
        # Whole output would make every repr of a result as long: asyncio.run takes one at its end
        shown = self.text if len(self.text) <= 200 else f"{self.text[:200]}..."
        return f"Captured({shown!r}, size={self.size}, truncated={self.truncated})"


NOTHING = Captured()
_END_LIMIT = 65_536


class Capture:
    """Collects one stream: the first `head_limit` bytes and the last `tail_limit`."""

    __slots__ = ("_head", "_head_room", "_tail", "_tail_limit", "_tail_size", "size")

    def __init__(self, head_limit: int, tail_limit: int) -> None:
        self.size = 0
        self._head: list[bytes] = []
        self._head_room = head_limit
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._tail_limit = tail_limit

    def feed(self, chunk: bytes) -> None:
        size = len(chunk)
        self.size += size
        if size <= self._head_room:
            self._head.append(chunk)
            self._head_room -= size
            return
        room, self._head_room = self._head_room, 0
        if room:
            self._head.append(chunk[:room])
        self._keep_tail(chunk, max(room, size - self._tail_limit))

    def _keep_tail(self, chunk: bytes, start: int) -> None:
        limit, tail = self._tail_limit, self._tail
        if start:
            chunk = chunk[start:]  # the one copy: chunks may be large
        if len(chunk) >= limit:
            tail.clear()
            self._tail_size = 0
        tail.append(chunk)
        self._tail_size += len(chunk)
        while self._tail_size - len(tail[0]) >= limit and len(tail) > 1:
            self._tail_size -= len(tail.popleft())

    def captured(self) -> Captured:
        if not self.size:
            return NOTHING
        head, tail = b"".join(self._head), b"".join(self._tail)
        if len(tail) > self._tail_limit:
            tail = tail[len(tail) - self._tail_limit :]
        if len(head) + len(tail) == self.size:
            kept = head + tail
            text, invalid = _decoded(kept)
            return Captured(text, self.size, False, invalid, kept)
        return _cut(self.size, head, tail)


def shortened(found: Captured, head_limit: int, tail_limit: int) -> Captured:
    """The same with less of it kept."""
    if len(found.kept) <= head_limit + tail_limit:
        return found
    return _cut(found.size, found.kept[:head_limit], found.kept[-tail_limit:])


def _cut(size: int, head: bytes, tail: bytes) -> Captured:
    head, tail = _without_broken_end(head), _without_broken_start(tail)
    before, invalid_before = _decoded(head)
    after, invalid_after = _decoded(tail)
    text = f"{before}\n[... {size - len(head) - len(tail)} bytes omitted ...]\n{after}"
    return Captured(text, size, True, invalid_before or invalid_after, head + tail)


def _decoded(raw: bytes) -> tuple[str, bool]:
    try:
        return raw.decode("utf-8"), False
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace"), True


def _without_broken_end(raw: bytes) -> bytes:
    """Drop a last character that the cut has split; other broken bytes stay to be reported."""
    for back in range(1, min(4, len(raw)) + 1):
        byte = raw[-back]
        if byte >= 0xC0:
            wanted = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return raw[:-back] if back < wanted else raw
        if byte < 0x80:
            break
    return raw


def _without_broken_start(raw: bytes) -> bytes:
    for start in range(min(4, len(raw))):
        if raw[start] & 0xC0 != 0x80:
            return raw[start:]
    return raw


class Spill:
    """Writes the first `limit` bytes to one file as they come, and at the end a mark and the last 64 KiB of the rest.

    What a program says last is mostly why it failed. Nothing is written before there are more than `start` bytes:
    what fits in memory needs no file. A disk that fails ends the writing and is told in `problem`; the process
    goes on.
    """

    __slots__ = (
        "_end", "_end_room", "_fd", "_held", "_held_size", "_room", "_start", "path", "problem", "size"
    )  # fmt: skip

    def __init__(self, path: str, limit: int, start: int = 0) -> None:
        self.path = path
        self.size = 0
        self.problem: str | None = None
        self._room = limit
        self._end_room = min(limit, _END_LIMIT)
        self._end = Capture(0, self._end_room)
        self._start = start
        self._held: list[bytes] = []
        self._held_size = 0
        self._fd = -1

    @property
    def truncated(self) -> bool:
        """Whether bytes between the beginning and the end are missing."""
        return self._end.size > self._end_room

    def feed(self, chunk: bytes) -> None:
        if self.problem is not None:
            return
        if self._fd < 0 and self._start:
            self._held.append(chunk)
            self._held_size += len(chunk)
            if self._held_size <= self._start:
                return
            chunk = b"".join(self._held)
            self._held.clear()
        if len(chunk) > self._room:
            head = _without_broken_end(chunk[: self._room])
            self._end.feed(chunk[len(head) :])
            chunk, self._room = head, 0
        else:
            self._room -= len(chunk)
        if chunk:
            self._write(chunk)

    def _write(self, chunk: bytes) -> None:
        try:
            if self._fd < 0:
                os.makedirs(os.path.dirname(self.path) or ".", mode=0o700, exist_ok=True)
                flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
                self._fd = os.open(self.path, flags, 0o600)
            rest = memoryview(chunk)
            while rest:
                written = os.write(self._fd, rest)
                self.size += written
                rest = rest[written:]
        except OSError as error:
            self.problem = f"the full output could not be written to `{self.path}`: {error.strerror}"

    def close(self) -> None:
        if self._fd >= 0 and self._end.size and self.problem is None:
            end = self._end.captured()
            mark = f"\n[... {end.size - len(end.kept)} bytes omitted ...]\n" if end.truncated else ""
            self._write(mark.encode() + end.kept)
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
