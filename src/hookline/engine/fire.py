"""`Engine.fire`: the only way a hook runs."""

from __future__ import annotations

import os

from hookline.engine.admission import CodeTrust, MemoryOnce, depth_of
from hookline.engine.commits import commit_gate
from hookline.engine.hookset import HookSet, dialect_of
from hookline.engine.inline import fire_inline
from hookline.engine.merge import merge
from hookline.engine.plan import Plan, Step, planned_decision, results_of
from hookline.engine.plans import Plans
from hookline.engine.run import judged, run_plan
from hookline.handlers import handler_for
from hookline.handlers.base import Around
from hookline.model.hooks import HandlerInput, Inline
from hookline.model.record import Record, replace
from hookline.model.results import (
    Decision,
    HookFinished,
    HookResult,
    HookStarted,
    RawResult,
    Status,
    Verdict,
)
from hookline.system import files
from hookline.system.clock import monotonic, new_run_id, now
from hookline.system.leftovers import note_presence, run_folder
from hookline.system.loop import current_loop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Any, Protocol, TypeVar

    from hookline.engine.admission import Once, Trust
    from hookline.engine.background import BackgroundHooks
    from hookline.engine.plans import Ready
    from hookline.handlers.base import Complete
    from hookline.model.events import Event, EventKind
    from hookline.model.hooks import HookSpec

    T = TypeVar("T")

    class Recorder(Protocol):
        """Keeps decisions, at the latest when flushed; must never raise for a full disk or a broken database."""

        def record(self, event: Event, decision: Decision, workspace: str) -> object: ...
        def flush(self) -> None: ...
        def prepare(self) -> None:
            """Called while hooks run: what the first record needs anyway can be done meanwhile."""

    Listener = Callable[[HookStarted | HookFinished], None]

_GUARD_LOST = (Status.untrusted, Status.invalid, Status.launch_failed, Status.timed_out, Status.bad_output)
_NO_LOGS: Mapping[str, str] = {}
# Handlers that run on either loop; the others may hold asyncio code of the host
_ANY_LOOP = frozenset(("command", "webhook", "git-commit", "git-push", "answer"))
_ASKING = frozenset(("prompt", "agent"))


class Limits(Record):
    """`parallel`: hooks of one event at once. `plans`: how many plans are kept for reuse."""

    parallel: int = 8
    plans: int = 1024


