"""`hookline docs`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.program import Program

DOCS = Path(__file__).parents[2] / "docs"


def test_every_page_can_be_read_in_the_terminal(program: Program) -> None:
    listed = program("docs").stdout
    for page in DOCS.rglob("*.md"):
        assert page.stem in listed
    assert program("docs", "trust").stdout == (DOCS / "trust.md").read_text()
    assert program("docs", "claude").stdout == (DOCS / "dialects/claude.md").read_text()


@pytest.mark.parametrize(
    ("asked", "hint"), [("trsut", "did you mean `hookline docs trust`?"), ("zzz", "lists")]
)
def test_an_unknown_topic_says_what_there_is(program: Program, asked: str, hint: str) -> None:
    done = program("docs", asked)
    assert (done.returncode, hint in done.stderr) == (64, True)
