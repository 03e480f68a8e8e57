"""`hookline init` writes a first hooks file, `hookline get` reads payloads for shell scripts."""

from __future__ import annotations

import json

import pytest
from tests.program import Program


def test_init_writes_a_sound_file_for_the_tools_it_finds(program: Program) -> None:
    program.write("pyproject.toml", "[tool.ruff]\n[tool.pytest.ini_options]\n")
    program.write(
        "package.json", json.dumps({"devDependencies": {"eslint": "9"}, "scripts": {"test": "vitest"}})
    )
    program.write("go.mod", "module x\n")
    program.write("Cargo.toml", "[package]\n")
    program.write("Makefile", "lint: x\n\techo y:\n")
    done = program("init")
    assert done.returncode == 0
    for name in (
        "ruff format",
        "ruff check",
        "pytest",
        "eslint",
        "npm test",
        "gofmt",
        "rustfmt",
        "make lint",
    ):
        assert name in done.stderr
    checked = program("check", "--strict", "--json")
    assert (checked.returncode, json.loads(checked.stdout)) == (0, [])
    text = (program.workspace / ".hookline/hooks.toml").read_text()
    assert text.startswith("# Hooks of this project")
    force = {"tool_name": "Bash", "tool_input": {"command": "cd x && git push origin main --force"}}
    denied = program("fire", "PreToolUse", stdin=json.dumps(force))
    assert denied.returncode == 2
    again = program("init")
    assert (again.returncode, "there already" in again.stderr) == (1, True)
    assert (program.workspace / ".hookline/hooks.toml").read_text() == text


def test_init_names_the_hooks_that_are_there_already(program: Program) -> None:
    hook = {"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [hook, hook]}}))
    done = program("init")
    assert ".claude/settings.json: 2 hooks already there, left alone" in done.stderr
    assert program("probe", "--class", "quotes", "--class", "wrappers").returncode == 0


def test_the_first_hooks_ask_before_an_agent_changes_its_guards(program: Program) -> None:
    """The file that `init` wrote, the agent's own settings, and a call that accepts them."""
    program("init")
    for call in (
        {"tool_name": "Edit", "tool_input": {"file_path": ".hookline/hooks.toml"}},
        {"tool_name": "Bash", "tool_input": {"command": "hookline trust --yes"}},
        {"tool_name": "Write", "tool_input": {"file_path": ".claude/settings.json"}},
        {"tool_name": "Write", "tool_input": {"file_path": "/x/hookline/trust-requests.json"}},
    ):
        answer = json.loads(program("fire", "PreToolUse", "--json", stdin=json.dumps(call)).stdout)
        assert (answer["verdict"], "watch over the agent" in answer["reason"]) == ("ask", True), call
    other = {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}}
    assert (
        json.loads(program("fire", "PreToolUse", "--json", stdin=json.dumps(other)).stdout)["verdict"]
        == "none"
    )


def test_init_in_an_empty_repository_shows_how_a_tool_would_be_called(program: Program) -> None:
    shown = program("init", "--print")
    assert "No formatter, linter or test runner was recognised" in shown.stdout
    assert not (program.workspace / ".hookline").exists()
    assert program("init").returncode == 0
    assert program("check").returncode == 0


def test_a_found_formatter_and_linter_really_run_on_the_written_file(program: Program) -> None:
    program.write("ruff.toml", "line-length = 80\n")
    program("init")
    program.write(
        "bin/ruff", '#!/bin/sh\necho "$1:$3" >> ran\ntest "$1" = format || { echo bad; exit 1; }\n', 0o755
    )
    path = f"{program.workspace}/bin:{program.environment['PATH']}"
    call = {"tool_name": "Write", "tool_input": {"file_path": "a b.py", "content": ""}}
    done = program("fire", "PostToolUse", "--json", stdin=json.dumps(call), environment={"PATH": path})
    assert (program.workspace / "ran").read_text() == "format:a b.py\ncheck:a b.py\n"
    assert json.loads(done.stdout)["context"] == ["bad"]


@pytest.mark.parametrize(
    ("path", "out", "code"),
    [
        (".tool_input.command", "a\\nb $(x)\n", 0),
        ("tool_input.list.1.x", "2\n", 0),
        (".tool_input.list", '["é", {"x": 2}]\n', 0),
        (".nothing", "", 1),
    ],
)
def test_get_prints_one_field_as_it_is(program: Program, path: str, out: str, code: int) -> None:
    payload = {"tool_input": {"command": "a\\nb $(x)", "list": ["é", {"x": 2}]}}
    done = program("get", path, stdin=json.dumps(payload))
    assert (done.stdout, done.returncode) == (out, code)


def test_get_has_a_default_and_refuses_wrong_usage(program: Program) -> None:
    assert program("get", ".x", "--default", "d", stdin="{}").stdout == "d\n"
    assert program("get", stdin="{}").returncode == 64
    assert program("get", ".x", stdin="[]").returncode == 64
