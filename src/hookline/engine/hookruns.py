"""One hook of a session, called by itself: through the engine, with its log and its line in status.json."""

from __future__ import annotations

from contextlib import contextmanager

from hookline.dialects.file_hooks import exit_number, log_text
from hookline.engine.evaluation import has_failed
from hookline.engine.fire import Engine
from hookline.model.errors import StateError, Warn, unheard
from hookline.model.events import Event, EventKind, event_from_payload
from hookline.model.hooks import HookSpec
from hookline.model.record import replace
from hookline.model.results import Decision, HookResult, Status
from hookline.model.typing import TYPE_CHECKING, Callable, Iterator, Mapping, Sequence
from hookline.state.outputs import HookLogs
from hookline.state.paths import Paths
from hookline.state.redaction import Redactor
from hookline.state.session_folder import hooks_folder
from hookline.state.status import StatusStore
from hookline.system.clock import monotonic, now
from hookline.system.files import append_line, file_stamp
from hookline.system.loops.loop import cancellations, current_loop, sleep

if TYPE_CHECKING:
    from hookline.system.loops.loop import Waitable


FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 2.0
STOPPED = "stopped by a person"
HOOK_TYPES = {
    EventKind.SessionStart: "session",
    EventKind.FilesChanged: "file",
    EventKind.PreCommit: "pre-commit",
}


