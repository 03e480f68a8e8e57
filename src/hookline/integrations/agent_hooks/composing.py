"""Emissions of AGENT-HOOKS-0.1: interceptors asked, their verdicts composed by a profile, each with its record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Literal, NamedTuple

from hookline.dialects.json_output import text_at
from hookline.integrations.agent_hooks.contexts import Context, ContextInvalid, check
from hookline.integrations.agent_hooks.identity import Identity
from hookline.integrations.agent_hooks.verdicts import (
    HostError,
    Verdict,
    applied,
    checked,
    for_record,
    permits,
    severity,
    summary,
    united,
)
from hookline.integrations.calling import called
from hookline.model.errors import UsageError
from hookline.model.record import Record

Mode = Literal["enforce", "evaluate_only"]
Resolve = Callable[[dict[str, Any]], Any]
KNOBS: Mapping[str, tuple[str, ...]] = {
    "sequential/first_deny": ("on_approval",),
    "sequential/run_all": (),
    "parallel/strictest": ("on_transform_conflict",),
    "parallel/unanimous": ("on_disagreement",),
}
VALUES: Mapping[str, tuple[str, str]] = {
    "on_approval": ("stop", "resume"),
    "on_disagreement": ("deny", "approval"),
    "on_transform_conflict": ("deny", "approval"),
}
TIMEOUT_S = 5.0


class Composition(Record):
    """How the verdicts of several interceptors become one; the default of each knob is its strictest value."""

    profile: str = "sequential/first_deny"
    on_approval: str = "stop"
    on_disagreement: str = "deny"
    on_transform_conflict: str = "deny"

    def as_dict(self) -> dict[str, str]:
        """The profile with the knobs it consults. Raises UsageError for what the standard does not know."""
        knobs = {name: getattr(self, name) for name in VALUES}
        wrong = [f"{name} {value!r}" for name, value in knobs.items() if value not in VALUES[name]]
        if self.profile not in KNOBS or wrong:
            raise UsageError(
                f"no composition: {', '.join(wrong) or repr(self.profile)}", "see docs/agent-hooks.md"
            )
        return {"profile": self.profile, **{name: knobs[name] for name in KNOBS[self.profile]}}


class Emission(Record):
    """What came of one emission: the combined verdict, the context as composed, and the record of it."""

    verdict: Verdict
    context: Context
    record: dict[str, Any]
    proceeds: bool

    @property
    def why(self) -> str:
        """For whoever was denied: the machine's reason and the words, whichever there are."""
        words = (self.verdict.get("reason"), self.verdict.get("message"))
        return ": ".join(text for text in words if text) or "denied by an interceptor"


class _Combined(NamedTuple):
    verdict: Verdict
    context: Context
    decided_by: int | None = None
    resolved_by: str | None = None


class _Round(NamedTuple):
    """One emission under way: what is judged, and what each interceptor asked so far said."""

    context: Context
    verdicts: list[Verdict]


