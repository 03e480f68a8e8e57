"""Signals during `hookline issues run`, sessions of dead processes, and going on from them."""

from __future__ import annotations

import json
import signal

import pytest
from tests.issue_project import EVENTS, Project, shell, write
from tests.waiting import DEADLINE_S, wait_for


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_provider_and_stops_in_order(
    project: Project, number: signal.Signals, code: int
) -> None:
    """Not marked done; the end is announced; Stop says `interrupted`."""
    project.create("One", "Two")
    project.configure({"PostExecutionEnd": [{"type": "git-commit"}]})
    project.commit()
    running = {"tool_calls": [{"name": "Bash", "input": {"command": 'touch "$HOME/working"; sleep 60'}}]}
    kept = project.home / "report.json"
    process = project.begin(
        "issues", "run", "--all", "--model", project.script(running), "--report", str(kept)
    )
    wait_for(project.home / "working")
    process.send_signal(number)
    shown, told = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == code
    assert project.names == [
        ("PreExecutionStart", 1), ("PostExecutionStart", 1), ("PostExecutionEnd", 1), ("Stop", None),
    ]  # fmt: skip
    assert (project.events[2]["success"], project.events[2]["error"]) == (False, "interrupted")
    assert project.events[3]["reason"] == "interrupted"
    (session,) = project.sessions
    assert (session["status"], session["issuesCompleted"], session["issuesFailed"]) == ("interrupted", [], [])
    assert f"`hookline issues run --resume {session['id']}` goes on with what is left" in told
    report = json.loads(kept.read_text())
    assert (report["completed"], report["failed"], report["interrupted"]) == (0, 0, 1)
    assert "0 completed, 0 failed, 1 interrupted; session interrupted" in shown
    assert "issue #1 ✗ interrupted\n" in told
    (cut_short,) = report["results"]
    assert cut_short["duration_ms"] > 0 and cut_short["hooks"] == 3
    assert project("issues", "status").stdout.startswith("0 of 2 ")
    assert project.git("rev-list", "--count", "HEAD") == "1"


def test_a_second_signal_during_stop_ends_at_once(project: Project) -> None:
    project.create("One")
    project.configure(
        {
            "PreExecutionStart": [shell('touch "$HOME/working"; sleep 60')],
            "Stop": [shell('trap "" TERM; touch "$HOME/stopping"; sleep 50')],
        }
    )
    process = project.begin("issues", "run", "--model", project.script())
    for name in ("working", "stopping"):
        wait_for(project.home / name)
        process.send_signal(signal.SIGINT)
    process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 130
    assert project.sessions[0]["status"] == "interrupted"


def test_a_stop_blocked_on_an_interrupt_is_shown_and_ends_all_the_same(project: Project) -> None:
    """No continuation."""
    project.create("One")
    project.configure(
        {
            "PreExecutionStart": [shell('touch "$HOME/working"; sleep 60')],
            "Stop": [shell("echo not finished >&2; exit 2")],
        }
    )
    process = project.begin("issues", "run", "--model", project.script())
    wait_for(project.home / "working")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 130
    assert "Stop was blocked: not finished" in err
    assert [name for name, _ in project.names].count("Stop") == 1


def test_a_killed_session_is_marked_and_its_rest_can_be_resumed(project: Project) -> None:
    """The file stays active until the next start; `--resume` takes what was left."""
    project.create("One", "Two", "Three")
    project.configure()
    running = {"tool_calls": [{"name": "Bash", "input": {"command": 'touch "$HOME/working"; sleep 60'}}]}
    process = project.begin("issues", "run", "1-2", "--model", project.script({"text": "one"}, running))
    wait_for(project.home / "working")
    process.kill()
    process.communicate(timeout=DEADLINE_S)
    (dead,) = project.sessions
    assert (dead["status"], dead["currentIssue"], dead["issuesCompleted"]) == ("active", 2, [1])
    (project.home / "events.jsonl").unlink()
    done = project("issues", "run", "--resume", "--model", project.script())
    assert done.returncode == 0, done.stderr
    assert f"session {dead['id']} had been left active" in done.stderr
    first, second = project.sessions
    assert (first["status"], second["status"], second["issuesCompleted"]) == ("interrupted", "completed", [2])
    assert project.names == [*((event, 2) for event in EVENTS[:4]), ("Stop", None)]


