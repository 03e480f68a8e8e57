"""`Engine.fire`: the only way a hook runs."""

from __future__ import annotations

import os

from hookline.engine.admission import CodeTrust, MemoryOnce, changed, depth_of, spent
from hookline.engine.commits import commit_gate
from hookline.engine.failures import defect, with_cause
from hookline.engine.hookset import HookSet
from hookline.engine.inline import fire_inline, refuse_within_a_loop
from hookline.engine.merge import closed
from hookline.engine.plan import Plan, Step, planned_decision
from hookline.engine.plans import Plans, Ready
from hookline.engine.run import Run, decided, judged, within
from hookline.engine.services import Services
from hookline.handlers import handler_for
from hookline.handlers.base import Around
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HandlerInput, HookSpec, Inline, Programs
from hookline.model.record import replace
from hookline.model.results import Decision, HookFinished, HookResult, HookStarted, RawResult, Status, Verdict
from hookline.model.typing import TYPE_CHECKING, Any, Callable, Collection, Iterable, Mapping, TypeVar
from hookline.system import files
from hookline.system.clock import monotonic, new_run_id, now
from hookline.system.loops.work_limit import limited

if TYPE_CHECKING:
    from hookline.engine.admission import Trust
    from hookline.engine.background import BackgroundHooks
    from hookline.engine.callbacks import Callback, OnFailure
    from hookline.engine.services import Recorder
    from hookline.model.event_names import EventName

    C = TypeVar("C", bound=Callback)

    Listener = Callable[[HookStarted | HookFinished], None]

JUDGING_LIMIT_S = 2.0  # to make one hook's input, or to read its answer
_NO_LOGS: Mapping[str, str] = {}
# Handlers that run on either loop; the others may hold asyncio code of the host
_ANY_LOOP = frozenset(("command", "webhook", "git-commit", "git-push", "answer"))
_ASKING = frozenset(("prompt", "agent"))


