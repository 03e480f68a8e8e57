"""The issue host: works on issues one after another, with AutoAgent's hooks around each and one Stop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from hookline.agents.base import OnEvent
from hookline.engine import Engine
from hookline.hosts.issues.files import Issue, IssueFault, change_todo, load_issue
from hookline.hosts.issues.providers import ProviderChain, Reply, Task
from hookline.hosts.issues.report import INTERRUPTED, IssueResult, Report
from hookline.hosts.issues.run_log import note_issue
from hookline.hosts.issues.session_files import Session, SessionStore
from hookline.hosts.issues.settings import DIALECT
from hookline.hosts.issues.targets import Selection, pending
from hookline.hosts.telling import Edits, Telling
from hookline.model.errors import ConfigError, HooklineError, StateError, failure_words, unheard
from hookline.model.events import Event, EventKind, IssueRun, RunEnd
from hookline.model.record import Record, replace
from hookline.model.rendering import iso_time
from hookline.model.results import HookFinished, HookStarted
from hookline.system.clock import monotonic
from hookline.system.files import read_head
from hookline.system.locks import file_lock
from hookline.system.loops.loop import sleep
from hookline.system.repository.git import read_git
from hookline.system.workspace.changes import Snapshot, changed_since, scan

STOP_CAP = 3
OUTPUT_LIMIT = 1 << 20
GROWTH_LIMIT = 1000
LOOK_S = 0.2


class IssueHost(Telling):
    """One session over a selection of issues. `run` once; `interrupt` from a signal handler.

    Each issue has PreExecutionStart, PostExecutionStart, PreExecutionEnd, PostExecutionEnd once each;
    the session has one RunStop, and one more for each continuation a hook asks for (three at most).
    """

    def __init__(
        self,
        engine: Engine,
        providers: ProviderChain,
        store: SessionStore,
        session: Session,
        *,
        instructions: str = "",
        on_event: OnEvent = unheard,
        dry_run: bool = False,
    ) -> None:
        super().__init__(engine, session.workspace, session.id, on_event)
        self.providers = providers
        self.store = store
        self.session = session
        self.instructions = instructions
        self.dry_run = dry_run
        self._edits = Edits(engine.hooks)
        self.results: list[IssueResult] = []
        self._started = monotonic()
        self._begun: IssueRun | None = None  # told of its start, and not yet of its end
        self._work: asyncio.Task[Any] | None = None
        self._hooks = 0
        engine.listen(self._heard)
        self._issue_began = self._started
        self._stopping = False

    # -- the session --------------------------------------------------------------------------------

    async def run(self, selection: Selection) -> Report:
        """Works on the issues, then stops; never raises for what hooks and providers did."""
        self.tell("session.started", issues=list(selection.numbers), dry_run=self.dry_run)
        reason = await self._worked(selection)
        self._stopping = True
        status, words = await self._ended(reason)
        self.session = self.store.end(self.session, status)
        report = Report(
            self.session.id, status, tuple(self.results), monotonic() - self._started, words, self.dry_run
        )
        self.tell("session.ended", reason=reason, **report.as_json())
        return report

    def interrupt(self) -> None:
        """The first call ends the work and goes on to Stop; the second ends that too, at once."""
        if self._work is not None:
            self._work.cancel()
            if self._stopping:
                # A second cancellation, once the first was noticed, takes the grace from what still runs.
                asyncio.get_running_loop().call_later(0.1, self._work.cancel)

    async def _worked(self, selection: Selection) -> str:
        """All issues; `completed`, `interrupted` or `error`."""
        self._work = asyncio.ensure_future(self._all(selection))
        try:
            await self._work
        except asyncio.CancelledError:
            return INTERRUPTED
        except HooklineError as error:
            self.tell("message", role="error", text=error.message)
            return "error"
        return "completed" if all(result.success for result in self.results) else "error"

    async def _all(self, selection: Selection) -> None:
        waiting = list(selection.numbers)
        while waiting and len(self.results) < GROWTH_LIMIT:
            await self._one(waiting.pop(0))
            self._edits.tell(self.tell)
            if selection.grows and not self.dry_run:
                known = {*waiting, *self.session.issues_planned}
                fresh = [number for number in pending(self.workspace) if number not in known]
                waiting += fresh
                self._keep(issues_planned=(*self.session.issues_planned, *fresh))

    async def _ended(self, reason: str) -> tuple[str, str]:
        """The end of the session as a task of its own, so that a second signal can cut it short."""
        self._work = asyncio.ensure_future(self._close_down(reason))
        try:
            status, words = await self._work
            return str(status), str(words)
        except asyncio.CancelledError:
            return INTERRUPTED, "interrupted while stopping"

    async def _close_down(self, reason: str) -> tuple[str, str]:
        if self._begun is not None:  # it is not done, and those who heard of its start hear of its end
            cut_short = replace(self._begun, provider=self.providers.name, success=False, error=INTERRUPTED)
            cut_short = replace(cut_short, files_modified=(), output="")
            self.results[-1] = self._measured(await self._announce(cut_short))
        words = await self._stop(reason)
        if not self.dry_run:
            await self.providers.close(INTERRUPTED if reason == INTERRUPTED else "other")
        await self.engine.close()
        statuses = {"completed": "completed", INTERRUPTED: INTERRUPTED, "error": "failed"}
        return "failed" if words and reason != INTERRUPTED else statuses[reason], words

    async def _stop(self, reason: str) -> str:
        """Fires RunStop until it is accepted; what a hook still wanted when nothing more was tried."""
        continuations = 0
        while True:
            dry = {"dry_run": True} if self.dry_run else {}
            decision = await self.fire(EventKind.RunStop, self._run_end(reason, continuations > 0), extra=dry)
            if not decision.blocked:
                return ""
            words = decision.reason or "a hook keeps the session from ending"
            if reason == INTERRUPTED or self.dry_run:
                self.tell("message", role="notice", text=f"Stop was blocked: {words}")
                return words
            if continuations >= STOP_CAP:
                last = f"Stop is still blocked after {STOP_CAP} continuations: {words}"
                self.tell("message", role="notice", text=last)
                return last
            continuations += 1
            self.tell("message", role="notice", text=f"Stop was blocked, going on: {words}")
            reply = await self.providers.go_on(self._task([words, *decision.contexts]))
            if not reply.ok:
                self.tell("message", role="error", text=reply.error)

    def _run_end(self, reason: str, again: bool) -> RunEnd:
        session = self.session
        return RunEnd(
            reason,
            len(session.issues_completed),
            len(session.issues_planned),
            len(session.issues_failed),
            session.issues_completed,
            round((monotonic() - self._started) * 1000),
            again,
        )

    # -- one issue ------------------------------------------------------------------------------------

    async def _one(self, number: int) -> None:
        self._issue_began = monotonic()
        self._hooks = 0
        self._keep(current_issue=number)
        try:
            result = await self._executed(load_issue(self.workspace, number))
        except IssueFault as fault:
            words = fault.message + (f" ({fault.hint})" if fault.hint else "")
            result = IssueResult(number, "", success=False, error=words)
            self._count(result)
        self.results[-1] = self._measured(result)
        self._keep(current_issue=None)

    async def _executed(self, issue: Issue) -> IssueResult:
        """The steps of one issue, in the order hooks rely on."""
        body = IssueRun(
            issue.number, issue.title, issue.file, issue.plan_file, dry_run=True if self.dry_run else None
        )
        decision = await self.fire(EventKind.PreExecutionStart, body)
        if decision.blocked:
            error = f"Execution blocked: {decision.reason}"
            return self._count(IssueResult(issue.number, issue.title, success=False, error=error))
        if self.dry_run:
            result = IssueResult(issue.number, issue.title, success=True, provider=self.providers.name)
            return self._count(result)
        started = self._begun = replace(body, provider=self.providers.name)
        self.tell("issue.started", issue=issue.number, title=issue.title, provider=started.provider)
        await self.fire(EventKind.PostExecutionStart, started)
        before = await self._scan(None)
        reply = await self._reply(issue, decision.contexts)
        after = await self._scan(before)
        files = changed_since(before, after) if before and after else None
        touched = (*files.changed, *files.deleted) if files else ()
        ending = replace(
            started, provider=reply.provider or self.providers.name, success=reply.ok,
            duration_ms=self._took_ms(), files_modified=tuple(sorted(touched)), output=_bounded(reply.text),
            error=reply.error or None,
        )  # fmt: skip
        decision = await self.fire(EventKind.PreExecutionEnd, ending)
        if decision.blocked:
            ending = replace(ending, success=False, error=decision.reason)
        return await self._announce(ending)

    async def _announce(self, ending: IssueRun) -> IssueResult:
        """Marks the issue, says that it ended, and lets hooks react to the final result."""
        self._begun = None
        ending = replace(ending, duration_ms=self._took_ms())
        result = IssueResult(
            ending.issue_number, ending.issue_title, bool(ending.success), ending.error or "",
            ending.provider or "", ending.files_modified or (),
        )  # fmt: skip
        result = self._marked(result, ending.issue_file)
        ending = replace(ending, success=result.success, error=result.error or None)
        self._count(result)
        await self.fire(EventKind.PostExecutionEnd, ending)
        return result

    def _took_ms(self) -> int:
        return round((monotonic() - self._issue_began) * 1000)

    async def _reply(self, issue: Issue, contexts: tuple[str, ...]) -> Reply:
        try:
            return await self.providers.work(self._task([issue.text.strip(), issue.plan.strip(), *contexts]))
        except HooklineError as error:
            return Reply("", "final", error.message, self.providers.name)
        except Exception as error:  # a provider's defect fails its issue, and the others go on
            return Reply("", "final", failure_words(error), self.providers.name)

    def _task(self, texts: Sequence[str]) -> Task:
        return Task(self.instructions, "\n\n".join(texts), self.session.id)

    async def _scan(self, before: Snapshot | None) -> Snapshot | None:
        try:
            return await scan(self.workspace, before)
        except StateError as error:
            self.tell("message", role="error", text=f"changed files are not known: {error.message}")
            return None

    def _marked(self, result: IssueResult, file: str) -> IssueResult:
        """Checks the box of an issue that succeeded; if that cannot be written, it did not."""
        try:
            if result.success:
                change_todo(self.workspace, result.number, result.title, file)
            note_issue(self.workspace, result.number, result.title, result.word)
        except HooklineError as error:
            self.tell("message", role="error", text=error.message)
            return replace(result, success=False, error=error.message)
        return result

    def _count(self, result: IssueResult) -> IssueResult:
        """Tells the result and takes it into report and session; an interrupted issue is neither done nor failed."""
        self.results.append(self._measured(result))
        self.tell("issue.finished", dry_run=self.dry_run, **self.results[-1].as_json())
        if self.dry_run or result.error == INTERRUPTED:
            return result
        kept, number = self.session, result.number
        completed = tuple(n for n in kept.issues_completed if n != number)
        failed = tuple(n for n in kept.issues_failed if n != number)
        if result.success:
            self._keep(issues_completed=(*completed, number), issues_failed=failed)
        else:
            self._keep(issues_completed=completed, issues_failed=(*failed, number))
        return result

    def _measured(self, result: IssueResult) -> IssueResult:
        """With the hooks and the time of the issue so far."""
        return replace(result, hooks=self._hooks, seconds=monotonic() - self._issue_began)

    # -- events ---------------------------------------------------------------------------------------

    def event(self, kind: EventKind, body: Record, **more: Any) -> Event:
        return super().event(kind, body, host=DIALECT, **more)

    def _heard(self, news: HookStarted | HookFinished) -> None:
        """Counts every hook of an issue, those around its tools included."""
        self._hooks += isinstance(news, HookFinished)

    def _keep(self, **changes: Any) -> None:
        self.session = self.store.save(replace(self.session, **changes))


def _bounded(text: str) -> str:
    """What hooks get of the agent's words, with a mark where some were left out."""
    left = len(text) - OUTPUT_LIMIT
    return text if left <= 0 else f"{text[:OUTPUT_LIMIT]}\n… {left} more characters were left out"


