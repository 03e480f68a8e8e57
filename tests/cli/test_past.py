"""`hookline history`, `show`, `tail`, `stats`: what ran, asked from outside (R61)."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.program import Program

CONFIG = {
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "echo done"}]}],
    }
}


@pytest.fixture
def fired(program: Program) -> Program:
    """One denied call and one stop are in the history."""
    program.write(".gen/settings.json", json.dumps(CONFIG))
    program("fire", "PreToolUse", "--session", "one", stdin='{"tool_name": "Bash"}')
    program("fire", "Stop", "--session", "two")
    return program


def events(program: Program, *filters: str) -> list[str]:
    return [run["event"] for run in json.loads(program("history", "--json", *filters).stdout)]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ([], ["Stop", "PreToolUse"]),
        (["--session", "one"], ["PreToolUse"]),
        (["--event", "Stop"], ["Stop"]),
        (["--event", "gencode:Stop"], ["Stop"]),
        (["--hook", "gencode:Stop:1"], ["Stop"]),
        (["--failed"], ["PreToolUse"]),
        (["--since", "1h"], ["Stop", "PreToolUse"]),
        (["--since", "2999-01-01"], []),
        (["--limit", "1"], ["Stop"]),
    ],
)
def test_decisions_are_filtered(fired: Program, filters: list[str], expected: list[str]) -> None:
    assert events(fired, *filters) == expected


def test_another_workspace_is_another_history_unless_all_is_asked_for(fired: Program) -> None:
    other = fired.workspace.parent / "other"
    other.mkdir()
    assert events(fired, "--workspace", str(other)) == []
    assert events(fired, "--workspace", str(other), "--all") == ["Stop", "PreToolUse"]


def test_show_has_the_output_and_the_reason(fired: Program) -> None:
    run = json.loads(fired("history", "--json", "--failed").stdout)[0]
    shown = fired("show", run["run"])
    assert "PreToolUse: deny" in shown.stdout
    assert "stderr: no" in shown.stdout and ".gen/settings.json:1" in shown.stdout
    assert json.loads(fired("show", run["run"][-6:], "--json").stdout) == run
    assert fired("show", "nothing").returncode == 64


def test_stats_count_runs_and_denials(fired: Program) -> None:
    fired("fire", "Stop")
    found = {each["id"]: each for each in json.loads(fired("stats", "--json").stdout)}
    assert (found["gencode:Stop:1"]["runs"], found["gencode:Stop:1"]["failures"]) == (2, 0)
    assert found["gencode:PreToolUse:1"]["denials"] == 1
    assert "gencode:Stop:1" in fired("stats").stdout


def test_tail_prints_what_another_process_fires(fired: Program) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "hookline", "tail", "--json", "--count", "1"],
        cwd=fired.workspace, env=fired.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stderr.readline().startswith("waiting")
    fired("fire", "Stop", "--session", "three")
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, json.loads(out)["session_id"]) == (0, "three")


def test_tail_can_begin_with_the_last(fired: Program) -> None:
    done = fired("tail", "--last", "2", "--count", "2")
    assert [line.split()[2] for line in done.stdout.splitlines()] == ["PreToolUse", "Stop"]


def test_without_any_history_the_answer_is_empty(program: Program) -> None:
    assert json.loads(program("history", "--json").stdout) == []
    assert json.loads(program("stats", "--json").stdout) == []
