"""Recording bridged calls, replaying them, and case files beside the hooks: through the command line."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_hook_cases import NOT_OURS
from tests.program import Program

from hookline.hosts.hook_cases import faults, fits

DENY = "grep -q 'rm -rf' && { echo not that >&2; exit 2; }; true"


def guard(program: Program, command: str = DENY) -> None:
    entry = {"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}
    program.write(".gen/settings.json", json.dumps({"hooks": {"PreToolUse": [entry]}}))


def call(program: Program, command: str, agent: str = "codex", **environment: str) -> None:
    given = {
        "session_id": "s1", "cwd": str(program.workspace), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": command,
    }  # fmt: skip
    done = program("bridge", agent, "--event", "PreToolUse", stdin=json.dumps(given), environment=environment)
    assert done.returncode == 0, done.stderr


def recorded(program: Program) -> list[dict[str, Any]]:
    done = program("record", "list", "--json")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_only_what_was_asked_for_is_recorded(program: Program) -> None:
    guard(program)
    call(program, "ls 1")
    assert program("record", "start").returncode == 0
    call(program, "ls 2")
    call(program, "ls 3", HOOKLINE_RECORD="0")
    assert program("record", "stop").returncode == 0
    call(program, "ls 4")
    call(program, "ls 5", HOOKLINE_RECORD="1")
    commands = [each["payload"]["tool_input"]["command"] for each in recorded(program)]
    assert commands == ["ls 2", "ls 5"]
    assert json.loads(program("record", "status", "--json").stdout)["recording"] is False
    program("record", "clear")
    assert recorded(program) == []


def test_secrets_are_not_recorded(program: Program) -> None:
    call(program, "curl -H 'Authorization: Bearer sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'",
         HOOKLINE_RECORD="1")  # fmt: skip
    call(program, "echo hunter2hunter2", HOOKLINE_RECORD="1", MY_API_KEY="hunter2hunter2")
    text = json.dumps(recorded(program))
    assert text.count('"agent"') == 2
    assert "abcdefghijklmnop" not in text and "hunter2" not in text


def test_replay_shows_what_is_answered_otherwise_now(program: Program) -> None:
    guard(program)
    for command in ("rm -rf /", "ls"):
        call(program, command, HOOKLINE_RECORD="1")
    same = program("replay")
    assert (same.returncode, same.stdout.count("same"), "2 calls, 0 answered" in same.stderr) == (0, 2, True)
    guard(program, "true")
    changed = program("replay", "--json")
    assert changed.returncode == 1
    first, second = (json.loads(line) for line in changed.stdout.splitlines())
    assert (first["changed"], second["changed"]) == (True, False)
    assert "deny" in first["before"]["stdout"] and first["now"]["stdout"] == ""
    assert program("replay", "--last", "1").returncode == 0
    assert program("replay", "--agent", "gemini").stdout == ""


def test_one_decision_is_run_again_by_its_id_and_never_another_call_for_it(program: Program) -> None:
    guard(program)
    call(program, "rm -rf kept", HOOKLINE_RECORD="1")
    call(program, "rm -rf don't")
    call(program, "ls", HOOKLINE_RECORD="1")
    newest, lost, kept = json.loads(program("history", "--json").stdout)
    guard(program, "true")
    again = program("replay", kept["run"], "--json")
    assert (again.returncode, json.loads(again.stdout)["changed"]) == (1, True)
    assert json.loads(program("replay", "last", "--json").stdout)["changed"] is False
    refused = program("replay", lost["run"])
    assert (refused.returncode, refused.stdout) == (1, "") and "was not recorded" in refused.stderr
    question = next(line for line in refused.stderr.splitlines() if "hookline explain" in line)
    words = shlex.split(question[question.index("explain") :])
    assert words == ["explain", "Bash", "rm -rf don't"] and program(*words).returncode == 0
    assert newest["asked"]["summary"] == "ls"


def test_what_the_history_has_only_in_part_is_no_question_to_ask_again(program: Program) -> None:
    guard(program)
    call(program, "rm -rf " + "a" * 300)
    call(program, "echo --password hunter2hunter2")
    for run in json.loads(program("history", "--json").stdout):
        refused = program("replay", run["run"])
        assert refused.returncode == 1 and "explain" not in refused.stderr, refused.stderr


def test_a_replay_leaves_no_trace_in_what_happened(program: Program) -> None:
    guard(program)
    call(program, "rm -rf /", HOOKLINE_RECORD="1")
    before = program("history", "--json").stdout
    assert program("replay").returncode == 0
    assert program("history", "--json").stdout == before
    assert len(recorded(program)) == 1


CASES = """\
cases:
  - name: rm is denied
    event: PreToolUse
    payload: {tool_name: Bash, tool_input: {command: rm -rf /}}
    expect: {verdict: deny, reason: "*not that*", hooks: {"gencode:PreToolUse:1": ran}}
  - name: other tools are nobody's business
    event: gencode:PreToolUse
    payload: {tool_name: Read, tool_input: {}}
    expect: {verdict: none, hooks: {"gencode:PreToolUse:1": not_matched}}
  - name: Gemini reads a denial
    agent: gemini
    event: BeforeTool
    payload: {tool_name: run_shell_command, tool_input: {command: rm -rf /}}
    expect: {answer: {decision: deny}}
