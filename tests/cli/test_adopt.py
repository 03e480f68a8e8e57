"""`install AGENT --adopt`: the agent's own hooks run behind the bridge, and `uninstall` puts them back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program, steps

from hookline.dialects import agent_names, dialect
from hookline.dialects.editing.adopting import why_staying
from hookline.dialects.profile import ConfigFiles
from hookline.hosts.bridge.call import speaker_of
from hookline.model.events import EventKind

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
NOWHERE = ConfigFiles("")
CALL = {
    "session_id": "s", "conversation_id": "s", "hook_event_name": "", "tool_name": "Bash", "command": "ls",
    "tool_input": {"command": "ls"}, "tool_use_id": "u",
}  # fmt: skip


def call(program: Program, agent: str, event: str, **more: str) -> str:
    tool = speaker_of(agent).tools.native("Bash")[0]
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


def own_config(agent: str) -> tuple[str, str, str]:
    """A config of the agent's that holds one guard, where its profile has it, and the event."""
    if agent in CONFIGS:
        return CONFIGS[agent]
    profile = dialect(agent).profile
    style, files = profile.style, profile.files
    assert files is not None
    native = next(
        spec.native for spec in speaker_of(agent).rows
        if spec.kind is EventKind.PreToolUse and spec.native not in style.never
    )  # fmt: skip
    handler = {"type": "command", style.command_key: GUARD} if style.grouped else {style.command_key: GUARD}
    events = {native: [{"hooks": [handler]} if style.grouped else handler]}
    content = {
        **({"version": style.version} if style.version else {}),
        **({style.top: events} if style.top else events),
    }
    return (
        files.project or f"~/{files.folder}/{files.user}",
        json.dumps(content, indent="\t") + "\r\n",
        native,
    )


ADOPTABLE = [
    name
    for name in agent_names()
    if not why_staying(speaker_of(name), (dialect(name).profile.files or NOWHERE).project)
]


@pytest.mark.parametrize("agent", ADOPTABLE)
def test_an_adopted_hook_decides_through_the_bridge_and_goes_back_to_the_byte(
    program: Program, agent: str
) -> None:
    """Of every agent whose hooks can be moved."""
    path, text, event = own_config(agent)
    file = program.home / path[2:] if path.startswith("~/") else program.workspace / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    scope = ("--scope", "user") if path.startswith("~/") else ()
    install = ("install", agent, *scope)
    plain, adopted, again, listing = steps(
        program, install, (*install, "--adopt"), (*install, "--adopt"), ("list", "--json")
    )
    assert (plain.returncode, adopted.returncode) == (0, 0), plain.stderr + adopted.stderr
    assert "1 hook moved to" in adopted.stderr and "already installed" in again.stderr
    assert "not in this project" not in file.read_text()
    (row,) = (row for row in json.loads(listing.stdout) if "hookline" not in row["command"])
    assert (row["dialect"], row["command"]) == (agent, GUARD)
    assert row["source"].startswith(
        ("~/.config/hookline/adopted/" if scope else ".hookline/adopted/") + agent
    )
    assert "not in this project" in call(program, agent, event)
    (gone,) = steps(program, ("uninstall", agent, *scope))
    assert gone.returncode == 0, gone.stderr
    assert file.read_bytes() == text.encode()
    assert not (program.workspace / ".hookline").exists()


def test_where_no_hook_can_be_moved_that_is_refused_with_its_reason(program: Program) -> None:
    """Programs, TOML, files beside ours: nothing is written, and a plain install does not offer it."""
    others = [name for name in agent_names() if name not in ADOPTABLE]
    assert {"opencode", "pi", "kimi", "vibe", "kiro", "copilot"} <= set(others)
    scopes = {
        name: () if (dialect(name).profile.files or NOWHERE).project else ("--scope", "user")
        for name in others
    }
    for name, done in zip(
        others, steps(program, *(("install", name, "--adopt", *scopes[name]) for name in others)), strict=True
    ):
        title = dialect(name).title
        assert (done.returncode, f"hooks of {title} " in done.stderr) == (64, True), done.stderr
        assert "install without `--adopt`" in done.stderr
    assert [entry.name for entry in program.workspace.iterdir()] == [".git"]
    for done in steps(program, *(("install", name, *scopes[name]) for name in others)):
        assert (done.returncode, "--adopt" in done.stderr) == (0, False), done.stderr


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


@pytest.mark.parametrize("again", [["install", "uninstall"], ["uninstall"]])
@pytest.mark.parametrize("agent", ["claude", "cursor"])
def test_an_adoption_that_was_killed_before_its_last_step_doubles_no_hook(
    program: Program, agent: str, again: list[str]
) -> None:
    """The hooks are behind the bridge already, and in the agent's own file still."""
    file = write(program, agent)
    before = file.read_bytes()
    assert program("install", agent, "--adopt").returncode == 0
    file.write_bytes(before)
    for command in again:
        assert program(command, agent, *(["--adopt"] if command == "install" else [])).returncode == 0
        assert len(listed(program)) == 1, command
    assert file.read_bytes() == before
    assert not (program.workspace / ".hookline").exists()
