"""File hooks as obligations: what a turn changed makes hooks owed, and they stay owed until they pass.

The algorithm is Discobot's (Hooks Module, Non-Blocking Hook Flow); every dialect's FilesChanged hooks follow it.
"""

from __future__ import annotations

import time

from hookline.dialects.file_hooks import MAX_ATTEMPTS, matching_files
from hookline.engine.evaluation import (
    Evaluation,
    FileHookVerdict,
    concerns,
    has_failed,
    input_key,
    left_changes,
    new_changes,
    touching,
    uncommitted,
)
from hookline.engine.fire import Engine
from hookline.engine.hookruns import HookRuns, lone_event
from hookline.model.errors import Warn, unheard
from hookline.model.events import Event, EventKind, FilesChanged
from hookline.model.hooks import HookSpec, Unusable
from hookline.model.record import replace
from hookline.model.results import HookResult
from hookline.model.typing import TYPE_CHECKING, Awaitable, Callable, Sequence, TypeVar
from hookline.state.changers import Changers, Whose
from hookline.state.evaluations import Evaluations, Seen, states_of
from hookline.state.paths import Paths
from hookline.state.session_folder import evaluations_place, hooks_folder
from hookline.system.clock import now
from hookline.system.locks import Turnstile
from hookline.system.workspace.changes import Changes, FullScans, Snapshot, changed_since, dirty_files
from hookline.system.workspace.differences import differences

if TYPE_CHECKING:
    from hookline.engine.standing import Standing
    from hookline.system.workspace.watching import Watcher

    T = TypeVar("T")


__all__ = ["MAX_ATTEMPTS", "FileHookVerdict", "FileHooks"]

DIFF_LIMIT = 60 * 1024


