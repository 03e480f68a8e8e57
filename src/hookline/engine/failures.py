"""What a hook's failure means: by its own `on_failure`, and where the fault is ours."""

from __future__ import annotations

from hookline.dialects.base import Dialect, EventRule
from hookline.dialects.spelling import folded
from hookline.engine.hookset import dialect_of
from hookline.model.errors import defect_words
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HookSpec
from hookline.model.record import replace
from hookline.model.results import SILENT, HookResult, Outcome, RawResult, Status, Verdict
from hookline.model.typing import Callable
from hookline.system.loops.work_limit import TookTooLong

NO_PROGRAM = {
    126: "could not be executed (exit 126)",
    127: "was not found, or its program was not (exit 127)",
}
FAILURES = (Status.timed_out, Status.launch_failed, Status.bad_output)
_VERDICTS = {"block": Verdict.DENY, "ask": Verdict.ASK, "allow": Verdict.NONE}


def guards(spec: HookSpec) -> bool:
    """Whether a hook could keep something from happening; also when nobody can tell."""
    try:
        speaker = dialect_of(spec)
        if spec.kind is EventKind.NoSuchEvent:
            return _may_be_meant_to_guard(speaker, spec.native_event)
        return speaker.rule(spec).guards
    except Exception:
        return True


def never_fits(spec: HookSpec) -> str:
    """Why a hook's own matcher keeps it from every event; empty if it does not, or the hook is off on purpose."""
    if not spec.enabled or spec.matcher is None or spec.matcher.kind != "never":
        return ""
    return f"nothing can fit its matcher `{spec.matcher.text}`"


def _may_be_meant_to_guard(speaker: Dialect, native: str) -> bool:
    """Whether a hook of an event there is not may be one that blocks: never where no event of its agent can be
    blocked, nor where the name is that of one that cannot, but for letter case and separators."""
    same = [rule for rule in speaker.rules.values() if folded(rule.native) == folded(native)]
    return any(rule.guards for rule in same or speaker.rules.values())


def with_name(spec: HookSpec, raw: RawResult, outcome: Outcome) -> Outcome:
    """The outcome whose messages say which hook failed, where they are our words: a user has many of them."""
    if not outcome.messages or not raw.failed:
        return outcome
    from hookline.dialects.json_output import exit_words, failure_words

    head = (failure_words(raw) or exit_words(replace(raw, stdout="", stderr=""))).partition(" (")[0]
    name = f"hook `{spec.name or spec.id}`"
    texts = (name + text.removeprefix("hook") if text.startswith(head) else text for text in outcome.messages)
    return replace(outcome, messages=tuple(texts))


def with_failure_rule(result: HookResult, rule: EventRule) -> HookResult:
    """Applies the hook's own `on_failure` when it failed to give an opinion."""
    wanted = result.spec.on_failure
    raw, silent = result.raw, result.outcome.verdict == Verdict.NONE
    crashed = raw is not None and raw.failed and (not rule.exits_speak or raw.exit_code in NO_PROGRAM)
    if (
        not wanted
        or not rule.guards
        or not rule.closes
        or not (result.status in FAILURES or (crashed and silent))
    ):
        return result
    verdict = _VERDICTS.get(wanted, Verdict.NONE)
    reason = (
        f"`{result.spec.name or result.spec.id}` failed ({result.why or 'no verdict'}); on_failure = {wanted}"
    )
    outcome = replace(result.outcome, verdict=verdict, reason=reason if verdict else "")
    return replace(result, outcome=outcome)


def defect(spec: HookSpec, event: Event, error: Exception) -> HookResult:
    """A hook that we failed ourselves: its own failure, and at the least a question where it is a guard.

    Only `on_failure = "allow"` makes less of it.
    """
    why = defect_words(error)
    raw = RawResult(launch_error=why)
    try:
        if isinstance(error, TookTooLong):
            raise error
        rule = dialect_of(spec).rule(spec)
        found = HookResult(
            spec, Status.launch_failed, why, raw, dialect_of(spec).read_output(event, spec, raw)
        )
        found = with_failure_rule(found, rule)
        asks = "ask" in rule.effects
    except Exception:  # the same fault again
        found, asks = HookResult(spec, Status.launch_failed, why, raw, SILENT), True
    if not guards(spec) or spec.on_failure == "allow" or found.outcome.verdict > Verdict.ALLOW:
        return found
    reason = f"guard `{spec.name or spec.id}` could not be asked: {why}"
    return replace(found, outcome=Outcome(Verdict.ASK if asks else Verdict.DENY, reason))


def with_cause(result: HookResult, ask: Callable[[HookSpec], str] | None) -> HookResult:
    """A hook whose program was not found, or could not be executed, with the cause in words."""
    if ask is None or result.raw is None or result.raw.exit_code not in NO_PROGRAM or result.why:
        return result
    why = ask(result.spec)
    *before, last = result.outcome.messages or ("",)
    messages = (*before, f"{last} ({why})") if last and why else result.outcome.messages
    return replace(result, why=why, outcome=replace(result.outcome, messages=messages))