class Engine:
    """Plans, runs, merges and records. One engine serves one workspace and any number of sessions.

    `hooks`: a HookSet, or specs. `trust` decides which may run (default: all; for hooks given by code).
    `history` records every decision. `listener` hears of each hook's start and end. `complete` asks a
    model for prompt hooks. `on_output` hears what hooks print, as they do. `detach` starts background
    hooks elsewhere, for hosts that end first. Hook failures never raise; only cancellation does.
    """

    def __init__(
        self,
        hooks: HookSet | Iterable[HookSpec] = (),
        *,
        workspace: str = "",
        environment: Mapping[str, str] | None = None,
        trust: Trust | None = None,
        history: Recorder | None = None,
        once: Once | None = None,
        limits: Limits | None = None,
        listener: Listener | None = None,
        complete: Complete | None = None,
        call_tool: Callable[[str, str, Mapping[str, Any]], Any] | None = None,
        output_dir: str = "",
        presence_dir: str = "",
        on_output: Callable[[HookSpec, bytes], None] | None = None,
        detach: Callable[[HookSpec, Event], None] | None = None,
    ) -> None:
        self.hooks = hooks if isinstance(hooks, HookSet) else HookSet(tuple(hooks), workspace=workspace)
        self.workspace = workspace or self.hooks.workspace
        self.environment = dict(files.environment() if environment is None else environment)
        self.added: dict[str, Mapping[str, str]] = {}  # by session: what it sees besides
        self.trust: Trust = trust or CodeTrust()
        self.history = history
        self.once: Once = once or MemoryOnce()
        self.limits = limits or Limits()
        self.listener = listener
        self.complete = complete
        self.call_tool = call_tool
        self.output_dir = output_dir
        self.presence_dir = presence_dir
        self.on_output = on_output
        self.detach = detach
        self._background: BackgroundHooks | None = None
        self._plans = self._planned()

    # -- the public face ---------------------------------------------------------------------------

    async def fire(
        self, event: Event, *, budget_s: float | None = None, only: Mapping[str, str] | None = None
    ) -> Decision:
        """Runs the hooks of an event and returns the one decision. Works on asyncio and on `system.loop`.

        `budget_s` bounds every hook of this event, whatever its own limit, the killing included. `only` calls
        hooks by their ids, matched or not, and waits for them, each with the file that keeps its full output
        (empty: a place of the engine's own).
        """
        if only is not None:
            return await self._fire(self._plans.plan(event, only), event, budget_s, only)
        ready = self._plans.ready(event)
        if ready.callbacks is not None and self.history is None and self.listener is None:
            return self._inline(ready, event)
        return await self._fire(ready.plan, event, budget_s)

    def fire_now(self, event: Event, *, budget_s: float | None = None) -> Decision:
        """`fire` for programs without an event loop."""
        ready = self._plans.ready(event)
        if ready.callbacks is not None and self.history is None and self.listener is None:
            return self._inline(ready, event)
        from hookline.system import loop

        run = loop.run_asyncio if self._needs_asyncio(ready.plan) else loop.run
        decision: Decision = run(self._fire_and_settle(ready.plan, event, budget_s))
        return decision

    def explain(self, event: Event, only: Collection[str] | None = None) -> Decision:
        """What would happen, without running anything."""
        return planned_decision(
            self._plans.ready(event).plan if only is None else self._plans.plan(event, only)
        )

    def add(self, *specs: HookSpec) -> None:
        """Adds hooks by code; they take effect at the next event."""
        self.replace_hooks(self.hooks.plus(specs))

    def on(
        self, event: str | EventKind, matcher: str = "", **options: Any
    ) -> Callable[[Callable[[Event], T]], Callable[[Event], T]]:
        """Registers the decorated function as a hook, sync or async; `options` as for `callback_hook`.

        >>> engine = Engine()
        >>> @engine.on("PreToolUse", matcher="Bash")
        ... def guard(event): ...
        """
        from hookline.engine.callbacks import callback_hook

        def register(callback: Callable[[Event], T]) -> Callable[[Event], T]:
            number = 1
            taken = {spec.id for spec in self.hooks.specs}
            while (
                spec := callback_hook(callback, event, number=number, matcher=matcher, **options)
            ).id in taken:
                number += 1
            self.add(spec)
            return callback

        return register

    def replace_hooks(self, hooks: HookSet) -> None:
        """Swaps the whole set at once; events under way keep the old one. The generation moves on."""
        self.hooks = replace(hooks, generation=self.hooks.generation + 1)
        self._plans = self._planned()

    def take_background(self) -> tuple[HookResult, ...]:
        """Results of background hooks that ended since the last call, for the host's next turn."""
        return () if self._background is None else self._background.take()

    @property
    def may_wake(self) -> tuple[str, ...]:
        """Names of the background hooks under way that may wake the agent by how they end."""
        return () if self._background is None else self._background.may_wake

    async def one_that_may_wake_ended(self) -> bool:
        """Waits until one of them has ended; False, at once, when none is under way."""
        return self._background is not None and await self._background.waker_ended()

    async def close(self, wait_s: float = 0.0) -> None:
        """Ends background hooks: waits up to `wait_s` for them, then stops what is left. Writes the history."""
        if self._background is not None:
            await self._background.end(wait_s)
        if self.history is not None:
            self.history.flush()

    # -- running -------------------------------------------------------------------------------------

    def _planned(self) -> Plans:
        return Plans(self.hooks, self.trust, depth_of(self.environment), self.limits.plans)

    def _inline(self, ready: Ready, event: Event) -> Decision:
        decision = fire_inline(ready, event) if ready.callbacks else ready.silent
        return self._strict(ready.plan, decision) if self.trust.is_strict else decision

    async def _fire_and_settle(self, plan: Plan, event: Event, budget_s: float | None) -> Decision:
        decision = await self._fire(plan, event, budget_s)
        await self.close(max((step.spec.timeout_s for step in plan.steps if step.spec.background), default=0))
        return decision

    async def _fire(
        self, plan: Plan, event: Event, budget_s: float | None, logs: Mapping[str, str] = _NO_LOGS
    ) -> Decision:
        started = monotonic()
        run_id = new_run_id()
        if self.presence_dir and plan.groups:
            note_presence(self.presence_dir)
        run = _Run(run_id)
        deadline = self._deadline(event, budget_s, started)

        async def run_step(step: Step, current: Event, planned: float) -> HookResult:
            if step.spec.background and not logs:
                return self._start_background(step, current, planned)
            return await self._run_step(step, current, planned, run, deadline, logs)

        if self.history is not None and plan.groups:
            current_loop().call_soon(self.history.prepare)
        try:
            ran = await run_plan(plan, event, run_step, self.limits.parallel)
        finally:
            run.clear()
        decision = merge(plan, results_of(plan, ran.results), ran.rewritten)
        decision = replace(self._strict(plan, decision), duration_s=monotonic() - started, run_id=run_id)
        if self.history is not None:
            self.history.record(event, decision, self.workspace)
        return decision

    def _deadline(self, event: Event, budget_s: float | None, started: float) -> float | None:
        """When all hooks of the event must be over: the host's budget, or the user's own if it is shorter."""
        settings = self.hooks.settings.get("hookline")
        own = settings.get(f"budget:{event.kind.value}") if settings else None
        limits = [limit for limit in (budget_s, own) if limit is not None]
        return started + min(limits) if limits else None

    async def _run_step(
        self,
        step: Step,
        event: Event,
        planned: float,
        run: _Run,
        deadline: float | None,
        logs: Mapping[str, str] = _NO_LOGS,
    ) -> HookResult:
        refused = self._refusal(step.spec, event)
        if refused is not None:
            return refused
        started = monotonic()
        if self.listener is not None:
            self.listener(HookStarted(step.spec, event, now()))
        try:
            log = logs.get(step.spec.id) or self._output_path(run, step)
            raw = await self._raw(step, event, run, deadline, log)
            result = judged(step, event, raw, planned, started)
        except Exception as error:  # X11: our own defect is reported as the hook's result, never raised
            result = _defect(step, error)
        if self.listener is not None:
            self.listener(HookFinished(result, event, now()))
        return result

    async def _raw(self, step: Step, event: Event, run: _Run, deadline: float | None, log: str) -> RawResult:
        spec = step.spec if deadline is None else _within(step.spec, deadline - monotonic())
        if isinstance(spec.action, Inline) and not spec.action.takes_context:
            given = HandlerInput(context=event)
        else:
            given = step.dialect.hook_input(event, spec)
        around = Around(
            env=self.environment_of(event.session_id),
            workspace=self.workspace or event.cwd,
            timeout_s=spec.timeout_s,
            run_dir=run.folder_for(step, given),
            output_path=log,
            complete=self.complete,
            call_tool=self.call_tool,
            on_output=self._heard(spec),
            on_commit=commit_gate(event, spec, self.hooks.specs, self.fire),
        )
        return await handler_for(spec.action)(spec.action, spec, given, around)

    def _heard(self, spec: HookSpec) -> Callable[[str, bytes], None] | None:
        hear = self.on_output
        return None if hear is None else lambda stream, chunk: hear(spec, chunk)

    def _output_path(self, run: _Run, step: Step) -> str:
        return f"{self.output_dir}{os.sep}{run.id}{os.sep}{step.index}.txt" if self.output_dir else ""

    def _refusal(self, spec: HookSpec, event: Event) -> HookResult | None:
        if not self.trust.still_reviewed(spec):
            why = "its files changed since it was reviewed; run `hookline trust` to see what changed"
            return HookResult(spec, Status.untrusted, why)
        if spec.once and not self.once.claim(event.session_id, spec.id):
            return HookResult(spec, Status.disabled, "runs once, and already did in this session")
        return None

    def _start_background(self, step: Step, event: Event, planned: float) -> HookResult:
        if self.detach is not None:
            self.detach(step.spec, event)
            return HookResult(step.spec, Status.ran, "started in the background", RawResult(started_at=now()))
        run = _Run(new_run_id())

        async def work() -> HookResult:
            try:
                return await self._run_step(step, event, planned, run, None)
            finally:
                run.clear()

        if self._background is None:
            from hookline.engine.background import BackgroundHooks

            self._background = BackgroundHooks()
        self._background.start(step.spec, work)
        return HookResult(step.spec, Status.ran, "started in the background", RawResult(started_at=now()))

    def _strict(self, plan: Plan, decision: Decision) -> Decision:
        """In a strict workspace a guard that could not speak is a no."""
        if decision.blocked:
            return decision
        for result in decision.results:
            if result.status not in _GUARD_LOST or result.spec.kind != plan.kind:
                continue
            spec = result.spec
            if dialect_of(spec).rule(spec).guards and self.trust.is_strict:
                reason = f"strict workspace: guard `{spec.name or spec.id}` did not decide ({result.why})"
                return replace(decision, verdict=Verdict.DENY, reason=reason, updated_input=None)
        return decision

    def environment_of(self, session_id: str) -> Mapping[str, str]:
        """What the hooks and tools of a session see of the outside."""
        more = self.added.get(session_id)
        return {**self.environment, **more} if more else self.environment

    def would_run(self, event: Event) -> bool:
        """Whether any hook fits the event and may run; says less than `explain`, and faster."""
        return bool(self._plans.ready(event).plan.steps)

    def needs_asyncio(self, event: Event) -> bool:
        """Whether a hook of this event can only run on asyncio; all others also run on `system.loop`."""
        return self._needs_asyncio(self._plans.ready(event).plan)

    def _needs_asyncio(self, plan: Plan) -> bool:
        return any(self.is_bound_to_asyncio(step.spec) for step in plan.steps)

    def is_bound_to_asyncio(self, spec: HookSpec) -> bool:
        """Whether that hook can only run on asyncio. A `complete` with a true `any_loop` needs none."""
        if spec.handler in _ASKING:
            return self.complete is not None and not getattr(self.complete, "any_loop", False)
        return spec.handler not in _ANY_LOOP


class _Run:
    """One run of an event's hooks: its id, and its private folder once a hook needs one."""

    __slots__ = ("_folder", "id")

    def __init__(self, run_id: str) -> None:
        self.id = run_id
        self._folder = ""

    def folder_for(self, step: Step, given: HandlerInput) -> str:
        """Where the value files of a hook go; empty for one that has none."""
        if not given.lists and not given.texts:
            return ""
        self._folder = run_folder(self.id)
        return os.path.join(self._folder, str(step.index))

    def clear(self) -> None:
        if self._folder:
            files.remove_tree(self._folder)


def _within(spec: HookSpec, left: float) -> HookSpec:
    """The hook with limits so that it is over, and killed if need be, in `left` seconds."""
    grace = min(spec.grace_s, max(left, 0.0) * 0.2)
    return replace(spec, grace_s=grace, timeout_s=min(spec.timeout_s, max(0.001, left - grace)))


def _defect(step: Step, error: Exception) -> HookResult:
    why = f"defect in hookline: {type(error).__name__}: {error}"
    return HookResult(step.spec, Status.launch_failed, why, RawResult(launch_error=why))
