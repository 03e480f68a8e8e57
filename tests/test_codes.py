"""Every code that can be printed is explained, and every explanation is of a code."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from hookline.checking.codes import known_codes

SOURCE = Path(__file__).parent.parent / "src" / "hookline"
CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
PRINTS = re.compile(r"Problem|Finding|_?finding|_?found|\w*report\w*|\w*warn\w*|_add|_?fault")
BY_STATE = {"file-unreadable", "file-undecodable"}


@cache
def texts() -> tuple[set[str], set[str]]:
    """Every text in the program, and those that are given to what prints."""
    found: set[str] = set()
    printed: set[str] = set()
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant):
                found |= texts_of([node])
            elif isinstance(node, ast.Call):
                name = (
                    node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                )
                if PRINTS.fullmatch(name):
                    printed |= texts_of(node.args)
    return found, printed


def texts_of(nodes: list[ast.expr]) -> set[str]:
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_every_code_that_is_printed_is_in_the_table() -> None:
    printed = {text for text in texts()[1] if CODE.fullmatch(text)}
    assert len(printed) > 40
    assert printed - set(known_codes()) == set()


def test_every_row_of_the_table_is_of_a_code_that_is_printed() -> None:
    assert set(known_codes()) - texts()[0] - BY_STATE == set()


def test_every_row_says_what_it_is_and_what_to_do() -> None:
    for code in known_codes().values():
        assert all((code.title, code.text, code.example, code.fix)), code.name
        assert code.at_least in ("", "warning", "error"), code.name
        assert not code.title.endswith("."), code.name
