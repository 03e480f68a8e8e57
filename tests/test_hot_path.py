"""What is paid at every tool call and every commit: the modules that may be imported there, for every agent.

`hot_path.txt` is the list. Outside of it ordinary Python is written: imports at the top, `json`, `enum`, `typing`.
A module that must be paid at every call is added to the list; any other is imported where it is needed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.program import Program
from tests.test_startup import NEVER, imported

from hookline.dialects import is_agent

LISTED = frozenset((Path(__file__).parent / "hot_path.txt").read_text().split())
BRIDGED = ("claude", "codex", "copilot", "cursor", "gemini", "qwen")
# Brought along by `enum` under `re`, by `tomllib`, and where a file hook is owed after the turn
BRIDGE_MAY = frozenset(("contextlib", "typing", "hashlib"))
COMMAND = {"type": "command", "command": "echo $HOME"}
EVENTS = ("PreToolUse", "PostToolUse", "SessionStart", "UserPromptSubmit", "Stop")
CONFIGS = {
    ".claude/settings.json": {"hooks": {event: [{"matcher": "", "hooks": [COMMAND]}] for event in EVENTS}},
    ".codex/hooks.json": {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [COMMAND]}]}},
    ".gemini/settings.json": {"hooks": {"BeforeTool": [{"matcher": ".*", "hooks": [COMMAND]}]}},
    ".qwen/settings.json": {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [COMMAND]}]}},
    ".cursor/hooks.json": {"version": 1, "hooks": {"preToolUse": [{"command": "true"}]}},
    ".github/hooks/guard.json": {
        "version": 1,
        "hooks": {"preToolUse": [{"type": "command", "bash": "true"}]},
    },
    ".gen/settings.json": {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [COMMAND]}]}},
    ".autoagent/config.json": {"hooks": {"PreExecutionStart": [COMMAND]}},
}


@pytest.fixture
def workspace(program: Program) -> Iterator[Program]:
    """A workspace with a hook of every agent that can be bridged, and of our own."""
    for path, content in CONFIGS.items():
        program.write(path, json.dumps(content))
    program.write(".hookline/hooks.toml", 'version = 1\n[[hooks]]\nevent = "PreToolUse"\nrun = "true"\n')
    program.write(
        ".discobot/hooks/file.sh", "#!/bin/sh\n#---\n# type: file\n# pattern: '*.py'\n#---\ntrue\n", 0o755
    )
    yield program


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("agent", BRIDGED)
def test_a_bridged_call_imports_only_what_is_listed(workspace: Program, agent: str, event: str) -> None:
    assert is_agent(agent)
    found = imported(workspace, "bridge", agent, "--event", event, code=None)
    assert ours(found) - LISTED == set()
    assert found & (NEVER - BRIDGE_MAY) == set()


@pytest.mark.parametrize("event", [*EVENTS, "PreExecutionStart"])
@pytest.mark.parametrize("command", ["fire", "explain"])
def test_one_event_imports_only_what_is_listed(workspace: Program, command: str, event: str) -> None:
    assert ours(imported(workspace, command, event, "--json", code=None)) - LISTED == set()


def test_a_commit_imports_only_what_is_listed(workspace: Program) -> None:
    arguments = ("bridge", "discobot", "--event", "pre-commit", "--workspace", str(workspace.workspace))
    assert ours(imported(workspace, *arguments, code=None)) - LISTED == set()


def test_the_list_names_modules_that_exist() -> None:
    source = Path(__file__).parent.parent / "src"
    there = {
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
        for path in source.rglob("*.py")
    }
    assert set() == LISTED - there


def ours(found: set[str]) -> set[str]:
    return {name for name in found if name.startswith("hookline")}
