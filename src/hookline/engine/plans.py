"""Plans kept for reuse: matching the same tool name again must cost next to nothing."""

from __future__ import annotations

from _operator import is_  # `operator` itself adds Python code only

from hookline.dialects import dialect
from hookline.dialects.base import Dialect, EventRule
from hookline.engine.admission import admission_for
from hookline.engine.hookset import HookSet, dialect_of, heard_by
from hookline.engine.merge import lost_guards, unread_guards
from hookline.engine.plan import Plan, is_certain, is_inline, make_plan, results_of
from hookline.handlers.base import is_async
from hookline.model.errors import UsageError
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HookSpec
from hookline.model.record import Record, replace
from hookline.model.results import Decision, HookResult, RawResult, Status
from hookline.model.typing import TYPE_CHECKING, Any, Callable, Collection, Iterator, Mapping, Sequence
from hookline.system.acting import ActingFor

if TYPE_CHECKING:
    from hookline.engine.admission import Trust


class Ready(Record):
    """A plan with what can be known before any event: its answer when nobody has an opinion.

    `whole`: no guard is missing in that answer. `callbacks`, with their limits in seconds, are None unless every
    hook is a plain Python function to be called directly with the event.
    """

    plan: Plan
    silent: Decision
    whole: bool
    callbacks: tuple[tuple[Callable[..., Any], float], ...] | None


class Watched:
    """An event that remembers what of it was asked for, beside its kind.

    Matching goes through it, so that a plan is kept only when it depends on nothing but what it is kept by.
    """

    __slots__ = ("_event", "kind", "seen")

    def __init__(self, event: Event) -> None:
        self._event = event
        self.kind = event.kind
        self.seen: set[str] = set()

    def get(self, field: str) -> Any:
        self.seen.add(field)
        return self._event.get(field)

    def __getattr__(self, name: str) -> Any:
        self.seen.add(name)
        return getattr(self._event, name)

    def subject(self, speaker: Dialect, rule: EventRule) -> object:
        """What a matcher is tested on, which is a part of what plans are kept by."""
        return speaker.subject_values(rule, self._event)


class Subjects:
    """What plans for one kind of event are kept by: fields of the event, and what dialects make of it.

    `only` is the one field when that is all.
    """

    __slots__ = ("_broken", "_speakers", "fields", "only")

    def __init__(self) -> None:
        self.only = ""
        self.fields: tuple[str, ...] = ()
        self._broken = False
        self._speakers: dict[tuple[str, str], tuple[Dialect, EventRule]] = {}

    def add(self, spec: HookSpec) -> None:
        """Takes one more hook of that kind into account."""
        try:
            speaker = dialect_of(spec)
            rule = speaker.rule(spec)
        except Exception:  # the plan says what is wrong with that hook
            self._broken, self.only = True, ""
            return
        if rule.subject and type(speaker).subject_values is not Dialect.subject_values:
            self._speakers[speaker.name, rule.native] = (speaker, rule)
        elif rule.subject and rule.subject not in self.fields:
            self.fields = (*self.fields, rule.subject)
        plain = len(self.fields) == 1 and not self._speakers and not self._broken
        self.only = self.fields[0] if plain else ""

    def key(self, event: Event) -> tuple[object, ...]:
        """What a plan for this event is kept by; empty where that cannot be told."""
        if self._broken:
            return ()
        try:
            words = tuple(speaker.subject_values(rule, event) for speaker, rule in self._speakers.values())
        except Exception:  # a dialect's own fault, of which the plan tells
            return ()
        return (event.kind, *map(event.get, self.fields), *words)


