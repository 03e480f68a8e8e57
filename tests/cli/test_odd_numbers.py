"""Texts that look like numbers and are none, or are too long for one: told, or left out, and never a defect."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

ODD = ("²", "5²", "9" * 5000)
CALL = json.dumps({"tool_name": "Bash", "tool_input": {"command": "ls"}})


@pytest.mark.parametrize("number", ODD)
@pytest.mark.parametrize(
    ("command", "codes"),
    [(("issues", "run", "NUMBER", "--dry-run"), {1, 64}), (("issues", "run", "1-NUMBER", "--dry-run"), {1, 64}),
     (("config", "set", "retryAttempts", "NUMBER"), {64}), (("sessions", "prune", "--older-than", "NUMBER"), {0, 64}),
     (("history", "--since", "NUMBERd"), {0, 64})],
)  # fmt: skip
def test_on_the_command_line(
    program: Program, command: tuple[str, ...], codes: set[int], number: str
) -> None:
    done = program(*(word.replace("NUMBER", number) for word in command))
    assert done.returncode in codes, done.stderr
    assert "defect" not in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("number", ODD)
@pytest.mark.parametrize("variable", ["HOOKLINE_DEPTH", "GEN_DEBUG_HOOKS", "GEN_DEBUG"])
def test_in_the_environment(program: Program, variable: str, number: str) -> None:
    program.write("s.yml", "turns: []\nafter: Done.\n")
    done = program("run", "hi", "--model", "scripted:s.yml", environment={variable: number})
    assert (done.returncode, done.stdout) == (0, "Done.\n"), done.stderr


@pytest.mark.parametrize("number", [*ODD, "9" * 400 + "s"])
def test_as_a_time_of_a_hook(program: Program, number: str) -> None:
    entry = {"type": "command", "command": "echo no >&2; exit 2", "timeout": number}
    config = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}
    for path in (".claude/settings.json", ".gen/settings.json"):
        program.write(path, json.dumps(config, ensure_ascii=False))
    text = json.dumps(number, ensure_ascii=False)
    program.write(
        ".iteratr.hooks.yml", f"hooks:\n  pre_iteration:\n    - command: exit 0\n      timeout: {text}\n"
    )
    front = f"#!/bin/sh\n#---\n# type: file\n# pattern: '*'\n# timeout: {number}\n#---\nexit 0\n"
    program.write(".discobot/hooks/a.sh", front, 0o755)
    told = program("check", "--json")
    assert "defect" not in told.stdout + told.stderr
    assert "defect" not in program("fire", "PreToolUse", stdin=CALL).stderr
