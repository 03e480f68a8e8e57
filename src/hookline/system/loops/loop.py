"""Runs the same coroutines on asyncio, or on a small poll loop where importing asyncio is too dear.

A one-shot `hookline fire` lives for milliseconds and importing asyncio takes several times its budget,
so it runs on `PollLoop`. Hosts, the web page and programs that embed the engine run on asyncio. Code in
between asks `current_loop()` and uses only what `Loop` lists: names and meaning are asyncio's.
"""

from __future__ import annotations

import _signal  # `signal` loads enum, and this is on the path of every hook
import os
import sys
from collections import deque

from hookline.model.typing import TYPE_CHECKING, Awaitable, Callable, Coroutine, Generator, Iterable
from hookline.system.loops.poll_loop import Cancelled, NoLoop, PollLoop, cancellations, running_poll_loop

__all__ = [
    "Cancelled",
    "NoLoop",
    "PollLoop",
    "at_next_turn",
    "cancellations",
    "current_loop",
    "gather",
    "run",
    "run_asyncio",
    "sleep",
]

if TYPE_CHECKING:
    from typing import Any, Protocol, TypeVar

    T = TypeVar("T")

    class Cancellable(Protocol):
        """A call that is due later."""

        def cancel(self) -> None: ...

    class Waitable(Protocol):
        """What asyncio and `PollLoop` futures have in common."""

        def done(self) -> bool: ...
        def cancelled(self) -> bool: ...
        def cancel(self) -> bool: ...
        def result(self) -> Any: ...
        def exception(self) -> BaseException | None: ...
        def set_result(self, result: Any, /) -> None: ...
        def set_exception(self, exception: Any, /) -> None: ...
        def add_done_callback(self, callback: Callable[[Any], object], /) -> None: ...
        def __await__(self) -> Generator[Any, Any, Any]: ...

    class Loop(Protocol):
        """The part of asyncio's event loop that hookline uses; times are monotonic seconds."""

        def time(self) -> float: ...
        def call_soon(self, callback: Callable[..., object], *args: Any) -> Cancellable: ...
        def call_at(self, when: float, callback: Callable[..., object], *args: Any) -> Cancellable: ...
        def call_later(self, delay: float, callback: Callable[..., object], *args: Any) -> Cancellable: ...
        def add_reader(self, fd: int, callback: Callable[..., object], *args: Any) -> object: ...
        def remove_reader(self, fd: int) -> bool: ...
        def add_writer(self, fd: int, callback: Callable[..., object], *args: Any) -> object: ...
        def remove_writer(self, fd: int) -> bool: ...
        def create_future(self) -> Waitable: ...
        def create_task(self, coroutine: Coroutine[Any, Any, Any]) -> Waitable: ...


def current_loop() -> Loop:
    """The loop that drives the caller: asyncio's when that runs in this thread, else the `PollLoop`."""
    events = sys.modules.get("asyncio.events")
    running: Loop | None = None if events is None else events._get_running_loop()
    if running is None:
        running = running_poll_loop()
    if running is None:
        raise NoLoop("no loop runs here: use `hookline.system.loops.loop.run` or `asyncio.run`")
    return running


def at_next_turn(callback: Callable[[], object]) -> bool:
    """Has the asyncio loop of this thread call back when it next turns; False when none runs here.

    It does turn once more when its main coroutine has ended. A `PollLoop` does not, so it counts as none.
    """
    events = sys.modules.get("asyncio.events")
    running: Loop | None = None if events is None else events._get_running_loop()
    if running is not None:
        running.call_soon(callback)
    return running is not None


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run `coroutine` on a fresh `PollLoop` and return its result; what it left running is cancelled.

    TERM, HUP and ^C, where they have their default meaning, cancel it too, so that no hook outlives us;
    then SystemExit(128 + number) or KeyboardInterrupt is raised. The same signal again hurries.
    """
    loop = PollLoop()
    heard = _Signals(loop)
    try:
        return loop.run_until_complete(coroutine)
    finally:
        heard.close()
        loop.close()


def run_unheard(coroutine: Coroutine[Any, Any, T]) -> T:
    """As `run`, deaf to signals: for threads other than the main one."""
    loop = PollLoop()
    try:
        return loop.run_until_complete(coroutine)
    finally:
        loop.close()


def run_asyncio(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run `coroutine` with `asyncio.run`, imported only now; signals end it as they end `run`.

    Threads of its executor that go on are left behind, where `asyncio.run` would wait for them.
    """
    import asyncio
    import signal
    import threading

    ended_by: list[int] = []

    async def main() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def end(number: int) -> None:
            ended_by.append(number)
            task.cancel()

        async def leave(*_: object) -> None: ...

        loop.shutdown_default_executor = leave  # type: ignore[method-assign]
        in_front = threading.current_thread() is threading.main_thread()
        for number in (signal.SIGTERM, signal.SIGHUP) if in_front else ():
            if signal.getsignal(number) is signal.SIG_DFL:
                loop.add_signal_handler(number, end, number)
        return await coroutine

    try:
        return asyncio.run(main())
    except asyncio.CancelledError:
        if ended_by:
            raise SystemExit(128 + ended_by[0]) from None
        raise


