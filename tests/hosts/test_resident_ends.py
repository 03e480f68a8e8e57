"""Calls that are cut short: by their caller, by the end of the resident, by its death."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.program import Program
from tests.resident_process import Resident, guard
from tests.waiting import DEADLINE_S, until

from hookline.system.local_socket import connect
from hookline.system.processes.tags import is_alive

LIMIT_S = DEADLINE_S


def begun(resident: Resident, name: str = "pid") -> int:
    """The pid that a hook wrote down."""
    file = resident.program.workspace / name
    until(lambda: file.exists() and file.read_text().endswith("\n"))
    return int(file.read_text())


def asked(resident: Resident, call_id: str) -> socket.socket:
    """A connection over which the call was sent."""
    connection = connect(str(resident.folder), LIMIT_S)
    assert connection is not None
    connection.sendall(resident.request(call_id))
    return connection


def answer(connection: socket.socket) -> str:
    """All that comes back until the other end hangs up."""
    with connection, connection.makefile("rb") as stream:
        return stream.read().decode("utf-8", "replace")


def test_the_hook_of_a_caller_that_goes_away_is_ended(resident: Resident) -> None:
    """As it is when an agent kills a hook that it waits for; the same call is judged anew then."""
    guard(resident.program, "echo $$ > pid; test -e ready || sleep 60; echo no >&2; exit 2")
    resident.start()
    with asked(resident, "t1"):
        pid = begun(resident)
    until(lambda: not is_alive(str(pid)))
    resident.program.write("ready", "")
    assert "deny" in resident.call("t1").stdout
    assert (resident.status() or {})["calls"] == 2


def test_a_killed_resident_leaves_its_callers_guards_in_force(resident: Resident) -> None:
    """In the middle of a call: the client does it itself, and what the dead one left running is ended."""
    guard(resident.program, "echo $$ > pid; test -e dead || sleep 60; echo no >&2; exit 2")
    pid = resident.start()["pid"]
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(resident.call, "t1")
        hook = begun(resident)
        resident.program.write("dead", "")
        os.kill(pid, signal.SIGKILL)
        done = call.result()
    assert "deny" in done.stdout, done
    until(lambda: not is_alive(str(hook)))
    until(resident.status)  # the next one: it has to be there to be stopped


def test_a_call_under_way_is_answered_by_a_resident_that_ends(resident: Resident) -> None:
    guard(resident.program, "echo $$ > pid; while ! test -e go; do sleep 0.05; done; echo no >&2; exit 2")
    pid = resident.start()["pid"]
    connection = asked(resident, "t1")
    begun(resident)
    resident.program("resident", "stop")
    assert resident.status() is None  # nobody new comes in
    resident.program.write("go", "")
    assert "deny" in answer(connection)
    until(lambda: not is_alive(str(pid)))
    runs = json.loads(resident.program("history", "--json").stdout)
    assert [run["verdict"] for run in runs] == ["deny"]


def test_a_hundred_calls_at_once_are_judged_once_each(resident: Resident) -> None:
    guard(resident.program, "echo x >> ran; echo no >&2; exit 2")
    resident.start()
    with ThreadPoolExecutor(100) as pool:
        answers = list(pool.map(lambda number: answer(asked(resident, f"t{number}")), range(100)))
    assert all("deny" in found for found in answers)
    assert (resident.program.workspace / "ran").read_text() == "x\n" * 100
    runs = json.loads(resident.program("history", "--json", "--limit", "200").stdout)
    assert len(runs) == 100


def test_the_same_call_reported_at_once_runs_its_hooks_once(resident: Resident) -> None:
    """Through the resident and beside it."""
    guard(resident.program, "echo x >> ran; sleep 0.2; echo no >&2; exit 2")
    resident.start()
    command = ("bridge", "claude", "--event", "PreToolUse")
    with ThreadPoolExecutor(4) as pool:
        beside = pool.submit(resident.program, *command, stdin=resident.payload("t1"))
        through = [pool.submit(resident.call, "t1") for _ in range(3)]
        assert all("deny" in found.result().stdout for found in (beside, *through))
    assert (resident.program.workspace / "ran").read_text() == "x\n"


def test_calls_around_its_end_are_all_answered(resident: Resident) -> None:
    """Idle after a twentieth of a second: some calls meet it, some meet its end, some nobody."""
    guard(resident.program)
    resident.start("--idle", "0.05")
    assert all("deny" in resident.call(f"t{number}").stdout for number in range(12))


def test_a_caller_that_says_nothing_keeps_nobody_waiting(resident: Resident) -> None:
    guard(resident.program)
    resident.start()
    silent, half = connect(str(resident.folder), LIMIT_S), connect(str(resident.folder), LIMIT_S)
    assert silent is not None and half is not None
    with silent, half:
        half.sendall(resident.request("t1")[:40])
        assert "deny" in answer(asked(resident, "t2"))


@pytest.mark.parametrize("end", ["idle", "stop"])
def test_a_caller_that_says_nothing_yet_keeps_the_resident_from_nothing(resident: Resident, end: str) -> None:
    """Programs inside agents connect ahead of their next call."""
    guard(resident.program)
    pid = resident.start(*(("--idle", "0.3") if end == "idle" else ()))["pid"]
    silent = connect(str(resident.folder), LIMIT_S)
    assert silent is not None
    with silent:
        if end == "stop":
            resident.program("resident", "stop")
        until(lambda: not is_alive(str(pid)))
        assert silent.recv(1) == b""


def test_a_report_of_the_same_call_goes_on_where_the_first_was_given_up(resident: Resident) -> None:
    """It waited for an answer that nobody is working on any more."""
    guard(resident.program, "echo $$ > pid; test -e ready || sleep 60; echo no >&2; exit 2")
    resident.start()
    first = asked(resident, "t1")
    begun(resident)
    second = asked(resident, "t1")
    resident.program.write("ready", "")
    first.close()
    assert "deny" in answer(second)


ENDLESS = """
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import Agent, File, event

