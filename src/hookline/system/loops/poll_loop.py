"""A small event loop over `select.poll` for one-shot commands, where importing asyncio is too dear."""

from __future__ import annotations

import select
import sys
import time
from _heapq import heappop, heappush  # `heapq` itself adds Python code only
from _thread import _local
from collections import deque

from hookline.model.typing import Any, Callable, Coroutine, Generator, TypeVar

T = TypeVar("T")

_TURNS = 16  # what is ready goes on so often, before the kernel is asked what else is
_thread = _local()  # .loop: the PollLoop that runs in this thread, if one does


class Cancelled(BaseException):
    """Thrown into a coroutine that is cancelled on a `PollLoop`; catch it with `cancellations()`."""


class NoLoop(RuntimeError):
    """A coroutine of hookline was driven by something that is neither asyncio nor a `PollLoop`."""


def cancellations() -> tuple[type[BaseException], ...]:
    """What a cancellation may arrive as, for `except cancellations():` on either loop."""
    asyncio = sys.modules.get("asyncio.exceptions")
    return (Cancelled,) if asyncio is None else (Cancelled, asyncio.CancelledError)


def running_poll_loop() -> PollLoop | None:
    """The `PollLoop` that runs in this thread, if one does."""
    loop: PollLoop | None = getattr(_thread, "loop", None)
    return loop


class Handle:
    """A callback that is due; `cancel()` makes it a no-op."""

    __slots__ = ("args", "callback", "when")

    def __init__(
        self, callback: Callable[..., object] | None, args: tuple[Any, ...], when: float = 0
    ) -> None:
        self.callback = callback
        self.args = args
        self.when = when

    def __lt__(self, other: Handle) -> bool:
        return self.when < other.when

    def cancel(self) -> None:
        self.callback = None
        self.args = ()


class Future:
    """A result that is not there yet, on a `PollLoop`."""

    __slots__ = ("_callbacks", "_done", "_error", "_loop", "_result")

    def __init__(self, loop: PollLoop) -> None:
        self._loop = loop
        self._done = False
        self._result: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Any], object]] = []

    def done(self) -> bool:
        return self._done

    def cancelled(self) -> bool:
        return isinstance(self._error, cancellations())

    def result(self) -> Any:
        if not self._done:
            raise RuntimeError("the result is not there yet")
        if self._error is not None:
            raise self._error
        return self._result

    def exception(self) -> BaseException | None:
        if self.cancelled() or not self._done:
            self.result()
        return self._error

    def set_result(self, result: Any, /) -> None:
        self._settle(result, None)

    def set_exception(self, exception: BaseException, /) -> None:
        self._settle(None, exception)

    def cancel(self) -> bool:
        if self._done:
            return False
        self._settle(None, _cancelled())
        return True

    def add_done_callback(self, callback: Callable[[Any], object], /) -> None:
        if self._done:
            self._loop.call_soon(callback, self)
        else:
            self._callbacks.append(callback)

    def _settle(self, result: Any, error: BaseException | None) -> None:
        if self._done:
            raise RuntimeError("the result is already there")
        self._done, self._result, self._error = True, result, error
        for callback in self._callbacks:
            self._loop.call_soon(callback, self)
        self._callbacks.clear()

    def __await__(self) -> Generator[Any, Any, Any]:
        if not self._done:
            yield self
        return self.result()


class Task(Future):
    """A coroutine under way on a `PollLoop`."""

    __slots__ = ("_coroutine", "_must_cancel", "_waits_for")

    def __init__(self, loop: PollLoop, coroutine: Coroutine[Any, Any, Any]) -> None:
        super().__init__(loop)
        self._coroutine = coroutine
        self._waits_for: Future | None = None
        self._must_cancel = False
        loop.call_soon(self._step)

    def cancel(self) -> bool:
        if self._done:
            return False
        if self._waits_for is None or not self._waits_for.cancel():
            self._must_cancel = True  # not begun, or already due to go on: thrown in at its next step
        return True

    def _step(self, _: object = None) -> None:
        self._waits_for = None
        try:
            if self._must_cancel:
                self._must_cancel = False
                waits_for = self._coroutine.throw(_cancelled())
            else:
                waits_for = self._coroutine.send(None)
        except StopIteration as end:
            self.set_result(end.value)
        except (KeyboardInterrupt, SystemExit) as error:
            self.set_exception(error)
            raise
        except BaseException as error:
            self.set_exception(error)
        else:
            self._wait_for(waits_for)

    def _wait_for(self, future: object) -> None:
        if isinstance(future, Future):
            self._waits_for = future
            future.add_done_callback(self._step)
            if self._must_cancel and future.cancel():
                self._must_cancel = False
        elif future is None:
            self._loop.call_soon(self._step)
        else:
            error = NoLoop(f"a {type(future).__name__} of another loop was awaited on a PollLoop")
            self._loop.call_soon(self._refuse, error)

    def _refuse(self, error: BaseException) -> None:
        try:
            self._coroutine.throw(error)
        except BaseException as raised:
            self.set_exception(raised)
        else:
            self.set_exception(error)