async def sleep(seconds: float) -> None:
    """Wait on whichever loop runs; zero lets the others go first."""
    loop = current_loop()
    waiter = loop.create_future()
    timer = loop.call_later(seconds, wake, waiter)
    try:
        await waiter
    finally:
        timer.cancel()


class _Signals:
    """Turns TERM, HUP and ^C into an orderly end of a `PollLoop` of the main thread, so that no child outlives us.

    A handler only notes the signal and wakes the loop: raising from it could cut a start of a process in
    two. A signal that somebody handles or ignores already is left to them.
    """

    def __init__(self, loop: PollLoop) -> None:
        self._loop = loop
        self._old: dict[int, object] = {}
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(self._writing, False)
        loop.add_reader(self._reading, self._drain)
        for number, usual in (
            (_signal.SIGTERM, _signal.SIG_DFL),
            (_signal.SIGHUP, _signal.SIG_DFL),
            (_signal.SIGINT, _signal.default_int_handler),
        ):
            if _signal.getsignal(number) == usual:
                try:
                    self._old[number] = _signal.signal(number, self._heard)
                except ValueError:
                    return  # not the main thread

    def _heard(self, number: int, _: object) -> None:
        interrupted = number == _signal.SIGINT
        self._loop.interrupt(KeyboardInterrupt() if interrupted else SystemExit(128 + number))
        try:
            os.write(self._writing, b"!")
        except OSError:
            pass

    def _drain(self) -> None:
        try:
            os.read(self._reading, 64)
        except BlockingIOError:
            pass

    def close(self) -> None:
        for number, handler in self._old.items():
            _signal.signal(number, handler)  # type: ignore[arg-type]  # what `signal` itself returned
        self._loop.remove_reader(self._reading)
        os.close(self._reading)
        os.close(self._writing)


async def gather(coroutines: Iterable[Awaitable[T]], limit: int | None = None) -> list[T]:
    """The results in the order given, with at most `limit` coroutines under way at once.

    When one raises, or the caller is cancelled, the others are cancelled and waited for (however often
    the caller is cancelled meanwhile), those not begun are closed, and then the first error is raised.
    """
    queue = list(coroutines)
    if len(queue) == 1:
        return [await queue[0]]
    crew = _Crew(queue, len(queue) if limit is None else max(1, limit))
    return await crew.work()


class _Crew:
    """Tasks that share one queue of coroutines."""

    def __init__(self, queue: list[Awaitable[Any]], limit: int) -> None:
        self.loop = current_loop()
        self.results: list[Any] = [None] * len(queue)
        self.queue = deque(enumerate(queue))
        self.waiter: Waitable | None = None
        self.error: BaseException | None = None
        self.tasks = [self.loop.create_task(self.worker()) for _ in range(min(limit, len(queue)))]
        self.left = len(self.tasks)
        for task in self.tasks:
            task.add_done_callback(self.ended)

    async def worker(self) -> None:
        while self.queue and self.error is None:
            index, coroutine = self.queue.popleft()
            self.results[index] = await coroutine

    def ended(self, task: Waitable) -> None:
        self.left -= 1
        if not task.cancelled() and (error := task.exception()) is not None:
            self.error = self.error or error
        if self.waiter is not None and (not self.left or self.error is not None):
            wake(self.waiter)

    async def work(self) -> list[Any]:
        while self.left:
            self.waiter = self.loop.create_future()
            try:
                await self.waiter
            except cancellations() as stop:
                self.error = self.error or stop
            if self.error is not None:
                self.abandon()
        if self.error is not None:
            raise self.error
        return self.results

    def abandon(self) -> None:
        while self.queue:
            _discard(self.queue.popleft()[1])
        tasks, self.tasks = self.tasks, []  # cancelled once: a second cancel would cut a clean-up short
        for task in tasks:
            task.cancel()


def _discard(awaitable: Any) -> None:
    """Give up what was never begun: a coroutine is closed, a future or task cancelled."""
    give_up = getattr(awaitable, "close", None) or awaitable.cancel
    give_up()


def wake(waiter: Waitable) -> None:
    """Ends the waiting, where nobody has yet."""
    if not waiter.done():
        waiter.set_result(None)
