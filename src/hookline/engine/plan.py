"""Which hooks run for an event, in which groups, and why every other one does not."""

from __future__ import annotations

from hookline.dialects.base import Dialect, EventRule
from hookline.engine.failures import defect
from hookline.engine.hookset import dialect_of, heard_by
from hookline.model.events import Event, EventKind
from hookline.model.hooks import Answer, HookSpec, Inline, Unusable
from hookline.model.record import Record, replace
from hookline.model.results import Decision, Fit, HookResult, Status
from hookline.model.typing import Callable, Collection, Mapping, Sequence
from hookline.system.loops.work_limit import EachLimited, TookTooLong, limited

Admission = Callable[[HookSpec], tuple[Status, str] | None]

_STOPPED = "an earlier hook stopped its group"
FIT_LIMIT_S = 1.0  # to ask one hook whether it fits; it takes well under a millisecond


class Step(Record):
    """One hook that will run; `index` is its place among all hooks.

    `fit` says by what the hook is meant, or why nobody knows whether it is.
    """

    index: int
    spec: HookSpec
    dialect: Dialect
    rule: EventRule
    fit: Fit = Fit()

    @property
    def acting(self) -> HookSpec:
        """The hook as it acts in this event: by what is answered in its place where nobody knows whether it fits."""
        return self.spec if self.fit.instead is None else replace(self.spec, action=self.fit.instead)


class Group(Record):
    """Hooks of one dialect and native event, run by that row's order and stop rule."""

    dialect: str
    rule: EventRule
    steps: tuple[Step, ...]