class Emitter:
    """Asks `interceptors` in their order: objects with `intercept(context)` or callables, plain or async.

    `resolver(request)` may lift a deny that has an `approval` block; `redact(context)` is what it gets to see.
    `records` are kept in order; `sink` hears of each as well.
    """

    def __init__(
        self,
        interceptors: Sequence[Any],
        *,
        composition: Composition | None = None,
        mode: Mode = "enforce",
        resolver: Resolve | None = None,
        redact: Callable[[Context], Context] | None = None,
        identity: Identity | None = None,
        timeout_s: float | None = TIMEOUT_S,
        approval_timeout_s: float | None = None,
        sink: Callable[[dict[str, Any]], object] | None = None,
    ) -> None:
        self.interceptors = tuple(interceptors)
        self.composition = composition or Composition()
        self._composition = self.composition.as_dict()
        if mode not in ("enforce", "evaluate_only"):
            raise UsageError(f"mode {mode!r}: expected `enforce` or `evaluate_only`")
        self.mode = mode
        self.identity = identity or Identity()
        self.records: list[dict[str, Any]] = []
        self._resolver = resolver
        self._redact = redact
        self._timeout_s = timeout_s
        self._approval_timeout_s = approval_timeout_s
        self._sink = sink

    async def emit(self, context: Context, own: HostError | None = None) -> Emission:
        """Judges one context. `own`: the host denies by itself, nobody is asked."""
        round = _Round(context, [])
        try:
            check(context)
            before = self.identity.of(context)
        except ContextInvalid as error:
            return self._done(
                round, _denied(context, HostError("context_invalid", error.message)), None, None
            )
        if own is not None or not self.interceptors:
            combined = _denied(context, own or HostError("no_interceptor", "no interceptor is registered"))
        else:
            combined = await (self._sequential if self._is_sequential else self._parallel)(round)
        if self.mode == "evaluate_only":
            combined = combined._replace(context=context)
        try:
            after = self.identity.of(combined.context)
        except ContextInvalid as error:
            denied = _denied(combined.context, HostError("context_invalid", error.message))
            return self._done(round, denied._replace(resolved_by=combined.resolved_by), before, None)
        return self._done(round, combined, before, after)

    @property
    def _is_sequential(self) -> bool:
        return self.composition.profile.startswith("sequential/")

    # -- the profiles -----------------------------------------------------------------------------

    async def _sequential(self, round: _Round) -> _Combined:
        run_all = self.composition.profile == "sequential/run_all"
        context, counted = round.context, list[tuple[int, Verdict]]()
        lifted: int | None = None  # the newest deny that an approval lifted
        for index, interceptor in enumerate(self.interceptors):
            verdict = await self._asked(interceptor, context)
            round.verdicts.append(verdict)
            step = _Combined(verdict, context, index)
            if verdict["decision"] == "transform":
                step = self._transformed(verdict, context, index)
            elif verdict["decision"] == "deny" and not run_all:
                step = await self._consulted(verdict, context, index)
                lifted = index if step.resolved_by == "approval" else lifted
            refused = not permits(step.verdict) and (not run_all or verdict["decision"] == "transform")
            if refused or (lifted == index and self.composition.on_approval == "stop"):
                was = step.resolved_by or (None if lifted is None else "approval")
                return self._united(round, step._replace(resolved_by=was))
            context = step.context
            counted.append((index, step.verdict))
        index, winner = _strictest(counted)
        decided_by = lifted if winner["decision"] == "allow" else index
        combined = _Combined(winner, context, decided_by, None if lifted is None else "approval")
        if run_all and not permits(winner):
            combined = await self._consulted(winner, context, index)
        return self._united(round, combined)

    async def _parallel(self, round: _Round) -> _Combined:
        asked = (self._asked(each, round.context) for each in self.interceptors)
        round.verdicts.extend(await asyncio.gather(*asked))
        index, winner = _strictest(list(enumerate(round.verdicts)))
        transforms = [each for each in round.verdicts if each["decision"] == "transform"]
        if self.composition.profile == "parallel/unanimous":
            if winner["decision"] != "allow":
                combined = await self._disputed(
                    round, "composition_disagreement", self.composition.on_disagreement
                )
            else:
                combined = _Combined(winner, round.context)
        elif winner["decision"] == "allow":
            combined = _Combined(winner, round.context)
        elif not permits(winner):
            combined = await self._consulted(winner, round.context, index)
        elif len(transforms) > 1:
            combined = await self._disputed(
                round, "transform_conflict", self.composition.on_transform_conflict
            )
        else:
            combined = self._transformed(winner, round.context, index)
        return self._united(round, combined)

    async def _disputed(self, round: _Round, code: str, knob: str) -> _Combined:
        verdict = HostError(code).verdict
        if knob == "deny":
            return _Combined(verdict, round.context)
        return await self._consulted({**verdict, "approval": {}}, round.context, None)

    def _transformed(self, verdict: Verdict, context: Context, index: int | None) -> _Combined:
        try:
            return _Combined(verdict, self._folded(context, verdict), index)
        except HostError as error:
            return _denied(context, error)

    def _folded(self, context: Context, verdict: Verdict) -> Context:
        changed = applied(context, verdict)
        try:
            check(changed)
        except ContextInvalid as error:
            raise HostError("transform_invalid", "the value has not the shape of its place") from error
        return context if self.mode == "evaluate_only" else changed

    def _united(self, round: _Round, combined: _Combined) -> _Combined:
        verdict = united(combined.verdict, (*round.verdicts, combined.verdict))
        return combined._replace(verdict=verdict)

    # -- one interceptor, one approval ------------------------------------------------------------

    async def _asked(self, interceptor: Any, context: Context) -> Verdict:
        """The verdict of one interceptor, or the deny that stands for its failure."""
        intercept = getattr(interceptor, "intercept", interceptor)
        ended = await called(intercept, deepcopy(context), timeout_s=self._timeout_s)
        try:
            if ended.timed_out:
                raise HostError("interceptor_timeout", f"no answer within {self._timeout_s} seconds")
            if ended.error is not None:
                raise HostError("interceptor_failed", type(ended.error).__name__)
            return checked(ended.value)
        except HostError as error:
            return error.verdict

    async def _consulted(self, verdict: Verdict, context: Context, index: int | None) -> _Combined:
        """A deny, after the resolver was asked where it may be asked."""
        at_the_end = context["interception_point"] == "agent_shutdown"
        if "approval" not in verdict or self._resolver is None or self.mode != "enforce" or at_the_end:
            return _Combined(verdict, context, index)
        try:
            resolution = await self._resolved(self._resolver, verdict, context)
        except HostError as error:
            return _Combined(error.verdict, context, index, "rejection")
        if not permits(resolution):
            return _Combined(resolution, context, index, "rejection")
        if resolution["decision"] == "allow":
            return _Combined(resolution, context, index, "approval")
        return self._transformed(resolution, context, index)._replace(resolved_by="approval")

    async def _resolved(self, resolver: Resolve, verdict: Verdict, context: Context) -> Verdict:
        """What the resolver decided, checked in the order of section 9. Raises HostError."""
        failed = HostError("approval_resolver_failed", "the resolver failed")
        try:
            shown = self._redact(deepcopy(context)) if self._redact is not None else context
            identity = self.identity.of(shown)
        except Exception as error:
            raise failed from error
        request = {
            "context_identity": identity, "interception_point": context["interception_point"],
            "verdict": deepcopy(verdict), "context": deepcopy(shown),
        }  # fmt: skip
        resolve = getattr(resolver, "resolve", resolver)
        ended = await called(resolve, request, timeout_s=self._approval_timeout_s)
        if ended.timed_out or ended.error is not None or not isinstance(ended.value, dict):
            raise failed
        found = ended.value
        if found.get("context_identity") != identity or "context_identity" not in found:
            raise HostError("approval_identity_mismatch", "the answer is for another context")
        outcome = found.get("outcome")
        if outcome not in ("approve", "reject", "unresolved"):
            raise failed
        if (found.get("verdict") is None) != (outcome == "unresolved"):
            raise failed
        if outcome == "unresolved":
            raise HostError("approval_unresolved", "the resolver could not decide")
        return _consistent(outcome, found["verdict"])

    # -- the record -----------------------------------------------------------------------------------

    def _done(self, round: _Round, combined: _Combined, before: str | None, after: str | None) -> Emission:
        context, verdicts = round.context, round.verdicts
        record = {
            "interception_point": context.get("interception_point", ""), "mode": self.mode,
            "verdict": for_record(combined.verdict),
            "input_identity": before, "enforced_identity": after, "identity_provider": self.identity.name,
            "session_id": text_at(context, "session.id"), "sequence": context.get("sequence", -1),
            "decided_by": combined.decided_by, "composition": self._composition,
            "verdicts": [summary(i, _name(self.interceptors[i]), each) for i, each in enumerate(verdicts)],
            "interceptors_registered": len(self.interceptors), **_copied(context),
        }  # fmt: skip
        if self._is_sequential:
            record["fold_truncated"] = 0 < len(verdicts) < len(self.interceptors)
        if combined.resolved_by:
            record["resolved_by"] = combined.resolved_by
        self.records.append(record)
        if self._sink is not None:
            self._sink(record)
        proceeds = self.mode == "evaluate_only" or permits(combined.verdict)
        return Emission(combined.verdict, combined.context, record, proceeds)


