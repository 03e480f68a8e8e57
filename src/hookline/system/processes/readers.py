"""Watches many short-lived descriptors through one that the loop knows.

asyncio spends more on adding and removing a reader than a small hook costs to read, and each hook has
three. So on asyncio they are kept in one epoll per loop, which is all that the loop itself watches.
`PollLoop` has no such price, and a system without epoll uses the loop directly.
"""

from __future__ import annotations

import select

from hookline.model.typing import TYPE_CHECKING, Callable, MutableMapping
from hookline.system.loops.poll_loop import PollLoop

if TYPE_CHECKING:
    from typing import Any, Protocol

    from hookline.system.loops.loop import Loop

    class Watcher(Protocol):
        """The two methods of a loop that watch for input."""

        def add_reader(self, fd: int, callback: Callable[..., object], *args: Any) -> object: ...
        def remove_reader(self, fd: int) -> bool: ...


def readers_of(loop: Loop) -> Watcher:
    """What to watch input with while `loop` runs."""
    if isinstance(loop, PollLoop) or not hasattr(select, "epoll"):
        return loop
    return _shared(loop)


class Readers:
    """The descriptors of one asyncio loop; holds no reference to it, so that both go together."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._callbacks: dict[int, tuple[Callable[..., object], tuple[Any, ...]]] = {}

    def fileno(self) -> int:
        return self._epoll.fileno()

    def add_reader(self, fd: int, callback: Callable[..., object], *args: Any) -> None:
        self._epoll.register(fd, select.EPOLLIN)
        self._callbacks[fd] = (callback, args)

    def remove_reader(self, fd: int) -> bool:
        if self._callbacks.pop(fd, None) is None:
            return False
        self._epoll.unregister(fd)
        return True

    def dispatch(self) -> None:
        """Call back for all that is ready; one callback may remove another's descriptor."""
        callbacks = self._callbacks
        for fd, _ in self._epoll.poll(0):
            found = callbacks.get(fd)
            if found is not None:
                found[0](*found[1])


_by_loop: MutableMapping[object, Callable[[], Readers | None]] | None = None


def _shared(loop: Loop) -> Watcher:
    """The readers of this loop; kept alive by the loop alone, so that closing it closes them."""
    global _by_loop
    import weakref

    if _by_loop is None:
        _by_loop = weakref.WeakKeyDictionary()
    found = _by_loop.get(loop)
    readers = None if found is None else found()
    if readers is None:
        try:
            readers = Readers()
        except OSError:
            return loop  # no descriptor left for it
        _by_loop[loop] = weakref.ref(readers)
        loop.add_reader(readers.fileno(), readers.dispatch)
    return readers
