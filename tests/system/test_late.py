"""Regular expressions that are compiled when they are asked find what they would find."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]  # what `re` itself reads patterns with
from typing import Any

import pytest

from hookline.system.patterns.late import _Needing, late

SOURCE = Path(__file__).parents[2] / "src"
PATTERN = r"<<-?(\w+)|;;(\w*)"


@pytest.mark.parametrize("text", ["", "plain", "<", "cat <<E", "a;;b <<-F", "; ;"])
def test_a_late_pattern_finds_the_same(text: str) -> None:
    at_once, needs = re.compile(PATTERN), ("<<", ";;")
    for pattern in (late(PATTERN), late(PATTERN, needs=needs)):
        assert [found.span() for found in pattern.finditer(text)] == [
            m.span() for m in at_once.finditer(text)
        ]
        assert (pattern.search(text, 1) is None) == (at_once.search(text, 1) is None)
        assert pattern.findall(text) == at_once.findall(text)
        assert (pattern.match(text) is None) == (at_once.match(text) is None)
        assert pattern.sub(r"[\1]", text) == at_once.sub(r"[\1]", text)


def test_what_a_text_cannot_hold_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = late(PATTERN, needs=("<<", ";;"))
    monkeypatch.setattr(re, "compile", lambda *_: pytest.fail("it was compiled"))
    assert pattern.search("npx prettier --write .") is None
    assert list(pattern.finditer("./hooks/lint.sh")) == [] == pattern.findall("lint")
    assert pattern.sub("", "lint") == "lint" and pattern.match("lint") is None


def needing() -> Iterator[Any]:
    """Every pattern that names what a text needs."""
    for path in sorted(SOURCE.rglob("*.py")):
        if "patterns.late import late" in path.read_text():
            module = importlib.import_module(".".join(path.relative_to(SOURCE).with_suffix("").parts))
            yield from _within(tuple(vars(module).values()))


def _within(value: object) -> Iterator[Any]:
    if type(value) is _Needing:
        yield value
    elif isinstance(value, dict | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _within(each)


def must_hold(tree: Any, needs: tuple[str, ...], fold: bool, run: str = "") -> bool:
    """Whether each text that a pattern fits has one of these in it, `run` being what stands before."""
    for kind, detail in tree:
        name = str(kind)
        if name in ("AT", "ASSERT", "ASSERT_NOT"):
            continue
        before, run = run, run + chr(detail) if name == "LITERAL" else ""
        if any(each in (run.lower() if fold else run) for each in needs):
            return True
        if name == "IN" and all(str(sign) == "LITERAL" for sign, _ in detail):
            ways = [[each] for each in detail]
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            ways = [detail[2]] if detail[0] else []
        else:
            ways = [detail[-1]] if name == "SUBPATTERN" else detail[1] if name == "BRANCH" else []
        if ways and all(must_hold(each, needs, fold, before) for each in ways):
            return True
    return False


def test_a_pattern_fits_no_text_without_what_it_says_it_needs() -> None:
    found = list(dict.fromkeys(needing()))
    assert len(found) > 40
    wrong = [
        pattern._given[0]
        for pattern in found
        if not must_hold(
            parser.parse(*pattern._given), pattern._needs, bool(pattern._given[1] & re.IGNORECASE)
        )
    ]
    assert wrong == []
    assert not must_hold(parser.parse(r"(?:<<)?\w|;;"), ("<<", ";;"), fold=False)
