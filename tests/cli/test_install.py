"""`hookline install` and `uninstall` as a person runs them, on real files."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S

FILES = {
    "claude": ".claude/settings.json",
    "gemini": ".gemini/settings.json",
    "codex": ".codex/hooks.json",
    "cursor": ".cursor/hooks.json",
    "copilot": ".github/hooks/hookline.json",
}
ODD = (
    '{\r\n\t"permissions" : { "deny": ["Bash(rm *)"] }, // mine\r\n'
    '\t"hooks": {"Stop": [ {"hooks":[{"type":"command","command":"say done"}]} ,]},\r\n}'
)


def commands_in(path: Path) -> list[str]:
    found: list[str] = []

    def walk(value: object) -> None:
        if isinstance(value, dict):
            found.extend(value[key] for key in ("command", "bash") if key in value)
            for child in value.values():
                walk(child)
        elif isinstance(value, list):
            for child in value:
                walk(child)

    walk(json.loads(path.read_text()))
    return found


@pytest.mark.parametrize("agent", FILES)
def test_installing_and_uninstalling_leaves_no_trace_of_a_missing_file(program: Program, agent: str) -> None:
    file = program.workspace / FILES[agent]
    done = program("install", agent)
    assert (done.returncode, done.stdout) == (0, "")
    assert f"{FILES[agent]}: hookline is now called for" in done.stderr
    assert "next: " in done.stderr
    commands = commands_in(file)
    assert len(commands) > 6
    for command in commands:
        words = shlex.split(command, comments=True)
        assert Path(words[0]).is_absolute()
        # The small client where a compiler made one, else this Python
        assert words[1 if words[0].endswith("/hookline-bridge") else 4 :][:2] == ["bridge", agent]
    assert program("uninstall", agent).returncode == 0
    assert [path.name for path in program.workspace.iterdir()] == [".git"]


def test_an_entry_that_was_edited_by_hand_is_left_and_told(program: Program) -> None:
    file = program.workspace / FILES["claude"]
    assert program("install", "claude").returncode == 0
    text = file.read_text()
    file.write_text(text.replace("claude --event Stop #", "claude --workspace . --event Stop #"))
    done = program("uninstall", "claude")
    (left,) = commands_in(file)
    (line,) = [at for at, line in enumerate(file.read_text().splitlines(), 1) if "bridge" in line]
    assert "--workspace" in left and f"an entry that was edited, in line {line};" in done.stderr
    assert "without hookline" not in done.stderr
    file.unlink()
    done = program("uninstall", "claude")
    assert "edited" not in done.stderr


def test_a_file_with_comments_odd_spacing_and_foreign_hooks_survives_unchanged(program: Program) -> None:
    file = program.write(".claude/settings.json", "")
    file.write_bytes(ODD.encode())
    file.chmod(0o640)
    assert program("install", "claude").returncode == 0
    installed = file.read_bytes()
    assert installed.startswith(b'{\r\n\t"permissions" : { "deny": ["Bash(rm *)"] }, // mine\r\n')
    again = program("install", "claude")
    assert "already installed, nothing changed" in again.stderr
    assert file.read_bytes() == installed
    assert program("uninstall", "claude").returncode == 0
    assert file.read_bytes() == ODD.encode()
    assert file.stat().st_mode & 0o777 == 0o640


def test_an_empty_file_stays_an_empty_file(program: Program) -> None:
    file = program.write(".cursor/hooks.json", "")
    program("install", "cursor")
    assert json.loads(file.read_text())["version"] == 1
    program("uninstall", "cursor")
    assert file.read_bytes() == b""


def test_a_dry_run_prints_the_diff_and_writes_nothing(program: Program) -> None:
    text = '{\n  "model": "x"\n}\n'
    file = program.write(".gemini/settings.json", text)
    done = program("install", "gemini", "--dry-run")
    assert done.returncode == 0
    assert done.stdout.startswith("--- a/.gemini/settings.json\n+++ b/.gemini/settings.json\n")
    assert "bridge gemini --event BeforeTool # hookline" in done.stdout
    assert file.read_text() == text
    assert sorted(path.name for path in file.parent.iterdir()) == ["settings.json"]
    patch = subprocess.run(
        ["git", "apply"], input=done.stdout, text=True, cwd=program.workspace, capture_output=True
    )
    assert patch.returncode == 0, patch.stderr
    assert "already installed" in program("install", "gemini").stderr


@pytest.mark.parametrize("text", ["[1, 2]", '{"hooks": [1]}', "{not json", "\udcff"])
def test_what_is_no_config_object_is_refused_and_untouched(program: Program, text: str) -> None:
    content = text.encode("utf-8", "surrogateescape")
    file = program.write(".claude/settings.json", "")
    file.write_bytes(content)
    done = program("install", "claude")
    assert done.returncode == 1
    assert ".claude/settings.json" in done.stderr
    assert "nothing was changed" in done.stderr
    assert file.read_bytes() == content


def test_a_copy_of_the_file_as_it_was_is_kept_outside_the_project(program: Program) -> None:
    program.write(".claude/settings.json", '{"model": "x"}')
    done = program("install", "claude")
    kept = re.search(r"kept in (\S+)", done.stderr)
    assert kept is not None
    assert Path(kept[1]).read_text() == '{"model": "x"}'
    assert Path(kept[1]).is_relative_to(program.home)
    assert Path(kept[1]).stat().st_mode & 0o777 == 0o600


def test_scopes_name_their_files(program: Program) -> None:
    assert program("install", "claude", "--scope", "local").returncode == 0
    assert (program.workspace / ".claude/settings.local.json").exists()
    assert program("install", "codex", "--scope", "user").returncode == 0
    assert (program.home / ".codex/hooks.json").exists()
    elsewhere = {"CLAUDE_CONFIG_DIR": str(program.home / "moved")}
    assert program("install", "claude", "--scope", "user", environment=elsewhere).returncode == 0
    assert (program.home / "moved/settings.json").exists()
    refused = program("install", "cursor", "--scope", "local")
    assert (refused.returncode, "Cursor has no scope `local`" in refused.stderr) == (64, True)
    assert program("install", "emacs").returncode == 64


def test_a_symbolic_link_to_a_config_stays_one(program: Program) -> None:
    real = program.write("dotfiles/settings.json", "{}\n")
    link = program.workspace / ".claude/settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    program("install", "claude")
    assert link.is_symlink()
    assert "hookline" in real.read_text()
    program("uninstall", "claude")
    assert (link.is_symlink(), real.read_text()) == (True, "{}\n")


def test_an_event_at_which_silence_is_harmful_is_installed_only_for_a_hook_of_it(program: Program) -> None:
    file = program.workspace / ".claude/settings.json"
    program("install", "claude")
    assert "WorktreeCreate" not in json.loads(file.read_text())["hooks"]
    hook = {"WorktreeCreate": [{"hooks": [{"type": "command", "command": "echo /tmp/tree"}]}]}
    program.write(".gen/settings.json", json.dumps({"hooks": hook}))
    program("install", "claude")
    assert "WorktreeCreate" in json.loads(file.read_text())["hooks"]
    (program.workspace / ".gen/settings.json").unlink()
    program("install", "claude")
    assert "WorktreeCreate" not in json.loads(file.read_text())["hooks"]
    program("uninstall", "claude")
    assert not file.exists()


def test_the_entry_is_a_line_that_any_shell_can_run(program: Program) -> None:
    program("install", "codex")
    command = commands_in(program.workspace / ".codex/hooks.json")[0]
    launcher = command.split(" bridge ")[0]
    said = subprocess.run(
        ["sh", "-c", f"{launcher} --version # hookline made:eh"], capture_output=True, text=True, cwd="/"
    )
    assert said.stdout.startswith("hookline ")
    assert shlex.split(launcher)[0] in (
        sys.executable,
        str(Path(sys.executable).with_name("hookline-bridge")),
    )


def test_entries_of_ours_for_one_agent_are_no_hooks_for_another(program: Program) -> None:
    program("install", "claude")
    program("install", "gemini")
    events = json.loads((program.workspace / ".gemini/settings.json").read_text())["hooks"]
    assert "BeforeTool" in events
    assert "PreCompress" not in events


CALLS = {
    "claude": (
        "PreToolUse",
        {"tool_name": "Bash", "tool_input": {"command": "rm -rf x"}, "tool_use_id": "t1"},
    ),
    "codex": (
        "PreToolUse",
        {"tool_name": "Bash", "tool_input": {"command": "rm -rf x"}, "tool_use_id": "t1"},
    ),
    "gemini": ("BeforeTool", {"tool_name": "run_shell_command", "tool_input": {"command": "rm -rf x"}}),
    "cursor": (
        "preToolUse",
        {"tool_name": "Shell", "tool_input": {"command": "rm -rf x"}, "conversation_id": "c"},
    ),
    "copilot": ("preToolUse", {"toolName": "bash", "toolArgs": '{"command": "rm -rf x"}', "sessionId": "s"}),
}
DENIALS = {
    "claude": lambda answer: answer["hookSpecificOutput"]["permissionDecision"] == "deny",
    "codex": lambda answer: answer["hookSpecificOutput"]["permissionDecision"] == "deny",
    "gemini": lambda answer: answer["decision"] == "deny",
    "cursor": lambda answer: answer["permission"] == "deny",
    "copilot": lambda answer: answer["permissionDecision"] == "deny",
}


@pytest.mark.parametrize("agent", CALLS)
def test_the_installed_line_stops_what_a_rule_of_ours_forbids(program: Program, agent: str) -> None:
    program.write(
        ".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\nshell = "rm -rf*"\ndeny = "not here"\n'
    )
    program("install", agent)
    native, fields = CALLS[agent]
    line = next(
        line for line in commands_in(program.workspace / FILES[agent]) if f"--event {native} " in line
    )
    payload = {"session_id": "s", "cwd": str(program.workspace), "hook_event_name": native, **fields}
    payload["workspace_roots"] = [str(program.workspace)]
    done = subprocess.run(
        ["bash", "-c", line], input=json.dumps(payload), text=True, capture_output=True, cwd=program.workspace,
        env=program.environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert DENIALS[agent](json.loads(done.stdout))
    assert "not here" in done.stdout
    doctor = program("doctor")
    assert f"{FILES[agent]} calls hookline at" in doctor.stdout
    assert "; last at 2" in doctor.stdout


def test_what_install_changes_for_a_person_is_said(program: Program) -> None:
    """Nothing to bridge, hooks the agent goes on running itself, and git hooks that it keeps from running."""
    own = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}'
    program.write(".claude/settings.json", own)
    first = program("install", "claude").stderr
    assert "Claude Code goes on running 1 hook of its own itself" in first
    assert "no hook of another dialect here yet" in first
    assert "`hookline resident start`" in first
    program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "Stop"\nrun = "true"\n')
    again = program("install", "claude").stderr
    assert "goes on running 1 hook" in again and "no hook of another dialect" not in again
    assert "`core.hooksPath` empty" not in again
    assert "pre-commit hooks run before its `git commit`" in program("install", "gemini").stderr


def test_several_at_once_all_find_it_installed(program: Program) -> None:
    program.write(".claude/settings.json", "{}")
    started = [program.start("install", "claude", stderr=subprocess.PIPE) for _ in range(6)]
    told = [process.communicate(timeout=DEADLINE_S)[1].decode() for process in started]
    assert [process.returncode for process in started] == [0] * 6, told
    assert sum("already installed" not in each for each in told) == 1
