"""What happens in a completion or a session, numbered, for any number of readers who may come back."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

from hookline.model.record import Record, replace

LIMIT = 20_000
GAP_S = 0.05  # between two looks of one reader: a hundred of them must not each be woken for every letter
MOST_AT_ONCE = 200  # which are a few milliseconds of work for the first reader of them
READERS_A_TURN = 8  # of the loop: others who want something of it must not wait for a hundred readers


class Entry(Record):
    """One thing that happened; `id` is what a reader sends to go on behind it."""

    number: int
    id: str
    name: str
    data: Mapping[str, Any]


class TurnLog:
    """Grows until `close`; entries before the newest `LIMIT` are forgotten."""

    def __init__(self) -> None:
        # Readers of an earlier server come back with its ids; those must not be taken for ours.
        self._name = os.urandom(3).hex()
        self._entries: list[Entry] = []
        self._count = 0
        self._closed = False
        self._changed = asyncio.Event()
        self._readers = Share(READERS_A_TURN)
        self.sent: dict[int, bytes] = {}  # entries as readers get them, made once for all

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def last(self) -> int:
        """The number of the newest entry; 0 when there is none."""
        return self._count

    def append(self, name: str, data: Mapping[str, Any], id: str = "") -> Entry:
        """An id that no other log has is made when it is left out."""
        self._count += 1
        entry = Entry(self._count, id or f"{self._name}:{self._count}", name, data)
        self._entries.append(entry)
        if len(self._entries) > LIMIT:
            del self._entries[: LIMIT // 4]
            self.sent.clear()
        self._wake()
        return entry

    def close(self) -> None:
        self._closed = True
        self._wake()

    def after(self, number: int, most: int = LIMIT) -> tuple[Entry, ...]:
        """What came behind that entry, as far as it is still known, and at most so many."""
        if not self._entries:
            return ()
        first = max(0, number - self._entries[0].number + 1)
        return tuple(self._entries[first : first + most])

    def number_of(self, id: str) -> int | None:
        """The entry with that id, looked for from the newest on."""
        return next((entry.number for entry in reversed(self._entries) if entry.id == id), None)

    async def wait(self, number: int, timeout_s: float) -> bool:
        """True once there is something behind that entry, or the log is closed; False when time is up."""
        if self._count > number or self._closed:
            return True
        try:
            await asyncio.wait_for(self._changed.wait(), timeout_s)
        except TimeoutError:
            return False
        return True

    async def follow(self, number: int, tick_s: float = 15.0) -> AsyncIterator[tuple[Entry, ...]]:
        """Everything behind that entry, past and to come, until the log is closed; nothing at each idle tick.

        The first news come at once, and what follows them together.
        """
        while True:
            while fresh := self.after(number, MOST_AT_ONCE):
                await self._readers.turn()
                number = fresh[-1].number
                yield fresh
                await asyncio.sleep(0 if self._closed or number < self._count else GAP_S)
            if self._closed:
                return
            if not await self.wait(number, tick_s):
                yield ()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class Share:
    """Lets so many go on in one turn of the loop, first come first; the others in the next ones."""

    def __init__(self, most: int) -> None:
        self._most = self._left = most
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._turning = False

    async def turn(self) -> None:
        """Returns when it is our turn."""
        if not self._turning:
            self._turning = True
            asyncio.get_running_loop().call_soon(self._next)
        if self._left:
            self._left -= 1
            return
        mine = asyncio.get_running_loop().create_future()
        self._waiting.append(mine)
        await mine

    def _next(self) -> None:
        self._left = self._most
        while self._waiting and self._left:
            mine = self._waiting.popleft()
            if not mine.done():  # it was cancelled
                mine.set_result(None)
                self._left -= 1
        self._turning = self._left < self._most
        if self._turning:
            asyncio.get_running_loop().call_soon(self._next)


def merged(entries: Iterable[Entry]) -> list[Entry]:
    """Deltas of one text that follow one another as one, for readers who come late."""
    found: list[Entry] = []
    for entry in entries:
        last = found[-1] if found else None
        if last is not None and _continues(last, entry):
            delta = last.data["delta"] + entry.data["delta"]
            found[-1] = replace(entry, data={**entry.data, "delta": delta})
        else:
            found.append(entry)
    return found


def _continues(last: Entry, entry: Entry) -> bool:
    kinds = (last.data.get("type"), entry.data.get("type"))
    return kinds == ("text-delta", "text-delta") and last.data["id"] == entry.data["id"]