def _denied(context: Context, error: HostError) -> _Combined:
    return _Combined(error.verdict, context)


def _strictest(verdicts: Sequence[tuple[int, Verdict]]) -> tuple[int, Verdict]:
    """The winner: of denies the first, of transforms the last."""
    highest = max(severity(verdict) for _, verdict in verdicts)
    winners = [each for each in verdicts if severity(each[1]) == highest]
    return winners[-1] if highest < 2 else winners[0]


def _consistent(outcome: str, given: Any) -> Verdict:
    try:
        verdict = checked(given)
    except HostError as error:
        raise HostError("verdict_invalid", error.message) from error
    if permits(verdict) != (outcome == "approve"):
        raise HostError("verdict_invalid", f"`{outcome}` with such a verdict")
    return verdict


def _name(interceptor: Any) -> str:
    return str(
        getattr(interceptor, "name", None) or getattr(interceptor, "__name__", type(interceptor).__name__)
    )


def _copied(context: Context) -> dict[str, Any]:
    trace = context.get("trace") if isinstance(context.get("trace"), dict) else {}
    known = {key: trace[key] for key in ("trace_id", "span_id") if trace and isinstance(trace.get(key), str)}
    at = {"timestamp": context["timestamp"]} if isinstance(context.get("timestamp"), str) else {}
    return {**at, **({"trace": known} if known else {})}
