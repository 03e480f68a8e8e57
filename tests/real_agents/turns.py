"""One turn of a real agent against the scripted model, in a network of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.program import Program
from tests.real_agents import driving


class Unended(Exception):
    """The agent did not end, or could not be started; its words."""


def turn(program: Program, agent: str, path: str, folder: Path) -> list[Any]:
    """What the model was asked, in order. `path` is the agent's program; `folder` is for the task's own files.

    Raises Unended.
    """
    task = driving.task_of(agent, path, program.home, program.workspace, program.environment)
    return on_loopback(task, folder)


def on_loopback(task: dict[str, Any], folder: Path) -> list[Any]:
    """Runs a task of loopback.py; what the model was asked, in order."""
    folder.mkdir(exist_ok=True)
    asked = folder / "requests.json"
    asked.unlink(missing_ok=True)
    (folder / "task.json").write_text(json.dumps(task))
    words = driving.isolated()
    assert words is not None
    command = [*words, sys.executable, str(driving.LOOPBACK), str(folder / "task.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    log = folder / "agent.log"
    said = log.read_text(errors="replace") if log.exists() else ""
    print(said)
    if not asked.exists():
        raise Unended(done.stderr + said)
    return list(json.loads(asked.read_text()))
