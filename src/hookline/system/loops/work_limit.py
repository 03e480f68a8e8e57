"""A limit on work of our own that never waits: reading a config, or asking whether a hook fits a call."""

from __future__ import annotations

import _signal  # `signal` loads enum, and this is on the path of every hook
import _thread

from hookline.model.typing import Any, Callable, TypeVar

T = TypeVar("T")

_TICKS = 4  # of the timer within the limit; work begins between two of them
_RESTS = -1
_listener = 0  # the thread that hears our signal
_limit_s = 0.0  # of each piece of work while the timer runs, else 0
_ticked = _RESTS  # how often the timer has ticked during the piece of work under way


class TookTooLong(Exception):
    """The work did not end within its limit."""


def limited(seconds: float, work: Callable[..., T], *given: Any) -> T:
    """What `work(*given)` returns. Raises TookTooLong when it computes for longer than `seconds`, and a quarter more.

    Processor time counts, so that a busy machine makes nothing late. There is no limit in other threads than
    the main one, which hear no signals, nor where the program has a use of its own for SIGVTALRM; work within
    limited work has that one's.
    """
    global _ticked
    if _listener != _thread.get_ident() or not _limit_s:
        with EachLimited(seconds) as timer:
            return limited(seconds, work, *given) if timer.runs else work(*given)
    if _ticked != _RESTS:
        return work(*given)
    _ticked = 0
    try:
        return work(*given)
    finally:
        _ticked = _RESTS


class EachLimited:
    """Whatever is `limited` inside has this limit, piece by piece, with one timer for all: starting one takes longer
    than most rules do.
    """

    __slots__ = ("_seconds", "runs")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.runs = False

    def __enter__(self) -> EachLimited:
        global _limit_s
        if _is_heard() and not _limit_s:
            self.runs = True
            _limit_s = self._seconds
            _signal.setitimer(_signal.ITIMER_VIRTUAL, _limit_s / _TICKS, _limit_s / _TICKS)
        return self

    def __exit__(self, *_: object) -> None:
        global _limit_s
        if self.runs:
            _signal.setitimer(_signal.ITIMER_VIRTUAL, 0)
            _limit_s = 0.0


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
    global _ticked
    if _ticked == _RESTS:
        return
    _ticked += 1
    if _ticked > _TICKS:
        _ticked = _RESTS
        raise TookTooLong(f"took longer than {_limit_s:g} s")
