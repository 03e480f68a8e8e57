"""A limit on work of our own that never waits: reading a config, or asking whether a hook fits a call."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _thread
    import signal as _signal
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")
else:
    import _signal  # `signal` loads enum, and this is on the path of every hook
    import _thread

_listener = 0  # the thread that hears our signal
_limit_s = 0.0  # of the work under way, 0 while there is none


class TookTooLong(Exception):
    """The work did not end within its limit."""


def limited(seconds: float, work: Callable[..., T], *given: Any) -> T:
    """What `work(*given)` returns. Raises TookTooLong when it computes for longer than `seconds`.

    Processor time counts, so that a busy machine makes nothing late. There is no limit in other threads than
    the main one, which hear no signals, nor where the program has a use of its own for SIGVTALRM; work within
    limited work has that one's.
    """
    global _limit_s
    if not _is_heard() or _limit_s:
        return work(*given)
    _limit_s = seconds
    try:
        _signal.setitimer(_signal.ITIMER_VIRTUAL, seconds)
        return work(*given)
    finally:
        _end()


def _is_heard() -> bool:
    """Whether this thread hears our signal; we go on listening, as asking for it anew takes longer than a rule."""
    global _listener
    if _listener == _thread.get_ident() and _signal.getsignal(_signal.SIGVTALRM) is _stop:
        return True
    try:
        before = _signal.signal(_signal.SIGVTALRM, _stop)
    except ValueError:
        return False
    if before not in (_signal.SIG_DFL, _stop):
        _signal.signal(_signal.SIGVTALRM, before)
        return False
    _listener = _thread.get_ident()
    return True


def _stop(*_: object) -> None:
    seconds = _limit_s
    if seconds:
        _end()
        raise TookTooLong(f"took longer than {seconds:g} s")


def _end() -> None:
    global _limit_s
    _limit_s = 0.0
    _signal.setitimer(_signal.ITIMER_VIRTUAL, 0)
