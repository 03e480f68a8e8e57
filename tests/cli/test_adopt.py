"""`install AGENT --adopt`: the agent's own hooks run behind the bridge, and `uninstall` puts them back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program

GUARD = "echo 'not in this project' >&2; exit 2"
GROUPED = (
    '{\r\n\t"model" : "x",\n  "hooks": {"%s": [ {"hooks":[{"type":"command","command":"%s"}]} ] }  }\n\n'
)
FLAT = '{"version": 1,\n  "hooks" : { "%s": [ {"%s": "%s"} ]\n}}'
CONFIGS = {
    "claude": (".claude/settings.json", GROUPED % ("PreToolUse", GUARD), "PreToolUse"),
    "gemini": (".gemini/settings.json", "// mine\n" + GROUPED % ("BeforeTool", GUARD), "BeforeTool"),
    "codex": (".codex/hooks.json", GROUPED % ("PreToolUse", GUARD), "PreToolUse"),
    "cursor": (".cursor/hooks.json", FLAT % ("preToolUse", "command", GUARD), "preToolUse"),
    "qwen": (".qwen/settings.json", GROUPED % ("PreToolUse", GUARD), "PreToolUse"),
}  # fmt: skip
CALL = {
    "session_id": "s", "conversation_id": "s", "hook_event_name": "", "tool_name": "Bash", "command": "ls",
    "tool_input": {"command": "ls"}, "tool_use_id": "u",
}  # fmt: skip


def call(program: Program, agent: str, event: str, **more: str) -> str:
    tool = {"gemini": "run_shell_command"}.get(agent, "Bash")
    payload = {**CALL, "hook_event_name": event, "tool_name": tool, "cwd": str(program.workspace)}
    done = program("bridge", agent, "--event", event, stdin=json.dumps(payload), environment=more)
    return done.stdout + done.stderr


def listed(program: Program) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(program("list", "--json").stdout)
    return [row for row in found if "hookline" not in row["command"]]


def write(program: Program, agent: str) -> Path:
    path, text, _ = CONFIGS[agent]
    file = program.write(path, "")
    file.write_bytes(text.encode())
    return file


@pytest.mark.parametrize("agent", CONFIGS)
def test_an_adopted_hook_decides_through_the_bridge_and_goes_back_to_the_byte(
    program: Program, agent: str
) -> None:
    file = write(program, agent)
    path, text, event = CONFIGS[agent]
    program("install", agent)
    assert "not in this project" not in call(program, agent, event)
    done = program("install", agent, "--adopt")
    assert done.returncode == 0, done.stderr
    assert "1 hook moved to" in done.stderr
    assert "not in this project" not in file.read_text()
    (row,) = listed(program)
    assert (row["dialect"], row["command"]) == (agent, GUARD)
    assert row["source"] == f".hookline/adopted/{agent}/{path}"
    assert "itself, trusted here or not" not in program("list").stderr
    assert "not in this project" in call(program, agent, event)
    assert "already installed" in program("install", agent, "--adopt").stderr
    assert "already installed" in program("install", agent).stderr
    assert program("uninstall", agent).returncode == 0
    assert file.read_bytes() == text.encode()
    assert not (program.workspace / ".hookline").exists()


@pytest.mark.parametrize("scope", ["local", "user"])
def test_the_hooks_of_a_private_file_are_kept_beside_the_users_config(program: Program, scope: str) -> None:
    text = GROUPED % ("PreToolUse", GUARD)
    folder, name = {
        "local": (program.workspace, "settings.local.json"), "user": (program.home, "settings.json"),
    }[scope]  # fmt: skip
    (folder / ".claude").mkdir()
    file = folder / ".claude" / name
    file.write_bytes(text.encode())
    program("install", "claude", "--scope", scope, "--adopt")
    assert not (program.workspace / ".hookline").exists()
    assert [row["source"].startswith("~/.config/hookline/adopted/claude/") for row in listed(program)] == [
        True
    ]
    assert "not in this project" in call(program, "claude", "PreToolUse")
    program("uninstall", "claude", "--scope", scope)
    assert file.read_bytes() == text.encode()


def test_what_was_edited_since_is_kept_when_the_hooks_go_back(program: Program) -> None:
    file = write(program, "claude")
    program("install", "claude", "--adopt")
    kept = json.loads(file.read_text())
    later = {"hooks": [{"type": "command", "command": "later"}]}
    kept["hooks"]["PreToolUse"].append(later)
    file.write_text(json.dumps({**kept, "model": "y"}))
    program("uninstall", "claude")
    back = json.loads(file.read_text())
    assert back["model"] == "y"
    commands = [group["hooks"][0]["command"] for group in back["hooks"]["PreToolUse"]]
    assert commands == [GUARD, "later"]


@pytest.mark.parametrize(
    ("agent", "path", "text"),
    [
        ("droid", ".factory/hooks.json", GROUPED % ("PreToolUse", GUARD)),
        ("claude", ".claude/settings.json", '{"hooks": %s}' % (GROUPED % ("Stop", GUARD))),
    ],
)
def test_hooks_that_stand_one_level_too_deep_are_told_as_read_by_nobody(
    program: Program, agent: str, path: str, text: str
) -> None:
    """They cannot be moved, and neither trust nor `--adopt` would make them run."""
    program.write(path, text)
    told = program("install", agent, "--adopt", environment={"HOOKLINE_TRUST": ""}).stderr
    event = "Stop" if agent == "claude" else "PreToolUse"
    assert f"there is no event `hooks`, so nothing reads the hooks in it ({event})" in told
    assert "events stand here without `hooks` around them: move them out of it" in told
    assert "nothing moved" in told
    assert "hookline trust" not in told and "--adopt" not in told


def test_hooks_the_bridge_cannot_stand_for_stay_with_the_agent(program: Program) -> None:
    handlers: list[dict[str, object]] = [
        {"type": "prompt", "prompt": "is it good?"},
        {"type": "command", "command": "slow", "timeout": 4000},
        {"type": "command", "command": "true"},
    ]
    config = {"hooks": {"PreToolUse": [{"hooks": [each]} for each in handlers]}}
    file = program.write(".claude/settings.json", json.dumps(config))
    done = program("install", "claude", "--adopt")
    assert "1 hook moved" in done.stderr
    assert "2 hooks stay with Claude Code" in done.stderr
    assert "is it good?" in file.read_text() and "slow" in file.read_text()
    assert "Claude Code runs 2 of these hooks itself" in program("list").stderr


def test_where_nothing_can_be_adopted_that_is_said_and_the_hook_stays(program: Program) -> None:
    text = FLAT % (
        "beforeShellExecution",
        "command",
        GUARD,
    )  # told of twice: the bridge hears of `preToolUse`
    file = program.write(".cursor/hooks.json", text)
    assert "nothing moved" in program("install", "cursor", "--adopt").stderr
    assert GUARD in file.read_text()


def test_an_adopted_hook_runs_only_once_it_is_trusted(program: Program) -> None:
    write(program, "claude")
    program.environment["HOOKLINE_TRUST"] = ""
    assert "trust" in program("install", "claude", "--adopt").stderr
    assert "permissionDecision" not in call(program, "claude", "PreToolUse")
    assert program("trust", "--yes").returncode == 0
    assert '"permissionDecision": "deny"' in call(program, "claude", "PreToolUse").replace('":"', '": "')


def test_git_has_nothing_to_adopt(program: Program) -> None:
    assert program("install", "git", "--adopt").returncode == 64
