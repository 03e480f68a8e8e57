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

pytestmark = pytest.mark.real_agent
LOOPBACK = Path(__file__).with_name("loopback.py")
SHELL_GUARDS = {
    "claude": (".gemini/settings.json", "BeforeTool", "run_shell_command"),
    "codex": (".gemini/settings.json", "BeforeTool", "run_shell_command"),
    "gemini": (".claude/settings.json", "PreToolUse", "Bash"),
    "opencode": (".claude/settings.json", "PreToolUse", "Bash"),
    "pi": (".claude/settings.json", "PreToolUse", "Bash"),
    "qwen": (".claude/settings.json", "PreToolUse", "Bash"),
}
COMMANDS = {
    "claude": ("-p", "go", "--allowedTools", "Bash"),
    "codex": (
        "exec",
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
        "-c",
        'model_providers.m={name="m",base_url="$MODEL/v1",wire_api="responses",env_key="SCRIPT_KEY"}',
        "-c",
        "model_provider=m",
        "-c",
        "model=gpt-5",
        "-c",
        'projects={"$WORKSPACE"={trust_level="trusted"}}',
        "go",
    ),
    "gemini": ("-p", "go", "--yolo", "--skip-trust", "--model", "gemini-2.5-flash"),
    "opencode": ("run", "--model", "fake/m", "go"),
    "pi": ("--provider", "fake", "--model", "m", "-p", "go"),
    "qwen": ("--auth-type", "openai", "--yolo", "-p", "go"),
}
VARIABLES = {
    "claude": {
        "ANTHROPIC_BASE_URL": "$MODEL", "ANTHROPIC_API_KEY": "dummy", "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    },
    "codex": {"SCRIPT_KEY": "dummy"},
    "gemini": {
        "GOOGLE_GEMINI_BASE_URL": "$MODEL", "GEMINI_API_KEY": "dummy", "GEMINI_TELEMETRY_ENABLED": "false",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    },
    "opencode": {
        "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_CONFIG_CONTENT": json.dumps({
            "share": "disabled",
            "provider": {"fake": {
                "npm": "@ai-sdk/openai-compatible", "models": {"m": {}},
                "options": {"baseURL": "$MODEL/v1", "apiKey": "dummy"},
            }},
        }),
    },
    "pi": {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"},
    "qwen": {
        "OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": "$MODEL/v1", "OPENAI_MODEL": "m",
        "QWEN_TELEMETRY_ENABLED": "false",
    },
}  # fmt: skip


def installed(agent: str) -> str:
    folder = os.environ.get("HOOKLINE_REAL_AGENTS", "")
    found = shutil.which(agent, path=os.pathsep.join((folder, os.environ["PATH"])))
    if found is None:
        pytest.skip(f"{agent} is not installed")
    return found


def isolated() -> list[str]:
    """The start of a command line in a network namespace of its own."""
    words = ["unshare", "--net", *(() if os.geteuid() == 0 else ("--map-root-user",))]
    try:
        subprocess.run([*words, "ip", "link", "set", "lo", "up"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no network namespaces here")
    return words


def beside_plugins(folder: Path) -> None:
    """What OpenCode would fetch for its plugins, which takes it over a minute where there is no network."""
    package, version = "@opencode-ai/plugin", "1.0.0"
    written = {
        "package.json": {"dependencies": {package: version}},
        f"node_modules/{package}/package.json": {"name": package, "version": version},
        "package-lock.json": {
            "name": "x", "lockfileVersion": 3,
            "packages": {
                "": {"dependencies": {package: version}}, f"node_modules/{package}": {"version": version},
            },
        },
    }  # fmt: skip
    for path, content in written.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(json.dumps(content))


def drive(program: Program, agent: str, tmp_path: Path) -> list[Any]:
    """One turn of the agent; what it asked the model, in order."""
    own = program.home / ".gemini" / "settings.json"
    own.parent.mkdir()
    own.write_text(json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}))
    for folder in (
        program.workspace / ".opencode",
        program.home / ".config/opencode",
        program.home / ".opencode",
    ):
        if agent == "opencode":
            beside_plugins(folder)
    models = program.home / ".pi/agent/models.json"
    models.parent.mkdir(parents=True, exist_ok=True)
    models.write_text(json.dumps({"providers": {"fake": {
        "baseUrl": "$MODEL/v1", "api": "openai-completions", "apiKey": "dummy", "models": [{"id": "m"}],
    }}}))  # fmt: skip
    task = {
        "files": [str(models)],
        "command": [
            installed(agent),
            *(word.replace("$WORKSPACE", str(program.workspace)) for word in COMMANDS[agent]),
        ],
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


@pytest.mark.parametrize("agent", sorted(COMMANDS))
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
    done = program("install", agent, "--scope", "user" if agent == "pi" else "project")
    assert done.returncode == 0, done.stderr
    requests = drive(program, agent, tmp_path)
    assert (program.workspace / "ran").exists() is not guarded
    assert ("no shell today" in json.dumps(requests)) is guarded
    fired = {run["event"] for run in json.loads(program("history", "--json").stdout)}
    assert {"PreToolUse", "Stop", "UserPromptSubmit"} <= fired


@pytest.mark.parametrize("agent", sorted({*COMMANDS} - {"opencode", "pi", "qwen"}))
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
