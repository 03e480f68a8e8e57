"""What a bridged call leaves behind: an answer when a signal ends it, and no secret on disk."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
from pathlib import Path
from signal import SIGTERM
from typing import Any

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S, until

ASKED = {
    "claude": ("PreToolUse", "Bash", "ask"), "codex": ("PreToolUse", "Bash", "deny"),
    "gemini": ("BeforeTool", "run_shell_command", "ask"),
}  # fmt: skip
SECRET = "zq81xw-44-plainly-a-secret"


def guard(program: Program, script: str, event: str = "PreToolUse") -> None:
    program.write("guard.sh", f"#!/bin/sh\n{script}\n", 0o755)
    program.write(".hookline/hooks.toml", f'[[hooks]]\nname = "g"\nevent = "{event}"\nrun = "./guard.sh"\n')


def bridged(program: Program, agent: str, event: str, **call: Any) -> subprocess.CompletedProcess[str]:
    given = {"session_id": "s", "cwd": str(program.workspace), "tool_use_id": "t1", **call}
    return program("bridge", agent, "--event", event, stdin=json.dumps(given))


@pytest.mark.parametrize("signal", ["TERM", "HUP", "INT"])
@pytest.mark.parametrize("agent", ASKED)
def test_a_signal_that_ends_the_call_lets_nothing_through(program: Program, agent: str, signal: str) -> None:
    """To most agents an exit code of 143 is a hook that failed, and the call goes on."""
    guard(program, f"kill -{signal} $PPID; exec sleep 300")
    event, tool, verdict = ASKED[agent]
    done = bridged(program, agent, event, tool_name=tool, tool_input={"command": "ls"})
    assert (done.returncode, f'"{verdict}"' in done.stdout) == (0, True), done
    assert "ended it before the hooks had decided" in done.stdout and "ended it" in done.stderr
    kept = json.loads(program("history", "--json").stdout)
    assert [run["verdict"] for run in kept] == [verdict]


def test_a_signal_before_the_call_has_come_lets_nothing_through(program: Program) -> None:
    """An agent that hangs within its own call, and a person or a system that ends what waits."""
    guard(program, "exit 0")
    process = program.start(
        "bridge", "codex", "--event", "PreToolUse", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    status = Path(f"/proc/{process.pid}/status")
    until(lambda: int(re.findall(r"SigCgt:\s*(\w+)", status.read_text())[0], 16) >> (SIGTERM - 1) & 1 == 1)
    process.terminate()
    out, _ = process.communicate(timeout=DEADLINE_S)
    assert (process.returncode, '"deny"' in out) == (0, True), out


def test_a_signal_at_a_stop_or_without_a_guard_decides_nothing(program: Program) -> None:
    for event in ("Stop", "PostToolUse"):
        guard(program, "kill -TERM $PPID; exec sleep 300", event)
        done = bridged(program, "claude", event, tool_name="Bash", tool_input={"command": "ls"})
        assert (done.returncode, done.stdout) == (0, ""), done
        assert "signal 15 ended it" in done.stderr


def test_what_a_hook_prints_of_a_secret_is_not_kept_for_a_repeat_of_the_call(program: Program) -> None:
    program.environment["DEPLOY_TOKEN"] = SECRET
    guard(program, 'echo x >> runs; echo "$DEPLOY_TOKEN" >&2; exit 2')
    answers = [
        bridged(program, "codex", "PreToolUse", tool_name="Bash", tool_input={"command": "ls"}).stdout
        for _ in range(2)
    ]
    assert SECRET in answers[0] and "[redacted:DEPLOY_TOKEN]" in answers[1] and "deny" in answers[1]
    assert (program.workspace / "runs").read_text() == "x\n"
    assert not left_of_the_secret(program)


def test_a_call_changed_to_hold_a_secret_is_changed_again_for_a_repeat(program: Program) -> None:
    program.environment["DEPLOY_TOKEN"] = SECRET
    guard(program, 'echo "{\\"input\\": {\\"command\\": \\"ship $DEPLOY_TOKEN\\"}}" > "$HOOK_REPLY"')
    answers = [
        bridged(program, "claude", "PreToolUse", tool_name="Bash", tool_input={"command": "ship"}).stdout
        for _ in range(2)
    ]
    assert answers[0] == answers[1] and f"ship {SECRET}" in answers[0]
    assert not left_of_the_secret(program)


def left_of_the_secret(program: Program) -> list[str]:
    state = program.home / ".local/state/hookline"
    with sqlite3.connect(state / "history.db") as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    files = [file for file in state.rglob("*") if file.is_file()]
    assert files
    return [str(file) for file in files if SECRET.encode() in file.read_bytes()]
