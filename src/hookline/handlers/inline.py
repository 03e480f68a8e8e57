"""Runs a hook that is a Python callable of the embedding program."""

from __future__ import annotations

import time

from hookline.handlers.deadline import Ended, in_thread, within
from hookline.model.record import replace
from hookline.model.results import RawResult, Timings
from hookline.system.loop import cancellations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookline.handlers.base import Around
    from hookline.model.hooks import HandlerInput, HookSpec, Inline

FRAMES_SHOWN = 3


async def run_inline(action: Inline, spec: HookSpec, given: HandlerInput, around: Around) -> RawResult:
    """Calls the callback with `given.context` (the payload when there is none); its return is `value`.

    An async callback is cancelled at its deadline. A sync one is called directly, as a quick one should
    be: nothing can interrupt it, so it holds up the loop and is told in `notes` when it took too long.
    With the option `thread` it runs in a thread of its own, which at the deadline is left behind.
    An exception is the hook's failure: `exit_code` 1 with the last frames in `stderr`.
    """
    argument = given.payload if given.context is None else given.context
    started_at, began = time.time(), time.monotonic()
    if spec.options.get("thread"):
        ended = await within(in_thread(lambda: action.callback(argument)), around.timeout_s, 0.0)
        ended = replace(ended, abandoned=ended.timed_out)
        ended = await _rest(ended, began, spec, around)
    else:
        ended = await _rest(_called(action.callback, argument), began, spec, around)
    return _raw(ended, spec, around, started_at, time.monotonic() - began)


def _called(callback: Callable[..., Any], argument: Any) -> Ended:
    try:
        return Ended(value=callback(argument))
    except cancellations():
        raise
    except Exception as error:
        return Ended(error=error)


async def _rest(ended: Ended, began: float, spec: HookSpec, around: Around) -> Ended:
    """Awaits what the callback returned when it is awaitable, in the time that is left."""
    if ended.value is None or not hasattr(ended.value, "__await__"):
        return ended
    spent = time.monotonic() - began
    left = None if around.timeout_s is None else max(around.timeout_s - spent, 0.0)
    return await within(ended.value, left, spec.grace_s)


def _raw(ended: Ended, spec: HookSpec, around: Around, started_at: float, spent: float) -> RawResult:
    raw = RawResult(command=spec.command, started_at=started_at, timings=Timings(run=spent))
    if ended.timed_out:
        notes = ("the callback did not stop when it was told to; it goes on unheard",) * ended.abandoned
        return replace(raw, timed_out=True, status_code=124, notes=notes, survivors=int(ended.abandoned))
    late = _late(spent, around.timeout_s)
    if ended.error is None:
        return replace(raw, exit_code=0, status_code=0, value=ended.value, notes=late)
    text = _words(ended.error)
    size = len(text.encode("utf-8", "replace"))
    return replace(raw, exit_code=1, status_code=1, stderr=text, stderr_bytes=size, notes=late)


def _late(spent: float, timeout_s: float | None) -> tuple[str, ...]:
    if timeout_s is None or spent <= timeout_s:
        return ()
    return (f"the callback took {spent:.1f} s of its {timeout_s:g} s; it could not be interrupted",)


def _words(error: BaseException) -> str:
    """The error and where it was raised, innermost call last."""
    frames: list[str] = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append(f"  in {code.co_qualname}, {code.co_filename}:{trace.tb_lineno}")
        trace = trace.tb_next
    said = str(error)
    first = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return "\n".join([first, *frames[-FRAMES_SHOWN:]])
