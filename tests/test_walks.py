"""The three walks of docs/architecture.md are what the code does, in their order, under a tracer."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S

PAGE = (Path(__file__).parent.parent / "docs" / "architecture.md").read_text()
WALKS = ("One event", "One output", "One config file")
TRACED = """
import sys
called = []
def look(frame, what, value):
    if what == "call":
        called.append((frame.f_code.co_filename, frame.f_code.co_name))
from hookline.cli.main import main
sys.setprofile(look)
code = main(sys.argv[1:])
sys.setprofile(None)
for path, name in called:
    if "/hookline/" in path:
        print("CALLED", path.rpartition("/src/hookline/")[2] + ":" + name, file=sys.stderr)
sys.exit(code)
"""
DENIAL = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}


def steps(walk: str) -> list[str]:
    """What a walk names with its file, in order: `engine/plan.py:make_plan`."""
    part = PAGE.partition(f"## {walk}, step by step\n")[2].partition("\n## ")[0]
    found = re.findall(r"`(\w+(?:/\w+)*\.py): ([\w.]+)`", part)
    return [f"{path}:{name.rpartition('.')[2]}" for path, name in found]


@pytest.fixture
def called(program: Program) -> list[str]:
    """The functions of ours that one denied call goes through, in order."""
    hook = {"type": "command", "command": f"echo '{json.dumps({'hookSpecificOutput': DENIAL})}'"}
    settings = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}
    program.write(".claude/settings.json", json.dumps(settings))
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{TRACED}", "fire", "PreToolUse"],
        cwd=program.workspace, env=program.environment, input='{"tool_name": "Bash"}', capture_output=True,
        text=True, timeout=DEADLINE_S,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    return [line.removeprefix("CALLED ") for line in done.stderr.splitlines() if line.startswith("CALLED ")]


def test_each_walk_is_the_way_of_the_code(called: list[str]) -> None:
    for walk in WALKS:
        named, way = steps(walk), iter(called)
        assert len(named) >= 7
        assert [name for name in named if name not in way] == [], walk