class IssueLock:
    """Held from `take` to `release`. The kernel frees it when its holder dies, however that happens."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = file_lock(path)
        self._held = False

    async def take(self, wait: bool, say: Callable[[str], None]) -> None:
        """Raises ConfigError naming the holder, unless told to `wait`; without a place for locks there is none."""
        told = False
        try:
            while not self._lock.attempt():
                if not wait:
                    hint = "`--wait` waits for its end, `hookline sessions current` shows it"
                    raise ConfigError(f"{self._holder()} works on issues here already", hint)
                if not told:
                    say(f"waiting: {self._holder()} works on issues here")
                told = True
                await sleep(LOOK_S)
        except StateError as error:
            say(f"two runs at once would not be noticed: {error.message}")
            return
        self._held = True

    def release(self) -> None:
        if self._held:
            self._held = False
            self._lock.__exit__(None, None, None)

    def _holder(self) -> str:
        found = read_head(self._path + ".lock", 32)
        number = self._lock.holder()
        since = iso_time(found.mtime_ns / 1e9)[:19].replace("T", " ") if found.mtime_ns else ""
        who = f"process {number}" if number else "another process"
        return f"{who} (since {since} UTC)" if since else who


async def lock_of(workspace: str, state_home: str) -> IssueLock:
    """The lock of the work tree `workspace` lies in: `git add -A` knows no smaller place."""
    found = await read_git(workspace, "rev-parse", "--show-toplevel")
    place = found.output.removesuffix(b"\n") if found.ok else os.fsencode(workspace)
    name = sha256(os.path.realpath(place)).hexdigest()[:16]
    return IssueLock(os.path.join(state_home, "issue-runs", name))
