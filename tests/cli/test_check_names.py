"""What `hookline check` finds where a name is nearly right: of variables, placeholders, tools, keys and files."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

GUARD = [{"hooks": [{"type": "command", "command": "cat >/dev/null; echo no >&2; exit 2"}]}]


def codes(program: Program) -> list[str]:
    return sorted(each["code"] for each in json.loads(program("check", "--json").stdout))


def hints(program: Program) -> list[str]:
    return [each["hint"] for each in json.loads(program("check", "--json").stdout)]


@pytest.mark.parametrize("name", ["setting", "Settings", "settings-local"])
def test_a_file_whose_name_is_nearly_that_of_one_that_is_read_is_an_error(
    program: Program, name: str
) -> None:
    program.write(f".claude/{name}.json", json.dumps({"hooks": {"PreToolUse": GUARD}}))
    assert codes(program) == ["unread-file"]
    program.write(f".claude/{name}.json", json.dumps({"permissions": {"deny": []}}))
    assert codes(program) == []


def test_a_misspelt_variable_of_an_agent_is_an_error(program: Program) -> None:
    lines = [
        '"$CLAUDE_PROJECTDIR"/a',
        '"${CLAUDE_PROJECT_DIRS}"/a',
        'cd "$CLAUDE_PROJCT_DIR"',
        'ls "$CLAUDE_MEMORY_DIR"',
    ]
    hooks = [{"type": "command", "command": f"{line}; cat >/dev/null"} for line in lines]
    program.write(".claude/settings.json", json.dumps({"hooks": {"PostToolUse": [{"hooks": hooks}]}}))
    assert hints(program) == ["did you mean `CLAUDE_PROJECT_DIR`?"] * 3


def test_a_script_that_waits_for_an_argument_is_an_error(program: Program) -> None:
    def told(command: str, script: str) -> list[str]:
        program.write("a.sh", f"#!/bin/sh\n{script}\n", 0o755)
        hooks = [{"hooks": [{"type": "command", "command": command}]}]
        program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": hooks}}))
        return codes(program)

    here = '"$CLAUDE_PROJECT_DIR"/a.sh'
    assert told(here, 'case "$1" in *rm*) echo no >&2; exit 2;; esac') == ["unset-variable"]
    assert told(f"{here} x", 'case "$1" in *rm*) echo no >&2; exit 2;; esac') == []
    assert told(here, "git status | awk '{print $1}' >&2") == []
    assert told(here, 'say() {\n  echo "$1" >&2\n}\nsay x') == []


def test_a_placeholder_that_is_not_filled_in_at_its_event_is_an_error(program: Program) -> None:
    lines = {"pre_iteration": "echo {{task_id}}", "on_task_complete": "echo {{task_id}} {{other}}"}
    hooks = "".join(
        f"  {event}:\n    - command: {line!r}\n      pipe_output: true\n" for event, line in lines.items()
    )
    program.write(".iteratr.hooks.yml", f"hooks:\n{hooks}")
    commits = [
        {"type": "git-commit", "message": f"{{{{{name}}}}}: done"}
        for name in ("issue_number", "issueTitle", "mine")
    ]
    program.write(".autoagent/config.json", json.dumps({"hooks": {"PostExecutionEnd": commits}}))
    found = json.loads(program("check", "--json").stdout)
    assert sorted(each["message"] for each in found if each["code"] == "unset-variable") == [
        "`{{task_id}}` is empty at `pre_iteration`",
        "nobody fills in `{{issue_number}}`: it stays as it is",
    ]


def test_matchers_under_another_key_are_looked_at_as_well(program: Program) -> None:
    def vibe(match: str, name: str = 'name = "a"') -> list[str]:
        text = f'[[hooks]]\n{name}\ntype = "pre_tool"\nmatch = "{match}"\ncommand = "cat >/dev/null"\n'
        program.write(".vibe/hooks.toml", text)
        return codes(program)

    assert vibe("bash|search_replace") == ["dead-matcher"]
    assert vibe("re:bash|search_replace") == vibe("bash*") == vibe("mcp_*") == []
    assert vibe("bash", name="") == ["missing-key"]


def test_a_tool_in_another_case_is_told_in_a_hooks_toml(program: Program) -> None:
    text = '[[hooks]]\nname = "a"\nevent = "%s"\ntool = "%s"\ndeny = "no"\n'
    program.write(".hookline/hooks.toml", text % ("PreToolUse", "bash"))
    assert hints(program) == ["did you mean `Bash`?"]
    for event, tool in (
        ("PreToolUse", "Bash"),
        ("PreToolUse", "my_tool"),
        ("gemini:BeforeTool", "run_shell_command"),
    ):
        program.write(".hookline/hooks.toml", text % (event, tool))
        assert codes(program) == []


@pytest.mark.parametrize("version", ["2", '"1"', "1.0", "[1]"])
def test_a_file_of_another_version_is_told_of_and_its_rules_hold(program: Program, version: str) -> None:
    rule = '[[hooks]]\nevent = "PreToolUse"\nshell = "git push"\ndeny = "no"\n'
    program.write(".hookline/hooks.toml", f"version = {version}\n{rule}")
    done = program("check", "--strict")
    assert (done.returncode, "other-version" in done.stdout) == (1, True), done.stdout
    assert program("fire", "Bash", "git push").returncode == 2
    program.write(".hookline/hooks.toml", f"version = 1\n{rule}")
    assert program("check", "--strict").returncode == 0
