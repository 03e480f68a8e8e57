"""The three streams between us and a child: stdin is fed while stdout and stderr are read."""

from __future__ import annotations

import fcntl
import os

from hookline.model.typing import TYPE_CHECKING, Callable

if TYPE_CHECKING:
    from hookline.system.loops.loop import Loop
    from hookline.system.processes.readers import Watcher

    Sink = Callable[[int, bytes], None]

_PIPE = 65_536  # what a fresh pipe holds on Linux
_BIG = 1 << 20
_BIG_READ = 1 << 17  # larger ones cost fresh pages every time
_ROUNDS = 8  # reads in a row before others get their turn: a stream may never run dry


class Pipes:
    """Our ends and the child's ends; `sink` gets (0 stdout or 1 stderr, chunk), `at_end` the last EOF."""

    def __init__(self, loop: Loop, readers: Watcher, sink: Sink, at_end: Callable[[], None]) -> None:
        self.loop = loop
        self.readers = readers
        self.sink = sink
        self.at_end = at_end
        self.child = [-1, -1, -1]
        self.outputs = [-1, -1]
        self.read_sizes = [_PIPE, _PIPE]
        self.stdin = -1
        self.rest = memoryview(b"")
        self.watched = False

    @property
    def ended(self) -> bool:
        return self.outputs[0] < 0 and self.outputs[1] < 0

    def open(self, payload: bytes | None, merged: bool) -> None:
        """Make the pipes for a child that is to read `payload`; raises OSError when descriptors run out."""
        if payload is None:
            self.child[0] = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        else:
            self.child[0], self.stdin = os.pipe()
            os.set_blocking(self.stdin, False)
            if len(payload) > _PIPE:
                _enlarge(self.stdin)
            self.rest = memoryview(payload)
        self.outputs[0], self.child[1] = os.pipe()
        os.set_blocking(self.outputs[0], False)
        if payload is not None and len(payload) > _PIPE:
            self._expect_much(0)  # much in, much out, more often than not
        if merged:
            self.child[2] = self.child[1]
            return
        self.outputs[1], self.child[2] = os.pipe()
        os.set_blocking(self.outputs[1], False)

    def start(self, live: bool) -> None:
        """The child has its ends: close ours of them and feed it; watch its output when that is `live` or big.

        Otherwise `watch` may come later: being woken for a few bytes costs more than reading them. Its stdin
        stays open here too, so that writing never meets a closed pipe and what is left in it can be seen
        afterwards.
        """
        ends = {self.child[1], self.child[2]}
        self.child[1] = self.child[2] = -1  # forgotten first: a signal before it would have them closed twice
        for end in ends:
            os.close(end)
        if live or len(self.rest) > _PIPE:
            self.watch()
        if self.stdin >= 0:
            self._feed()  # only now: a large payload is copied while the child starts
        if self.stdin >= 0:
            self.loop.add_writer(self.stdin, self._feed_more)

    def watch(self) -> None:
        """Read output as it comes, from now on."""
        if self.watched:
            return
        self.watched = True
        for stream in (0, 1):
            if self.outputs[stream] >= 0:
                self.readers.add_reader(self.outputs[stream], self.read, stream)

    def _feed(self) -> None:
        """Write what fits now; close when all is written."""
        try:
            while self.rest:
                self.rest = self.rest[os.write(self.stdin, self.rest) :]
        except BlockingIOError:
            return
        except OSError:
            pass  # nobody reads: the remainder tells
        closing, self.stdin = self.stdin, -1
        os.close(closing)

    def _feed_more(self) -> None:
        fd = self.stdin
        self._feed()
        if self.stdin < 0:
            self.loop.remove_writer(fd)

    def read(self, stream: int) -> bool:
        """Pass one chunk on; False when there was none."""
        try:
            chunk = os.read(self.outputs[stream], self.read_sizes[stream])
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if not chunk:
            self._close_output(stream)
            if self.ended:
                self.at_end()
            return False
        if len(chunk) == _PIPE and self.read_sizes[stream] == _PIPE:
            self._expect_much(stream)
        self.sink(stream, chunk)
        return True

    def _expect_much(self, stream: int) -> None:
        _enlarge(self.outputs[stream])
        self.read_sizes[stream] = _BIG_READ

    def read_available(self) -> None:
        """Take what is there now, within reason: a writer that never stops does not hold us."""
        for stream in (0, 1):
            for _ in range(_ROUNDS):
                if self.outputs[stream] < 0 or not self.read(stream):
                    break

    def left_unread(self) -> bool:
        """Whether the child has not taken all of its input; ask once, when it is over."""
        if self.rest:
            return True
        if self.child[0] < 0 or self.stdin >= 0:
            return False
        return bool(os.read(self.child[0], 1))

    def close(self) -> None:
        for stream in (0, 1):
            if self.outputs[stream] >= 0:
                self._close_output(stream)
        if self.stdin >= 0:
            self.loop.remove_writer(self.stdin)
            closing, self.stdin = self.stdin, -1
            os.close(closing)
        ends, self.child = set(self.child) - {-1}, [-1, -1, -1]
        for fd in ends:
            os.close(fd)

    def _close_output(self, stream: int) -> None:
        self.readers.remove_reader(self.outputs[stream])
        closing, self.outputs[stream] = self.outputs[stream], -1
        os.close(closing)


def _enlarge(fd: int) -> None:
    """Fewer turns for big streams; a system that refuses (limit, macOS) keeps the small pipe."""
    try:
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, _BIG)
    except (OSError, AttributeError):
        pass