class Plans:
    """The plans of one hook set under one trust. A plan holds for every event with the same subjects,
    unless a hook looked at more of the event.
    """

    def __init__(
        self,
        hooks: HookSet,
        trust: Trust,
        depth: int,
        most: int,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._hooks = hooks
        self._environment = environment
        self._most = most
        self._admission = admission_for(trust, depth)
        self._memo: dict[tuple[object, ...], Ready] = {}
        self._latest: tuple[Event | None, Ready | None] = (None, None)
        self._quiet: Ready | None = None  # of the last event that no hook was for
        self._subjects: dict[EventKind, Subjects] = {}
        self._speakers = tuple(_speakers(hooks.specs))
        for spec in hooks.specs:
            for kind in heard_by(spec) if spec.kind != EventKind.NoSuchEvent else ():
                self._subjects.setdefault(kind, Subjects()).add(spec)

    def ready(self, event: Event) -> Ready:
        """The plan for an event, made if there is none yet; it is asked for before it is fired, to see what runs."""
        latest = self._latest
        if latest[0] is event and latest[1] is not None:
            return latest[1]
        try:
            kind = event.kind
        except AttributeError:
            words = f"expected an event, found {event!r:.60}"
            raise UsageError(words, 'make one: `make_event("PreToolUse", tool_name=…)`') from None
        subjects = self._subjects.get(kind)
        key: tuple[object, ...]
        if subjects is None:
            key = (kind,)
        elif subjects.only:
            key = (kind, getattr(event.body, subjects.only, None) or event.get(subjects.only))
        else:
            key = subjects.key(event)
        try:
            ready = self._memo.get(key)
        except TypeError:  # a payload may hold a list where there should be a name
            key, ready = (), None
        if ready is None:
            ready = self._made(event, key, subjects)
        if subjects is not None and not subjects.only:
            self._latest = (event, ready)
        return ready

    def plan(self, event: Event, only: Collection[str] | None = None) -> Plan:
        """A plan made now; `only` calls hooks by their ids."""
        settings = self._hooks.settings
        with ActingFor(self._environment):  # of a resident's many callers, each has its own home and folders
            plan = make_plan(
                event,
                self._hooks.specs,
                self._admission,
                lambda name: settings.get(name, {}).get("parallel") is False,
                self._hooks.generation,
                lambda name: settings.get(name, {}).get("max_hooks"),
                only,
                self._speakers,
            )
        return replace(plan, unread=unread_guards(self._hooks, event.kind)) if self._hooks.problems else plan

    def _made(self, event: Event, key: tuple[object, ...], subjects: Subjects | None) -> Ready:
        watched = Watched(event)
        plan = self.plan(watched)  # type: ignore[arg-type]  # it answers as the event does
        more = watched.seen.difference(subjects.fields if subjects else ())
        ready = self._quiet
        if ready is None or not _is_as_quiet(plan, ready.plan):
            silent = _silent(plan)
            # where a hook looks at the input, one that rewrites it may bring in others, which no callback waits for
            callbacks = () if not plan.groups else None if more else _plain_callbacks(plan)
            ready = Ready(plan, silent, not any(lost_guards(plan, silent)), callbacks)
            self._quiet = ready if not plan.groups else self._quiet
        if not key or more or not is_certain(plan):
            self._latest = (event, ready)
            return ready
        if len(self._memo) >= self._most:
            self._memo.clear()
        self._memo[key] = ready
        return ready


def _speakers(specs: Sequence[HookSpec]) -> Iterator[Dialect]:
    """The dialects that can tell of many of these hooks at once."""
    for name in dict.fromkeys(spec.dialect for spec in specs):
        try:
            speaker = dialect(name)
        except Exception:  # the plan says what is wrong with its hooks
            continue
        if speaker.tells_many(specs):
            yield speaker


def _is_as_quiet(plan: Plan, other: Plan) -> bool:
    """Whether all hooks sit out for the very same reasons, as rules do that a line has nothing to do with."""
    same = plan.kind is other.kind and len(plan.skipped) == len(plan.specs) == len(other.skipped)
    return same and all(map(is_, plan.skipped.values(), other.skipped.values()))


def _silent(plan: Plan) -> Decision:
    ran = {step.index: HookResult(step.spec, Status.ran, "", RawResult()) for step in plan.steps}
    return Decision(plan.kind, results=results_of(plan, ran), generation=plan.generation)


def _plain_callbacks(plan: Plan) -> tuple[tuple[Callable[..., Any], float], ...] | None:
    specs = [step.spec for step in plan.steps]
    if not is_inline(plan) or any(spec.once or spec.background or spec.conduct.thread for spec in specs):
        return None
    found = tuple((spec.action.callback, spec.timeout_s) for spec in specs)  # type: ignore[union-attr]  # is_inline
    return None if any(is_async(callback) for callback, _ in found) else found
