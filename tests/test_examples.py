"""The examples run as they stand, without a network."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.program import Program

EXAMPLES = Path(__file__).parent.parent / "examples"
PRINTED = {
    "agent_with_own_tools.py": "completed: It snows in Bern; take a coat.\n",
    "guard_other_agent.py": "Blocked by a hook: use git clean | ran ls\n",
}


def test_every_example_is_tested() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(PRINTED)


@pytest.mark.parametrize("name", PRINTED)
def test_an_example_does_what_it_says(program: Program, name: str) -> None:
    if name == "guard_other_agent.py" and find_spec("pydantic_ai") is None:
        pytest.skip("pydantic-ai is not installed")
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)], cwd=program.workspace, env=program.environment,
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, PRINTED[name]), done.stderr
