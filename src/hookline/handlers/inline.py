"""Runs a hook that is a Python callable of the embedding program."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import copy_context
from threading import current_thread, main_thread
from typing import Any

from hookline.handlers.base import Around
from hookline.handlers.deadline import Ended, in_thread, within
from hookline.model.errors import own_words
from hookline.model.hooks import HandlerInput, HookSpec, Inline
from hookline.model.record import Record, fields_of, replace
from hookline.model.results import RawResult, Timings

FRAMES_SHOWN = 3


async def run_inline(action: Inline, spec: HookSpec, given: HandlerInput, around: Around) -> RawResult:
    """Calls the callback with `given.context` (the payload when there is none); its return is `value`.

    An async callback is cancelled at its deadline. A plain one with the option `thread` runs in a thread of
    its own, with the caller's context variables, which at the deadline is left behind. Without it the call
    is direct and nothing can interrupt it; an answer that comes too late is a time-out all the same.
    Whatever it raises is the hook's failure: `exit_code` 1 with the last frames in `stderr`.
    """
    argument = _own(given.payload if given.context is None else given.context)
    started_at, began = time.time(), time.monotonic()
    if spec.conduct.thread:
        context = copy_context()
        call = in_thread(lambda: context.run(_called, action.callback, argument))
        waited = await within(call, around.timeout_s, 0.0)
        ended = replace(waited, abandoned=True) if waited.timed_out else waited.value
    else:
        ended = _called(action.callback, argument)
    ended = await _rest(ended, began, spec, around)
    return _raw(ended, spec, around, started_at, time.monotonic() - began)


def _own(value: Any, levels: int = 100) -> Any:
    """A copy that shares no container with `value`: a hook that takes something out takes it from no other."""
    if isinstance(value, dict) and levels:
        return {key: _own(each, levels - 1) for key, each in value.items()}
    if isinstance(value, list) and levels:
        return [_own(each, levels - 1) for each in value]
    if isinstance(value, Record):
        return replace(value, **{name: _own(each, levels) for name, each in fields_of(value).items()})
    return value


def _called(callback: Callable[..., Any], argument: Any) -> Ended:
    try:
        return Ended(value=callback(argument))
    except BaseException as error:  # a guard that calls sys.exit() has failed; the program goes on
        if isinstance(error, KeyboardInterrupt) and current_thread() is main_thread():
            raise  # a person's ^C, which comes to no other thread
        return Ended(error=error)


async def _rest(ended: Ended, began: float, spec: HookSpec, around: Around) -> Ended:
    """Awaits what the callback returned when it is awaitable, in the time that is left."""
    if ended.value is None or not hasattr(type(ended.value), "__await__"):  # its own `__getattr__` may raise
        return ended
    spent = time.monotonic() - began
    left = None if around.timeout_s is None else max(around.timeout_s - spent, 0.0)
    return await within(ended.value, left, spec.grace_s)


def _raw(ended: Ended, spec: HookSpec, around: Around, started_at: float, spent: float) -> RawResult:
    raw = RawResult(command=spec.command, started_at=started_at, timings=Timings(run=spent))
    if ended.timed_out:
        notes = ("the callback did not stop when it was told to; it goes on unheard",) * ended.abandoned
        return replace(raw, timed_out=True, status_code=124, notes=notes, survivors=int(ended.abandoned))
    if around.timeout_s is not None and spent > around.timeout_s:
        notes = (f"it took {spent:.1f} s and could not be interrupted (`thread=False`)",)
        return replace(raw, timed_out=True, status_code=124, notes=notes)
    if ended.error is None:
        return replace(raw, exit_code=0, status_code=0, value=ended.value)
    return replace(raw, exit_code=1, status_code=1, stderr=_words(ended.error))


def _words(error: BaseException) -> str:
    """The error and where it was raised, innermost call last."""
    frames: list[str] = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append(f"  in {code.co_qualname}, {code.co_filename}:{trace.tb_lineno}")
        trace = trace.tb_next
    return "\n".join([own_words(error).removesuffix(": "), *frames[-FRAMES_SHOWN:]])
