"""Plans kept for reuse: matching the same tool name again must cost next to nothing."""

from __future__ import annotations

from hookline.engine.hookset import dialect_of
from hookline.engine.permission import permission_for
from hookline.engine.plan import Plan, is_inline, make_plan, results_of
from hookline.handlers.callables import is_async
from hookline.model.events import EventKind
from hookline.model.record import Record
from hookline.model.results import Decision, HookResult, RawResult, Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    from hookline.engine.hookset import HookSet
    from hookline.engine.permission import Trust
    from hookline.model.events import Event


class Ready(Record):
    """A plan with what can be known before any event: its answer when nobody has an opinion.

    `callbacks` is None unless every hook is a plain Python function that is given the event.
    """

    plan: Plan
    silent: Decision
    callbacks: tuple[Callable[..., Any], ...] | None


class Plans:
    """The plans of one hook set under one trust. A plan holds for every event with the same subjects,
    unless a hook of the event looks at more (`Dialect.is_volatile`).
    """

    def __init__(self, hooks: HookSet, trust: Trust, depth: int, most: int) -> None:
        self._hooks = hooks
        self._most = most
        self._permission = permission_for(trust, depth)
        self._memo: dict[tuple[object, ...], Ready] = {}
        self._latest: tuple[Event | None, Ready | None] = (None, None)
        self._subjects: dict[EventKind, tuple[str, ...]] = {}
        self._volatile: set[EventKind] = set()
        for spec in hooks.specs:
            if spec.kind == EventKind.NoSuchEvent:
                continue
            subject = dialect_of(spec).rule(spec).subject
            fields = self._subjects.get(spec.kind, ())
            if subject and subject not in fields:
                self._subjects[spec.kind] = (*fields, subject)
            if dialect_of(spec).is_volatile(spec):
                self._volatile.add(spec.kind)

    def ready(self, event: Event) -> Ready:
        """The plan for an event, made if there is none yet."""
        kind = event.kind
        fields = self._subjects.get(kind)
        key: tuple[object, ...]
        if fields is None:
            key = (kind,)
        elif len(fields) == 1:
            key = (kind, getattr(event.body, fields[0], None) or event.get(fields[0]))
        else:
            key = (kind, *(event.get(field) for field in fields))
        if kind in self._volatile:
            # Asked again for the very same event: before it is fired, to see what runs
            ready = self._latest[1] if self._latest[0] is event else None
        else:
            ready = self._memo.get(key)
        return ready if ready is not None else self._made(event, key)

    def plan(self, event: Event, only: Collection[str] | None = None) -> Plan:
        """A plan made now; `only` calls hooks by their ids."""
        settings = self._hooks.settings
        return make_plan(
            event,
            self._hooks.specs,
            self._permission,
            lambda name: settings.get(name, {}).get("parallel") is False,
            self._hooks.generation,
            lambda name: settings.get(name, {}).get("max_hooks"),
            only,
        )

    def _made(self, event: Event, key: tuple[object, ...]) -> Ready:
        plan = self.plan(event)
        ready = Ready(plan, _silent(plan), _plain_callbacks(plan))
        self._latest = (event, ready)
        if event.kind not in self._volatile:
            if len(self._memo) >= self._most:
                self._memo.clear()
            self._memo[key] = ready
        return ready


def _silent(plan: Plan) -> Decision:
    ran = {step.index: HookResult(step.spec, Status.ran, "", RawResult()) for step in plan.steps}
    return Decision(plan.kind, results=results_of(plan, ran), generation=plan.generation)


def _plain_callbacks(plan: Plan) -> tuple[Callable[..., Any], ...] | None:
    if not is_inline(plan) or any(step.spec.once or step.spec.background for step in plan.steps):
        return None
    found = tuple(step.spec.action.callback for step in plan.steps)  # type: ignore[union-attr]  # is_inline
    return None if any(is_async(callback) for callback in found) else found
