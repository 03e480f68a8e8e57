"""`python3 do.py test`: only a test that says why it is unsteady is tried a second time."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
SETTINGS = """[tool.pytest.ini_options]
addopts = "-p xdist.plugin"
testpaths = ["tests"]
markers = ["unsteady: why"]
"""
STEADY = "def test_steady():\n    pass\n"
FAILS_ONCE = """
from pathlib import Path
import pytest
@pytest.mark.unsteady("needs a second look")
@pytest.mark.parametrize("name", ["a b::c", "ü"])
def test_shy(name, seen=Path("seen")):
    seen.mkdir(exist_ok=True)
    before = (seen / name).exists()
    (seen / name).touch()
    assert before
"""


@pytest.fixture
def do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The commands, for a project of which only the tests are there."""
    spec = importlib.util.spec_from_file_location("do", ROOT / "do.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    monkeypatch.setattr(found, "ROOT", tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # each would be imported six times
    (tmp_path / "pyproject.toml").write_text(SETTINGS)
    return found


def outcome(do: ModuleType, **modules: str) -> int:
    (do.ROOT / "tests").mkdir()
    for name, text in modules.items():
        (do.ROOT / f"tests/test_{name}.py").write_text(text)
    code: int = do.every_test(["pytest", "-n", "2"], do.ROOT / "kept")
    return code


def test_what_is_unsteady_and_passes_alone_is_green_and_named(
    do: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    assert outcome(do, steady=STEADY, shy=FAILS_ONCE) == 0
    said = capfd.readouterr().out
    name = "tests/test_shy.py::test_shy"
    assert "2 failed, 1 passed" in said and "2 unsteady failed side by side (see above); now alone:" in said
    for case in ("a b::c", "\\xfc"):
        assert f"failed in the parallel run, passed alone: {name}[{case}]\n" in said


def test_what_fails_again_is_red(do: ModuleType, capfd: pytest.CaptureFixture[str]) -> None:
    bad = "import pytest\n@pytest.mark.unsteady('x')\ndef test_bad():\n    assert not 1\n"
    assert outcome(do, bad=bad, shy=FAILS_ONCE) == 1
    said = capfd.readouterr().out
    assert said.count("passed alone: ") == 2 and "passed alone: tests/test_bad.py" not in said


@pytest.mark.parametrize("shy", ["", FAILS_ONCE])
def test_any_other_failure_is_red_at_once(
    do: ModuleType, capfd: pytest.CaptureFixture[str], shy: str
) -> None:
    unmarked = FAILS_ONCE.replace('@pytest.mark.unsteady("needs a second look")\n', "")
    assert outcome(do, unmarked=unmarked, shy=shy) == 1
    assert "now alone" not in capfd.readouterr().out


def test_every_unsteady_test_stands_in_the_contributors_page_with_its_cause() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text()
    for path in sorted({*(ROOT / "tests").rglob("test_*.py")} - {Path(__file__)}):
        text = path.read_text()
        for found in re.finditer(
            r"^@pytest\.mark\.unsteady\(([^)]*)\)\n(?:@.*\n)*(?:async )?def (\w+)", text, re.M
        ):
            assert found[1].strip("\"'"), path
            assert f"`{found[2]}`" in page


def test_what_cannot_be_collected_is_red(do: ModuleType, capfd: pytest.CaptureFixture[str]) -> None:
    assert outcome(do, broken="import no_such_module_here\n", steady=STEADY) not in (0, 5)
    assert "passed alone" not in capfd.readouterr().out
