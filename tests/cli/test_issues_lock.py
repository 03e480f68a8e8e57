"""Two runs of issues in one work tree: real processes, one after the other."""

from __future__ import annotations

import subprocess
from pathlib import Path

import yaml
from tests.issue_project import Project
from tests.waiting import DEADLINE_S, until, wait_for

HELD = "touch held; while [ ! -e go ]; do sleep 0.02; done; touch over"


def at_work(project: Project) -> subprocess.Popen[str]:
    """A run that works on the first issue until the file `go` is there."""
    turns = [{"text": "", "tool_calls": [{"name": "Bash", "input": {"command": HELD}}]}, {"text": "done"}]
    script = project.home / "held.yml"
    script.write_text(yaml.safe_dump({"turns": turns}))
    process = project.begin("issues", "run", "1", "--model", f"scripted:{script}")
    wait_for(project.workspace / "held")
    return process


def test_a_second_run_is_told_who_is_at_work(project: Project) -> None:
    """Also from a folder of the same work tree; a dry run changes nothing and may go on."""
    project.create("One", "Two")
    model = project.script()
    first = at_work(project)
    try:
        second = project("issues", "run", "2", "--model", model)
        assert second.returncode == 1
        assert f"process {first.pid} (since 20" in second.stderr and "--wait" in second.stderr
        assert "- [ ] **[Issue #2]**" in project.read("TODO.md")
        below = Path(project.workspace, "below")
        below.mkdir()
        inside = project("issues", "run", "2", "--model", model, "--workspace", str(below))
        assert (inside.returncode, "works on issues here already" in inside.stderr) == (1, True)
        assert project("issues", "run", "2", "--model", model, "--dry-run").returncode == 0
    finally:
        (project.workspace / "go").touch()
        out, err = first.communicate(timeout=DEADLINE_S)
    assert first.returncode == 0, out + err
    assert project("issues", "run", "2", "--model", model).returncode == 0


def test_a_run_that_waits_begins_when_the_other_has_ended(project: Project) -> None:
    project.create("One", "Two")
    model = project.script()
    first = at_work(project)
    with (project.home / "said").open("w") as said:
        command = ("issues", "run", "--all", "--wait", "--model", model)
        second = project.start(*command, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
    until(lambda: f"waiting: process {first.pid}" in (project.home / "said").read_text())
    assert len(project.sessions) == 1
    (project.workspace / "go").touch()
    first.communicate(timeout=DEADLINE_S)
    assert (first.returncode, second.wait(DEADLINE_S)) == (0, 0)
    assert [session["issuesPlanned"] for session in project.sessions] == [[1], [2]]


def test_a_run_that_was_killed_holds_up_nobody(project: Project) -> None:
    project.create("One", "Two")
    model = project.script()
    first = at_work(project)
    first.kill()
    first.communicate(timeout=DEADLINE_S)
    done = project("issues", "run", "2", "--model", model)
    (project.workspace / "go").touch()
    wait_for(project.workspace / "over")  # which nobody ends where the folder is gone
    assert done.returncode == 0, done.stderr
    assert "it is interrupted now" in done.stderr
