"""The examples run as they stand, without a network."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S

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
        capture_output=True, text=True, timeout=DEADLINE_S,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, PRINTED[name]), done.stderr


MOST_OWN_LINES = 20  # that an agent gets its hooks by


def own_lines(source: str) -> set[int]:
    """The lines that would not be there without hookline: imports of it, and whatever uses what they bring, or a
    value made with it.
    """
    ours: set[str] = set()
    found: set[int] = set()
    for statement in statements(ast.parse(source)):
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").split(".")[0] == "hookline":
            ours.update(each.asname or each.name for each in statement.names)
        elif not ours & {
            each.id for part in said(statement) for each in ast.walk(part) if isinstance(each, ast.Name)
        }:
            continue
        if isinstance(statement, ast.Assign):
            ours.update(each.id for each in statement.targets if isinstance(each, ast.Name))
        end = statement.end_lineno or statement.lineno
        found.update(range(statement.lineno, statement.lineno + 1 if has_body(statement) else end + 1))
    return found


def has_body(statement: ast.stmt) -> bool:
    return bool(getattr(statement, "body", None))


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """In the order in which they stand."""
    found = [each for each in ast.walk(tree) if isinstance(each, ast.stmt)]
    yield from sorted(found, key=lambda each: (each.lineno, each.col_offset))


def said(statement: ast.stmt) -> Iterator[ast.AST]:
    """The parts of a statement without the statements in its body."""
    for _, value in ast.iter_fields(statement):
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST) and not isinstance(part, ast.stmt | ast.ExceptHandler):
                yield part


def integrations() -> dict[str, str]:
    """By name: an agent that each of the five puts behind hooks."""
    page = (EXAMPLES.parent / "docs/integrations.md").read_text()
    gate = re.search(r"any_agent\.py <<'END'\n(.*?)\nEND\n", page, re.DOTALL)
    assert gate is not None
    return {"gate": gate[1], **{path.stem: path.read_text() for path in EXAMPLES.glob("guard_*.py")}}


def test_an_agent_of_another_library_gets_its_hooks_by_a_few_lines() -> None:
    counts = {name: len(own_lines(source)) for name, source in integrations().items()}
    assert len(counts) == 5
    assert all(3 <= count <= MOST_OWN_LINES for count in counts.values()), counts
