"""Issues by command-line agents: stand-ins for `claude` and `gemini` on PATH, started as real processes."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

from tests.issue_project import EVENTS, Project, lines
from tests.waiting import DEADLINE_S, wait_until_gone, written

CLAUDE = r"""#!/usr/bin/env python3
import json, os, sys
home = os.environ["HOME"]
if sys.argv[1:] == ["--version"]:
    print("2.1.0 (Claude Code)")
    sys.exit(0)
with open(home + "/claude.jsonl", "a") as log:
    log.write(json.dumps({"argv": sys.argv[1:], "stdin": sys.stdin.read()}) + "\n")
count = len(open(home + "/claude.jsonl").readlines())
plan = json.load(open(home + "/claude-plan.json"))
step = plan[min(count, len(plan)) - 1]
for name in step.get("writes", []):
    open(name, "w").write("by claude\n")
for message in step["messages"]:
    print(json.dumps(message), flush=True)
sys.stderr.write(step.get("stderr", ""))
sys.exit(step.get("exit", 0))
"""
GEMINI = """#!/bin/sh
[ "$1" = --version ] && { echo 0.61.0; exit 0; }
echo "$*" >> "$HOME/gemini.log"
cat > "$HOME/gemini.stdin"
case "$*" in *pro*) [ -z "$GEMINI_PRO_LIMITED" ] || { echo "Quota exceeded for gemini-2.5-pro" >&2; exit 1; };; esac
echo "by gemini" > g.txt
echo "Gemini is done."
"""
INIT = {"type": "system", "subtype": "init", "session_id": "c-1"}
SAYS = {
    "type": "assistant",
    "message": {"content": [
        {"type": "text", "text": "Working."},
        {"type": "tool_use", "id": "t1", "name": "Write", "input": {"file_path": "c.txt"}},
    ]},
}  # fmt: skip
WROTE = {
    "type": "user",
    "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]},
}
RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "Claude is done.",
    "session_id": "c-1",
}
LIMIT = {
    "type": "result",
    "subtype": "success",
    "is_error": True,
    "result": "Claude AI usage limit reached|123",
}
GOOD = {"messages": [INIT, SAYS, WROTE, RESULT], "writes": ["c.txt"]}


def prepare(project: Project, *steps: dict[str, Any], gemini: bool = True) -> dict[str, str]:
    """The stand-ins on PATH; `steps` are what `claude` does at each of its calls."""
    folder = project.home / "bin"
    folder.mkdir()
    for name, text in (("claude", CLAUDE), *((("gemini", GEMINI),) if gemini else ())):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    (project.home / "claude-plan.json").write_text(json.dumps(steps or [GOOD]))
    project.create("One")
    project.configure(failoverDelay=1)
    path = f"{folder}:{Path(os.__file__).parent.parent.parent / 'bin'}:/usr/local/bin:/usr/bin:/bin"
    return {"PATH": path, "AUTOAGENT_RETRY_ATTEMPTS": "1"}


def calls(project: Project) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project.home / "claude.jsonl").read_text().splitlines()]


def ended(project: Project) -> dict[str, Any]:
    return next(event for event in project.events if event["eventName"] == "PreExecutionEnd")


def test_claude_is_called_as_documented_and_its_stream_is_read(project: Project) -> None:
    """Arguments, stdin, the answer as `output`; the files are those that changed, whatever it said."""
    environment = prepare(project)
    nowhere = project("issues", "run", "--add-dir", "nowhere", environment=environment)
    assert (nowhere.returncode, "`nowhere` is no directory" in nowhere.stderr) == (64, True)
    done = project("issues", "run", "--json", "--add-dir", "issues", environment=environment)
    assert done.returncode == 0, done.stderr
    (call,) = calls(project)
    assert call["argv"][0] == "-p"
    assert call["argv"][2:] == [
        "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions", "--max-turns", "30",
        "--add-dir", f"{project.workspace}/issues",
    ]  # fmt: skip
    assert "# Issue 1: One" in call["stdin"]
    assert "# Plan for Issue #1: One" in call["stdin"]
    event = ended(project)
    assert (event["provider"], event["output"], event["filesModified"]) == (
        "claude",
        "Claude is done.",
        ["c.txt"],
    )
    kinds = [line["type"] for line in lines(done.stdout)]
    assert [kinds.count(kind) for kind in ("tool.started", "tool.finished", "message")] == [1, 1, 2]
    assert project.sessions[0]["provider"] == "claude"


def test_a_limit_makes_the_next_provider_take_over_and_is_remembered(project: Project) -> None:
    """One set of events; `provider` is the one that finished; the limited one rests in the next run too."""
    environment = prepare(project, {"messages": [INIT, LIMIT], "exit": 1})
    before = int(time.time() * 1000)
    done = project("issues", "run", environment=environment)
    assert done.returncode == 0, done.stderr
    assert project.names == [*((event, 1) for event in EVENTS[:4]), ("Stop", None)]
    assert (ended(project)["provider"], ended(project)["filesModified"]) == ("gemini", ["g.txt"])
    limits = json.loads((project.home / ".autoagent/rate-limits.json").read_text())
    assert limits["claude"]["attempts"] == 1
    assert limits["claude"]["limitedAt"] >= before
    project.create("Two")
    assert project("issues", "run", environment=environment).returncode == 0
    assert len(calls(project)) == 1


def test_all_limited_names_who_is_free_next_and_when(project: Project) -> None:
    environment = prepare(project, {"messages": [LIMIT], "exit": 1}, gemini=False)
    project.configure(providers=["claude"], rateLimitCooldown=600_000)
    done = project("issues", "run", environment=environment)
    assert done.returncode == 1
    assert "all providers have reached their limit; `claude` is free again in 10 min" in done.stderr


def test_a_model_of_gemini_that_is_limited_gives_way_to_the_smaller_one(project: Project) -> None:
    environment = prepare(project) | {"GEMINI_PRO_LIMITED": "1"}
    done = project("issues", "run", "-p", "gemini", environment=environment)
    assert done.returncode == 0, done.stderr
    assert (project.home / "gemini.log").read_text().splitlines() == [
        "--all_files --yolo --model gemini-2.5-pro",
        "--all_files --yolo --model gemini-2.5-flash",
    ]
    assert "# Issue 1: One" in (project.home / "gemini.stdin").read_text()
    assert ended(project)["output"] == "Gemini is done."


def test_without_any_provider_the_issue_fails_and_its_end_is_told(project: Project) -> None:
    """`PostExecutionEnd` with success false and the reason."""
    project.create("One")
    project.configure()
    done = project("issues", "run", environment={"PATH": "/nowhere:/usr/bin:/bin"})
    assert done.returncode == 1
    event = next(event for event in project.events if event["eventName"] == "PostExecutionEnd")
    assert event["success"] is False
    assert event["error"].startswith("no provider is available: `claude`: ")
    assert "`gemini`: " in event["error"]


def test_a_program_that_only_calls_itself_claude_is_not_used(project: Project) -> None:
    environment = prepare(project, gemini=False)
    (project.home / "bin/claude").write_text("#!/bin/sh\necho something else\n")
    done = project("issues", "run", "-p", "claude", environment=environment)
    assert (done.returncode, "`claude --version` did not say `claude`" in done.stderr) == (1, True)


def test_a_crash_is_tried_again_after_a_while(project: Project) -> None:
    """Within one set of events."""
    environment = prepare(project, {"messages": [INIT], "exit": 7, "stderr": "segmentation fault"}, GOOD)
    done = project("issues", "run", environment=environment | {"AUTOAGENT_RETRY_ATTEMPTS": "2"})
    assert done.returncode == 0, done.stderr
    assert "failed (segmentation fault); trying again in 1 s" in done.stderr
    assert project.names == [*((event, 1) for event in EVENTS[:4]), ("Stop", None)]


def test_a_result_that_is_a_failure_is_not_tried_again(project: Project) -> None:
    """The agent did its work and says that it failed: once is enough."""
    failure = {"type": "result", "subtype": "error_max_turns", "is_error": True, "session_id": "c-1"}
    environment = prepare(project, {"messages": [INIT, failure]}, GOOD) | {"AUTOAGENT_RETRY_ATTEMPTS": "3"}
    done = project("issues", "run", environment=environment)
    assert (done.returncode, "error_max_turns" in done.stderr, len(calls(project))) == (1, True, 1)


def test_an_answer_about_rate_limits_is_no_rate_limit(project: Project) -> None:
    answer = {**RESULT, "result": "I added a rate limit: too many requests now get 429."}
    environment = prepare(project, {"messages": [INIT, answer]})
    assert project("issues", "run", environment=environment).returncode == 0
    assert not (project.home / ".autoagent/rate-limits.json").exists()


def test_a_blocked_stop_goes_on_in_the_same_conversation(project: Project) -> None:
    """`claude --resume` with the reason on stdin."""
    environment = prepare(project)
    once = (
        'cat >/dev/null; [ -e "$HOME/asked" ] && exit 0; touch "$HOME/asked"; echo one more thing >&2; exit 2'
    )
    project.configure({"Stop": [{"type": "command", "command": once}]})
    done = project("issues", "run", environment=environment)
    assert done.returncode == 0, done.stderr
    second = calls(project)[1]
    assert (second["argv"][-2:], second["stdin"]) == (["--resume", "c-1"], "one more thing")


def test_a_program_of_the_users_own_gets_instructions_as_one_argument(project: Project) -> None:
    """Whatever they say; and that of a workspace counts only when the workspace is trusted."""
    hostile = "say \"$(touch PWNED)\"; `id` 'x'"
    project.create("One")
    command = ["/bin/sh", "-c", 'printf %s "$1" > "$HOME/told"; cat > "$HOME/input"', "x", "{{instructions}}"]
    programs = {"mine": {"command": command}}
    project.configure(providers=["mine"], programs=programs, customInstructions=hostile)
    refused = project("issues", "run", "--untrusted", "skip", environment={"HOOKLINE_TRUST": ""})
    assert (refused.returncode, "no provider `mine`" in refused.stderr) == (1, True)
    assert "`programs` in .autoagent/config.json of the workspace is ignored" in refused.stderr
    (project.home / ".autoagent").mkdir()
    (project.home / ".autoagent/config.json").write_text(json.dumps({"programs": programs}))
    done = project("issues", "run", "--untrusted", "skip", environment={"HOOKLINE_TRUST": ""})
    assert done.returncode == 0, done.stderr
    assert hostile in (project.home / "told").read_text()
    assert "# Issue 1: One" in (project.home / "input").read_text()
    assert not list(project.workspace.rglob("PWNED"))


def test_a_provider_that_never_ends_is_ended(project: Project) -> None:
    """Within `providerTimeout`, with all it started."""
    project.create("One")
    command = ["/bin/sh", "-c", 'echo $$ > "$HOME/pid"; sleep 3600 & wait']
    project.configure(providers=["mine"], programs={"mine": {"command": command}}, providerTimeout=3000)
    done = project("issues", "run")
    assert (done.returncode, "did not end in time" in done.stderr) == (1, True)
    wait_until_gone(int((project.home / "pid").read_text()))


def test_the_mock_goes_through_the_real_executor(project: Project) -> None:
    """Every hook runs, also when the mock is told to fail."""
    project.create("One", "Two")
    project.configure()
    mock = {"AUTOAGENT_MOCK_PROVIDER": "true"}
    assert project("issues", "run", "1", environment=mock).returncode == 0
    assert (ended(project)["provider"], ended(project)["success"]) == ("mock", True)
    done = project("issues", "run", "2", environment={**mock, "AUTOAGENT_MOCK_AUTH_FAIL": "true"})
    assert (done.returncode, "Mock authentication failed" in done.stderr) == (1, True)
    assert project.names[5:9] == [(event, 2) for event in EVENTS[:4]]


def test_a_signal_ends_the_program_with_all_it_started(project: Project) -> None:
    project.create("One")
    command = ["/bin/sh", "-c", 'sleep 300 & echo $! > "$HOME/child"; echo $$ > "$HOME/pid"; wait']
    project.configure(providers=["mine"], programs={"mine": {"command": command}})
    process = project.begin("issues", "run")
    written(project.home / "pid")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 143
    for name in ("pid", "child"):
        wait_until_gone(int((project.home / name).read_text()))
    assert project.sessions[0]["status"] == "interrupted"


def test_who_could_work_is_shown_and_limits_can_be_cleared(project: Project) -> None:
    environment = prepare(project, {"messages": [LIMIT], "exit": 1}, gemini=False)
    assert project("issues", "run", environment=environment).returncode == 1
    claude, gemini = json.loads(project("issues", "providers", "--json", environment=environment).stdout)
    assert (claude["available"], claude["limited_until"][-1]) == (True, "Z")
    assert (gemini["available"], gemini["limited_until"]) == (False, None)
    done = project("issues", "providers", "--clear", environment=environment)
    assert done.stdout.splitlines()[2].split() == ["claude", "yes", "-"]