class HookRuns:
    """Runs single hooks of a workspace for any number of sessions.

    `on_change` hears the id of a session whose status.json has changed, `warn` of what cannot be kept.
    """

    def __init__(
        self,
        engine: Engine,
        paths: Paths,
        warn: Warn = unheard,
        on_change: Callable[[str], object] = unheard,
    ) -> None:
        self.engine = engine
        self.paths = paths
        self.warn = warn
        self._on_change = on_change
        self._secrets = Redactor(engine.environment)
        self._stores: dict[str, tuple[StatusStore, HookLogs]] = {}
        self._under_way: dict[tuple[str, str], Waitable] = {}

    def hide(self, secrets: Mapping[str, str]) -> None:
        """Keeps these values, by their names, out of all logs from now on."""
        self._secrets.learn(secrets)

    def status(self, session_id: str) -> StatusStore:
        """The session's status.json. UsageError for an id that is no folder name."""
        return self._state(session_id)[0]

    def logs(self, session_id: str) -> HookLogs:
        """The session's output logs."""
        return self._state(session_id)[1]

    async def run(self, spec: HookSpec, event: Event) -> tuple[Decision, HookResult]:
        """One hook through the engine, with its log and its line in status.json.

        A session hook with attempts left is tried again, which counts as one run.
        """
        status, logs = self._state(event.session_id)
        if self.engine.explain(event, (spec.id,)).results[self._place(spec)].status != "would_run":
            decision = await self.engine.fire(event, only={spec.id: ""})
            return decision, decision.results[self._place(spec)]
        name, kind = spec.name or spec.id, HOOK_TYPES.get(spec.kind, "file")
        status.mark_running(spec.id, name, kind)
        self.changed(event.session_id)
        began, log = now(), file_stamp(logs.path(spec.id))
        key = (event.session_id, spec.id)
        work = self._under_way[key] = current_loop().create_task(self._attempts(spec, event, logs))
        try:
            decision, result = await work
        except cancellations():
            if key not in self._under_way:
                decision, result = self._stopped(spec, event, logs, log)
            else:
                work.cancel()
                status.mark_interrupted(spec.id)
                self.changed(event.session_id)
                raise
        finally:
            self._under_way.pop(key, None)
        if result.raw is None:
            status.mark_interrupted(spec.id)
        else:
            code = exit_number(result.raw) if result.raw.failed else int(has_failed(result))
            status.record_run(spec.id, name, kind, code, logs.path(spec.id), began, result.status.value)
        self.changed(event.session_id)
        return decision, result

    def stop(self, session_id: str, hook_id: str) -> bool:
        """Ends the run of a hook that is under way, with all it started; False when it does not run.

        It counts as no run, and what the hook is owed it stays owed.
        """
        work = self._under_way.pop((session_id, hook_id), None)
        return work is not None and work.cancel()

    def _stopped(
        self, spec: HookSpec, event: Event, logs: HookLogs, before: object
    ) -> tuple[Decision, HookResult]:
        place, told = self._place(spec), self.engine.explain(event, (spec.id,))
        result = HookResult(spec, Status.cancelled, STOPPED)
        decision = replace(told, results=(*told.results[:place], result, *told.results[place + 1 :]))
        if self.engine.history is not None:
            self.engine.history.record(event, decision, self.engine.workspace)
        with self._kept_or_told(spec):
            printed = b"" if file_stamp(logs.path(spec.id)) == before else logs.read(spec.id)
            logs.save(spec.id, printed + f"{STOPPED}\n".encode())
            logs.clean(spec.id, self._secrets.text)
        return decision, result

    async def _attempts(self, spec: HookSpec, event: Event, logs: HookLogs) -> tuple[Decision, HookResult]:
        most = spec.conduct.attempts or 1
        deadline = monotonic() + spec.timeout_s
        sections: list[str] = []
        for attempt in range(1, most + 1):
            left = deadline - monotonic()
            decision = await self.engine.fire(event, budget_s=left, only={spec.id: logs.path(spec.id)})
            result = decision.results[self._place(spec)]
            if result.raw is None:
                break
            sections.append(f"=== Attempt {attempt}/{most} ===\n{log_text(spec, result.raw)}")
            pause = min(FIRST_PAUSE_S * 2 ** (attempt - 1), LONGEST_PAUSE_S)
            if not has_failed(result) or attempt == most or monotonic() + pause >= deadline:
                break
            await sleep(pause)
        if result.raw is not None:
            self._keep_log(spec, result, logs, sections)
        return decision, result

    def _keep_log(self, spec: HookSpec, result: HookResult, logs: HookLogs, sections: Sequence[str]) -> None:
        """The log of the run, with a last line on how it ended when that was not by itself."""
        raw = result.raw
        assert raw is not None
        printed, text = raw.stdout + raw.stderr, log_text(spec, raw)
        with self._kept_or_told(spec):
            if (spec.conduct.attempts or 1) > 1:
                logs.save(spec.id, "\n".join(sections))
            elif raw.output_path != logs.path(spec.id):
                logs.save(spec.id, text)
            elif text != printed:
                append_line(raw.output_path, text[len(printed) :].rstrip("\n"))
            logs.clean(spec.id, self._secrets.text)

    @contextmanager
    def _kept_or_told(self, spec: HookSpec) -> Iterator[None]:
        try:
            yield
        except StateError as error:
            self.warn(f"the output of `{spec.name}` is not kept: {error.message}")

    def _place(self, spec: HookSpec) -> int:
        return next(place for place, known in enumerate(self.engine.hooks.specs) if known.id == spec.id)

    def changed(self, session_id: str) -> None:
        """Tells that the session's status.json is another one."""
        self._on_change(session_id)

    def _state(self, session_id: str) -> tuple[StatusStore, HookLogs]:
        folder = hooks_folder(self.paths, session_id, self.engine.workspace)
        known = self._stores.get(folder)
        if known is None:
            known = self._stores[folder] = (StatusStore(folder, self.warn), HookLogs(folder))
        return known


async def lone_event(workspace: str, session_id: str, spec: HookSpec, diff_limit: int) -> Event:
    """The moment of a hook that a person runs again and no turn is about: a session's start, or the next commit.

    For a commit with all that is staged, be it nothing, as at `git commit --allow-empty`.
    """
    if spec.kind != EventKind.PreCommit:
        return Event(spec.kind, session_id, workspace, workspace=workspace)
    from hookline.system.repository.git import staged_files

    staged = await staged_files(workspace)
    payload: dict[str, object] = {"files": list(staged.changed), "deleted_files": list(staged.deleted)}
    if spec.handler == "agent":  # a model judges the change itself
        from hookline.system.workspace.differences import staged_differences

        paths = (*staged.deleted, *staged.changed)
        payload["diff"] = await staged_differences(workspace, paths, diff_limit)
    return event_from_payload(
        spec.kind, {**payload, "session_id": session_id}, workspace=workspace, cwd=workspace
    )
