"""Sessions of every host in one form: runs of issues, conversations, iteration sessions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from hookline.hosts.issues.session_files import Session, SessionStore
from hookline.hosts.iterations.state import SessionState
from hookline.hosts.iterations.tasks import FILE, SUBJECT
from hookline.model.errors import StateError
from hookline.model.rendering import iso_time
from hookline.state.eventlog import SqliteEventLog
from hookline.state.paths import Paths
from hookline.state.transcripts import TranscriptStore

KEPT = "kept"
DATA_DIR = ".iteratr"


def every_session(
    store: SessionStore, paths: Paths, workspace: str, warn: Callable[[str], None]
) -> list[Session]:
    """All sessions, newest first. Those of `run`, `serve` and `iterate` can be gone on with: `kept`.

    Iteration sessions live in their workspace, so only those of `workspace` are seen.
    """
    found = {session.id: session for session in store.list()}
    for session in (*_conversations(paths), *_iterations(workspace, warn)):
        found.setdefault(session.id, session)
    return sorted(found.values(), key=lambda session: (session.start_time, session.id), reverse=True)


def _conversations(paths: Paths) -> Iterator[Session]:
    for kept in TranscriptStore(paths.transcripts).list():
        yield Session(
            kept.id,
            kept.started_at,
            workspace=kept.workspace,
            command="hookline",
            args=(kept.host,),
            status=KEPT,
            provider=kept.model,
            extra={"title": kept.title},
        )


def _iterations(workspace: str, warn: Callable[[str], None]) -> Iterator[Session]:
    path = os.path.join(workspace, DATA_DIR, FILE)
    if not os.path.isfile(path):
        return

    states: dict[str, SessionState] = {}
    begun: dict[str, float] = {}
    try:
        with SqliteEventLog(path) as log:
            for entry in log.replay_now(f"{SUBJECT}.*.*"):
                name = entry.subject.split(".")[1]
                begun.setdefault(name, entry.at)
                states.setdefault(name, SessionState()).apply(entry)
    except StateError as error:  # one broken log does not hide the sessions of the others
        warn(error.message)
    for name, state in states.items():
        done = sum(task.status == "completed" for task in state.tasks.values())
        yield Session(
            name,
            iso_time(begun[name]),
            workspace=workspace,
            command="hookline",
            args=("iterate", "--name", name),
            status="completed" if state.complete else KEPT,
            provider=state.model,
            extra={"iterations": state.iteration, "tasks": len(state.tasks), "tasksCompleted": done},
        )