class Plan(Record):
    """What will run and what will not: `skipped` has by index the results of hooks that sit out.

    `unread`: what holds guards of such an event that nobody asks, as `unread_guards` tells it.
    """

    kind: EventKind
    specs: tuple[HookSpec, ...]
    groups: tuple[Group, ...]
    skipped: Mapping[int, HookResult]
    generation: int = 1
    unread: tuple[tuple[str, str, str], ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(step for group in self.groups for step in group.steps)


def make_plan(
    event: Event,
    specs: Sequence[HookSpec],
    admission: Admission,
    sequential: Callable[[str], bool] = lambda _: False,
    generation: int = 1,
    most: Callable[[str], int | None] = lambda _: None,
    only: Collection[str] | None = None,
    speakers: Collection[Dialect] = (),
) -> Plan:
    """Sorts every hook into exactly one place. `admission` says which may not run, and why.

    `sequential(dialect)` tells whether that dialect's settings turn its parallel events into a sequence,
    `most(dialect)` how many of its hooks one event may run. `only` names the hooks to run whatever their
    matchers say; all others sit out. `speakers` are the dialects that can tell of many hooks at once.
    """
    skipped: dict[int, HookResult] = {}
    steps: list[Step] = []
    seen: dict[tuple[object, ...], HookSpec] = {}
    counts: dict[str, int] = {}
    with EachLimited(FIT_LIMIT_S):
        for speaker in speakers if only is None else ():
            skipped.update(_sit_out(speaker, specs, event))
        asked = () if len(skipped) == len(specs) else sorted(set(range(len(specs))).difference(skipped))
        for index in asked:
            spec = specs[index]
            try:
                skip, fit = _first_reason(spec, event, admission, only)
                if skip is None:
                    step = Step(index, spec, dialect_of(spec), dialect_of(spec).rule(spec), fit)
                    skip = _duplicate(step, seen) or _too_many(spec.dialect, counts, most)
            except Exception as error:  # one hook's trouble is no other's
                skipped[index] = defect(spec, event, error)
                continue
            if skip is None:
                steps.append(step)
            else:
                skipped[index] = HookResult(spec, *skip)
    return Plan(event.kind, tuple(specs), _grouped(steps, sequential), skipped, generation)


def _sit_out(speaker: Dialect, specs: Sequence[HookSpec], event: Event) -> Mapping[int, HookResult]:
    try:
        return limited(FIT_LIMIT_S, speaker.sit_out, specs, event)
    except Exception:
        return {}  # each is asked by itself then, and says what is wrong


def results_of(plan: Plan, ran: Mapping[int, HookResult]) -> tuple[HookResult, ...]:
    """Every known hook once, in config order: the ones that ran, and the others with their reason."""
    if len(plan.skipped) == len(plan.specs):  # as at most events
        return tuple(map(plan.skipped.__getitem__, range(len(plan.specs))))
    return tuple(
        ran.get(index) or plan.skipped.get(index) or HookResult(spec, Status.not_reached, _STOPPED)
        for index, spec in enumerate(plan.specs)
    )


def planned_decision(plan: Plan) -> Decision:
    """What `explain` shows: the same list, with `would_run` for what would run."""
    would = {step.index: _foreseen(step, group) for group in plan.groups for step in group.steps}
    return Decision(plan.kind, results=results_of(plan, would), generation=plan.generation)


def is_certain(plan: Plan) -> bool:
    """False when a plan came about under trouble that may be gone when the next event is planned."""
    failed = any(result.status is Status.launch_failed for result in plan.skipped.values())
    return not failed and not any(step.fit.doubt for step in plan.steps)


def is_inline(plan: Plan) -> bool:
    """True when every step is a Python callable that is given the event itself."""
    return all(isinstance(s.spec.action, Inline) and not s.spec.action.takes_context for s in plan.steps)


def fit_of(spec: HookSpec, event: Event) -> Fit:
    """Whether a hook is meant by an event, by what of it, and why that could not be told, if it could not.

    A hook nobody can tell of counts as one that fits, so that a guard rather runs once too often; only one
    that could do nothing but allow sits out.
    """
    try:
        return limited(FIT_LIMIT_S, dialect_of(spec).fit_of, spec, event)
    except TookTooLong as error:
        doubt = f"whether it fits this event could not be told: {error}"
    except Exception as error:
        doubt = f"whether it fits this event could not be told: {type(error).__name__}: {error}"
    if not isinstance(spec.action, Answer):
        return Fit(doubt=doubt)
    if spec.action.verdict == "allow":
        return Fit(doubt, doubt)
    # the rule's own text would name a deed that nobody found
    words = f"a fault of hookline's own, not what `{spec.name or spec.id}` found: {doubt}"
    return Fit(doubt=doubt, instead=Answer(spec.action.verdict, words))


def _first_reason(
    spec: HookSpec, event: Event, admission: Admission, only: Collection[str] | None
) -> tuple[tuple[Status, str] | None, Fit]:
    skip = _unfit(spec, event)
    if skip is not None:
        return skip, Fit()
    if only is not None:
        alone = (Status.not_reached, "another hook was called alone")
        return (admission(spec) if spec.id in only else alone), Fit()
    fit = fit_of(spec, event)
    if fit.mismatch is not None:
        return (Status.not_matched, fit.mismatch), fit
    return admission(spec), fit


def _unfit(spec: HookSpec, event: Event) -> tuple[Status, str] | None:
    """Why a hook can have no part in any event of that kind."""
    if spec.kind == EventKind.NoSuchEvent:
        from hookline.engine.loading import no_such_event

        if spec.native_event in ("", "?") and isinstance(spec.action, Unusable):
            return Status.no_such_event, spec.action.why
        if not spec.enabled:
            return Status.no_such_event, spec.origin.disabled_why
        return Status.no_such_event, no_such_event(dialect_of(spec), spec.native_event)
    if spec.kind != event.kind and event.kind not in heard_by(spec):
        return Status.not_matched, f"listens to {_named(spec)}, not to {event.kind.value}"
    if not spec.enabled:
        return Status.disabled, spec.origin.disabled_why or "switched off in its config"
    if isinstance(spec.action, Unusable):
        return Status.invalid, f"{spec.where}: {spec.action.why}"
    return None


def _named(spec: HookSpec) -> str:
    canonical = spec.kind.value
    return canonical if spec.native_event == canonical else f"{canonical} (`{spec.native_event}`)"


def _duplicate(step: Step, seen: dict[tuple[object, ...], HookSpec]) -> tuple[Status, str] | None:
    if not step.rule.dedupe:
        return None
    spec = step.spec
    # a hook that blocks more is no copy of one that blocks less
    strictness = (spec.blocking, spec.background, spec.on_failure)
    owner = spec.origin.plugin or spec.origin.agent  # whose folder the same words mean
    key = (
        spec.dialect, spec.native_event, spec.name, owner, repr(spec.action), repr(spec.condition), strictness
    )  # fmt: skip
    first = seen.setdefault(key, spec)
    if first is spec:
        return None
    return Status.duplicate, f"the same as `{first.id}` ({first.source}:{first.line}), which runs"


def _too_many(
    dialect: str, counts: dict[str, int], most: Callable[[str], int | None]
) -> tuple[Status, str] | None:
    limit = most(dialect)
    if limit is None:
        return None
    counts[dialect] = counts.get(dialect, 0) + 1
    return (
        None
        if counts[dialect] <= limit
        else (Status.not_reached, f"`maxHooks` is {limit}: no more hooks of an event run")
    )


def _grouped(steps: Sequence[Step], sequential: Callable[[str], bool]) -> tuple[Group, ...]:
    groups: dict[tuple[str, str], list[Step]] = {}
    for step in steps:
        groups.setdefault((step.spec.dialect, step.rule.native), []).append(step)
    made = []
    for (name, _), members in groups.items():
        rule = members[0].rule
        if rule.order == "parallel" and sequential(name):
            rule = replace(rule, order="sequential", stop_at="deny")
        made.append(Group(name, rule, tuple(members)))
    return tuple(made)


def _foreseen(step: Step, group: Group) -> HookResult:
    answer = step.acting.action
    return HookResult(
        step.spec, Status.would_run, _would_words(step, group), derivation=step.fit.derivation,
        foreseen=answer if isinstance(answer, Answer) else None,
    )  # fmt: skip


def _would_words(step: Step, group: Group) -> str:
    place = group.steps.index(step) + 1
    order = {"parallel": "in parallel", "pipeline": "one after another, each seeing the last one's input"}
    how = order.get(group.rule.order, "one after another")
    if (name := step.spec.conduct.group) and group.rule.order != "parallel":
        how += f", those of group `{name}` side by side"
    extra = f"; {place} of {len(group.steps)} {group.dialect} hooks, {how}" if len(group.steps) > 1 else ""
    extra += "; in the background" if step.spec.background else ""
    extra += f"; {step.fit.doubt}" if step.fit.doubt else ""
    if isinstance(answer := step.acting.action, Answer):
        extra += f"; {'so ' if step.fit.instead else ''}it answers {answer.verdict}"
    return f"matches{extra}"
