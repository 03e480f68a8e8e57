"""A git commit under way: runs Discobot's pre-commit hooks on what is staged."""

from __future__ import annotations

import os
import sys

from hookline.dialects.file_hooks import exit_number, log_text
from hookline.engine.evaluation import has_failed
from hookline.engine.opening import Opened, open_engine
from hookline.model.errors import HooklineError, UsageError
from hookline.model.events import Event, EventKind, event_from_payload
from hookline.model.record import replace
from hookline.model.results import Decision, HookResult, Verdict
from hookline.model.typing import Callable, Mapping
from hookline.state.history import History
from hookline.state.outputs import HookLogs
from hookline.state.session_folder import hooks_folder
from hookline.state.status import StatusStore
from hookline.system import files
from hookline.system.clock import now
from hookline.system.loops.loop import current_loop, sleep
from hookline.system.loops.loop import run as run_loop
from hookline.system.repository.git import StagedFiles, staged_files
from hookline.system.workspace.roots import find_root

DIALECT = "discobot"
DENIED = 2
PROBE_ANSWER = "hookline: the hook fires"


def run(workspace: str, environment: Mapping[str, str], say: Callable[[str], None] | None = None) -> int:
    """Runs the hooks of the commit; 2 when one forbids it, else 0. What they print goes to stderr.

    `environment` is git's: the hooks keep its variables (githooks(5)), our own git calls do not. Trouble of
    ours (an unreadable status, no staged list) never forbids a commit, but is said.
    """
    speak = say or _stderr
    opened, event = run_loop(prepared(workspace, environment, speak))
    if _asks_a_model(opened):
        event = run_loop(_judgeable(opened, event, environment.get("GIT_INDEX_FILE")))
    return _concluded(opened, event, opened.engine.fire_now(event), speak)


def needs_own_process(opened: Opened, event: Event) -> bool:
    """Whether a process that serves others leaves this commit to one of its own."""
    return _asks_a_model(opened) or opened.engine.needs_asyncio(event)


async def answered(opened: Opened, event: Event, speak: Callable[[str], None]) -> int:
    """`run` of what is `prepared`, in a process that goes on afterwards."""
    try:
        return _concluded(opened, event, await opened.engine.fire(event), speak)
    finally:
        await opened.engine.close()
        if isinstance(opened.engine.history, History):
            opened.engine.history.close()


def _asks_a_model(opened: Opened) -> bool:
    return any(spec.handler == "agent" for spec in opened.engine.hooks.of_kind(EventKind.PreCommit))


def _concluded(opened: Opened, event: Event, decision: Decision, speak: Callable[[str], None]) -> int:
    for result in decision.results:
        if result.raw is not None:
            _keep(opened, event.session_id, result, speak)
    _tell(decision, speak)
    return DENIED if decision.verdict >= Verdict.DENY else 0


def bridge(native_event: str, workspace: str | None = None) -> int:
    """`hookline bridge discobot --event pre-commit`, as the installed git hook calls it."""
    if native_event not in ("pre-commit", EventKind.PreCommit.value):
        raise UsageError(f"bridge: discobot has no git hook `{native_event}`", "there is `pre-commit`")
    if files.environment().get("HOOKLINE_PROBE"):
        _stderr(PROBE_ANSWER)
        return 0
    return run(folder_of(workspace or "", os.getcwd()), files.environment())


def folder_of(workspace: str, cwd: str) -> str:
    """The workspace of a commit made in `cwd`: as told, else the project root around it."""
    return os.path.normpath(os.path.join(cwd, workspace)) if workspace else find_root(cwd).path


async def prepared(
    workspace: str, environment: Mapping[str, str], speak: Callable[[str], None]
) -> tuple[Opened, Event]:
    """The engine and its event; git looks at what is staged while the engine is made."""
    looking = current_loop().create_task(staged_files(workspace, environment.get("GIT_INDEX_FILE")))
    await sleep(0)
    opened = open_engine(workspace, environment=environment, dialects=[DIALECT], warn=speak)
    return opened, _event(workspace, environment.get("SESSION_ID") or "default", await looking)


def _event(workspace: str, session: str, staged: StagedFiles) -> Event:
    payload = {
        "files": list(staged.changed),
        "deleted_files": list(staged.deleted),
        "session_id": session,
    }
    kind = EventKind.PreCommit
    return event_from_payload(kind, payload, workspace=workspace, cwd=workspace, at=now(), host=DIALECT)


async def _judgeable(opened: Opened, event: Event, index_file: str | None) -> Event:
    """With the change that a model is to judge, and the user's own model to ask."""
    from hookline.engine.filehooks import DIFF_LIMIT
    from hookline.hosts.user_judge import give_judge
    from hookline.system.workspace.differences import staged_differences

    give_judge(opened)
    paths = (*event.get("deleted_files"), *event.get("files"))
    diff = await staged_differences(opened.workspace, paths, DIFF_LIMIT, index_file)
    return replace(event, extra={**event.extra, "diff": diff})


def _keep(opened: Opened, session: str, result: HookResult, speak: Callable[[str], None]) -> None:
    """Log and status of one hook, as for every Discobot hook; a full disk is no reason to forbid a commit."""
    assert result.raw is not None
    spec = result.spec
    try:
        folder = hooks_folder(opened.paths, session, opened.workspace, claim=True)
        log = HookLogs(folder).save(spec.id, log_text(spec, result.raw))
        store = StatusStore(folder, speak)
        code = exit_number(result.raw) if result.raw.failed else int(has_failed(result))
        store.record_run(
            spec.id, spec.name, spec.native_event, code, log, result.raw.started_at, result.status.value
        )
    except (HooklineError, OSError) as error:
        speak(f"hookline: the status of `{spec.name}` is not kept: {error}")


def _tell(decision: Decision, speak: Callable[[str], None]) -> None:
    for result in decision.results:
        name = result.spec.name or result.spec.id
        if result.status.value in ("untrusted", "invalid") and result.spec.kind == EventKind.PreCommit:
            speak(f"hookline: pre-commit hook `{name}` did not run: {result.why}")
        elif result.outcome.verdict >= Verdict.DENY and result.raw is not None:
            printed = (result.raw.stdout + result.raw.stderr).rstrip("\n")
            if result.spec.handler == "agent":
                speak(f"hookline: {result.outcome.reason}")
            elif printed:
                speak(printed)
            speak(f"hookline: pre-commit hook `{name}` forbids the commit ({_how(result)})")
    if decision.blocked and not any(each.outcome.verdict >= Verdict.DENY for each in decision.results):
        speak(f"hookline: the commit is forbidden: {decision.reason}")
    for note in decision.degraded:
        speak(f"hookline: {note}")


def _how(result: HookResult) -> str:
    assert result.raw is not None
    said_no = result.spec.handler == "agent" and not result.raw.failed
    return result.why or ("a model judged it" if said_no else f"exit status {exit_number(result.raw)}")


def _stderr(text: str) -> None:
    sys.stderr.write(text + "\n")
