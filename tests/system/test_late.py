"""Regular expressions that are compiled when they are asked find what they would find."""

from __future__ import annotations

import re

import pytest

from hookline.system.patterns.late import late

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


def test_what_a_text_cannot_hold_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = late(PATTERN, needs=("<<", ";;"))
    monkeypatch.setattr(re, "compile", lambda *_: pytest.fail("it was compiled"))
    assert pattern.search("npx prettier --write .") is None
    assert list(pattern.finditer("./hooks/lint.sh")) == []
