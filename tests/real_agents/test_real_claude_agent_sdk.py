"""The Claude Code that the Claude Agent SDK brings along, stopped by a function of the process that started it."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.program import Program
from tests.real_agents.driving import variables
from tests.real_agents.turns import on_loopback

pytestmark = pytest.mark.real_agent
EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "guard_claude_agent_sdk.py"


@pytest.mark.skipif(find_spec("claude_agent_sdk") is None, reason="the Claude Agent SDK is not installed")
@pytest.mark.parametrize("guarded", [True, False], ids=["guarded", "free"])
def test_the_example_stops_the_real_agent(program: Program, tmp_path: Path, guarded: bool) -> None:
    """Its own settings are not loaded, so it is our process that runs the guard in them."""
    hook = {"type": "command", "command": "echo no shell today >&2; exit 2"}
    if guarded:
        hooks = {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}
        program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    task = {
        "command": [sys.executable, str(EXAMPLE), "go"],
        "workspace": str(program.workspace),
        "environment": {**program.environment, **variables("claude")},
    }
    requests = on_loopback(task, tmp_path)
    assert (program.workspace / "ran").exists() is not guarded
    assert ("no shell today" in json.dumps(requests)) is guarded
    assert (tmp_path / "agent.log").read_text() == "Done.\n"
