"""Calls what a user of an integration gave: plain or async, in bounded time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from threading import Lock, Thread
from typing import Any, TypeVar

from hookline.handlers.base import is_async
from hookline.handlers.deadline import Ended, in_thread, within

T = TypeVar("T")


class Apart:
    """Runs coroutines for code that has no loop, or cannot wait on its own; all in one loop of a thread apart."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`; its error is raised here."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                Thread(target=self._loop.run_forever, name="hookline", daemon=True).start()
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


async def called(function: Callable[..., Any], *arguments: Any, timeout_s: float | None = None) -> Ended:
    """How the call ended. A plain function runs in a thread of its own, which is left behind when time is over."""

    async def call() -> Any:
        if is_async(function):
            return await function(*arguments)
        context = copy_context()
        value = await in_thread(lambda: context.run(function, *arguments))
        return await value if hasattr(value, "__await__") else value

    return await within(call(), timeout_s, 0.0)
