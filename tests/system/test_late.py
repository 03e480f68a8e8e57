"""Regular expressions that are compiled when they are asked find what they would find."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]  # what `re` itself reads patterns with
from typing import Any

import pytest

from hookline.system.patterns.late import _Needing, late

SOURCE = Path(__file__).parents[2] / "src"
_BREAK, _LONGEST = ("break", None), 40
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
    elif isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _within(each)


class Proof:
    """Whether every match of a pattern holds one of some words, by all ways through the pattern."""

    def __init__(self, needs: tuple[str, ...], folds: bool) -> None:
        self.needs, self.folds = needs, folds
        self.known: dict[tuple[str, tuple[int, ...]], bool] = {}

    def sure(self, run: str, items: tuple[Any, ...]) -> bool:
        run = run[-_LONGEST:]
        if any(word in run for word in self.needs):
            return True
        if not items:
            return False
        key = (run, tuple(map(id, items)))
        if key not in self.known:
            kind, what = items[0]
            self.known[key] = self._steps(run, kind, what, items[1:])
        return self.known[key]

    def _steps(self, run: str, kind: Any, what: Any, rest: tuple[Any, ...]) -> bool:
        if kind is sre.LITERAL:
            letter = chr(what)
            return self.sure(run + (letter.lower() if self.folds else letter), rest)
        if kind is sre.IN and len(what) <= 4 and all(each[0] is sre.LITERAL for each in what):
            return all(self.sure(run + chr(each[1]), rest) for each in what)
        if kind in (sre.AT, sre.ASSERT_NOT):
            return self.sure(run, rest)
        if kind is sre.ASSERT:
            ahead, inner = what
            return (ahead > 0 and self.sure(run, tuple(inner))) or self.sure(run, rest)
        if kind is sre.SUBPATTERN:
            return self.sure(run, (*what[-1], *rest))
        if kind is sre.ATOMIC_GROUP:
            return self.sure(run, (*what, *rest))
        if kind is sre.BRANCH:
            return all(self.sure(run, (*way, *rest)) for way in what[1])
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            least, most, inner = what
            taken = self.sure(run, (*inner, *rest) if most == 1 else (*inner, _BREAK, *rest))
            return taken and (least > 0 or self.sure(run, rest))
        return self.sure("", rest)


def must_hold(tree: Any, needs: tuple[str, ...], fold: bool) -> bool:
    return Proof(needs, fold).sure("", tuple(tree))


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