class FileHooks(HookRuns):
    """The file hooks of one workspace, for any number of sessions.

    `evaluate` at the end of each turn. Evaluations of a workspace follow one another, also between
    processes, so that no hook runs twice at once. Cancelling one kills the hook under way, which
    stays owed. `reload` gives the hooks as they are on disk, asked for before each evaluation.
    `on_change` hears the id of a session whose status.json has changed. A host that stays hands in its `watcher`
    of the workspace, which saves git the work.
    """

    def __init__(
        self,
        engine: Engine,
        paths: Paths,
        *,
        warn: Warn = unheard,
        reload: Callable[[], object] | None = None,
        on_change: Callable[[str], object] = unheard,
        watcher: Watcher | None = None,
    ) -> None:
        super().__init__(engine, paths, warn, on_change)
        self._reload = reload or (lambda: None)
        self._looks = watcher or FullScans(engine.workspace)
        self._evaluations: dict[str, Evaluations] = {}
        self._lock_path = evaluations_place(paths, engine.workspace)
        self._changers = Changers(f"{self._lock_path}.json", warn)
        self._refreshed = 0.0  # when the hooks were read last
        self._inside = 0  # evaluations under way in this process: at most one, as they take turns
        # What the agent of a session was told last: the failed hook, its event, its result
        self._told: dict[str, tuple[HookSpec, Event, HookResult]] = {}

    # -- what hosts ask -------------------------------------------------------------------------------

    def find(self, hook_id: str) -> HookSpec | None:
        """A hook by its id, or by the slug of its name."""
        hooks = self.engine.hooks
        named = [spec for spec in hooks.specs if hook_id in (spec.origin.aliases or ())]
        return hooks.find(hook_id) or (named[0] if len(named) == 1 else None)

    async def begin(self, session_id: str) -> None:
        """Before a turn: what a session's first one commits shall count as changed, too."""
        if not self.engine.hooks.of_kind(EventKind.FilesChanged):
            return
        self._changers.begin(session_id)
        evaluations = self._kept(session_id)
        if evaluations.is_new():
            evaluations.begin(await self._looks.head() or "")
            if any(spec.conduct.baseline for spec in self.engine.hooks.of_kind(EventKind.FilesChanged)):
                await self._alone(lambda: self._standing(session_id).begin(self._looks.scan, self._event))

    def _standing(self, session_id: str) -> Standing:
        from hookline.engine.standing import Standing

        return Standing(self, session_id)

    async def evaluate(
        self,
        session_id: str,
        *,
        user_turn: bool = True,
        phase: str = "",
        answered: bool = True,
        ended: float | None = None,
    ) -> FileHookVerdict:
        """Finds what changed, owes the hooks it concerns, and runs what is owed, in order.

        `user_turn`: the turn that ended was the user's. It starts the count of attempts anew and runs every
        hook that is owed; after a turn asked for by hooks that changed nothing, the agent is told the same
        failure again, up to the last attempt, without running the hook. Not so when the model
        gave no answer (`answered`): what is owed waits for the user. Hooks that were read after the turn `ended`, by
        `time.monotonic`, are those it left behind: of many turns that end at once one reads them.
        """
        if await self._owes_nothing(session_id, user_turn, ended):
            return FileHookVerdict("none")
        return await self._alone(lambda: self._evaluate(session_id, user_turn, phase, answered))

    async def rerun(self, hook_id: str, session_id: str) -> HookResult | None:
        """Runs one hook now on all that is not committed, of a commit on what is staged; None: no such hook.

        A success clears it, as in an evaluation. Waits while an evaluation of the workspace is under way.
        """
        return await self._alone(lambda: self._rerun(hook_id, session_id))

    async def _alone(self, work: Callable[[], Awaitable[T]]) -> T:
        """Does it while no other evaluation of the workspace is under way, by the hooks as they are on disk."""
        async with Turnstile(self._lock_path):
            self._refresh()
            self._inside += 1
            try:
                return await work()
            finally:
                self._inside -= 1

    async def _rerun(self, hook_id: str, session_id: str) -> HookResult | None:
        spec = self.find(hook_id)
        if spec is None:
            return None
        if spec.kind != EventKind.FilesChanged:
            event = await lone_event(self.engine.workspace, session_id, spec, DIFF_LIMIT)
            return (await self.run(spec, event))[1]
        current = await self._looks.scan()
        dirty = dirty_files(current)
        event = self._event(session_id, dirty.changed, dirty.deleted, 1)
        result = (await self.run(spec, event))[1]
        if not result.failed and result.raw is not None:
            evaluations = self._kept(session_id)
            start = evaluations.baseline() or current
            await self._remember(spec, start, current, evaluations, evaluations.seen())
        return result

    # -- an evaluation ----------------------------------------------------------------------------------

    async def _owes_nothing(self, session_id: str, user_turn: bool, ended: float | None) -> bool:
        """Whether nothing is owed and nothing changed that concerns a hook: such evaluations wait for no other.

        What is known of the hooks is refreshed only while no evaluation relies on it.
        """
        if ended is None or self._refreshed < ended:
            self.refresh_when_idle()
        status = self.status(session_id)
        specs = [spec for spec in self.engine.hooks.of_kind(EventKind.FilesChanged) if spec.enabled]
        if status.recover() or status.read()["pendingHooks"]:
            return False
        if not specs:
            return not self._inside
        current, whose, touched = await self._look(session_id, specs)
        if whose.own and (self._inside or any(touched.values())):
            return False
        if user_turn:
            self._told.pop(session_id, None)
            status.reset_attempts()
        self._advance(session_id, current, whose)
        self.changed(session_id)
        return True

    async def _look(
        self, session_id: str, specs: Sequence[HookSpec]
    ) -> tuple[Snapshot, Whose, dict[str, Changes | None]]:
        """The workspace now, whose what is new in it is, and what of its own each hook is concerned with."""
        evaluations = self._kept(session_id)
        current = await self._looks.scan(evaluations.baseline())
        whose = self._changers.sort(session_id, current, await new_changes(evaluations, current))
        left = await left_changes(whose.own, evaluations, current)
        seen, touched = evaluations.seen(), {}
        for spec in specs:
            phase, known = spec.conduct.phase or "", seen.get(spec.id, Seen()).files

            def event_of(files: Changes, phase: str = phase) -> Event:
                return self._event(session_id, files.changed, files.deleted, 1, phase)

            touched[spec.id] = touching(spec, event_of, whose.own, left, current, known)
        return current, whose, touched

    def _advance(self, session_id: str, current: Snapshot, whose: Whose) -> None:
        """From here on changes count from `current`."""
        self._changers.asked(session_id, current, whose.own)
        evaluations = self._kept(session_id)
        seen = evaluations.seen()
        evaluations.advance(current)
        evaluations.keep_seen({hook: Seen(failed=known.failed) for hook, known in seen.items()})
        self.status(session_id).mark_evaluated(current.cutoff_ns / 1e9)

    async def _evaluate(
        self, session_id: str, user_turn: bool, phase: str, answered: bool
    ) -> FileHookVerdict:
        status = self.status(session_id)
        specs = self.engine.hooks.of_kind(EventKind.FilesChanged)
        specs = tuple(spec for spec in specs if spec.enabled)
        if not specs:
            if status.read()["pendingHooks"]:
                status.keep_pending(())  # what deleted hooks were owed is forgotten
            return FileHookVerdict("none")
        status.recover()
        if user_turn:
            status.reset_attempts()
            self._told.pop(session_id, None)
        current, whose, touched = await self._look(session_id, specs)
        concerned = [spec for spec in specs if touched[spec.id]]
        wanted = [spec.id for spec in concerned if not isinstance(spec.action, Unusable)]
        if wanted:
            status.add_pending(wanted)
        self._advance(session_id, current, whose)
        places = {spec.id: spec.place for spec in specs if spec.place != spec.id}
        kept = status.keep_pending([spec.id for spec in specs], places)
        self.changed(session_id)
        evaluation = Evaluation(session_id, phase, whose, tuple(kept["pendingHooks"]))
        for spec in concerned:
            if isinstance(spec.action, Unusable):
                evaluation.note(f"`{spec.name}` cannot run: {spec.action.why}")
        if not evaluation.pending:
            return evaluation.verdict("none")
        if kept.get("executionPaused"):
            return evaluation.verdict("paused")
        if not user_turn and not whose.own and not answered:
            evaluation.note("the model gave no answer; the hooks stay owed")
            return evaluation.verdict("none")
        if user_turn or whose.own or not self._repeat(evaluation):
            await self._run_pending(evaluation, specs, touched, current)
        return self._judged(evaluation)

    def _repeat(self, evaluation: Evaluation) -> bool:
        """The same files give the same failure: the agent is told again, the hook is not run again."""
        told = self._told.get(evaluation.session_id)
        if told is None or told[0].id not in evaluation.pending:
            return False
        attempts = int(self.status(evaluation.session_id).read().get("attempts") or 0)
        evaluation.tell_again(*told, min(attempts + 1, MAX_ATTEMPTS))
        return True

    async def _run_pending(
        self,
        evaluation: Evaluation,
        specs: Sequence[HookSpec],
        touched: dict[str, Changes | None],
        start: Snapshot,
    ) -> None:
        """What is owed, in the order of the hooks, up to the first failure."""
        status = self.status(evaluation.session_id)
        evaluations = self._kept(evaluation.session_id)
        entries, current = status.read(), start
        attempt = min(int(entries.get("attempts") or 0) + 1, MAX_ATTEMPTS)
        for spec in specs:
            if spec.id not in evaluation.pending or not evaluation.is_due(spec, entries["hooks"]):
                continue
            event = self._input(spec, evaluation, current, touched[spec.id], attempt)
            if not concerns(spec, event):
                self._clear(spec, event, evaluation)
                continue
            seen = evaluations.seen()
            key = input_key(spec, current, event)
            if spec.conduct.notify_llm is False and seen.get(spec.id, Seen()).failed == key:
                evaluation.note(f"`{spec.name}` failed on these very files before; it stays owed")
                continue
            if not await self._passes(spec, event, evaluation):
                evaluations.keep_seen({**seen, spec.id: Seen(failed=key)})
                if not spec.conduct.continue_on_failure:
                    return
            elif evaluation.runs and evaluation.runs[-1].result.spec.id == spec.id:
                before, current = current, await self._remember(spec, start, current, evaluations, seen)
                own = changed_since(before, current)
                evaluation.wrote.update(dict.fromkeys((*own.changed, *own.deleted)))

    async def _passes(self, spec: HookSpec, event: Event, evaluation: Evaluation) -> bool:
        """Runs the hook; one that may not run stays owed and holds up nobody."""
        if spec.handler == "agent":
            changed = (*event.get("deleted_files"), *event.get("files"))
            wanted = [path for path in changed if matching_files(spec, (path,))]
            diff = await differences(self.engine.workspace, wanted, DIFF_LIMIT)
            event = replace(event, extra={**event.extra, "diff": diff})
        decision, result = await self.run(spec, event)
        if result.raw is None:
            evaluation.note(f"`{spec.name}` is owed, and did not run: {result.why}")
            evaluation.is_inconclusive = True
            return True
        if spec.conduct.baseline and has_failed(result) and self._standing(event.session_id).covers(result):
            evaluation.took(event, replace(decision, reprompt=None), result)
            evaluation.note(
                f"`{spec.name}` fails as it did before this session began; the agent is not asked"
            )
            self.status(event.session_id).clear(spec.id)
            return True
        evaluation.took(event, decision, result)
        if decision.reprompt:
            self._told[event.session_id] = (spec, event, result)
        return not has_failed(result)

    def _judged(self, evaluation: Evaluation) -> FileHookVerdict:
        status = self.status(evaluation.session_id)
        pending = tuple(status.read()["pendingHooks"])
        evaluation.pending = pending
        if not evaluation.reprompts:
            if not pending:
                status.reset_attempts()
            return evaluation.verdict(evaluation.quiet_action)
        if int(status.read().get("attempts") or 0) >= MAX_ATTEMPTS:
            failed = [run.result.spec.name for run in evaluation.runs if run.failed]
            told = self._told.get(evaluation.session_id)
            names = ", ".join(f"`{name}`" for name in failed or ([told[0].name] if told else []))
            words = f"{names} still failed after {MAX_ATTEMPTS} attempts; the agent is not asked again"
            evaluation.note(words)
            return evaluation.verdict("capped")
        self._changers.begin(evaluation.session_id)  # whoever is told goes on
        return evaluation.verdict("reprompt", status.count_attempt())

    async def _remember(
        self,
        spec: HookSpec,
        start: Snapshot,
        before: Snapshot,
        evaluations: Evaluations,
        seen: dict[str, Seen],
    ) -> Snapshot:
        """After a success: what changed up to here is known to the hook, its own writes included."""
        after = await self._looks.scan(before)
        done = changed_since(start, after)
        evaluations.keep_seen({**seen, spec.id: Seen(states_of(after, (*done.changed, *done.deleted)))})
        return after

    def _clear(self, spec: HookSpec, event: Event, evaluation: Evaluation) -> None:
        """Nothing uncommitted concerns the hook any more: it is owed no run, which is no pass."""
        self.status(evaluation.session_id).clear(spec.id)
        self.changed(evaluation.session_id)
        words = f"`{spec.name}` is cleared: no uncommitted file concerns it"
        evaluation.note(words)
        if self.engine.history is not None:
            decision = replace(self.engine.explain(event), messages=(words,))
            self.engine.history.record(event, decision, self.engine.workspace)

    # -- small things -------------------------------------------------------------------------------------

    def _input(
        self,
        spec: HookSpec,
        evaluation: Evaluation,
        current: Snapshot,
        touched: Changes | None,
        attempt: int,
    ) -> Event:
        """All that is not committed, and what was changed and committed since."""
        left = self._changers.own(evaluation.session_id, current, uncommitted(current, touched))
        return self._event(evaluation.session_id, left.changed, left.deleted, attempt, evaluation.phase)

    def _event(
        self, session_id: str, files: Sequence[str], deleted: Sequence[str], attempt: int, phase: str = ""
    ) -> Event:
        extra = {"attempt": attempt, "max_attempts": MAX_ATTEMPTS, **({"phase": phase} if phase else {})}
        place = self.engine.workspace
        body = FilesChanged(tuple(files), tuple(deleted))
        return Event(EventKind.FilesChanged, session_id, place, body, place, at=now(), extra=extra)

    def refresh_when_idle(self) -> None:
        """Reads the hooks again, unless an evaluation relies on them."""
        if not self._inside:
            self._refresh()

    def _refresh(self) -> None:
        self._refreshed = time.monotonic()
        self._reload()

    def _kept(self, session_id: str) -> Evaluations:
        claim = bool(self.engine.hooks.of_kind(EventKind.FilesChanged))
        folder = hooks_folder(self.paths, session_id, self.engine.workspace, claim=claim)
        if folder not in self._evaluations:
            self._evaluations[folder] = Evaluations(folder, self.warn)
        return self._evaluations[folder]
