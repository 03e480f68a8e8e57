"""Every code that can be printed is explained, and every explanation is of a code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from hookline.checking.codes import known_codes

SOURCE = Path(__file__).parent.parent / "src" / "hookline"
CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
PRINTS = re.compile(r"Problem|Finding|_?finding|_?found|\w*report\w*|\w*warn\w*|_add|_?fault")
BY_STATE = {"file-unreadable", "file-undecodable"}


@pytest.fixture(scope="module")
def nodes() -> list[ast.expr]:
    """Every text and every call in the program."""
    return [
        node
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call | ast.Constant)
    ]


def texts(nodes: list[ast.expr]) -> set[str]:
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_every_code_that_is_printed_is_in_the_table(nodes: list[ast.expr]) -> None:
    printed = set()
    for call in nodes:
        if not isinstance(call, ast.Call):
            continue
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if PRINTS.fullmatch(name):
            printed |= {text for text in texts(call.args) if CODE.fullmatch(text)}
    assert len(printed) > 40
    assert printed - set(known_codes()) == set()


def test_every_row_of_the_table_is_of_a_code_that_is_printed(nodes: list[ast.expr]) -> None:
    assert set(known_codes()) - texts(nodes) - BY_STATE == set()


def test_every_row_says_what_it_is_and_what_to_do() -> None:
    for code in known_codes().values():
        assert all((code.title, code.text, code.example, code.fix)), code.name
        assert code.at_least in ("", "warning", "error"), code.name
        assert not code.title.endswith("."), code.name
