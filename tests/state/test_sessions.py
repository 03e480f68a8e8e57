"""AutoAgent's session files, with several runs at once and after crashes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests import warm

from hookline.hosts.issues.session_files import Session, SessionStore, new_session_id, session_as_json
from hookline.model.record import replace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "home" / ".autoagent" / "sessions"


@pytest.fixture
def store(folder: Path) -> SessionStore:
    return SessionStore(str(folder))


def visible(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def started(ago_s: float, **fields: Any) -> Session:
    return Session(new_session_id(time.time() - ago_s), "2026-01-01T00:00:00.000Z", **fields)


def kept(store: SessionStore, session: Session) -> Session:
    folder = Path(store.folder)
    folder.mkdir(parents=True, exist_ok=True)
    return store.save(session)


def test_a_session_is_one_file_in_the_documented_format(store: SessionStore, folder: Path) -> None:
    session = store.create(
        workspace="/work", command="autoagent", args=("run", "--all"), issues_planned=(1, 2),
        provider="claude", metadata={"gitBranch": "main", "gitCommit": "abc"},
    )  # fmt: skip
    assert re.fullmatch(r"session-[0-9]{13}-[a-z0-9]{6}", session.id)
    assert visible(folder) == ["current", f"{session.id}.json"]
    assert json.loads((folder / f"{session.id}.json").read_text()) == {
        "id": session.id, "startTime": session.start_time, "workspace": "/work", "command": "autoagent",
        "args": ["run", "--all"], "issuesPlanned": [1, 2], "issuesCompleted": [], "issuesFailed": [],
        "status": "active", "provider": "claude", "metadata": {"gitBranch": "main", "gitCommit": "abc"},
    }  # fmt: skip
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", session.start_time)


def test_current_is_a_relative_link_to_the_active_file(store: SessionStore, folder: Path) -> None:
    session = store.create()
    assert str((folder / "current").readlink()) == f"{session.id}.json"
    assert store.current() == session


def test_a_session_saved_often_stays_one_file(store: SessionStore, folder: Path) -> None:
    session = store.create()
    for number in range(5):
        session = store.save(
            replace(session, issues_completed=(*session.issues_completed, number), current_issue=number + 1)
        )
    assert visible(folder) == ["current", f"{session.id}.json"]
    assert store.get(session.id) == session
    assert session_as_json(session)["currentIssue"] == 5


def test_a_session_ends_with_its_status_time_and_duration(store: SessionStore, folder: Path) -> None:
    ended = store.end(replace(store.create(), current_issue=3), "completed")
    content = json.loads((folder / f"{ended.id}.json").read_text())
    assert (content["status"], "currentIssue" in content) == ("completed", False)
    assert content["endTime"] >= content["startTime"]
    assert 0 <= content["metadata"]["totalDuration"] < 60_000
    assert (store.current(), visible(folder)) == (None, ["current", f"{ended.id}.json"])
    assert {path.name for path in folder.iterdir()} == {"current", f"{ended.id}.json"}


def test_a_session_over_which_the_clock_was_set_back_took_no_time(store: SessionStore) -> None:
    tomorrow = new_session_id(time.time() + 86_400)
    ended = store.end(replace(store.create(), id=tomorrow), "completed")
    assert ended.metadata is not None and ended.metadata["totalDuration"] == 0


def test_ending_a_session_leaves_the_link_of_a_later_one(store: SessionStore) -> None:
    first, second = store.create(), store.create()
    store.end(first, "completed")
    assert store.current() == second


def test_when_the_current_session_ends_one_that_is_still_active_takes_its_place(
    store: SessionStore,
) -> None:
    first, second = store.create(), store.create()
    store.end(second, "completed")
    assert store.current() == first


def test_pruning_the_last_session_takes_its_link_along(store: SessionStore, folder: Path) -> None:
    store.end(kept(store, replace(store.create(), id=new_session_id(1_000_000_000))), "completed")
    store._point_to(store.list()[-1].id)
    assert len(store.prune()) == 1
    assert not (folder / "current").is_symlink()


def test_a_reader_never_finds_the_link_missing(store: SessionStore) -> None:
    store.create()
    done = threading.Event()
    missing: list[int] = []

    def read() -> None:
        while not done.is_set():
            if store.current() is None:
                missing.append(1)

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(40):
        store.create()
    done.set()
    reader.join()
    assert missing == []


CREATE_ONE = """
import os, sys
from hookline.hosts.issues.session_files import SessionStore
print(SessionStore(sys.argv[1]).create(workspace=str(os.getpid())).id, end="")
"""


def test_twenty_processes_at_once_make_twenty_sessions(store: SessionStore, folder: Path) -> None:
    creating = [warm.code(CREATE_ONE, str(folder), stdout=subprocess.PIPE, text=True) for _ in range(20)]
    ids = [process.communicate()[0] for process in creating]
    assert len(set(ids)) == 20
    assert {session.id for session in store.list()} == set(ids)
    current = store.current()
    assert current is not None and current.id in ids


def test_two_runs_in_the_same_millisecond_get_different_ids(
    store: SessionStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = iter(["session-1700000000000-aaaaaa"] * 2 + ["session-1700000000000-bbbbbb"])
    monkeypatch.setattr("hookline.hosts.issues.session_files.new_session_id", lambda: next(names))
    ids = [store.create(workspace=name).id for name in ("first", "second")]
    assert ids == ["session-1700000000000-aaaaaa", "session-1700000000000-bbbbbb"]
    first = store.get(ids[0])
    assert first is not None and first.workspace == "first"


def test_the_list_is_newest_first_and_skips_broken_files_one_by_one(
    store: SessionStore, folder: Path
) -> None:
    old, new = kept(store, started(100)), store.create()
    (folder / f"{new_session_id()}.json").write_text("{broken")
    (folder / f"{new_session_id()}.json").write_text("[]")
    (folder / "notes.json").write_text("{}")
    assert [session.id for session in store.list()] == [new.id, old.id]
    assert [session.id for session in store.list(1)] == [new.id]


def test_no_link_a_dangling_one_and_a_broken_file_are_no_current_session(
    store: SessionStore, folder: Path
) -> None:
    assert store.current() is None
    session = store.create()
    (folder / f"{session.id}.json").write_text("{")
    assert store.current() is None
    (folder / f"{session.id}.json").unlink()
    assert store.current() is None
    assert (SessionStore(str(folder / "gone")).list(), store.get("session-1")) == ((), None)


START = """
import sys
from hookline.hosts.issues.session_files import SessionStore
session = SessionStore(sys.argv[1]).create(issues_planned=(1,))
print(session.id, flush=True)
sys.stdin.read()
"""


def test_a_session_whose_process_was_killed_becomes_interrupted_at_the_next_start(
    store: SessionStore, folder: Path
) -> None:
    child = warm.code(START, str(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout is not None and child.stdin is not None
    session_id = child.stdout.readline().decode().strip()
    mine = store.create()
    assert store.recover() == ()
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    child.stdin.close()
    assert [session.id for session in store.recover()] == [session_id]
    stale = store.get(session_id)
    assert stale is not None and (stale.status, stale.issues_planned) == ("interrupted", (1,))
    assert (store.recover(), store.current()) == ((), mine)


def test_an_active_session_of_another_program_is_left_alone(store: SessionStore) -> None:
    kept(store, started(10))
    assert store.recover() == ()


def test_a_run_that_ends_while_it_is_looked_at_keeps_its_own_ending(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read as active, completed, its process gone: all between two looks of another run."""
    ended = store.create(workspace="/work", command="autoagent")

    def finish_first(_: object) -> bool:
        SessionStore(store.folder).end(ended, "completed")
        return False

    monkeypatch.setattr("hookline.hosts.issues.session_files.is_alive", finish_first)
    assert store.recover() == ()
    assert [session.status for session in store.list()] == ["completed"]


