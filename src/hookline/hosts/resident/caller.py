"""One connection to the resident process: its request comes in, its answer goes out, and it may go away."""

from __future__ import annotations

from _socket import MSG_PEEK, socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from hookline.hosts.resident.frames import HEAD, BadFrame, size_of
from hookline.system.clock import monotonic
from hookline.system.loops.alarm import clear_alarm, set_alarm
from hookline.system.loops.loop import current_loop

if TYPE_CHECKING:
    from hookline.system.loops.loop import Waitable

AT_ONCE = 1 << 16
AT_MOST = 1 << 20
PATIENCE_S = 10.0  # with a caller that stops in the middle, or does not listen
SILENCE_S = 600.0  # with one that has said nothing yet: plugins connect ahead of their next call


class Caller:
    """Owns the connection, which does not block. `task` is what works on the answer; who `is_silent` wants none yet."""

    def __init__(self, connection: socket) -> None:
        self._connection = connection
        self._wake: Callable[[bool], None] | None = None
        self.task: Waitable | None = None
        self.is_silent = True

    async def request(self) -> bytes:
        """The bytes of a whole request. Raises BadFrame, EOFError when it ends before, and OSError."""
        found: bytes | bytearray = await self._read(AT_ONCE, SILENCE_S)  # most are one piece
        self.is_silent = False
        while len(found) < HEAD.size:
            found += await self._read(AT_ONCE)
        size = size_of(found)
        if not HEAD.size < size >= len(found):
            raise BadFrame(f"no request: {bytes(found[:16])!r}")
        if len(found) < size:
            found = bytearray(found)
            while len(found) < size:
                found += await self._read(min(size - len(found), AT_MOST))
        return bytes(found)

    async def write(self, content: bytes) -> None:
        """All of it. Raises EOFError when nobody listens, and OSError."""
        sent = 0
        while sent < len(content):
            try:
                sent += self._connection.send(content[sent:] if sent else content)
            except BlockingIOError:
                loop = current_loop()
                await self._ready(loop.add_writer, loop.remove_writer)

    def say(self, word: bytes) -> None:
        """A word that fits into any buffer; who is gone does not hear it."""
        try:
            self._connection.send(word)
        except OSError:
            pass

    def is_gone(self) -> bool:
        """Whether the other end hung up."""
        try:
            return not self._connection.recv(1, MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def watch(self) -> None:
        """From here on `task` is cancelled when the other end goes away, and with it the hooks it waits for."""
        current_loop().add_reader(self._connection.fileno(), self._look)

    def unwatch(self) -> None:
        """The other end may go away again."""
        current_loop().remove_reader(self._connection.fileno())

    def _look(self) -> None:
        try:
            if self._connection.recv(AT_ONCE):
                return  # nobody has more to say than a request; what it is does not matter
        except BlockingIOError:
            return
        except OSError:
            pass
        self.unwatch()
        if self.task is not None:
            self.task.cancel()

    def give_up(self) -> None:
        """Waits no longer for what it has to say, or for it to listen."""
        if self._wake is not None:
            self._wake(False)

    def close(self) -> None:
        """Hangs up."""
        self._connection.close()

    async def _read(self, size: int, patience_s: float = PATIENCE_S) -> bytes:
        while True:
            try:
                chunk = self._connection.recv(size)
            except BlockingIOError:
                loop = current_loop()
                await self._ready(loop.add_reader, loop.remove_reader, patience_s)
                continue
            if not chunk:
                raise EOFError
            return chunk

    async def _ready(
        self, add: Callable[..., object], take: Callable[[int], bool], patience_s: float = PATIENCE_S
    ) -> None:
        loop = current_loop()
        future = loop.create_future()

        def wake(ready: bool) -> None:
            if not future.done():
                future.set_result(ready)

        self._wake = wake
        add(self._connection.fileno(), wake, True)
        timer = loop.call_later(patience_s, wake, False)
        try:
            if not await future:
                raise EOFError
        finally:
            timer.cancel()
            take(self._connection.fileno())


PROMISE_S = 0.2  # an answer that is quicker comes together with the word


class Promises:
    """Words that were not said yet, by caller; an alarm says them, since the loop does not turn meanwhile."""

    def __init__(self) -> None:
        self._unsaid: dict[Caller, bytes] = {}

    def give(self, caller: Caller, word: bytes, since: float) -> None:
        """Has `word` said in a moment; at once to who has waited for so long already, `since` then."""
        if monotonic() - since >= PROMISE_S:
            caller.say(word)
            return
        is_first = not self._unsaid
        self._unsaid[caller] = word
        if is_first:
            set_alarm(PROMISE_S, self._say)

    def take_back(self, caller: Caller) -> bytes:
        """The word where it was not said yet, and so belongs in front of the answer; else nothing."""
        word = self._unsaid.pop(caller, b"")
        if not self._unsaid:
            clear_alarm()
        return word

    def _say(self) -> None:
        while self._unsaid:
            caller, word = self._unsaid.popitem()
            caller.say(word)
