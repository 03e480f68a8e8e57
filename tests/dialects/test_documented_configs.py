"""The configs that the agents' own documents print load as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dialects.workbench import Workbench
from tests.test_cases import CASES, sections


@pytest.mark.parametrize(
    ("dialect", "case", "hooks"),
    [
        ("autoagent", "documented_examples", 5),
        ("autoagent", "documented_stop_hook", 1),
        ("gencode", "documented_examples", 4),
        ("gencode", "documented_claude_file", 2),
        ("cocode", "documented_examples", 6),
    ],
)
def test_a_documented_config_loads_whole_and_without_a_problem(
    tmp_path: Path, dialect: str, case: str, hooks: int
) -> None:
    bench = Workbench(tmp_path, dialect)
    for section in sections((CASES / dialect / f"{case}.txt").read_text()):
        if section.name == "file":
            name = section.words.split()[0]
            bench.write(name.replace("../home/", "~/"), section.text)
    loaded = bench.hooks()
    assert loaded.problems == ()
    assert [spec.handler != "unusable" for spec in loaded.specs] == [True] * hooks
