"""Work of a command that ^C, TERM and HUP cut short, so that its own end still runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from hookline.system.loops.ending import ending_signals


@contextmanager
def hearing(act: Callable[[int], object]) -> Iterator[None]:
    """Meanwhile `act` is called with the number of each of these signals, between two steps of the loop."""
    loop = asyncio.get_running_loop()
    for number in ending_signals():
        loop.add_signal_handler(number, act, number)
    try:
        yield
    finally:
        for number in ending_signals():
            loop.remove_signal_handler(number)


async def until_signal(work: Coroutine[Any, Any, Any], heard: list[int]) -> Any:
    """The work's result; None where a signal ended it. The numbers of the signals are added to `heard`."""
    before, task = len(heard), asyncio.ensure_future(work)

    def stop(number: int) -> None:
        heard.append(number)
        task.cancel()

    with hearing(stop):
        try:
            return await task
        except asyncio.CancelledError:
            if len(heard) == before:
                raise
            return None
