"""Python hooks called without a loop: built only for what has an opinion."""

from __future__ import annotations

from hookline.engine.merge import merge
from hookline.engine.plan import results_of
from hookline.engine.run import judged, run_plan
from hookline.handlers.callables import returned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator, Sequence
    from typing import Any, TypeVar

    from hookline.engine.plan import Plan, Step
    from hookline.engine.plans import Ready
    from hookline.model.events import Event
    from hookline.model.results import Decision, HookResult

    T = TypeVar("T")


def fire_inline(ready: Ready, event: Event) -> Decision:
    """Calls the hooks of a plan that has callbacks only; when one has an opinion, the plan goes on as always."""
    silent = 0
    try:
        for callback in ready.callbacks or ():
            value = callback(event)
            if value is not None:
                break
            silent += 1
        else:
            return ready.silent
    except Exception as error:  # a hook's failure is a result
        value = error
    return _decided(ready.plan, event, [*([None] * silent), value])


def _decided(plan: Plan, event: Event, values: Sequence[Any]) -> Decision:
    """Goes on behind the first opinion, by the same rules as every other plan."""
    known = iter(values)

    async def run_step(step: Step, current: Event, planned: float) -> HookResult:
        return judged(step, current, returned(_value(step, current, known)), planned, planned)

    ran = _finished(run_plan(plan, event, run_step, 1))
    return merge(plan, results_of(plan, ran.results), ran.rewritten)


def _value(step: Step, event: Event, known: Iterator[Any]) -> Any:
    for value in known:
        return value
    try:
        return step.spec.action.callback(event)  # type: ignore[union-attr]  # only inline plans come here
    except Exception as error:  # a hook's failure is a result
        return error


def _finished(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never really waits."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    raise RuntimeError("an inline plan waited")
