"""Python hooks called without a loop: built only for what has an opinion."""

from __future__ import annotations

import sys

from hookline.engine.failures import defect
from hookline.engine.merge import merge
from hookline.engine.plan import Plan, Step, results_of
from hookline.engine.run import judged, run_plan
from hookline.handlers.base import returned
from hookline.model.errors import UsageError
from hookline.model.events import Event
from hookline.model.results import Decision, HookResult
from hookline.model.typing import TYPE_CHECKING, Any, Callable, Coroutine, Iterator, Sequence, TypeVar
from hookline.system.clock import monotonic

if TYPE_CHECKING:
    from hookline.engine.plans import Ready

    T = TypeVar("T")


def fire_inline(ready: Ready, event: Event) -> Decision:
    """Calls the hooks of a plan that has callbacks only; when one has an opinion, the plan goes on as always."""
    silent, limit, began, value = 0, 0.0, monotonic(), None
    try:
        for callback, limit in ready.callbacks or ():
            value = callback(event)
            ended = monotonic()
            if value is not None or ended - began > limit:
                break
            began = ended
            silent += 1
        else:
            return ready.silent
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a hook's failure is a result; sys.exit() too
        value = error
    return _decided(ready.plan, event, [*([None] * silent), _in_time(value, began, limit)])


def _called(callback: Callable[[Event], Any], event: Event, limit: float) -> Any:
    """What it returned or raised."""
    began = monotonic()
    try:
        value = callback(event)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        value = error
    return _in_time(value, began, limit)


def _in_time(value: Any, began: float, limit: float) -> Any:
    """What a call had to say; a time-out for what came too late, since nothing could interrupt it."""
    spent = monotonic() - began
    if spent > limit:
        return TimeoutError(f"it took {spent:.1f} s and could not be interrupted (`thread=False`)")
    return value


def _decided(plan: Plan, event: Event, values: Sequence[Any]) -> Decision:
    """Goes on behind the first opinion, by the same rules as every other plan."""
    known = iter(values)

    async def run_step(step: Step, current: Event, planned: float) -> HookResult:
        try:
            return judged(step, current, returned(_value(step, current, known)), planned, planned)
        except Exception as error:  # what it returned cannot be looked at: its failure, and no other hook's
            return defect(step.spec, current, error)

    ran = _finished(run_plan(plan, event, run_step, 1))
    return merge(plan, results_of(plan, ran.results), ran.rewritten)


def _value(step: Step, event: Event, known: Iterator[Any]) -> Any:
    for value in known:
        return value
    callback = step.spec.action.callback  # type: ignore[union-attr]  # only inline plans come here
    return _called(callback, event, step.spec.timeout_s)


def _finished(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never really waits."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    raise RuntimeError("an inline plan waited")


def refuse_within_a_loop() -> None:
    """Raises UsageError where a loop runs, which waiting would stop."""
    running = sys.modules.get("asyncio")
    if running is not None and running._get_running_loop() is not None:
        raise UsageError("`fire_now` was called where an event loop runs", "write `await engine.fire(event)`")
