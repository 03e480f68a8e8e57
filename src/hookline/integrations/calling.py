"""Calls what a user of an integration gave: plain or async, in bounded time."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from hookline.handlers.callables import is_async
from hookline.handlers.deadline import Ended, in_thread, within


async def called(function: Callable[..., Any], *arguments: Any, timeout_s: float | None = None) -> Ended:
    """How the call ended. A plain function runs in a thread of its own, which is left behind when time is over."""

    async def call() -> Any:
        if is_async(function):
            return await function(*arguments)
        context = copy_context()
        value = await in_thread(lambda: context.run(function, *arguments))
        return await value if hasattr(value, "__await__") else value

    return await within(call(), timeout_s, 0.0)
