"""The project lives by its own hooks: they are found, are well-formed, and say no when they should."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.program import Program, stem

ROOT = Path(__file__).parent.parent


@pytest.fixture
def project(program: Program) -> Program:
    """A workspace with the hooks and settings of this repository, and its tools on PATH."""
    for folder in (".discobot", ".gen"):
        shutil.copytree(ROOT / folder, program.workspace / folder)
    shutil.copy(ROOT / "pyproject.toml", program.workspace)
    program.environment["PATH"] = f"{Path(sys.executable).parent}:{program.environment['PATH']}"
    return program


def test_they_are_found_and_nothing_is_wrong_with_them(project: Program) -> None:
    hooks = json.loads(project("list", "--json").stdout)
    assert {stem(hook["id"]) if ":" in hook["id"] else hook["id"]: hook["event"] for hook in hooks} == {
        "format": "FilesChanged",
        "layers": "PreCommit",
        "types": "FilesChanged",
        "gencode:PreToolUse": "PreToolUse",
    }
    done = project("check", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, [])


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("git push --force origin main", 2),
        ("git commit --no-verify -m x", 2),
        ("git commit -m x", 0),
        ("ls", 0),
    ],
)
def test_the_guard_says_no_to_what_skips_the_hooks(project: Program, command: str, code: int) -> None:
    payload = json.dumps({"tool_name": "Bash", "tool_input": {"command": command}})
    assert project("fire", "PreToolUse", stdin=payload).returncode == code


def test_a_file_that_is_not_formatted_comes_back_to_the_agent(project: Program) -> None:
    if shutil.which("ruff", path=project.environment["PATH"]) is None:
        pytest.skip("ruff is not installed")
    project.write("odd.py", "x   =  1\n")
    done = project("fire", "FilesChanged", "--json", stdin='{"files": ["odd.py"]}')
    found = json.loads(done.stdout)
    assert "odd.py" in found["reprompt"]
    assert {hook["id"]: hook["status"] for hook in found["hooks"] if hook["dialect"] == "discobot"} == {
        "format": "ran", "types": "not_matched", "layers": "not_matched"
    }  # fmt: skip
    subprocess.run(
        ["ruff", "format", "-q", "odd.py"], cwd=project.workspace, env=project.environment, check=True
    )
    again = json.loads(project("fire", "FilesChanged", "--json", stdin='{"files": ["odd.py"]}').stdout)
    assert again["reprompt"] is None
