"""A call that hooks made another one: who is only about that one is asked too, and no `allow` outlives its call."""

from __future__ import annotations

from hookline.engine.merge import merge
from hookline.engine.plan import results_of
from hookline.engine.run import run_plan, with_input
from hookline.model.record import replace
from hookline.model.results import Decision, HookResult, Status, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hookline.engine.plan import Plan
    from hookline.engine.run import RunStep
    from hookline.model.events import Event

_LAPSED = "its `allow` was for the call as it was before other hooks rewrote it"


async def decided(
    plan: Plan, event: Event, run_step: RunStep, limit: int, plan_of: Callable[[Event], Plan] | None
) -> Decision:
    """What the hooks of a plan came to, and those that `plan_of` finds for the call as they left it.

    A rule is met by what will really be done: without this, any hook that rewrites a call carried it past the
    guards. Each hook runs once at most, so this ends.
    """
    ran = await run_plan(plan, event, run_step, limit)
    results = results_of(plan, ran.results)
    decision = merge(plan, results, ran.rewritten)
    while plan_of is not None and decision.updated_input is not None:
        left = decision.updated_input
        event = with_input(event, left)
        fresh = plan_of(event)
        if fresh is plan:  # nobody looks at what was rewritten
            break
        results = tuple(_unless_lapsed(result, fresh.skipped.get(n)) for n, result in enumerate(results))
        more = await run_plan(_of_those_left(fresh, results), event, run_step, limit)
        results = tuple(more.results.get(n, result) for n, result in enumerate(results))
        further = merge(plan, tuple(more.results.values()), more.rewritten).updated_input
        decision = _with_input(merge(plan, results, left), left if further is None else further)
        if further is None:
            break
    return decision


def _of_those_left(plan: Plan, results: Sequence[HookResult]) -> Plan:
    """The plan without the hooks that had their say."""
    groups = (
        replace(group, steps=tuple(s for s in group.steps if results[s.index].status is Status.not_matched))
        for group in plan.groups
    )
    return replace(plan, groups=tuple(group for group in groups if group.steps))


def _unless_lapsed(result: HookResult, sits_out: HookResult | None) -> HookResult:
    outcome = result.outcome
    fits = sits_out is None or sits_out.status is not Status.not_matched
    if outcome.verdict is not Verdict.ALLOW or outcome.updated_input is not None or fits:
        return result
    return replace(result, outcome=replace(outcome, verdict=Verdict.NONE, reason=""), why=_LAPSED)


def _with_input(decision: Decision, left: Any) -> Decision:
    return decision if decision.blocked else replace(decision, updated_input=left)
