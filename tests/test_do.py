"""`python3 do.py test`: what fails is red, and nothing is tried a second time."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FAILS_ONCE = """
from pathlib import Path

def test_shy(seen=Path("seen")):
    before = seen.exists()
    seen.touch()
    assert before
"""


def test_a_test_that_would_pass_the_second_time_is_red(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    spec = importlib.util.spec_from_file_location("do", ROOT / "do.py")
    assert spec is not None and spec.loader is not None
    do = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(do)
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\naddopts = "-p xdist.plugin"\n')
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # each would be imported
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_shy.py").write_text(FAILS_ONCE)
    monkeypatch.setattr(do, "ROOT", tmp_path)
    monkeypatch.setattr(do, "workers", lambda: 0)
    assert do.test(["--dist", "no"]) == 1
    assert "1 failed" in capfd.readouterr().out
