"""Many results, one decision: always in plan order, never in the order of completion."""

from __future__ import annotations

from hookline.engine.hookset import dialect_of
from hookline.model.hooks import HookSpec
from hookline.model.results import SILENT, Decision, HookResult, Outcome, Verdict
from hookline.model.typing import TYPE_CHECKING, Any, Iterable, Sequence

if TYPE_CHECKING:
    from hookline.engine.plan import Plan

_JOINED = ("env",)  # variables of several hooks stand side by side


def merge(plan: Plan, results: Sequence[HookResult], rewritten: Any = None) -> Decision:
    """The decision over all groups. `rewritten` is what a pipeline left of the tool's input."""
    opinions = [result for result in results if result.raw is not None and not result.spec.background]
    outcomes = [result.outcome for result in opinions if result.outcome is not SILENT]
    if not outcomes:
        return Decision(
            plan.kind,
            updated_input=rewritten,
            results=tuple(results),
            generation=plan.generation,
        )
    strictest = max(outcome.verdict for outcome in outcomes)
    rewrites = [result for result in opinions if result.outcome.updated_input is not None]
    products, replaced = _products(opinions)
    return Decision(
        kind=plan.kind,
        verdict=strictest,
        reason=_reason(outcomes, strictest),
        updated_input=_input(rewrites, rewritten) if strictest < Verdict.DENY else None,
        contexts=tuple(text for outcome in outcomes for text in outcome.contexts if text),
        messages=tuple(text for outcome in outcomes for text in outcome.messages if text),
        reprompt="\n\n".join(outcome.reprompt for outcome in outcomes if outcome.reprompt) or None,
        degraded=(*_competing(rewrites), *replaced),
        results=tuple(results),
        products=products,
        generation=plan.generation,
    )


def _reason(outcomes: Iterable[Outcome], strictest: Verdict) -> str:
    if strictest == Verdict.NONE:
        return ""
    reasons = (outcome.reason for outcome in outcomes if outcome.verdict == strictest and outcome.reason)
    return next(reasons, "")


def _input(rewrites: Sequence[HookResult], rewritten: Any) -> Any:
    return rewrites[-1].outcome.updated_input if rewrites else rewritten


def _competing(rewrites: Sequence[HookResult]) -> Iterable[str]:
    """Two rewrites of one call cannot both win outside a pipeline; the last in config order does."""
    names = dict.fromkeys(result.spec.dialect for result in rewrites)
    parallel = [r for r in rewrites if dialect_of(r.spec).rule(r.spec).order != "pipeline"]
    if len(parallel) > 1 or len(names) > 1:
        winner = rewrites[-1].spec
        yield f"several hooks rewrote the input; `{winner.id}`, the last in config order, decided it"


def _products(opinions: Iterable[HookResult]) -> tuple[dict[str, Any], list[str]]:
    """What hooks ask for beside a verdict, and a note for each thing of which two gave different ones."""
    products: dict[str, Any] = {}
    givers: dict[str, HookSpec] = {}
    notes: list[str] = []
    for result in opinions:
        for key, value in result.outcome.products.items():
            known, before = products.get(key), givers.get(key)
            if before is not None and key not in _JOINED and not isinstance(known, list) and known != value:
                notes.append(_replaced(key, before, result.spec))
            products[key] = _joined(key, known, value)
            givers[key] = result.spec
    return products, notes


def _joined(key: str, known: Any, value: Any) -> Any:
    if isinstance(known, list) and isinstance(value, list):
        return [*known, *value]
    if key in _JOINED and isinstance(known, dict) and isinstance(value, dict):
        return {**known, **value}
    return value


def _replaced(key: str, before: HookSpec, winner: HookSpec) -> str:
    return f"`{before.id}` and `{winner.id}` both gave `{key}`; `{winner.id}`, the last in config order, decided it"