def test_a_hook_finds_the_session_file_of_its_session(project: Project) -> None:
    """It exists and is active; `currentIssue` is set while the issue runs."""
    project.create("One")
    copy = 'cp "$HOME/.autoagent/sessions/{{sessionId}}.json" "$HOME/seen.json"'
    project.configure({"PreExecutionEnd": [shell(copy)]})
    assert project("issues", "run", "--model", project.script()).returncode == 0
    seen = (project.home / "seen.json").read_text()
    assert '"status": "active"' in seen
    assert '"currentIssue": 1' in seen


def test_a_home_that_cannot_be_written_is_a_warning(project: Project) -> None:
    """The run goes on without a session file."""
    project.create("One")
    (project.home / ".autoagent").write_text("in the way")
    project.configure()
    done = project("issues", "run", "--model", project.script())
    assert done.returncode == 0, done.stderr
    assert "the session is not kept" in done.stderr
    assert "Stop" in [name for name, _ in project.names]


def test_outside_of_git_a_run_works_and_says_no_branch(project: Project) -> None:
    """No repository, no hooks but the built-ins."""
    import shutil

    shutil.rmtree(project.workspace / ".git")
    project.write(
        ".autoagent/config.json",
        '{"hooks": {"PostExecutionEnd": [{"type": "git-commit"}, {"type": "git-push"}]}}',
    )
    project.create("One")
    done = project("issues", "run", "--model", project.script())
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("this folder is not in a git repository") >= 2
    assert "metadata" not in project.sessions[0] or "gitBranch" not in project.sessions[0]["metadata"]


def test_a_signal_while_hooks_react_to_a_completed_issue_keeps_it_completed(project: Project) -> None:
    """PostExecutionEnd is not fired twice, and the next issue does not start."""
    project.create("One", "Two")
    project.configure({"PostExecutionEnd": [shell('touch "$HOME/reacting"; sleep 60')]})
    process = project.begin("issues", "run", "--all", "--model", project.script())
    wait_for(project.home / "reacting")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 130
    assert project.names == [*((event, 1) for event in EVENTS[:4]), ("Stop", None)]
    assert project.events[-1]["reason"] == "interrupted"
    (session,) = project.sessions
    assert (session["status"], session["issuesCompleted"]) == ("interrupted", [1])
    assert project("issues", "status").stdout.startswith("1 of 2 ")


@pytest.mark.parametrize("moment", ["session.started", "issue.started", "hook.finished", "issue.finished"])
def test_killed_at_any_moment_the_next_run_does_what_is_left(project: Project, moment: str) -> None:
    """Every file is whole, and each issue is completed in the end."""
    project.create("One", "Two")
    project.configure({"PostExecutionEnd": [{"type": "git-commit"}]})
    project.commit()
    model = project.script(*[write(f"{number}.txt") | {"text": "ok"} for number in range(2)])
    process = project.begin("issues", "run", "--all", "--json", "--model", model)
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["type"] == moment:
            break
    process.kill()
    process.communicate(timeout=DEADLINE_S)
    (project.home / "events.jsonl").unlink(missing_ok=True)
    done = project("issues", "run", "--all", "--model", project.script())
    assert done.returncode == 0, done.stderr
    assert project("issues", "status").stdout == "2 of 2 issues completed, 0 pending\n"
    assert project.sessions[0]["status"] == "interrupted"
    assert [name for name, _ in project.names].count("Stop") <= 1
    assert project.read("TODO.md").count("- [x] **[Issue #") == 2
