"""The options on an agent's page are those of the rows by which its config is read and written."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from hookline.dialects import dialect
from hookline.dialects.family import FamilyDialect
from hookline.dialects.keys import CLAUDE_KEYS, Key

DOCS = Path(__file__).parent.parent.parent / "docs" / "dialects"
ROWS: dict[str, tuple[Key, ...]] = {
    "claude": CLAUDE_KEYS,
    **{name: import_module(f"hookline.dialects.{name}.config").KEYS for name in ("autoagent", "gencode")},
}
for name in ("codex", "copilot", "cursor", "gemini"):
    found = dialect(name)
    assert isinstance(found, FamilyDialect)
    ROWS[name] = found.agent.keys
OF_THE_GROUP = {"matcher", "sequential", "hooks"}


def options(name: str) -> set[str]:
    """The keys in the first column of the page's table of options."""
    page = (DOCS / f"{name}.md").read_text()
    part = page.partition("\n## Options\n")[2].partition("\n## ")[0]
    first = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    return {key for cell in first for key in re.findall(r"`([^`]+)`", cell)}


@pytest.mark.parametrize("name", ROWS)
def test_the_options_of_a_page_are_the_keys_of_its_rows(name: str) -> None:
    known = {key.name for key in ROWS[name] if key.type != "ignored"}
    assert known - OF_THE_GROUP <= options(name)
    assert options(name) <= known | OF_THE_GROUP
