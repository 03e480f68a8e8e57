"""Commands whose caller closed a standard stream."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S

CALL = {"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"}


def closed(program: Program, command: str, streams: str) -> subprocess.CompletedProcess[str]:
    """Runs `hookline COMMAND` by a shell that closes these streams."""
    line = f"exec {shlex.quote(sys.executable)} -m hookline {command} {streams}"
    given = json.dumps({**CALL, "cwd": str(program.workspace)})
    return subprocess.run(
        ["sh", "-c", line],
        input=given,
        capture_output=True,
        text=True,
        cwd=program.workspace,
        env=program.environment,
        timeout=DEADLINE_S,
    )


def guard(program: Program) -> None:
    entry = {"matcher": "*", "hooks": [{"type": "command", "command": "echo no shell today >&2; exit 2"}]}
    program.write(".gemini/settings.json", json.dumps({"hooks": {"BeforeTool": [entry]}}))


@pytest.mark.parametrize("streams", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_command_does_its_work_with_streams_closed(program: Program, streams: str) -> None:
    guard(program)
    done = closed(program, "list", streams)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert bool(done.stdout) == (">&-" not in streams.replace("2>&-", ""))


@pytest.mark.parametrize("streams", [">&-", "2>&-", ">&- 2>&-"])
def test_a_denial_is_the_exit_code_with_streams_closed(program: Program, streams: str) -> None:
    guard(program)
    assert closed(program, "fire PreToolUse", streams).returncode == 2


def test_the_bridge_keeps_answer_and_exit_code_without_stderr(program: Program) -> None:
    """A config that is broken as well has something to say, which goes nowhere."""
    guard(program)
    program.write(".gen/settings.json", "{")
    expected = closed(program, "bridge codex --event PreToolUse", "")
    done = closed(program, "bridge codex --event PreToolUse", "2>&-")
    assert expected.stderr and "no shell today" in expected.stdout
    assert (done.returncode, done.stdout, done.stderr) == (expected.returncode, expected.stdout, "")


def test_the_bridge_says_that_its_answer_has_nowhere_to_go(program: Program) -> None:
    guard(program)
    done = closed(program, "bridge codex --event PreToolUse", ">&-")
    assert done.returncode == 2
    assert "could not be written" in done.stderr and "Traceback" not in done.stderr
