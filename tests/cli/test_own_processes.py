"""What hookline starts of itself runs hookline, whatever modules stand in the workspace."""

from __future__ import annotations

import json
import os
import pwd
from pathlib import Path

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S, until

ME = pwd.getpwuid(os.geteuid()).pw_name
SOURCE = Path(__file__).parents[2] / "src" / "hookline"


@pytest.fixture
def hostile(program: Program) -> Program:
    """A workspace with modules of its own by names that Python looks for."""
    for path in ("hookline/__init__.py", "hookline/__main__.py", "json.py", "sitecustomize.py"):
        program.write(path, f"open({str(program.home / 'stolen')!r}, 'a').write({path!r})\n")
    return program


def test_a_hook_beside_the_start_of_a_container(hostile: Program) -> None:
    front = "#!/bin/sh\n#---\n# type: session\n# blocking: false\n#---\n"
    hostile.write(".discobot/hooks/a.sh", front + "touch ran\n", 0o755)
    command = 'until grep -q background said || test -e "$HOME/stolen"; do sleep 0.05; done'
    with (hostile.workspace / "said").open("wb") as said:
        words = ("entrypoint", "--user", ME, "--", "sh", "-c", command)
        process = hostile.start(*words, environment={"HOOKLINE_TRUST": ""}, stderr=said)
        assert process.wait(DEADLINE_S) == 0
    assert stolen(hostile) == "" and not (hostile.workspace / "ran").exists()


def test_a_background_hook_of_a_bridged_call(hostile: Program) -> None:
    entry = {"type": "command", "command": "touch ran", "async": True}
    config = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}
    hostile.write(".claude/settings.json", json.dumps(config))
    call = {
        "session_id": "s",
        "cwd": str(hostile.workspace),
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }
    assert hostile("bridge", "codex", "--event", "PreToolUse", stdin=json.dumps(call)).returncode == 0
    until(lambda: (hostile.workspace / "ran").exists() or stolen(hostile) != "")
    assert stolen(hostile) == ""


def test_there_is_one_way_to_start_another_hookline() -> None:
    found = [path.name for path in SOURCE.rglob("*.py") if 'sys.executable, "-m"' in path.read_text()]
    assert found == []


def stolen(program: Program) -> str:
    file = program.home / "stolen"
    return file.read_text() if file.exists() else ""