class Endless(FamilyDialect):
    def fit_of(self, spec, event):
        while "endless" in event.body.tool_use_id:
            pass
        return super().fit_of(spec, event)

DIALECT = Endless(Agent(
    name="heron", title="Heron", program="heron", sources="made up", knows="low", places=("{ws}/.heron",),
    files=(File("project", "{ws}/.heron/hooks.json", ours=True),), rows=(event("PreToolUse", "deny"),),
))
"""


def install_heron(program: Program, folder: Path) -> None:
    """Its package, found by PYTHONPATH alone."""
    info = folder / "heron-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text("[hookline.dialects]\nheron = heron_hooks\n")
    (folder / "heron_hooks.py").write_text(ENDLESS)
    program.environment["PYTHONPATH"] += os.pathsep + str(folder)


def test_a_guard_that_never_tells_whether_it_is_meant_keeps_neither_its_call_nor_the_next_waiting(
    resident: Resident, tmp_path: Path
) -> None:
    """Nobody knows whether it fits, so it runs; the same process serves the next call.

    The caller hears meanwhile that its call is taken; else it would do the call again itself.
    """
    program = resident.program
    install_heron(program, tmp_path / "site-packages")
    entry = {"matcher": "Bash", "hooks": [{"type": "command", "command": "cat >> seen; echo no >&2; exit 2"}]}
    program.write(".heron/hooks.json", json.dumps({"hooks": {"PreToolUse": [entry]}}))
    pid = resident.start()["pid"]
    assert "deny" in resident.call("endless").stdout
    assert "deny" in resident.call("t2").stdout
    status = resident.status() or {}
    assert (status["pid"], status["calls"]) == (pid, 2)
    runs = json.loads(program("history", "--json").stdout)
    doubt = "whether it fits this event could not be told: took longer than 1 s"
    assert [doubt in run["hooks"][0]["why"] for run in runs] == [False, True]


def test_a_package_that_only_pythonpath_names_speaks_for_its_agent_and_guards_others(
    resident: Resident, tmp_path: Path
) -> None:
    """The client leaves PYTHONPATH out, so that no project's modules run; this folder is in no project."""
    program = resident.program
    install_heron(program, tmp_path / "site-packages")
    entry = {"hooks": [{"type": "command", "command": "echo of the guard >&2; exit 2"}]}
    for agent, place in (("claude", ".heron/hooks.json"), ("heron", ".gen/settings.json")):
        program.write(place, json.dumps({"hooks": {"PreToolUse": [entry]}}))
        done = subprocess.run(
            [*resident.client, agent, "--event", "PreToolUse"], input=resident.payload(), capture_output=True,
            text=True, timeout=DEADLINE_S, env=program.environment, cwd=program.workspace, check=False,
        )  # fmt: skip
        assert "of the guard" in done.stdout + done.stderr, done
        assert "deny" in done.stdout or done.returncode == 2, done


def test_a_resident_leaves_a_call_alone_whose_guards_only_the_callers_packages_can_read(
    resident: Resident, tmp_path: Path
) -> None:
    program = resident.program
    entry = {"hooks": [{"type": "command", "command": "echo of the guard >&2; exit 2"}]}
    program.write(".heron/hooks.json", json.dumps({"hooks": {"PreToolUse": [entry]}}))
    resident.start()
    assert "deny" not in resident.call("before").stdout
    install_heron(program, tmp_path / "site-packages")
    assert "of the guard" in resident.call("after").stdout
    assert (resident.status() or {})["calls"] == 2


def test_a_client_that_finds_no_package_of_its_agent_denies_where_a_guard_should_have_been_asked(
    resident: Resident,
) -> None:
    """PYTHONPATH leads into the project; a resident may have had the package, and nobody knows the agent without it."""
    program = resident.program
    install_heron(program, program.workspace / "venv" / "site-packages")
    client = [*resident.client, "heron", "--event"]

    def call(native: str) -> tuple[int, str]:
        done = subprocess.run(
            [*client, native], input=resident.payload(), capture_output=True, text=True, timeout=DEADLINE_S,
            env=program.environment, cwd=program.workspace, check=False,
        )  # fmt: skip
        return done.returncode, done.stderr

    code, said = call("PreToolUse")
    assert code == 64 and "no agent `heron`" in said
    guard(program)
    for native in ("PreToolUse", "BeforeTool"):
        code, said = call(native)
        assert code == 2 and "it knows no agent `heron`" in said
    for native in ("Stop", "no-event"):
        assert call(native)[0] == 64
