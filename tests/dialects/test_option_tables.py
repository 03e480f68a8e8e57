"""The options on an agent's page are those of the rows by which its config is read and written."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

import pytest

from hookline.dialects import dialect, names
from hookline.dialects.actions import read_action
from hookline.dialects.discobot.fields import FIELDS
from hookline.dialects.family import FamilyDialect
from hookline.dialects.keys import CLAUDE_KEYS, Key, Keys
from hookline.dialects.reading.documents import read_document
from hookline.model.record import replace

DOCS = Path(__file__).parent.parent.parent / "docs" / "dialects"
COCODE = import_module("hookline.dialects.cocode.config")
ITERATR = import_module("hookline.dialects.iteratr.config")
ROWS: dict[str, tuple[Key, ...]] = {
    "cocode": (
        *COCODE.ENTRY,
        *(replace(key, name=f"shell.{key.name}") for key in COCODE.SHELL),
        *(replace(key, name=f"webhook.{key.name}") for key in COCODE.WEBHOOK),
    ),
    "discobot": FIELDS,
    "iteratr": (*ITERATR.HOOK, *ITERATR.FILE),
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
    part = re.split(r"\n## (?:Options|Front matter)\n", page)[1].partition("\n## ")[0]
    first = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    return {key for cell in first for key in re.findall(r"`([^`]+)`", cell)}


def defaults(name: str) -> dict[str, str]:
    """By the key what the page says holds without it."""
    lines = (DOCS / f"{name}.md").read_text().splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("| `")]
    return {row[0].strip("`"): row[-2].strip("`") for row in cells if len(row) > 2}


@pytest.mark.parametrize("name", ["autoagent", "cocode", "discobot", "iteratr"])
def test_what_a_page_says_holds_without_a_key_is_what_its_row_says(name: str) -> None:
    told = defaults(name)
    rows = {key.name: f"{key.default}" for key in ROWS[name] if key.default is not None and key.name in told}
    assert {key: told[key].lower() for key in rows} == {key: value.lower() for key, value in rows.items()}


@pytest.mark.parametrize("name", ROWS)
def test_the_options_of_a_page_are_the_keys_of_its_rows(name: str) -> None:
    known = {key.name for key in ROWS[name] if key.type != "ignored"}
    assert known - OF_THE_GROUP <= options(name)
    assert options(name) <= known | OF_THE_GROUP


@pytest.mark.parametrize("name", [name for name in names() if isinstance(dialect(name), FamilyDialect)])
def test_what_must_be_said_of_each_type_of_hook_makes_its_action(name: str) -> None:
    found = dialect(name)
    assert isinstance(found, FamilyDialect)
    keys = found.agent.keys
    needed = [key for key in keys if key.runs and key.required]
    for kind in {kind for key in needed for kind in key.handlers} & set(found.entries.types):
        said = {key.name: "https://x/" for key in needed if key.is_for(kind)}
        reader = read_document("json", json.dumps(said), "hooks.json", [])
        assert reader is not None
        assert read_action(reader, Keys(keys), kind) is not None