def test_where_nothing_can_be_written_the_run_goes_on_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    warned: list[str] = []
    store = SessionStore(str(tmp_path / "file" / "sessions"), warned.append)
    session = store.create(workspace="/w")
    assert store.end(store.save(session), "completed").status == "completed"
    assert warned and all("is not" in words for words in warned)


def test_pruning_removes_only_ended_sessions_that_are_old(store: SessionStore, folder: Path) -> None:
    month = 31 * 86400
    ended = [kept(store, started(month + n, status="completed")).id for n in range(3)]
    active = kept(store, started(month)).id
    young = store.end(store.create(), "failed").id
    assert store.prune(keep=3) == (ended[1], ended[2])
    assert store.prune() == (ended[0],)
    assert {session.id for session in store.list()} == {active, young}


def test_what_another_program_added_is_kept(store: SessionStore, folder: Path) -> None:
    session = store.create()
    path = folder / f"{session.id}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "mood": "fine", "args": 3}))
    found = store.get(session.id[:-2])
    assert found is not None
    store.save(found)
    content = json.loads(path.read_text())
    assert (content["mood"], content["args"]) == ("fine", [])


def test_a_session_that_was_never_written_leaves_nothing_and_one_that_was_begun_is_told(
    store: SessionStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "from hookline.system.processes.tags import process_mark; print(process_mark())"
    mark = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()
    with monkeypatch.context() as killed:
        killed.setattr(SessionStore, "_point_to", _killed)
        with pytest.raises(KeyboardInterrupt):
            store.create(workspace="/w")
        killed.setattr(SessionStore, "_write", _killed)
        with pytest.raises(KeyboardInterrupt):
            store.create(workspace="/w")
    assert len(list(folder.glob(".session-*.owner"))) == 2
    for note in folder.glob(".session-*.owner"):
        note.write_text(mark)  # whose process is gone
    (left,) = store.recover()
    assert left.status == "interrupted"
    assert not list(folder.glob(".session-*.owner"))


def _killed(*_: object) -> None:
    raise KeyboardInterrupt
