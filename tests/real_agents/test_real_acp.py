"""`hookline iterate` with Gemini CLI as its ACP agent, against a scripted model on loopback."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from tests.program import Program
from tests.real_agents.driving import variables
from tests.real_agents.test_real_agents import installed
from tests.real_agents.turns import on_loopback

pytestmark = pytest.mark.real_agent
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "telemetry": {"enabled": False},
}


@pytest.mark.parametrize("guarded", [True, False], ids=["guarded", "free"])
def test_gemini_iterates_under_our_guards(program: Program, tmp_path: Path, guarded: bool) -> None:
    """Its model reads hook text and prompt; its permission requests are answered by a Claude hook."""
    agent = installed("gemini")
    own = program.home / ".gemini" / "settings.json"
    own.parent.mkdir()
    own.write_text(json.dumps(SETTINGS))
    program.write(
        ".iteratr.hooks.yml",
        "hooks:\n  pre_iteration:\n    - {command: echo from the hook, pipe_output: true}\n",
    )
    if guarded:
        hook = {"type": "command", "command": "echo no shell today >&2; exit 2"}
        program.write(
            ".claude/settings.json",
            json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}),
        )
    program.write("prompt.txt", "the prompt itself")
    command = shlex.join([agent, "--acp", "--model", "gemini-2.5-flash"])
    arguments = (
        "iterate",
        "--name",
        "s",
        "--iterations",
        "1",
        "--template",
        "prompt.txt",
        "--turn-timeout",
        "80",
    )
    task = {
        "command": [
            sys.executable,
            "-m",
            "hookline",
            *arguments,
            "--record",
            "record.jsonl",
            "--agent",
            command,
        ],
        "workspace": str(program.workspace),
        "environment": {**program.environment, **variables("gemini")},
    }
    asked = on_loopback(task, tmp_path)
    contents = json.dumps([each["body"].get("contents") for each in asked])
    assert ("from the hook" in contents, "the prompt itself" in contents) == (True, True)
    assert (program.workspace / "ran").exists() is not guarded
    # The task tools reached it over MCP.
    assert "task-update" in json.dumps([each["body"].get("tools") for each in asked])
