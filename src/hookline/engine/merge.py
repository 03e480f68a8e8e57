"""Many results, one decision, in plan order, never in the order of completion; and which guards are missing in it."""

from __future__ import annotations

from _operator import attrgetter  # `operator` itself adds Python code only

from hookline.dialects import dialect
from hookline.dialects.spelling import nearest
from hookline.engine.admission import TOO_DEEP
from hookline.engine.failures import NO_PROGRAM, guards, never_fits
from hookline.engine.hookset import dialect_of
from hookline.model.errors import PERMISSIONS, WHOLE_FILE
from hookline.model.events import EventKind
from hookline.model.hooks import HookSpec
from hookline.model.record import replace
from hookline.model.results import SILENT, Decision, HookResult, Outcome, RawResult, Status, Verdict
from hookline.model.typing import TYPE_CHECKING, Any, Iterable, Iterator, Sequence

if TYPE_CHECKING:
    from hookline.dialects.base import Loaded
    from hookline.engine.hookset import HookSet
    from hookline.engine.plan import Plan
    from hookline.model.errors import Problem

_status = attrgetter("status")
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
    rewrites = _unpiped(opinions)
    updated = rewrites[-1].outcome.updated_input if rewrites else rewritten
    products, replaced = _products(opinions)
    return Decision(
        kind=plan.kind,
        verdict=strictest,
        reason=_reason(outcomes, strictest),
        updated_input=updated if strictest < Verdict.DENY else None,
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


def _unpiped(results: Iterable[HookResult]) -> list[HookResult]:
    """The rewrites that no later hook was shown; they were made of what the pipelines left."""
    rewrites = (result for result in results if result.outcome.updated_input is not None)
    return [each for each in rewrites if dialect_of(each.spec).rule(each.spec).order != "pipeline"]


def _competing(rewrites: Sequence[HookResult]) -> Iterable[str]:
    """Two rewrites of one call cannot both win outside a pipeline; the last in config order does."""
    if len(rewrites) > 1:
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


# -- guards that should have judged an event and could not -----------------------------------------


LET_THROUGH = "and let the action through"
_NOT_ASKED = {
    Status.untrusted: "was not asked", Status.invalid: "cannot run", Status.timed_out: "timed out",
    Status.launch_failed: "could not start", Status.bad_output: "gave output that could not be read",
}  # fmt: skip
_NO_ENTRY = (WHOLE_FILE, PERMISSIONS)
_CALLS = (EventKind.PreToolUse, EventKind.PermissionRequest)
# What interpreters print of an exception nobody caught; their exit code alone is that of `grep -q`
_EXCEPTIONS = ("Traceback (most recent call last):", "\nNode.js v")


def closed(plan: Plan, decision: Decision, strict: bool) -> Decision:
    """The decision with every guard named in `degraded` that should have judged and could not; a denial where that is
    `strict`.
    """
    lost = dict(lost_guards(plan, decision))
    if not lost:
        return decision
    denies = strict and not decision.blocked
    through = "" if denies or decision.blocked else f" {LET_THROUGH}"
    notes = (f"guard {label} {did}{through}" for label, (did, _) in lost.items())
    named = replace(decision, degraded=(*decision.degraded, *notes))
    if not denies:
        return named
    found = "; ".join(f"guard {label} did not decide ({why})" for label, (_, why) in lost.items())
    return replace(named, verdict=Verdict.DENY, reason=f"strict workspace: {found}", updated_input=None)


def lost_guards(plan: Plan, decision: Decision) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each guard of the event that could not judge it: its name, what it did, and why."""
    for label, did, why in plan.unread:
        yield label, (f"{did} ({why})", why)
    results = decision.results
    statuses = list(map(_status, results))
    if statuses.count(Status.not_matched) == len(statuses):
        return  # as nearly all rules of packs are
    for result in results:
        spec = result.spec
        if result.status is Status.not_matched or spec.background or not guards(spec):
            continue
        if spec.kind is plan.kind and (did := _failed_to_judge(result)):
            yield f"`{spec.name or spec.id}`", (did, result.why or did)
        elif result.status is Status.no_such_event and _is_meant_for(spec, plan.kind):
            yield f"`{spec.name or spec.id}`", (f"never runs ({result.why})", result.why)


def _is_meant_for(spec: HookSpec, kind: EventKind) -> bool:
    """Whether the event that a hook names, and that there is not, is this one misspelt; one that names none of the
    kind, in a file too broken to be a hook, may be meant for any.
    """
    speaker = dialect_of(spec)
    natives = (*(rule.native for rule in speaker.rules.values()), *speaker.aliases)
    meant = nearest(spec.native_event, natives)
    return (
        speaker.kind_of(meant or "") is kind
        if meant or not spec.origin.stand_in
        else _may_guard(speaker.name, kind)
    )


def _failed_to_judge(result: HookResult) -> str:
    """What a guard did in place of judging; empty if it judged, or had nothing to do with the event."""
    raw = result.raw
    if result.outcome.verdict is not Verdict.NONE or result.outcome.reprompt:
        return ""
    if result.status is Status.bad_output and _went_on(raw):
        return ""
    if result.status in _NOT_ASKED:
        words = _NOT_ASKED[result.status]
        return words if result.status is Status.timed_out else f"{words} ({result.why})"
    if result.status is Status.disabled and result.why.startswith(TOO_DEEP):
        return f"was not asked ({result.why})"
    if raw is None or result.status is not Status.ran:
        return ""
    if raw.signal:
        return f"was killed by signal {raw.signal}"
    if raw.exit_code in NO_PROGRAM:
        return NO_PROGRAM[raw.exit_code] + (f": {result.why}" if result.why else "")
    if raw.http_status is not None:
        return f"got no answer (its server said {raw.http_status})" if raw.failed else ""
    if raw.exit_code == 1 and any(mark in raw.stderr for mark in _EXCEPTIONS):
        return "broke off with an exception"
    return f"failed (exit {raw.exit_code})" if raw.failed and result.spec.on_failure == "allow" else ""


def _went_on(raw: RawResult | None) -> bool:
    """Whether what its agent makes nothing of is a yes: nothing was to be kept from happening."""
    if raw is None or raw.exit_code or raw.signal:
        return False
    from hookline.dialects.refusals import goes_on
    from hookline.model.short_json import json_or

    said = raw.value if isinstance(raw.value, dict) else json_or(raw.stdout.strip())
    return said == {} or goes_on(said)


def unread_guards(hooks: HookSet, kind: EventKind) -> tuple[tuple[str, str, str], ...]:
    """What holds guards of such an event that never judge it, or may hold some: its name, what it does, and why."""
    unread = [
        (f"in `{entry.source.shown}`", "is off", problem.said)
        for entry in hooks.loaded
        for problem in lost_with_the_file(entry)
        if (kind in _CALLS if problem.lost == PERMISSIONS else _may_guard(entry.dialect, kind))
    ]
    dead = [spec for spec in hooks.specs if spec.kind is kind and never_fits(spec) and guards(spec)]
    return (*unread, *((f"`{spec.name or spec.id}`", "never runs", never_fits(spec)) for spec in dead))


def lost_with_the_file(entry: Loaded) -> Iterator[Problem]:
    """What took guards away for which no hook of the file stands."""
    for problem in entry.problems:
        if problem.guard and problem.severity == "error" and (not entry.specs or problem.lost in _NO_ENTRY):
            yield problem


def _may_guard(name: str, kind: EventKind) -> bool:
    try:
        rule = dialect(name).rules.get(kind)
    except Exception:
        return True
    return rule is not None and rule.guards