"""


def test_case_files_say_what_the_hooks_must_decide(program: Program) -> None:
    guard(program)
    program.write("checks/guards.hooktest.yml", CASES)
    program.write("node_modules/x/bad.hooktest.yml", "never read")
    done = program("test")
    assert (done.returncode, done.stdout.count("ok ")) == (0, 3), done.stdout + done.stderr
    guard(program, "true")
    failed = program("test", "checks/guards.hooktest.yml", "--json")
    assert failed.returncode == 1
    found = {case["name"]: case for case in json.loads(failed.stdout)}
    assert [case["ok"] for case in found.values()] == [False, True, False]
    assert "verdict: expected 'deny', found 'none'" in found["rm is denied"]["faults"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cases: []", "expected `cases:`"),
        ("cases: [{event: PreToolUse}]", "nothing is expected"),
        ("cases: [{event: PreToolUse, expect: {verdcit: deny}}]", "unknown key `verdcit`"),
        ("cases: [{event: PreToolUse, expect: {answer: {}}}]", "go together"),
        ("cases: [{", "not YAML"),
    ],
)
def test_a_case_file_that_cannot_fail_is_refused(program: Program, text: str, words: str) -> None:
    program.write("x.hooktest.yml", text)
    done = program("test")
    assert (done.returncode, words in done.stderr) == (1, True), done.stderr


def test_an_unknown_event_fails_its_case(program: Program) -> None:
    program.write("x.hooktest.yml", "cases: [{event: PreTolUse, expect: {verdict: deny}}]")
    done = program("test")
    meant = "no event `PreTolUse`: did you mean `PreToolUse`?"
    assert (done.returncode, meant in done.stdout) == (1, True), done.stdout


def test_pytest_collects_case_files(program: Program) -> None:
    guard(program)
    program.write("guards.hooktest.yml", CASES.replace("verdict: none", "verdict: ask"))
    known = any(entry.value == "hookline.pytest_plugin" for entry in entry_points(group="pytest11"))
    plugin = [] if known else ["-p", "hookline.pytest_plugin"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugin, *NOT_OURS, "-q"],
        capture_output=True, text=True, cwd=program.workspace, env=program.environment, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "1 failed, 2 passed" in done.stdout, done.stdout
    assert "verdict: expected 'ask', found 'none'" in done.stdout


def test_expected_texts_may_have_wildcards_and_objects_may_hold_more() -> None:
    assert fits({"a": "x*z"}, {"a": "xyz", "b": 1})
    assert not fits({"a": 1}, {}) and not fits({"a": {"b": 1}}, {"a": 1})
    assert list(faults({"context": "a*c"}, {"context": ["a", "b", "c"]})) == []
    assert list(faults({"context": "b"}, {"context": ["a"]})) == ["context: expected 'b', found 'a'"]


def test_the_example_in_the_documentation_holds(program: Program) -> None:
    page = (Path(__file__).parents[2] / "docs" / "testing-hooks.md").read_text()
    for path in (".gen/settings.json", "guards.hooktest.yml"):
        _, _, rest = page.partition(f"cat > {path} <<'EOF'\n")
        program.write(path, rest.partition("EOF\n")[0])
    done = program("test")
    assert (done.returncode, done.stdout.count("ok ")) == (0, 3), done.stdout + done.stderr
