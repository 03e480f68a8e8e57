"""The pages of the documentation say what the code does, and their first config works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.dialects.truth_table import as_markdown, truth_table
from tests.dialects.workbench import Workbench

from hookline.dialects import dialect

DOCS = Path(__file__).parents[2] / "docs" / "dialects"
FILES = {
    "autoagent": ".autoagent/config.json",
    "gencode": ".gen/settings.json",
    "cocode": ".cocode/hooks.toml",
}


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text()


@pytest.mark.parametrize("name", FILES)
def test_the_documented_truth_table_is_the_codes(name: str) -> None:
    assert f"<!-- truth table: {name} -->\n{as_markdown(truth_table(dialect(name)))}" in page(name)


@pytest.mark.parametrize("name", FILES)
def test_the_first_documented_config_loads_without_a_problem(name: str, tmp_path: Path) -> None:
    bench = Workbench(tmp_path, name)
    found = re.search(r"^```(?:json|toml)\n(.*?)^```", page(name), re.DOTALL | re.MULTILINE)
    assert found is not None
    bench.write(FILES[name], found[1])
    assert (bench.problems, len(bench.hooks().specs)) == ((), 2)


def test_the_documented_guard_of_gencode_guards(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, "gencode")
    found = re.search(r"^```json\n(.*?)^```", page("gencode"), re.DOTALL | re.MULTILINE)
    assert found is not None
    bench.write(FILES["gencode"], found[1])
    for command, reason in (("rm -rf /", "no rm -rf here"), ("ls 'a'", "")):
        payload = {"tool_name": "Bash", "tool_input": {"command": command}}
        assert bench.fire("PreToolUse", payload).reason == reason
