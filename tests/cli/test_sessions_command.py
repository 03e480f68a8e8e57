"""`hookline sessions` on the files of real runs."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

from tests.issue_project import Project
from tests.waiting import DEADLINE_S

from hookline.hosts.issues.session_files import new_session_id


def folder(project: Project) -> Path:
    return project.home / ".autoagent" / "sessions"


def keep(project: Project, days: float, **fields: object) -> str:
    """A session file that began so many days ago."""
    folder(project).mkdir(parents=True, exist_ok=True)
    name = new_session_id(time.time() - days * 86_400)
    content = {"id": name, "startTime": "2026-01-01T00:00:00.000Z", "workspace": "/w", "command": "x",
               "args": [], "issuesPlanned": [], "issuesCompleted": [], "issuesFailed": [],
               "status": "completed", "provider": "claude", **fields}  # fmt: skip
    (folder(project) / f"{name}.json").write_text(json.dumps(content))
    return name


def test_a_run_leaves_one_session_in_the_documented_form(project: Project) -> None:
    """One file below `$HOME`, whatever the number of issues."""
    project.create("One", "Two")
    model = project.script()
    assert project("issues", "run", "--all", "--model", model).returncode == 0
    name, link = sorted((entry.name for entry in folder(project).iterdir()), reverse=True)
    assert link == "current"
    assert re.fullmatch(r"session-[0-9]{13}-[a-z0-9]{6}\.json", name)
    (session,) = json.loads(project("sessions", "list", "--json").stdout)
    assert session["args"] == ["issues", "run", "--all", "--model", model]
    assert isinstance(session.pop("metadata")["totalDuration"], int)
    for field in ("startTime", "endTime"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", session.pop(field))
    del session["args"]
    assert session == {
        "id": name.removesuffix(".json"), "workspace": str(project.workspace), "command": "hookline",
        "issuesPlanned": [1, 2], "issuesCompleted": [1, 2], "issuesFailed": [], "status": "completed",
        "provider": model,
    }  # fmt: skip
    assert json.loads(project("sessions", "show", session["id"], "--json").stdout)["id"] == session["id"]
    assert "status           completed" in project("sessions", "show", session["id"][:20]).stdout


def test_the_list_is_newest_first_and_skips_broken_files_one_by_one(project: Project) -> None:
    """Ten by default; what is no session is passed over."""
    names = [keep(project, days) for days in range(12)]
    (folder(project) / f"{new_session_id()}.json").write_text("{")
    (folder(project) / "notes.json").write_text("{}")
    shown = json.loads(project("sessions", "list", "--json").stdout)
    assert [session["id"] for session in shown] == names[:10]
    assert len(json.loads(project("sessions", "list", "--json", "--limit", "0").stdout)) == 12
    done = project("sessions", "list", "--limit", "3")
    assert (done.stdout.count("session-"), "9 more" in done.stderr) == (3, True)


def test_current_is_null_without_a_session_and_with_a_broken_link(project: Project) -> None:
    assert project("sessions", "current", "--json").stdout == "null\n"
    folder(project).mkdir(parents=True)
    (folder(project) / "current").symlink_to("session-1.json")
    assert project("sessions", "current", "--json").stdout == "null\n"
    (folder(project) / "session-1.json").write_text("{")
    done = project("sessions", "current")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "no session is active\n")


def test_current_is_the_running_session(project: Project) -> None:
    """As seen by a hook of that session."""
    project.create("One")
    seen = project.home / "seen.json"
    command = 'cat "$HOME/.autoagent/sessions/current" > "$HOME/seen.json"'
    project.configure({"PostExecutionStart": [{"type": "command", "command": command}]})
    assert project("issues", "run", "--model", project.script()).returncode == 0
    session = json.loads(seen.read_text())
    assert (session["id"], session["status"]) == (project.events[0]["sessionId"], "active")
    assert project("sessions", "current", "--json").stdout == "null\n"
    assert str((folder(project) / "current").readlink()) == f"{session['id']}.json"


def test_prune_removes_ended_sessions_older_than_thirty_days(project: Project) -> None:
    """Active ones and the newest of --keep stay."""
    old, older, young = keep(project, 40), keep(project, 50), keep(project, 20)
    active = keep(project, 60, status="active")
    assert project("sessions", "prune", "--json").stdout == json.dumps([old, older], indent=2) + "\n"
    left = {session["id"] for session in json.loads(project("sessions", "list", "--json").stdout)}
    assert left == {young, active}
    assert (
        project("sessions", "prune", "--older-than", "1d", "--keep", "1").stdout == "✓ Removed 0 sessions\n"
    )
    assert project("sessions", "prune", "--older-than", "1d").stdout == "✓ Removed 1 session\n"
    assert project("sessions", "prune", "--older-than", "soon").returncode == 64


def test_conversations_of_the_tool_loop_are_listed_too(project: Project) -> None:
    """Sessions of every host, newest first; a run of issues counts once, though it keeps a conversation."""
    project.create("One")
    assert project("issues", "run", "--model", project.script()).returncode == 0
    assert project("run", "hello there", "--model", project.script({"text": "hi"})).returncode == 0
    kept, issues = json.loads(project("sessions", "list", "--json").stdout)
    assert (kept["status"], kept["args"], kept["title"]) == ("kept", ["run"], "hello there")
    assert issues["status"] == "completed"
    assert json.loads(project("sessions", "show", kept["id"], "--json").stdout) == kept
    assert project("sessions", "prune", "--older-than", "0").stdout == "✓ Removed 2 sessions\n"


def test_iteration_sessions_of_the_workspace_are_listed_too(project: Project) -> None:
    assert project("task", "add", "--content", "one", "--name", "tidy").returncode == 0
    done = project(
        "iterate", "--name", "tidy", "--iterations", "1", "--model", project.script({"text": "ok"})
    )
    assert done.returncode == 0, done.stderr
    session = json.loads(project("sessions", "show", "tidy", "--json").stdout)
    assert (session["args"], session["status"]) == (["iterate", "--name", "tidy"], "kept")
    assert (session["iterations"], session["tasks"], session["tasksCompleted"]) == (1, 1, 0)
    listed = json.loads(project("sessions", "list", "--json").stdout)
    assert "tidy" in [entry["id"] for entry in listed]
    (project.workspace / ".iteratr/events.db").write_bytes(b"no database at all, but long enough" * 50)
    done = project("sessions", "list", "--json")
    assert (done.returncode, "tidy" in done.stdout, "warning: " in done.stderr) == (0, False, True), (
        done.stderr
    )


def test_an_unknown_session_is_an_error(project: Project) -> None:
    done = project("sessions", "show", "session-1")
    assert (done.returncode, "no session `session-1`" in done.stderr) == (1, True)


def test_twenty_runs_at_once_leave_twenty_sessions_and_current_always_resolves(project: Project) -> None:
    """One home, twenty workspaces, a reader that looks all the time."""
    model = project.script()
    started = []
    for number in range(20):
        workspace = project.workspace / f"w{number}"
        project.git("init", "-q", str(workspace))
        for name, head in (("issues", "# Issue 1: One"), ("plans", "# Plan for Issue #1: One")):
            (workspace / name).mkdir()
            (workspace / name / "1-one.md").write_text(f"{head}\n\ntext\n")
        command = ("issues", "run", "1", "--workspace", str(workspace), "--model", model)
        started.append(project.begin(*command))
    link, missing, seen = folder(project) / "current", 0, 0
    deadline = time.monotonic() + DEADLINE_S
    while any(process.poll() is None for process in started):
        assert time.monotonic() < deadline
        try:
            json.loads(link.read_text())
            seen += 1
        except FileNotFoundError:
            missing += bool(seen)
        time.sleep(0.001)
    assert [(process.communicate()[1], process.returncode)[1] for process in started] == [0] * 20
    assert (missing, seen > 0) == (0, True)
    assert len({session["id"] for session in project.sessions}) == 20
    assert {session["status"] for session in project.sessions} == {"completed"}
    assert len({session["workspace"] for session in project.sessions}) == 20
