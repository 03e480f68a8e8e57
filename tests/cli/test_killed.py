"""`kill -9` of hookline at any moment: the next start ends what is left, and finds its state valid."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S, until, wait_for, written

HOOK = "touch started; setsid sh -c 'sleep 301' & sleep 302"


@pytest.fixture
def temporary(program: Program, tmp_path: Path) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    program.environment["TMPDIR"] = str(folder)
    return folder


def start(program: Program) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "hookline", "fire", "Stop", "--json"],
        cwd=program.workspace, env=program.environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def running_in(folder: Path) -> list[int]:
    """Processes whose environment names this test's folder for temporary files."""
    mark = f"\0TMPDIR={folder}\0".encode()
    return [
        int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and _has(entry, mark)
    ]


def _has(entry: Path, mark: bytes) -> bool:
    try:
        alive = b"State:\tZ" not in (entry / "status").read_bytes()
        return alive and mark in b"\0" + (entry / "environ").read_bytes()
    except OSError:
        return False


def kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait(DEADLINE_S)


def test_the_next_start_ends_the_hooks_of_a_killed_one(program: Program, temporary: Path) -> None:
    """Also one that left its session."""
    config = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": HOOK}]}]}}
    program.write(".gen/settings.json", json.dumps(config))
    process = start(program)
    wait_for(program.workspace / "started")
    kill(process)
    assert running_in(temporary) != []
    done = program("list")
    assert "that a killed hookline had left running" in done.stderr
    until(lambda: not running_in(temporary), "the end of what was left")
    assert list(temporary.glob("hookline-*")) == []
    assert program("list").stderr == ""


def test_the_next_start_ends_also_what_has_cleared_its_environment(program: Program, temporary: Path) -> None:
    """No session, no parent and no variable leads back to the hook."""
    escape = "env -i setsid sh -c 'echo $$ >pid; mv pid escaped; exec sleep 303' </dev/null >/dev/null 2>&1 &"
    config = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": f"{escape} sleep 302"}]}]}}
    program.write(".gen/settings.json", json.dumps(config))
    process = start(program)
    wait_for(program.workspace / "escaped")
    kill(process)
    escaped = Path("/proc") / (program.workspace / "escaped").read_text().strip()
    assert _has(escaped, b"")
    assert "that a killed hookline had left running" in program("list").stderr
    assert not _has(escaped, b"")


@pytest.mark.parametrize("moment", [0.005, 0.02, 0.035, 0.05, 0.08, 0.15])
def test_state_is_valid_whenever_it_is_killed(program: Program, temporary: Path, moment: float) -> None:
    config = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "seq 40000; sleep 0.03"}]}]}}
    program.write(".gen/settings.json", json.dumps(config))
    process = start(program)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        kill(process)
    done = program("fire", "Stop", "--json")
    assert [hook["status"] for hook in json.loads(done.stdout)["hooks"]] == ["ran"]
    until(lambda: not running_in(temporary), "the end of what was left")
    database = program.home / ".local/state/hookline/history.db"
    with sqlite3.connect(database) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    assert list((program.home / ".local/state/hookline/running").iterdir()) == []


def test_hooks_of_a_living_hookline_are_left_alone(program: Program, temporary: Path) -> None:
    hook = {"type": "command", "command": "echo $$ > started; exec sleep 300"}
    config = {"hooks": {"Stop": [{"hooks": [hook]}]}}
    program.write(".gen/settings.json", json.dumps(config))
    process = start(program)
    begun = {process.pid, int(written(program.workspace / "started"))}
    notes = program.home / ".local/state/hookline/running"
    (notes / "999999:1").touch()  # a note of a dead one makes it look
    program("list")
    assert not (notes / "999999:1").exists()
    assert begun <= set(running_in(temporary))
    os.kill(process.pid, signal.SIGTERM)
    process.wait(DEADLINE_S)


def test_a_run_that_its_own_hook_killed_is_in_the_history(program: Program) -> None:
    """Once, with the guards that did not decide, whatever is asked next."""
    hooks = {
        "PreToolUse": [{"hooks": [{"type": "command", "command": "kill -9 $PPID; exit 2"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "exit 0"}]}],
    }
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    call = json.dumps({"tool_name": "Bash", "tool_input": {"command": "rm x"}})
    killed = program("fire", "PreToolUse", "--session", "s1", stdin=call)
    assert (killed.returncode, killed.stdout) == (-signal.SIGKILL, "")
    assert program("fire", "Stop").returncode == 0
    (stop, found) = json.loads(program("history", "--json").stdout)
    assert (stop["event"], found["event"], found["session_id"]) == ("Stop", "PreToolUse", "s1")
    (hook,) = found["hooks"]
    assert (hook["status"], hook["why"]) == ("cancelled", "hookline was killed while it ran")
    assert found["degraded"] == [f"guard `{hook['id']}` did not decide: hookline was killed while it ran"]
    assert (found["asked"]["tool"], found["verdict"]) == ("Bash", "none")
    assert program("history", "verify").returncode == 0


def test_history_itself_tells_of_it(program: Program) -> None:
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "kill -9 $PPID"}]}]}
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    program("fire", "Stop")
    assert "let through: guard `claude:Stop" in program("show", "last").stdout


def test_a_host_that_is_killed_between_its_events_leaves_nothing_to_tell(program: Program) -> None:
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    host = (
        "import os; from hookline import make_event; from hookline.engine.opening import open_engine\n"
        "engine = open_engine(os.getcwd()).engine\n"
        "for session in ('a', 'a-much-longer-name', 'b'): engine.fire_now(make_event('Stop', session_id=session))\n"
        "os.kill(os.getpid(), 9)"
    )
    assert program.python("-c", host).returncode == -signal.SIGKILL
    found = json.loads(program("history", "--json").stdout)
    assert [each["session_id"] for each in found] == ["b", "a-much-longer-name", "a"]
    assert all(each["hooks"][0]["status"] == "ran" for each in found)
