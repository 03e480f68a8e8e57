"""The guards that should have judged an event and could not: a denial where the workspace is strict, else named."""

from __future__ import annotations

from hookline.dialects import dialect
from hookline.engine.admission import TOO_DEEP
from hookline.engine.failures import NO_PROGRAM, guards
from hookline.model.events import EventKind
from hookline.model.record import replace
from hookline.model.results import Decision, HookResult, Status, Verdict
from hookline.model.typing import TYPE_CHECKING, Iterator

if TYPE_CHECKING:
    from hookline.engine.hookset import HookSet
    from hookline.engine.plan import Plan

LET_THROUGH = "and let the action through"
_NOT_ASKED = {
    Status.untrusted: "was not asked", Status.invalid: "cannot run", Status.timed_out: "timed out",
    Status.launch_failed: "could not start", Status.bad_output: "gave output that could not be read",
}  # fmt: skip
# What interpreters print of an exception nobody caught; their exit code alone is that of `grep -q`
_EXCEPTIONS = ("Traceback (most recent call last):", "\nNode.js v")


def closed(plan: Plan, decision: Decision, strict: bool) -> Decision:
    """The decision with every guard that should have judged and could not: a denial where that is `strict`,
    else named in `degraded`.
    """
    lost = dict(lost_guards(plan, decision))
    if not lost:
        return decision
    if strict and not decision.blocked:
        found = "; ".join(f"guard {label} did not decide ({why})" for label, (_, why) in lost.items())
        return replace(
            decision, verdict=Verdict.DENY, reason=f"strict workspace: {found}", updated_input=None
        )
    through = "" if decision.blocked else f" {LET_THROUGH}"
    notes = (f"guard {label} {did}{through}" for label, (did, _) in lost.items())
    return replace(decision, degraded=(*decision.degraded, *notes))


def lost_guards(plan: Plan, decision: Decision) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each guard of the event that could not judge it: its name, what it did, and why."""
    for source, why in plan.unread:
        yield f"in `{source}`", (f"cannot be read ({why})", why)
    unmet = Status.not_matched  # as most rules of packs are
    for result in [each for each in decision.results if each.status is not unmet]:
        spec = result.spec
        did = _failed_to_judge(result) if spec.kind is plan.kind and not spec.background else ""
        if did and guards(spec):
            yield f"`{spec.name or spec.id}`", (did, result.why or did)


def _failed_to_judge(result: HookResult) -> str:
    """What a guard did in place of judging; empty if it judged, or had nothing to do with the event."""
    raw = result.raw
    if result.outcome.verdict is not Verdict.NONE or result.outcome.reprompt:
        return ""
    if result.status in _NOT_ASKED:
        words = _NOT_ASKED[result.status]
        return words if raw is not None else f"{words} ({result.why})"
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


_OF_THE_FILE = frozenset({"other-version"})  # which make all that is in a file doubtful


def unread_guards(hooks: HookSet, kind: EventKind) -> tuple[tuple[str, str], ...]:
    """The files that may hold guards of such an event and could not be read for certain, each with the reason."""
    return tuple(
        (entry.source.shown, problem.message)
        for entry in hooks.loaded
        for problem in entry.problems
        if problem.guard and problem.severity == "error" and (not entry.specs or problem.code in _OF_THE_FILE)
        if _may_guard(entry.dialect, kind)
    )


def _may_guard(name: str, kind: EventKind) -> bool:
    try:
        rule = dialect(name).rules.get(kind)
    except Exception:
        return True
    return rule is not None and rule.guards
