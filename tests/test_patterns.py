"""Regular expressions that every Python from 3.11 on reads alike."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]  # what `re` itself reads patterns with
from typing import Any

SOURCE = Path(__file__).parent.parent / "src" / "hookline"
STEPS_BACK = {"MAX_REPEAT", "MIN_REPEAT", "ASSERT", "ASSERT_NOT"}


def texts() -> Iterator[tuple[str, str]]:
    of_a_group = re.compile(r"\)[*+?}]\+")
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if of_a_group.search(text) else ():
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and of_a_group.search(node.value)
            ):
                yield str(path.relative_to(SOURCE)), node.value


def possessive(tree: Any, inside: bool = False) -> bool:
    """Whether something that steps back stands in a possessive group."""
    if not isinstance(tree, parser.SubPattern | list | tuple):
        return False
    if (
        isinstance(tree, tuple)
        and tree
        and str(tree[0]) in STEPS_BACK | {"POSSESSIVE_REPEAT", "ATOMIC_GROUP"}
    ):
        name = str(tree[0])
        if inside and name in STEPS_BACK:
            return True
        inside = name == "POSSESSIVE_REPEAT" or (inside and name != "ATOMIC_GROUP")
    return any(possessive(part, inside) for part in list(tree))


def test_nothing_in_a_possessive_group_steps_back() -> None:
    """Before 3.11.5 Python loses its way there: an open comment was read to the end of the file, quotes not at all."""
    assert possessive(parser.parse(r"(?:a|b+)*+")) and not possessive(parser.parse(r"(?>(?:a|b+)*)(?:a|b)*+"))
    found = {}
    for place, text in texts():
        try:
            tree = parser.parse(text.replace("{{", "{").replace("}}", "}"))
        except re.error:
            continue
        if possessive(tree):
            found[text] = place
    assert not found


def test_no_finding_of_check_compiles_its_patterns_before_they_are_asked() -> None:
    """There are some 250, most of them for scripts in languages that a workspace does not have."""
    compiled = [
        f"{path.name}:{node.lineno}"
        for path in sorted((SOURCE / "checking").rglob("*.py"))
        for statement in ast.parse(path.read_text()).body
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef)
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "re.compile"
    ]
    assert compiled == []
