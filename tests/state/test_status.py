"""Discobot's status.json survives crashes, rivals and full disks."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests import warm

from hookline.state.outputs import HookLogs
from hookline.state.status import StatusStore
from hookline.system.processes.tags import is_alive, process_mark

EMPTY: dict[str, Any] = {"hooks": {}, "pendingHooks": [], "lastEvaluatedAt": ""}
AT = 1795255200.5


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def store(tmp_path: Path, warnings: list[str]) -> StatusStore:
    return StatusStore(str(tmp_path / "hooks"), warnings.append)


def on_disk(store: StatusStore) -> Any:
    return json.loads(Path(store.path).read_text())


def test_without_a_file_the_status_is_empty_and_none_is_made(store: StatusStore) -> None:
    assert store.read() == EMPTY
    assert not Path(store.path).exists()


def test_a_run_is_recorded_with_the_ten_fields_and_counters(store: StatusStore) -> None:
    run = ("go-fmt", "Go format", "file")
    store.record_run(*run, 1, "/o/go-fmt.log", AT)
    store.record_run(*run, 2, "/o/go-fmt.log", AT)
    entry = {
        "hookId": "go-fmt", "hookName": "Go format", "type": "file",
        "lastRunAt": "2026-11-21T10:00:00.500Z", "lastResult": "failure", "lastExitCode": 2,
        "outputPath": "/o/go-fmt.log", "runCount": 2, "failCount": 2, "consecutiveFailures": 2,
    }  # fmt: skip
    assert on_disk(store) == {**EMPTY, "hooks": {"go-fmt": entry}}
    store.record_run(*run, 0, "/o/go-fmt.log", AT)
    assert store.read()["hooks"]["go-fmt"] == {
        **entry, "lastResult": "success", "lastExitCode": 0, "runCount": 3, "consecutiveFailures": 0,
    }  # fmt: skip


def test_the_file_is_indented_with_tabs(store: StatusStore) -> None:
    store.add_pending(["a"])
    text = Path(store.path).read_text()
    assert text.startswith('{\n\t"hooks": {},\n\t"pendingHooks": [\n\t\t"a"\n\t],')
    assert [path.name for path in Path(store.path).parent.iterdir()] == ["status.json"]


def test_pending_hooks_keep_their_order_without_doubles(store: StatusStore) -> None:
    store.add_pending(["b", "a", "b"])
    store.add_pending(["a", "c"])
    assert store.read()["pendingHooks"] == ["b", "a", "c"]
    store.clear("a")
    store.clear("unknown")
    assert store.read()["pendingHooks"] == ["b", "c"]


def test_a_success_clears_the_pending_hook_and_a_failure_keeps_it(store: StatusStore) -> None:
    store.add_pending(["a", "b"])
    store.record_run("a", "a", "file", 0, "")
    store.record_run("b", "b", "file", 1, "")
    assert store.read()["pendingHooks"] == ["b"]


def test_pending_hooks_survive_a_restart(store: StatusStore, tmp_path: Path) -> None:
    store.add_pending(["a"])
    assert StatusStore(str(tmp_path / "hooks")).read()["pendingHooks"] == ["a"]


def test_pending_hooks_whose_file_is_gone_are_forgotten(store: StatusStore) -> None:
    store.add_pending(["a", "b"])
    assert store.keep_pending(["b", "c"])["pendingHooks"] == ["b"]


def test_an_evaluation_is_dated(store: StatusStore) -> None:
    assert store.mark_evaluated(AT)["lastEvaluatedAt"] == "2026-11-21T10:00:00.500Z"


def test_keys_of_others_are_kept(store: StatusStore) -> None:
    Path(store.path).parent.mkdir()
    given = {"executionPaused": True, "hooks": {"a": {"hookId": "a", "engine": "ai", "runCount": 4}}}
    Path(store.path).write_text(json.dumps(given))
    store.record_run("a", "A", "file", 0, "")
    status = on_disk(store)
    assert (status["executionPaused"], status["hooks"]["a"]["engine"]) == (True, "ai")
    assert status["hooks"]["a"]["runCount"] == 5


@pytest.mark.parametrize("content", ["", '{"hooks": {"a"', "[]", "\xff"])
def test_a_broken_file_is_kept_aside_reported_and_rebuilt(
    store: StatusStore, warnings: list[str], content: str
) -> None:
    Path(store.path).parent.mkdir()
    Path(store.path).write_text(content, "latin-1")
    assert store.read() == EMPTY
    (aside,) = Path(store.path).parent.glob("status.json.corrupt-*")
    assert aside.read_text("latin-1") == content
    assert len(warnings) == 1 and f"it is kept as `{aside}`" in warnings[0]
    assert (store.read(), on_disk(store), len(warnings)) == (EMPTY, EMPTY, 1)


def test_what_is_no_file_is_told_as_what_it_is(store: StatusStore, warnings: list[str]) -> None:
    Path(store.path).parent.mkdir()
    os.mkfifo(store.path)
    assert (store.read(), on_disk(store)) == (EMPTY, EMPTY)
    (aside,) = Path(store.path).parent.glob("status.json.corrupt-*")
    assert aside.is_fifo() and "is a named pipe, not a file" in warnings[0]


def test_parts_of_the_wrong_shape_count_as_empty(store: StatusStore) -> None:
    Path(store.path).parent.mkdir()
    Path(store.path).write_text('{"hooks": [], "pendingHooks": ["a", 3, "a"], "lastEvaluatedAt": 7}')
    assert store.read() == {**EMPTY, "pendingHooks": ["a"]}


def test_where_nothing_can_be_written_the_store_goes_on_in_memory_and_warns_once(
    tmp_path: Path, warnings: list[str]
) -> None:
    (tmp_path / "file").write_text("")
    store = StatusStore(str(tmp_path / "file" / "hooks"), warnings.append)
    store.add_pending(["a", "b"])
    store.record_run("a", "a", "file", 0, "")
    assert store.read()["pendingHooks"] == ["b"]
    assert store.read()["hooks"]["a"]["runCount"] == 1
    assert len(warnings) == 1 and warnings[0].startswith("hook status is not kept: ")


MARK_RUNNING = """
import sys
from hookline.state.status import StatusStore
store = StatusStore(sys.argv[1])
store.record_run("fmt", "fmt", "file", 3, "/o")
store.mark_running("fmt", "fmt", "file")
store.mark_running("start", "start", "session")
print("running", flush=True)
sys.stdin.read()
"""


def test_a_hook_whose_process_was_killed_is_owed_a_run_once(store: StatusStore, tmp_path: Path) -> None:
    child = warm.code(MARK_RUNNING, str(tmp_path / "hooks"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout is not None and child.stdin is not None
    child.stdout.readline()
    assert store.recover() == ()
    assert store.read()["hooks"]["fmt"]["lastResult"] == "running"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    child.stdin.close()
    assert store.recover() == ("fmt",)
    status = store.read()
    assert status["pendingHooks"] == ["fmt"]
    entry = status["hooks"]["fmt"]
    assert (entry["lastResult"], entry["lastExitCode"], entry["runCount"]) == ("pending", 3, 1)
    assert status["hooks"]["start"]["lastResult"] == "pending"
    assert "runningProcess" not in entry
    assert (store.recover(), store.read()) == ((), status)


def test_a_running_entry_of_an_older_program_is_recovered_too(store: StatusStore) -> None:
    Path(store.path).parent.mkdir()
    entry = {"hookId": "a", "type": "file", "lastResult": "running", "runCount": 2}
    Path(store.path).write_text(json.dumps({**EMPTY, "hooks": {"a": entry}}))
    assert store.recover() == ("a",)


def test_the_attempt_counter_survives_a_restart_and_is_gone_once_the_user_speaks(
    store: StatusStore, tmp_path: Path
) -> None:
    assert [store.count_attempt(), store.count_attempt()] == [1, 2]
    again = StatusStore(str(tmp_path / "hooks"))
    assert again.count_attempt() == 3
    again.reset_attempts()
    assert on_disk(store) == EMPTY
    again.reset_attempts()
    assert store.count_attempt() == 1


def write_many(arguments: tuple[str, int]) -> None:
    folder, number = arguments
    store = StatusStore(folder)
    for _ in range(10):
        store.record_run("shared", "shared", "file", 1, "")
        store.add_pending([f"p{number}"])


def test_writers_in_several_processes_lose_nothing(store: StatusStore, tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        pool.map(write_many, [(str(tmp_path / "hooks"), number) for number in range(4)], chunksize=1)
    status = store.read()
    assert status["hooks"]["shared"]["runCount"] == 40
    assert sorted(status["pendingHooks"]) == ["p0", "p1", "p2", "p3"]


WRITE_FOREVER = """
import sys
from hookline.state.status import StatusStore
store = StatusStore(sys.argv[1])
for n in range(10**9):
    store.record_run(f"h{n % 50}", "x" * 500, "file", n % 2, "")
    print(n, flush=True)