class PollLoop:
    """A minimal event loop over `select.poll`; single-threaded, one per thread.

    An exception that leaves a plain callback ends `run_until_complete`: it is a bug, never swallowed.
    """

    time = staticmethod(time.monotonic)

    def __init__(self) -> None:
        self._ready: deque[Handle] = deque()
        self._timers: list[Handle] = []
        self._poll = select.poll()
        self._readers: dict[int, Handle] = {}
        self._writers: dict[int, Handle] = {}
        self._tasks: set[Task] = set()
        self._interruption: BaseException | None = None

    def call_soon(self, callback: Callable[..., object], *args: Any) -> Handle:
        handle = Handle(callback, args)
        self._ready.append(handle)
        return handle

    def call_at(self, when: float, callback: Callable[..., object], *args: Any) -> Handle:
        handle = Handle(callback, args, when)
        heappush(self._timers, handle)
        return handle

    def call_later(self, delay: float, callback: Callable[..., object], *args: Any) -> Handle:
        return self.call_at(time.monotonic() + delay, callback, *args)

    def create_future(self) -> Future:
        return Future(self)

    def create_task(self, coroutine: Coroutine[Any, Any, Any]) -> Task:
        task = Task(self, coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def add_reader(self, fd: int, callback: Callable[..., object], *args: Any) -> None:
        self._watch(self._readers, fd, Handle(callback, args))

    def remove_reader(self, fd: int) -> bool:
        return self._unwatch(self._readers, fd)

    def add_writer(self, fd: int, callback: Callable[..., object], *args: Any) -> None:
        self._watch(self._writers, fd, Handle(callback, args))

    def remove_writer(self, fd: int) -> bool:
        return self._unwatch(self._writers, fd)

    def interrupt(self, error: BaseException) -> None:
        """End the run with `error` at its next turn; a signal handler must wake the loop as well."""
        self._interruption = error

    def run_until_complete(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Drive the loop until `coroutine` ends; an interruption cancels it first, then goes on up."""
        if running_poll_loop() is not None:
            coroutine.close()
            raise RuntimeError("a PollLoop already runs in this thread")
        _thread.loop = self
        try:
            task = self.create_task(coroutine)
            self._run_until(task.done)
            value: T = task.result()
            return value
        finally:
            try:
                self._cancel_all()
            finally:
                _thread.loop = None

    def close(self) -> None:
        """Forget what is still due; file descriptors stay their owners'."""
        self._ready.clear()
        self._timers.clear()
        self._readers.clear()
        self._writers.clear()

    def _cancel_all(self) -> None:
        """Let everything clean up; whoever interrupts again hurries it, and gives up on it at the third."""
        for last in (False, False, True):
            for task in tuple(self._tasks):
                task.cancel()
            try:
                return self._run_until(lambda: not self._tasks)
            except (KeyboardInterrupt, SystemExit):
                if last:
                    raise

    def _run_until(self, done: Callable[[], bool]) -> None:
        turns = 0
        while not done():
            turns = turns + 1 if self._ready and turns < _TURNS else 0
            if not turns:
                self._wait()
            if self._interruption is not None:
                error, self._interruption = self._interruption, None
                raise error
            ready = self._ready
            for _ in range(len(ready)):
                handle = ready.popleft()
                if handle.callback is not None:
                    handle.callback(*handle.args)

    def _wait(self) -> None:
        timers = self._timers
        while timers and timers[0].callback is None:
            heappop(timers)
        timeout_ms: float | None = None
        if self._ready:
            timeout_ms = 0.0
        elif timers:
            timeout_ms = max(0.0, (timers[0].when - time.monotonic()) * 1000)
        for fd, events in self._poll.poll(timeout_ms):
            self._dispatch(fd, events)
        now = time.monotonic()
        while timers and timers[0].when <= now:
            self._ready.append(heappop(timers))

    def _dispatch(self, fd: int, events: int) -> None:
        reader = self._readers.get(fd)
        if reader is not None and events & ~select.POLLOUT:
            self._ready.append(reader)
        writer = self._writers.get(fd)
        if writer is not None and events & ~select.POLLIN:
            self._ready.append(writer)

    def _watch(self, handles: dict[int, Handle], fd: int, handle: Handle) -> None:
        if (old := handles.get(fd)) is not None:
            old.cancel()
        handles[fd] = handle
        self._register(fd)

    def _unwatch(self, handles: dict[int, Handle], fd: int) -> bool:
        handle = handles.pop(fd, None)
        if handle is None:
            return False
        handle.cancel()
        self._register(fd)
        return True

    def _register(self, fd: int) -> None:
        events = (select.POLLIN if fd in self._readers else 0) | (
            select.POLLOUT if fd in self._writers else 0
        )
        if events:
            self._poll.register(fd, events)
        else:
            self._poll.unregister(fd)


def _cancelled() -> BaseException:
    """The cancellation to throw: also asyncio's kind once asyncio is loaded, so its `except` works too."""
    asyncio = sys.modules.get("asyncio.exceptions")
    if asyncio is None:
        return Cancelled()
    both: BaseException = type("Cancelled", (Cancelled, asyncio.CancelledError), {})()
    return both
