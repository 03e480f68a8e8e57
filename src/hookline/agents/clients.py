"""HTTP clients that stay open between requests: a connection to a model's provider is dear to make."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any


class Clients:
    """One client for each loop, made by `make` when it is first used. Nobody has to close them.

    A client is closed when it was not used for `kept_s` seconds, or when its loop ends.
    """

    def __init__(self, make: Callable[[], Any], kept_s: float) -> None:
        self._make = make
        self._kept_s = kept_s
        self._kept: dict[asyncio.AbstractEventLoop, _Kept] = {}

    @asynccontextmanager
    async def use(self) -> AsyncIterator[Any]:
        """The client of the running loop, for any number of requests at once."""
        loop = asyncio.get_running_loop()
        kept = self._kept.get(loop)
        if kept is None:
            kept = self._kept[loop] = _Kept(self._make())
            kept.closing = loop.create_task(self._close_unused(loop, kept))
        kept.users += 1
        try:
            yield kept.client
        finally:
            kept.users -= 1
            kept.used_at = loop.time()

    async def _close_unused(self, loop: asyncio.AbstractEventLoop, kept: _Kept) -> None:
        """Sleeps in between, so that the loop itself holds the client, and cancels this when it ends."""
        try:
            while kept.users or loop.time() < kept.used_at + self._kept_s:  # noqa: ASYNC110 - no event tells of time
                await asyncio.sleep(self._kept_s)
        finally:
            del self._kept[loop]
            await kept.client.aclose()


class _Kept:
    def __init__(self, client: Any) -> None:
        self.client = client
        self.users = 0
        self.used_at = 0.0
        self.closing: asyncio.Task[None] | None = None
