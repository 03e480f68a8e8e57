"""Lets one at a time through, of this process and of all others."""

from __future__ import annotations

from hookline.model.errors import StateError
from hookline.system.locks import file_lock
from hookline.system.loops.loop import sleep

LOOK_S = 0.05


class Turnstile:
    """`async with Turnstile(path)`: waits its turn without blocking the loop; where no lock can be made, at once."""

    def __init__(self, path: str) -> None:
        self._lock: file_lock | None = file_lock(path)

    async def __aenter__(self) -> None:
        try:
            while self._lock is not None and not self._lock.attempt():
                await sleep(LOOK_S)
        except StateError:
            self._lock = None

    async def __aexit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.__exit__(None, None, None)
