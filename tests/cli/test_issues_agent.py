"""Issues by an ACP agent: a scripted one, as a real process, its tool calls judged by the workspace's hooks."""

from __future__ import annotations

import json
import sys

from tests.issue_project import EVENTS, Project, shell, write


def agent(project: Project, script: str) -> str:
    return f"{sys.executable} -m hookline scripted-agent {script.removeprefix('scripted:')}"


def test_an_acp_agent_works_on_every_issue_in_a_conversation_of_its_own(project: Project) -> None:
    """The same events as with any provider; `output` is the agent's answer."""
    project.create("One", "Two")
    project.configure()
    script = project.script(
        write("a.txt"),
        {"text": "One is done.", "expect": ""},
        {"text": "Two is done.", "expect": "Issue 2: Two"},
    )
    done = project(
        "issues",
        "run",
        "--all",
        "--agent",
        agent(project, script),
        "--record",
        str(project.home / "record.jsonl"),
    )
    assert done.returncode == 0, done.stderr
    every = [(event, number) for number in (1, 2) for event in EVENTS[:4]]
    assert project.names == [*every, ("Stop", None)]
    ends = [event for event in project.events if event["eventName"] == "PreExecutionEnd"]
    assert [end["filesModified"] for end in ends] == [["a.txt"], []]
    assert [end["output"] for end in ends] == ["One is done.", "Two is done."]
    records = [json.loads(line) for line in (project.home / "record.jsonl").read_text().splitlines()]
    assert len({record["session"] for record in records}) == 2


def test_the_hooks_of_the_workspace_guard_the_agents_tools(project: Project) -> None:
    project.create("One")
    project.configure()
    guard = {"matcher": "Write", "hooks": [{"type": "command", "command": "echo read only >&2; exit 2"}]}
    project.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [guard]}}))
    script = project.script(write("a.txt"), {"text": "I could not."})
    done = project("issues", "run", "--agent", agent(project, script))
    assert done.returncode == 0, done.stderr
    assert not (project.workspace / "a.txt").exists()


def test_a_blocked_stop_is_one_more_prompt_to_the_same_agent(project: Project) -> None:
    project.create("One")
    once = '[ -e "$HOME/asked" ] && exit 0; touch "$HOME/asked"; echo tidy up >&2; exit 2'
    project.configure({"Stop": [shell(once)]})
    script = project.script({"text": "done"}, write("tidy.txt") | {"expect": "tidy up"}, {"text": "tidied"})
    done = project("issues", "run", "--agent", agent(project, script))
    assert done.returncode == 0, done.stderr
    assert (project.workspace / "tidy.txt").exists()


def test_an_agent_that_does_not_start_fails_the_issue(project: Project) -> None:
    project.create("One")
    project.configure()
    done = project("issues", "run", "--agent", "no-such-agent --acp")
    assert (done.returncode, "no-such-agent" in done.stderr) == (1, True)
    ended = project.events[3]
    assert (ended["eventName"], ended["success"]) == ("PostExecutionEnd", False)
    for wrong in ("", "'open"):
        assert project("issues", "run", "--agent", wrong).returncode == 64
