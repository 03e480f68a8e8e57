"""`python3 do.py test`: what fails is red and ends it, and nothing is tried a second time."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FAILS_ONCE = """
from pathlib import Path

def test_shy(seen=Path("seen")):
    before = seen.exists()
    seen.touch()
    assert before
"""


@pytest.fixture
def do() -> Any:
    spec = importlib.util.spec_from_file_location("do", ROOT / "do.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.mark.parametrize(
    ("programs", "code"),
    [
        ({"ruff": "exit 0", "mypy": "echo bad; exit 3", "pytest": "exec sleep 1000"}, 3),
        ({"ruff": "exit 0", "mypy": "echo good", "pytest": "exit 4"}, 4),
        ({"ruff": "exit 0", "mypy": "echo good", "pytest": "exit 0"}, 0),
        ({"ruff": "exit 5"}, 5),
    ],
)
def test_the_first_that_fails_ends_it_and_types_are_looked_at_beside_the_tests(
    programs: dict[str, str], code: int, do: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, line in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(do, "BIN", tmp_path)
    assert do.test([]) == code


def test_a_test_that_would_pass_the_second_time_is_red(
    do: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\naddopts = "-p xdist.plugin"\n')
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # each would be imported
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_shy.py").write_text(FAILS_ONCE)
    monkeypatch.setattr(do, "ROOT", tmp_path)
    monkeypatch.setattr(do, "workers", lambda: 0)
    assert do.test(["--dist", "no"]) == 1
    assert "1 failed" in capfd.readouterr().out