"""


def test_the_file_is_whole_at_every_instant_under_kill_9(store: StatusStore, tmp_path: Path) -> None:
    for round_number in range(4):
        children = [
            warm.code(WRITE_FOREVER, str(tmp_path / "hooks"), stdout=subprocess.PIPE) for _ in range(2)
        ]
        for child in children:
            assert child.stdout is not None
            for _ in range(10 + round_number):
                child.stdout.readline()
                on_disk(store)
        for child in children:
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            assert child.stdout is not None
            child.stdout.close()
        assert on_disk(store)["hooks"]
    before = store.read()["hooks"]["h0"]["runCount"]
    store.record_run("h0", "h0", "file", 0, "")
    assert store.read()["hooks"]["h0"]["runCount"] == before + 1


def test_a_mark_names_this_process_and_not_the_next_with_its_number() -> None:
    mark = process_mark()
    assert is_alive(mark)
    number = mark.partition(":")[0]
    assert not is_alive(f"{number}:12")
    assert [is_alive(bad) for bad in ("", "x", None, "0:1", "99999999999:1")] == [False] * 5


def test_a_zombie_is_not_alive() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    mark = process_mark(child.pid)
    assert is_alive(mark)
    assert child.stdin is not None
    os.kill(child.pid, signal.SIGKILL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not is_alive(mark)
    child.stdin.close()
    child.wait()


def test_the_log_of_a_hook_is_overwritten_by_its_next_run(tmp_path: Path) -> None:
    logs = HookLogs(str(tmp_path))
    assert logs.read("go-fmt") == b""
    assert logs.save("go-fmt", "one") == str(tmp_path / "output" / "go-fmt.log")
    logs.save("go-fmt", b"two\xff")
    assert logs.read("go-fmt") == b"two\xff"


def test_an_edited_hook_is_owed_what_it_was_owed_under_its_old_id(store: StatusStore) -> None:
    store.add_pending(["hookline:FilesChanged:1", "fmt"])  # as hookline 0.1 counted it
    place = "hookline:FilesChanged:1"
    first = store.keep_pending(["h:a", "fmt"], {"h:a": place})
    assert first["pendingHooks"] == ["h:a", "fmt"]
    assert store.keep_pending(["h:b", "fmt"], {"h:b": place})["pendingHooks"] == ["h:b", "fmt"]
    assert store.keep_pending(["fmt"], {})["pendingHooks"] == ["fmt"]
