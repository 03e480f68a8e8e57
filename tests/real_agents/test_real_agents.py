"""Real agents, driven against a scripted model on loopback, stopped by a guard written for another agent.

Skipped where the agents are not installed: on PATH, or in the folder that HOOKLINE_REAL_AGENTS names. They run in a
network namespace that has nothing but loopback, in a fresh home.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program
from tests.real_agents import driving
from tests.real_agents.driving import LOOPBACK, VARIABLES, command_of, prepare

pytestmark = pytest.mark.real_agent
SHELL_GUARDS = {
    "claude": (".gemini/settings.json", "BeforeTool", "run_shell_command"),
    "codex": (".gemini/settings.json", "BeforeTool", "run_shell_command"),
    "gemini": (".claude/settings.json", "PreToolUse", "Bash"),
    "hermes": (".claude/settings.json", "PreToolUse", "Bash"),
    "opencode": (".claude/settings.json", "PreToolUse", "Bash"),
    "pi": (".claude/settings.json", "PreToolUse", "Bash"),
    "qwen": (".claude/settings.json", "PreToolUse", "Bash"),
}


def installed(agent: str) -> str:
    folder = os.environ.get("HOOKLINE_REAL_AGENTS", "")
    found = shutil.which(agent, path=os.pathsep.join((folder, os.environ["PATH"])))
    if found is None:
        pytest.skip(f"{agent} is not installed")
    return found


def isolated() -> list[str]:
    words = driving.isolated()
    if words is None:
        pytest.skip("no network namespaces here")
    return words


def drive(program: Program, agent: str, tmp_path: Path) -> list[Any]:
    """One turn of the agent; what it asked the model, in order."""
    files = prepare(agent, program.home, program.workspace)
    task = {
        "files": files,
        "command": command_of(agent, installed(agent), program.workspace),
        "workspace": str(program.workspace),
        "environment": {**program.environment, **VARIABLES[agent]},
    }
    return on_loopback(task, tmp_path)


def on_loopback(task: dict[str, Any], tmp_path: Path) -> list[Any]:
    """Runs a task of loopback.py; what the model was asked, in order."""
    file = tmp_path / "task.json"
    file.write_text(json.dumps(task))
    done = subprocess.run(
        [*isolated(), sys.executable, str(LOOPBACK), str(file)], capture_output=True, text=True, timeout=115,
        check=False,
    )  # fmt: skip
    log = (tmp_path / "agent.log").read_text(errors="replace")
    assert (tmp_path / "requests.json").exists(), done.stderr + log
    print(log)
    return list(json.loads((tmp_path / "requests.json").read_text()))


@pytest.mark.parametrize("agent", sorted(SHELL_GUARDS))
@pytest.mark.parametrize("guarded", [True, False], ids=["guarded", "free"])
def test_a_real_agent_is_stopped_by_another_agents_guard(
    program: Program, tmp_path: Path, agent: str, guarded: bool
) -> None:
    """Without the guard the same turn makes the file, so it is the guard that stops it."""
    installed(agent)
    config, event, tool = SHELL_GUARDS[agent]
    hook = {"type": "command", "command": "echo no shell today >&2; exit 2"}
    if guarded:
        program.write(config, json.dumps({"hooks": {event: [{"matcher": tool, "hooks": [hook]}]}}))
    done = program("install", agent, "--scope", "user" if agent in ("hermes", "pi") else "project")
    assert done.returncode == 0, done.stderr
    requests = drive(program, agent, tmp_path)
    assert (program.workspace / "ran").exists() is not guarded
    assert ("no shell today" in json.dumps(requests)) is guarded
    fired = {run["event"] for run in json.loads(program("history", "--json").stdout)}
    assert {"PreToolUse", "Stop", "UserPromptSubmit"} <= fired


REWRITING = """
[[hooks]]
name = "another file"
event = "PreToolUse"
tool = "Bash"
run = '''echo '{"input": {"command": "touch other"}}' '''

[[hooks]]
name = "a word"
event = "UserPromptSubmit"
context = "the word is ZZWORD"
"""
OWN_FILES = {
    "claude": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json",
    "opencode": ".opencode/plugins/notes.txt",
}  # fmt: skip


def contents(*folders: Path) -> dict[Path, bytes]:
    """Every file, but what hookline keeps of what ran."""
    files = (path for folder in folders for path in folder.rglob("*"))
    return {
        path: path.read_bytes()
        for path in files
        if path.is_file() and not {".git", "state", "hookline"} & set(path.parts)
    }


@pytest.mark.parametrize("agent", sorted(OWN_FILES))
def test_a_real_agent_takes_a_rewrite_and_context_and_gets_its_files_back(
    program: Program, tmp_path: Path, agent: str
) -> None:
    installed(agent)
    program.write(".hookline/hooks.toml", REWRITING)
    own = program.workspace / OWN_FILES[agent]
    own.parent.mkdir(parents=True)
    own.write_bytes(b'{\r\n "hooks":{ }\r\n}')
    before = contents(program.workspace, program.home)
    assert program("install", agent, "--scope", "project").returncode == 0
    after = contents(program.workspace, program.home)
    assert after != before
    requests = drive(program, agent, tmp_path)
    assert ((program.workspace / "other").exists(), (program.workspace / "ran").exists()) == (True, False)
    assert "the word is ZZWORD" in json.dumps(requests)
    done = program("uninstall", agent, "--scope", "project")
    assert done.returncode == 0, done.stderr
    left = contents(program.workspace, program.home)
    touched = before.keys() | after.keys()
    assert {path: left.get(path) for path in touched} == {path: before.get(path) for path in touched}


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini"])
def test_a_real_agent_goes_on_until_discobots_file_hooks_pass(
    program: Program, tmp_path: Path, agent: str
) -> None:
    """The turn made a file that the check forbids; the model is told, three times, and no more."""
    installed(agent)
    check = "#!/bin/sh\n#---\n# name: nothing ran\n# type: file\n# pattern: 'ran'\n#---\ntest ! -e ran\n"
    program.write(".discobot/hooks/check.sh", check, 0o755)
    done = program("install", agent)
    assert done.returncode == 0, done.stderr
    requests = drive(program, agent, tmp_path)
    assert (program.workspace / "ran").exists()
    told = json.dumps(requests)
    assert ("(Attempt 3/3)" in told, "(Attempt 4/" in told) == (True, False)
    runs = json.loads(program("history", "--event", "FilesChanged", "--json").stdout)
    assert 1 <= len(runs) <= 4  # after each of the three, and after the turn itself


@pytest.mark.parametrize("agent", ["codex", "gemini"])
def test_a_real_agent_without_a_limit_is_let_go_after_eight_blocked_stops(
    program: Program, tmp_path: Path, agent: str
) -> None:
    """Left alone, both asked the model again for as long as the hook said so."""
    hook = {"type": "command", "command": "echo once more >&2; exit 2"}
    program.write(".claude/settings.json", json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}}))
    assert program("install", agent).returncode == 0
    drive(program, agent, tmp_path)
    runs = json.loads(program("history", "--event", "Stop", "--json").stdout)
    assert len(runs) == 9
    assert "goes through" in runs[0]["degraded"][-1]
