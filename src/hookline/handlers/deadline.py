"""Waits for Python work without outliving a hook's time: coroutines are cancelled, threads left behind."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from threading import Thread
from typing import TYPE_CHECKING, Any

from hookline.model.record import Record
from hookline.system.loops.loop import cancellations, current_loop, wake

if TYPE_CHECKING:
    from hookline.system.loops.loop import Waitable


class Ended(Record):
    """How work ended: its `value`, or the `error` it raised.

    After `timed_out` there is no value. `abandoned`: it goes on, since it did not end when told to.
    """

    value: Any = None
    error: BaseException | None = None
    timed_out: bool = False
    abandoned: bool = False


async def within(work: Awaitable[Any], timeout_s: float | None, grace_s: float = 2.0) -> Ended:
    """Awaits `work` for at most `timeout_s`, then cancels it and waits `grace_s` for it to clean up.

    Never raises what `work` raised. A cancelled caller passes its cancellation on first, then raises it.
    """
    task = current_loop().create_task(_awaited(work))
    task.add_done_callback(_heard)
    try:
        await _settled(task, timeout_s)
    except cancellations():
        await _stopped(task, grace_s)
        raise
    if not task.done():
        await _stopped(task, grace_s)
        if not task.done():
            _let_go(task)
        return Ended(timed_out=True, abandoned=not task.done())
    if task.cancelled():
        return Ended(error=RuntimeError("it was cancelled from outside"))
    error = task.exception()
    return Ended(error=error) if error is not None else Ended(value=task.result())


async def in_thread(function: Callable[[], Any]) -> Any:
    """The result of `function`, run in a thread of its own, on either loop.

    A cancelled caller leaves at once; the thread is a daemon, so it keeps no program alive.
    """
    loop = current_loop()
    waiter = loop.create_future()
    reader, writer = os.pipe()
    outcome: list[Ended] = []
    loop.add_reader(reader, wake, waiter)
    try:
        Thread(target=_perform, args=(function, outcome, writer), daemon=True).start()
        await waiter
    finally:
        loop.remove_reader(reader)
        os.close(reader)
    if outcome[0].error is not None:
        raise outcome[0].error
    return outcome[0].value


def _perform(function: Callable[[], Any], outcome: list[Ended], writer: int) -> None:
    try:
        outcome.append(Ended(value=function()))
    except BaseException as error:
        outcome.append(Ended(error=error))
    finally:
        os.close(writer)  # the reader sees the end of the pipe


async def _awaited(work: Awaitable[Any]) -> Any:
    try:
        return await work
    except SystemExit as error:  # a loop would end over it, and its program
        raise RuntimeError(f"SystemExit: {error}") from error


async def _settled(task: Waitable, timeout_s: float | None) -> None:
    loop = current_loop()
    waiter = loop.create_future()
    task.add_done_callback(lambda _: wake(waiter))
    timer = None if timeout_s is None else loop.call_later(timeout_s, wake, waiter)
    try:
        await waiter
    finally:
        if timer is not None:
            timer.cancel()


async def _stopped(task: Waitable, grace_s: float) -> None:
    task.cancel()
    await _settled(task, grace_s)


def _let_go(task: Waitable) -> None:
    """`asyncio.run` would wait at its end, without a limit, for a task that ignores its cancellation."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None and isinstance(task, asyncio.Task):
        asyncio._unregister_task(task)
        task._log_destroy_pending = False


def _heard(task: Waitable) -> None:
    """Looks at the error, which asyncio would otherwise call forgotten."""
    if not task.cancelled():
        task.exception()
