"""Real agents, driven against a scripted model on loopback, stopped by a guard written for another agent.

Skipped where the agents are not installed: on PATH, or in the folder that HOOKLINE_REAL_AGENTS names. They run in a
network namespace that has nothing but loopback, in a fresh home.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from tests.program import Program
from tests.real_agents import driving, five
from tests.real_agents.turns import turn

pytestmark = [pytest.mark.real_agent, pytest.mark.timeout(900)]


def installed(agent: str) -> str:
    """The agent's program; skips the test where there is none, or no network to put it into."""
    folder = os.environ.get("HOOKLINE_REAL_AGENTS", "")
    name = driving.PROGRAMS.get(agent, agent)
    found = shutil.which(name, path=os.pathsep.join((folder, os.environ["PATH"])))
    if found is None:
        pytest.skip(f"{agent} is not installed")
    if driving.isolated() is None:
        pytest.skip("no network namespaces here")
    return found


@pytest.mark.parametrize("agent", sorted(driving.COMMANDS))
def test_a_real_agent_is_stopped_by_another_agents_guard(
    program: Program, tmp_path: Path, agent: str
) -> None:
    """That the same call runs without it is what the next test shows."""
    wanted = five.expected(agent)
    found = five.guarded(program, agent, installed(agent), tmp_path)
    assert found == {"guard": wanted["guard"]}


@pytest.mark.parametrize("agent", sorted(driving.COMMANDS))
def test_a_real_agent_takes_what_hooks_say_and_gets_its_files_back(
    program: Program, tmp_path: Path, agent: str
) -> None:
    """A rewrite, a word for the model, and one more round, as far as the dialect's rows say that it can."""
    path = installed(agent)
    if own := OWN_FILES.get(agent):
        program.write(own, "").write_bytes(b'{\r\n "hooks":{ }\r\n}')
    wanted = five.expected(agent)
    assert five.changed(program, agent, path, tmp_path) == {
        name: wanted[name] for name in wanted if name != "guard"
    }


OWN_FILES = {
    "claude": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json",
    "opencode": ".opencode/plugins/notes.txt",
}  # fmt: skip


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini"])
def test_a_real_agent_goes_on_until_discobots_file_hooks_pass(
    program: Program, tmp_path: Path, agent: str
) -> None:
    """The turn made a file that the check forbids; the model is told, three times, and no more."""
    path = installed(agent)
    check = "#!/bin/sh\n#---\n# name: nothing ran\n# type: file\n# pattern: 'ran'\n#---\ntest ! -e ran\n"
    program.write(".discobot/hooks/check.sh", check, 0o755)
    done = program("install", agent)
    assert done.returncode == 0, done.stderr
    requests = turn(program, agent, path, tmp_path)
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
    path = installed(agent)
    hook = {"type": "command", "command": "echo once more >&2; exit 2"}
    program.write(".claude/settings.json", json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}}))
    assert program("install", agent).returncode == 0
    turn(program, agent, path, tmp_path)
    runs = json.loads(program("history", "--event", "Stop", "--json").stdout)
    assert len(runs) == 9
    assert "goes through" in runs[0]["degraded"][-1]
