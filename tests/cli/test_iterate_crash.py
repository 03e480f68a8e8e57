"""`kill -9` at every step of an iteration run, then a second run: nothing is lost, nothing done twice."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cli.test_iterate import TOOL, hooks, prompts
from tests.nats_server import nats_server
from tests.program import Program
from tests.waiting import DEADLINE_S

# Ends the process the hard way before its n-th event reaches the log; between two events nothing is durable.
DRIVER = """
import os, signal, sys
from hookline.cli.main import main
if "--bus" in sys.argv:
    from hookline.state.eventlog_nats import NatsEventLog as Log
    name = "append"
else:
    from hookline.state.eventlog import SqliteEventLog as Log
    name = "append_now"
append, left = getattr(Log, name), int(sys.argv[1])
def append_or_die(*arguments):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return append(*arguments)
setattr(Log, name, append_or_die)
sys.exit(main(sys.argv[2:]))
"""
STEPS = (
    "run_started", "session_start", "start 1", "task add", "claim", "task hook", "delivered", "complete 1", "post 1",
    "start 2", "delivered 2", "complete 2", "post 2", "last delivery", "run_ended",
)  # fmt: skip
FIRST = [
    {
        "tool_calls": [
            {"name": TOOL + "task-add", "input": {"tasks": [{"content": "a", "status": "completed"}]}}
        ]
    },
    {"text": "ok"},
]


def lay_out(program: Program, task_hook: str = "echo hooked >> hooked; echo done {{task_id}}") -> None:
    hooks(
        program,
        session_start=["echo start"],
        post_iteration=["echo post {{iteration}}"],
        on_task_complete=[task_hook],
        on_error=["echo error"],
    )
    program.write("prompt.txt", "prompt {{iteration}}")
    program.write("first.yml", yaml.safe_dump({"turns": FIRST}))
    program.write("then.yml", yaml.safe_dump({"turns": []}))


def options(script: str, iterations: int) -> tuple[str, ...]:
    model = ("--model", f"scripted:{script}", "--record", "record.jsonl", "--template", "prompt.txt")
    return ("iterate", "--name", "s", "--iterations", str(iterations), *model)


def crash(program: Program, step: int, *more: str) -> int:
    return subprocess.run(
        [sys.executable, "-c", DRIVER, str(step), *options("first.yml", 2), *more],
        cwd=program.workspace,
        env=program.environment,
        capture_output=True,
        timeout=DEADLINE_S,
    ).returncode


def events(program: Program, type: str) -> list[dict[str, Any]]:
    with sqlite3.connect(program.workspace / ".iteratr/events.db") as database:
        rows = database.execute("SELECT seq, event FROM events ORDER BY seq").fetchall()
    database.close()
    found = [{"seq": seq, **json.loads(event)} for seq, event in rows]
    return [event for event in found if event["type"] == type]


def check_nothing_lost(program: Program) -> None:
    """Numbering goes on; every text that waited has reached the agent; post hooks are never left out."""
    starts = [each["data"]["number"] for each in events(program, "iteration") if each["action"] == "start"]
    assert starts == list(range(1, len(starts) + 1))
    sent = "\n".join(text for blocks in prompts(program) for text in blocks)
    pending = events(program, "pending")
    delivered = {item for each in pending if each["action"] == "delivered" for item in each["data"]["items"]}
    for each in pending:
        if each["action"] == "add" and each["data"]["text"]:
            assert each["seq"] in delivered
            assert each["data"]["text"] in sent
    for each in events(program, "iteration"):
        if each["action"] == "complete":
            assert f"post {each['data']['number']}\n" in sent


@pytest.mark.parametrize("step", range(1, len(STEPS) + 1), ids=STEPS)
def test_a_crash_at_any_step_loses_nothing(program: Program, step: int) -> None:
    """Numbering, waiting texts, owed post hooks; task hooks at most once."""
    lay_out(program)
    assert crash(program, step) == -9
    begun = {(each["action"], each["data"].get("origin")) for each in events(program, "pending")}
    again = program(*options("then.yml", 1))
    assert again.returncode == 0, again.stderr
    check_nothing_lost(program)
    hooked = program.workspace / "hooked"
    ran = hooked.read_text().count("hooked") if hooked.exists() else 0
    completed = len(events(program, "task"))
    sent = "\n".join(text for blocks in prompts(program) for text in blocks)
    interrupted = "[Hook interrupted: on_task_complete for TAS-1]" in sent
    # The crash may come between the claim and the hook's first line.
    assert ran in ((0, 1) if interrupted else (completed,))
    assert completed <= 1
    assert interrupted == (("claim", None) in begun and ("add", "on_task_complete") not in begun)
    assert ("done TAS-1" in sent) == (completed == 1 and not interrupted)


def test_the_steps_above_are_all_there_are(program: Program) -> None:
    lay_out(program)
    assert crash(program, len(STEPS) + 1) == 0


def test_a_crash_while_a_task_hook_runs_is_told_and_the_hook_not_repeated(program: Program) -> None:
    lay_out(program, "echo hooked >> hooked; kill -9 $PPID; sleep 5")
    assert program(*options("first.yml", 1)).returncode == -9
    assert program(*options("then.yml", 1)).returncode == 0
    assert (program.workspace / "hooked").read_text() == "hooked\n"
    assert "[Hook interrupted: on_task_complete for TAS-1]\n\nstart\n" in prompts(program)[-2][0]


def test_a_crash_while_the_agent_works_sends_the_waiting_texts_again(program: Program) -> None:
    lay_out(program)
    kill = {"tool_calls": [{"name": "Bash", "input": {"command": "kill -9 $PPID; sleep 5"}}]}
    program.write("first.yml", yaml.safe_dump({"turns": [kill]}))
    assert program(*options("first.yml", 1)).returncode == -9
    assert program(*options("then.yml", 1)).returncode == 0
    assert prompts(program) == [["start\n", "prompt 1"], ["start\n\nstart\n", "prompt 2"], ["post 2\n"]]


@pytest.mark.parametrize("step", [5, 6, 7, 9, 13])
def test_the_bus_keeps_what_a_crash_leaves(program: Program, tmp_path: Path, step: int) -> None:
    """The second run may be on another machine: it knows nothing but the server."""
    lay_out(program)
    with nats_server(tmp_path / "jetstream") as server:
        bus = ("--bus", server.url)
        assert crash(program, step, *bus) == -9
        again = program(*options("then.yml", 1), *bus, "--data-dir", str(tmp_path / "elsewhere"))
    assert again.returncode == 0, again.stderr
    hooked = program.workspace / "hooked"
    ran = hooked.read_text().count("hooked") if hooked.exists() else 0
    sent = "\n".join(text for blocks in prompts(program) for text in blocks)
    interrupted = "[Hook interrupted: on_task_complete for TAS-1]" in sent
    assert (ran in ((0, 1) if interrupted else (1,)), "done TAS-1" in sent) == (True, not interrupted)
    finished = {9: [1], 13: [1, 2]}.get(step, [])
    assert all(f"post {number}\n" in sent for number in finished)
