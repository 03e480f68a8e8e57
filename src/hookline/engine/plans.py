"""Plans kept for reuse: matching the same tool name again must cost next to nothing."""

from __future__ import annotations

from hookline.dialects.base import Dialect
from hookline.engine.admission import admission_for
from hookline.engine.hookset import dialect_of
from hookline.engine.lost_guards import lost_guards, unread_guards
from hookline.engine.plan import Plan, is_certain, is_inline, make_plan, results_of
from hookline.handlers.callables import is_async
from hookline.model.events import EventKind
from hookline.model.record import Record, replace
from hookline.model.results import Decision, HookResult, RawResult, Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    from hookline.dialects.base import EventRule
    from hookline.engine.admission import Trust
    from hookline.engine.hookset import HookSet
    from hookline.model.events import Event
    from hookline.model.hooks import HookSpec


class Ready(Record):
    """A plan with what can be known before any event: its answer when nobody has an opinion.

    `whole`: no guard is missing in that answer. `callbacks`, with their limits in seconds, are None unless every
    hook is a plain Python function to be called directly with the event.
    """

    plan: Plan
    silent: Decision
    whole: bool
    callbacks: tuple[tuple[Callable[..., Any], float], ...] | None


class Subjects:
    """What plans for one kind of event depend on: fields of the event, and what dialects make of it.

    `only` is the one field when that is all; with `volatile` hooks look at more, and no plan can be kept.
    """

    __slots__ = ("_fields", "_speakers", "only", "volatile")

    def __init__(self) -> None:
        self.only = ""
        self.volatile = False
        self._fields: tuple[str, ...] = ()
        self._speakers: dict[tuple[str, str], tuple[Dialect, EventRule]] = {}

    def add(self, spec: HookSpec) -> None:
        """Takes one more hook of that kind into account."""
        try:
            speaker = dialect_of(spec)
            rule = speaker.rule(spec)
            self.volatile = self.volatile or speaker.is_volatile(spec)
        except Exception:  # the plan says what is wrong with that hook
            self.volatile, self.only = True, ""
            return
        if rule.subject and type(speaker).subject_values is not Dialect.subject_values:
            self._speakers[speaker.name, rule.native] = (speaker, rule)
        elif rule.subject and rule.subject not in self._fields:
            self._fields = (*self._fields, rule.subject)
        plain = len(self._fields) == 1 and not self._speakers and not self.volatile
        self.only = self._fields[0] if plain else ""

    def values(self, event: Event) -> tuple[object, ...]:
        """What a plan for this event depends on."""
        words = (speaker.subject_values(rule, event) for speaker, rule in self._speakers.values())
        return (*map(event.get, self._fields), *words)


class Plans:
    """The plans of one hook set under one trust. A plan holds for every event with the same subjects,
    unless a hook of the event looks at more (`Dialect.is_volatile`).
    """

    def __init__(self, hooks: HookSet, trust: Trust, depth: int, most: int) -> None:
        self._hooks = hooks
        self._most = most
        self._admission = admission_for(trust, depth)
        self._memo: dict[tuple[object, ...], Ready] = {}
        self._latest: tuple[Event | None, Ready | None] = (None, None)
        self._subjects: dict[EventKind, Subjects] = {}
        for spec in hooks.specs:
            if spec.kind != EventKind.NoSuchEvent:
                self._subjects.setdefault(spec.kind, Subjects()).add(spec)

    def ready(self, event: Event) -> Ready:
        """The plan for an event, made if there is none yet."""
        kind = event.kind
        subjects = self._subjects.get(kind)
        key: tuple[object, ...]
        if subjects is None:
            key = (kind,)
        elif subjects.only:
            key = (kind, getattr(event.body, subjects.only, None) or event.get(subjects.only))
        else:
            return self._asked_again(event) or self._by_all(subjects, event)
        try:
            ready = self._memo.get(key)
        except TypeError:  # a payload may hold a list where there should be a name
            key, ready = (), None
        return ready or self._made(event, key)

    def _by_all(self, subjects: Subjects, event: Event) -> Ready:
        key: tuple[object, ...] = ()
        ready = None
        try:
            if not subjects.volatile:
                key = (event.kind, *subjects.values(event))
                ready = self._memo.get(key)
        except Exception:  # a list where there should be a name, or a dialect's own fault
            key = ()
        ready = ready or self._made(event, key)
        self._latest = (event, ready)
        return ready

    def _asked_again(self, event: Event) -> Ready | None:
        """The plan for the very same event, which is asked for before it is fired, to see what runs."""
        latest = self._latest
        return latest[1] if latest[0] is event else None

    def plan(self, event: Event, only: Collection[str] | None = None) -> Plan:
        """A plan made now; `only` calls hooks by their ids."""
        settings = self._hooks.settings
        plan = make_plan(
            event,
            self._hooks.specs,
            self._admission,
            lambda name: settings.get(name, {}).get("parallel") is False,
            self._hooks.generation,
            lambda name: settings.get(name, {}).get("max_hooks"),
            only,
        )
        return replace(plan, unread=unread_guards(self._hooks, event.kind)) if self._hooks.problems else plan

    def _made(self, event: Event, key: tuple[object, ...]) -> Ready:
        plan = self.plan(event)
        silent = _silent(plan)
        ready = Ready(plan, silent, not any(lost_guards(plan, silent)), _plain_callbacks(plan))
        if key and is_certain(plan):
            if len(self._memo) >= self._most:
                self._memo.clear()
            self._memo[key] = ready
        return ready


def _silent(plan: Plan) -> Decision:
    ran = {step.index: HookResult(step.spec, Status.ran, "", RawResult()) for step in plan.steps}
    return Decision(plan.kind, results=results_of(plan, ran), generation=plan.generation)


def _plain_callbacks(plan: Plan) -> tuple[tuple[Callable[..., Any], float], ...] | None:
    specs = [step.spec for step in plan.steps]
    if not is_inline(plan) or any(
        spec.once or spec.background or spec.options.get("thread") for spec in specs
    ):
        return None
    found = tuple((spec.action.callback, spec.timeout_s) for spec in specs)  # type: ignore[union-attr]  # is_inline
    return None if any(is_async(callback) for callback, _ in found) else found
