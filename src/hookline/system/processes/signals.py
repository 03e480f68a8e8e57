"""Turns TERM, HUP and ^C into an orderly end of a `PollLoop`, so that no child outlives us."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal

    from hookline.system.loops.poll_loop import PollLoop
else:
    import _signal  # `signal` loads enum, and this is on the path of every hook


class Signals:
    """Listens from when it is made until `close`; does nothing outside the main thread.

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
