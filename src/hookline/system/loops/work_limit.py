"""A limit on work of our own that never waits: reading a config, or asking whether a hook fits a call."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")
else:
    import _signal  # `signal` loads enum, and this is on the path of every hook


class TookTooLong(Exception):
    """The work did not end within its limit."""


def limited(seconds: float, work: Callable[..., T], *given: Any) -> T:
    """What `work(*given)` returns. Raises TookTooLong when it computes for longer than `seconds`.

    Processor time counts, so that a busy machine makes nothing late. There is no limit in other threads than
    the main one, which hear no signals, nor where the program has a use of its own for SIGVTALRM.
    """
    at_work = [True]

    def stop(*_: object) -> None:
        if at_work:
            _forget(at_work)
            raise TookTooLong(f"took longer than {seconds:g} s")

    try:
        before = _signal.signal(_signal.SIGVTALRM, stop)
    except ValueError:
        return work(*given)
    if before != _signal.SIG_DFL:
        _signal.signal(_signal.SIGVTALRM, before)
        return work(*given)
    try:
        _signal.setitimer(_signal.ITIMER_VIRTUAL, seconds)
        return work(*given)
    finally:
        _forget(at_work)


def _forget(at_work: list[bool]) -> None:
    at_work.clear()
    _signal.setitimer(_signal.ITIMER_VIRTUAL, 0)
    _signal.signal(_signal.SIGVTALRM, _signal.SIG_DFL)
