"""The embedded event log keeps the contract, and keeps it between processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.state.eventlog_contract import *  # noqa: F403
from tests.state.eventlog_contract import NewLog, opened

from hookline.model.errors import StateError
from hookline.state.eventlog import SqliteEventLog


@pytest.fixture
def new_log(tmp_path: Path) -> NewLog:
    return lambda: opened(SqliteEventLog(str(tmp_path / "data" / "events.db")))


def append_many(arguments: tuple[str, int]) -> list[int]:
    path, writer = arguments
    with SqliteEventLog(path) as log:
        return [log.append_now(f"it.w{writer}.task", {"n": n}, f"{n}") for n in range(40)]


def test_processes_appending_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "events.db")
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        numbers = pool.map(append_many, [(path, writer) for writer in range(4)], chunksize=1)
    with SqliteEventLog(path) as log:
        found = list(log.replay_now())
    assert sorted(entry.event["n"] for entry in found) == list(range(40))
    assert [set(each) for each in numbers] == [{entry.seq for entry in found}] * 4


def test_what_was_appended_survives_kill_9(tmp_path: Path) -> None:
    path = str(tmp_path / "events.db")
    code = (
        "import sys\nfrom hookline.state.eventlog import SqliteEventLog\n"
        f"log = SqliteEventLog({path!r})\n"
        "for n in range(10**9):\n    log.append_now('it.s.task', {'n': n}); print(n, flush=True)"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert child.stdout is not None
    for _ in range(50):
        child.stdout.readline()
    os.kill(child.pid, signal.SIGKILL)
    told = 50 + len(child.stdout.read().splitlines())
    child.wait()
    child.stdout.close()
    with SqliteEventLog(path) as log:
        found = [entry.event["n"] for entry in log.replay_now()]
    assert found == list(range(len(found)))
    assert told <= len(found) <= told + 1


def test_a_row_that_is_no_event_is_skipped_with_a_warning(tmp_path: Path) -> None:
    path = str(tmp_path / "events.db")
    warned: list[str] = []
    with SqliteEventLog(path, warn=warned.append) as log:
        log.append_now("a", {"n": 1})
        log.append_now("a", {"n": 2})
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE events SET event = '{' WHERE seq = 1")
        connection.close()
        assert [entry.event["n"] for entry in log.replay_now()] == [2]
    assert warned == [f"`{path}`: event 1 is no JSON object and was skipped"]


def test_a_broken_log_is_an_error_and_stays_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    path.write_bytes(b"no database" * 500)
    with SqliteEventLog(str(path)) as log, pytest.raises(StateError, match="cannot be used"):
        log.append_now("a", {})
    assert path.read_bytes() == b"no database" * 500


def test_a_long_log_is_replayed_whole(tmp_path: Path) -> None:
    with SqliteEventLog(str(tmp_path / "events.db")) as log:
        for n in range(1203):
            log.append_now("a", {"n": n})
        assert [entry.event["n"] for entry in log.replay_now()] == list(range(1203))