class Engine:
    """Plans, runs, merges and records. One engine serves one workspace and any number of sessions.

    `hooks`: a HookSet, or specs. What a host gives it is one value, `services`, exchanged only by `provide`;
    whoever wants to hear of hooks says `listen`. Hook failures never raise; only cancellation does.
    """

    def __init__(self, hooks: HookSet | Iterable[HookSpec] = (), services: Services | None = None) -> None:
        given = services or Services()
        self.hooks = hooks if isinstance(hooks, HookSet) else HookSet(tuple(hooks), workspace=given.workspace)
        self.workspace = given.workspace or self.hooks.workspace
        self.environment = dict(files.environment() if given.environment is None else given.environment)
        self.added: dict[str, Mapping[str, str]] = {}  # by session: what it sees besides
        self.services = replace(given, trust=given.trust or CodeTrust(), once=given.once or MemoryOnce())
        self._listeners: tuple[Listener, ...] = ()
        self._background: BackgroundHooks | None = None
        self._policy = ""
        self._plans = self._planned()
        self._unwatched = given.history is None

    def provide(self, **services: Any) -> None:
        """Exchanges some services, for the events from now on; names and meanings as in `Services`."""
        self.services = replace(self.services, **services)
        self._plans = self._planned()
        self._unwatched = not self._listeners and self.history is None

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tells `listener` of each hook's start and end; what it returns ends that. Nobody listening costs nothing."""
        self._listeners = (*self._listeners, listener)
        self._unwatched = False

        def undo() -> None:
            self._listeners = tuple(each for each in self._listeners if each is not listener)
            self._unwatched = not self._listeners and self.history is None

        return undo

    @property
    def trust(self) -> Trust:
        found: Trust = self.services.trust  # type: ignore[assignment]  # never None, see __init__
        return found

    @property
    def history(self) -> Recorder | None:
        return self.services.history

    @property
    def policy(self) -> str:
        """The digest of the hooks there are now."""
        if not self._policy:
            self._policy = self.hooks.digest
        return self._policy

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
        if ready.callbacks is not None and self._unwatched:
            return self._inline(ready, event)
        return await self._fire(ready.plan, event, budget_s)

    def fire_now(self, event: Event, *, budget_s: float | None = None) -> Decision:
        """`fire` for programs without an event loop. Raises UsageError where one runs, whatever the hooks are."""
        refuse_within_a_loop()
        ready = self._plans.ready(event)
        if ready.callbacks is not None and self._unwatched:
            return self._inline(ready, event)
        from hookline.system.loops import loop  # Python hooks alone need none

        run = loop.run_asyncio if self._needs_asyncio(ready.plan) else loop.run
        decision: Decision = run(self._fire_and_settle(ready.plan, event, budget_s))
        return decision

    def explain(self, event: Event, only: Collection[str] | None = None) -> Decision:
        """What would happen, without running anything."""
        planned = planned_decision(
            self._plans.ready(event).plan if only is None else self._plans.plan(event, only)
        )
        results = tuple(self._unless_spent(result, event) for result in planned.results)
        return replace(planned, results=results)

    def foresee(self, event: Event) -> Decision:
        """`explain` with what is certain beforehand of guards that cannot judge."""
        return closed(self._plans.ready(event).plan, self.explain(event), self.trust.is_strict)

    def _unless_spent(self, result: HookResult, event: Event) -> HookResult:
        once, spec = self.services.once, result.spec
        if result.status is not Status.would_run or not spec.once or once is None:
            return result
        return spent(spec) if once.claimed(event.session_id, spec.id) else result

    def add(self, *specs: HookSpec) -> None:
        """Adds hooks by code; they take effect at the next event."""
        self.replace_hooks(self.hooks.plus(specs))

    def on(
        self,
        event: EventName | EventKind,
        matcher: str = "",
        *,
        name: str = "",
        timeout_s: float = 60.0,
        on_failure: OnFailure = "",
        background: bool = False,
        thread: bool = True,
    ) -> Callable[[C], C]:
        """Registers the decorated function as a hook, sync or async; everything as for `callback_hook`.

        >>> engine = Engine()
        >>> @engine.on("PreToolUse", matcher="Bash")
        ... def guard(event): ...
        """
        from hookline.engine.callbacks import callback_hook

        def register(callback: C) -> C:
            taken = {spec.id for spec in self.hooks.specs}
            number = 1
            while True:
                spec = callback_hook(
                    callback, event, number=number, matcher=matcher, name=name, timeout_s=timeout_s,
                    on_failure=on_failure, background=background, thread=thread,
                )  # fmt: skip
                if spec.id not in taken:
                    break
                number += 1
            self.add(spec)
            return callback

        return register

    def replace_hooks(self, hooks: HookSet) -> None:
        """Swaps the whole set at once; events under way keep the old one. The generation moves on."""
        self.hooks = replace(hooks, generation=self.hooks.generation + 1)
        self._policy = ""
        self._plans = self._planned()

    def take_background(self, session_id: str | None = None) -> tuple[HookResult, ...]:
        """Results of background hooks (of a session) that ended since the last call, for the host's next turn."""
        return () if self._background is None else self._background.take(session_id)

    def may_wake(self, session_id: str) -> tuple[str, ...]:
        """Names of the background hooks under way that may wake that session's agent by how they end."""
        return () if self._background is None else self._background.may_wake(session_id)

    async def one_that_may_wake_ended(self, session_id: str) -> bool:
        """Waits until one of them has ended; False, at once, when none is under way."""
        return self._background is not None and await self._background.waker_ended(session_id)

    async def close(self, wait_s: float = 0.0) -> None:
        """Ends background hooks: waits up to `wait_s` for them, then stops what is left. Writes the history."""
        if self._background is not None:
            await self._background.end(wait_s)
        if self.history is not None:
            self.history.flush()

    # -- running -------------------------------------------------------------------------------------

    def _planned(self) -> Plans:
        depth, most = depth_of(self.environment), self.services.limits.plans
        return Plans(self.hooks, self.trust, depth, most, self.services.environment)

    def _inline(self, ready: Ready, event: Event) -> Decision:
        decision = fire_inline(ready, event) if ready.callbacks else ready.silent
        if ready.whole and decision is ready.silent:
            return decision
        return closed(ready.plan, decision, self.trust.is_strict)

    async def _fire_and_settle(self, plan: Plan, event: Event, budget_s: float | None) -> Decision:
        decision = await self._fire(plan, event, budget_s)
        await self.close(max((step.spec.timeout_s for step in plan.steps if step.spec.background), default=0))
        return decision

    async def _fire(
        self, plan: Plan, event: Event, budget_s: float | None, logs: Mapping[str, str] = _NO_LOGS
    ) -> Decision:
        started = monotonic()
        run_id = new_run_id()
        run = Run(run_id)
        if self.services.presence_dir and plan.groups:
            kept = "" if self.history is None else self.workspace
            run.begin(self.services.presence_dir, plan, event, kept)
        deadline = self._deadline(event, budget_s, started)

        async def run_step(step: Step, current: Event, planned: float) -> HookResult:
            if step.spec.background and not logs:
                try:
                    return self._start_background(step, current, planned)
                except Exception as error:
                    return defect(step.spec, current, error)
            return await self._run_step(step, current, planned, run, deadline, logs)

        if self.history is not None and plan.groups:
            from hookline.system.loops.loop import current_loop

            current_loop().call_soon(self.history.prepare)
        try:
            again = None if logs else (lambda now: self._plans.ready(now).plan)
            decision = await decided(plan, event, run_step, self.services.limits.parallel, again)
        except BaseException:
            run.clear()
            raise
        finally:
            run.end()
        (self.services.afterwards or _now)(run.clear)
        decision = closed(plan, decision, self.trust.is_strict)
        took = monotonic() - started
        decision = replace(decision, duration_s=took, run_id=run_id, policy=self.policy)
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
        run: Run,
        deadline: float | None,
        logs: Mapping[str, str] = _NO_LOGS,
    ) -> HookResult:
        started = monotonic()
        try:
            programs = self.trust.reviewed_programs(step.spec)
            refused = self._refusal(step.spec, event) if programs is not None else changed(step.spec)
            if refused is not None:
                return refused
            self._tell(HookStarted(step.spec, event, now()))
            log = logs.get(step.spec.id) or self._output_path(run, step)
            raw = await self._raw(step, event, run, deadline, log, programs or {})
            result = limited(JUDGING_LIMIT_S, judged, step, event, raw, planned, started)
            result = self._of_reviewed(with_cause(result, self.services.why_not_started))
            result = replace(result, digest=self.trust.digest(result.spec))
        except Exception as error:  # our own defect is reported as the hook's result, never raised
            result = defect(step.spec, event, error)
        self._tell(HookFinished(result, event, now()))
        return result

    def _of_reviewed(self, result: HookResult) -> HookResult:
        """What a hook said counts only if its files were the reviewed ones until its end; a denial counts anyway."""
        if self.trust.ran_reviewed(result.spec) or result.outcome.verdict >= Verdict.DENY:
            return result
        why = "its files changed while it ran, so what it said does not count; run `hookline trust`"
        return HookResult(result.spec, Status.untrusted, why, result.raw)

    def _tell(self, news: HookStarted | HookFinished) -> None:
        """A listener that cannot listen changes nothing."""
        for listener in self._listeners:
            try:
                listener(news)
            except Exception:
                pass

    async def _raw(
        self, step: Step, event: Event, run: Run, deadline: float | None, log: str, programs: Programs
    ) -> RawResult:
        spec = step.acting
        if deadline is not None:
            spec = within(spec, deadline - monotonic())
        if isinstance(spec.action, Inline) and not spec.action.takes_context:
            given = HandlerInput(context=event)
        else:
            given = limited(JUDGING_LIMIT_S, step.dialect.hook_input, event, spec)
            if step.fit.doubt:
                given = replace(given, env={**given.env, "HOOK_UNSURE": "1"})
        around = Around(
            env=self.environment_of(event.session_id),
            workspace=self.workspace or event.cwd,
            timeout_s=spec.timeout_s,
            run_dir=run.folder_for(step, given, programs),
            programs=programs,
            output_path=log,
            complete=self.services.complete,
            call_tool=self.services.call_tool,
            on_output=self._heard(spec),
            on_commit=commit_gate(event, spec, self.hooks.specs, self.fire),
        )
        raw = await handler_for(spec.action)(spec.action, spec, given, around)
        return replace(raw, limit_s=spec.timeout_s) if raw.timed_out else raw

    def _heard(self, spec: HookSpec) -> Callable[[str, bytes], None] | None:
        hear = self.services.on_output
        return None if hear is None else lambda stream, chunk: hear(spec, chunk)

    def _output_path(self, run: Run, step: Step) -> str:
        folder = self.services.output_dir
        return f"{folder}{os.sep}{run.id}{os.sep}{step.index}.txt" if folder else ""

    def _refusal(self, spec: HookSpec, event: Event) -> HookResult | None:
        once = self.services.once
        if spec.once and once is not None and not once.claim(event.session_id, spec.id):
            return spent(spec)
        return None

    def _start_background(self, step: Step, event: Event, planned: float) -> HookResult:
        if self.services.detach is not None:
            self.services.detach(step.spec, event)
            return HookResult(step.spec, Status.ran, "started in the background", RawResult(started_at=now()))
        run = Run(new_run_id())

        async def work() -> HookResult:
            try:
                return await self._run_step(step, event, planned, run, None)
            finally:
                run.clear()

        if self._background is None:
            from hookline.engine.background import BackgroundHooks

            self._background = BackgroundHooks()
        self._background.start(step.spec, event.session_id, work)
        return HookResult(step.spec, Status.ran, "started in the background", RawResult(started_at=now()))

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
            complete = self.services.complete
            return complete is not None and not getattr(complete, "any_loop", False)
        return spec.handler not in _ANY_LOOP


def _now(work: Callable[[], None]) -> None:
    work()
