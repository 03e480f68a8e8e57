"""The examples run as they stand, without a network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.program import Program

EXAMPLES = Path(__file__).parent.parent / "examples"
INTEGRATIONS = Path(__file__).parent / "integrations"
PRINTED = {
    "agent_with_own_tools.py": "completed: It snows in Bern; take a coat.\n",
}
LIBRARIES = (
    "pydantic_ai",
    "openai_agents",
    "langchain",
)  # `guard_NAME.py` runs where the library is imported anyway


def test_every_example_is_tested() -> None:
    guards = {f"guard_{name}.py" for name in (*LIBRARIES, "claude_agent_sdk")}  # the last among real agents
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(PRINTED) | guards
    for name in LIBRARIES:
        assert f'ran_example("{name}")' in (INTEGRATIONS / f"test_{name}.py").read_text()


@pytest.mark.parametrize("name", PRINTED)
def test_an_example_does_what_it_says(program: Program, name: str) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)], cwd=program.workspace, env=program.environment,
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, PRINTED[name]), done.stderr
