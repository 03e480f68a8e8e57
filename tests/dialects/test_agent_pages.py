"""The pages about the agents say what the code does, and their first hook guards."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.dialects.truth_table import as_markdown, output_table, truth_table
from tests.dialects.workbench import Workbench

from hookline.dialects import dialect
from hookline.model.results import Verdict

DOCS = Path(__file__).parents[2] / "docs" / "dialects"
FILES = {
    "claude": ".claude/settings.json",
    "gemini": ".gemini/settings.json",
    "codex": ".codex/hooks.json",
    "cursor": ".cursor/hooks.json",
    "copilot": ".github/hooks/guard.json",
}


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text()


@pytest.mark.parametrize("name", FILES)
def test_the_documented_tables_are_the_codes(name: str) -> None:
    spoken = dialect(name)
    assert f"<!-- truth table: {name} -->\n{as_markdown(truth_table(spoken))}" in page(name)
    assert f"<!-- output table: {name} -->\n{output_table(spoken)}" in page(name)


@pytest.mark.parametrize("name", FILES)
def test_the_first_documented_hook_guards(name: str, tmp_path: Path) -> None:
    bench = Workbench(tmp_path, name)
    found = re.search(r"^```json\n(.*?)^```", page(name), re.DOTALL | re.MULTILINE)
    command = re.search(r"^\$ hookline fire (?:\w+:)?(\w+) ", page(name), re.MULTILINE)
    assert found is not None and command is not None
    bench.write(FILES[name], found[1])
    assert bench.problems == ()
    for line, verdict in (("rm -rf /", Verdict.DENY), ("ls", Verdict.NONE)):
        decision = bench.fire(command[1], {"tool_name": "Bash", "tool_input": {"command": line}})
        assert decision.verdict is verdict
        assert decision.reason == ("no rm -rf here" if verdict else "")
