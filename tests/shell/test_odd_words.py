"""Words that are hardly any, put in the place of others: no rule fails on a line that has them."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks.guards.corpora import Line
from benchmarks.guards.measure import judge, packs_config

from hookline.engine import plan

ODD = (
    "''", '""', "$''", "'' ''", "''''", '"$x"', "{,}", "''$x", "$(:)", "\\\n", "-", "--", "=", "/", "~", ".", "..",
    "*", "?", "!", "[", "{", "}", "$", "$(", "<", ">", "|", ";", "`", "\x00", "é", "-=", "--=", "$((",
    "$1", "~x", "%", "^", "@",
)  # fmt: skip
RULES = """
[[hooks]]
name = "lines"
event = "PreToolUse"
shell = ["git push*", "rm -rf *", "* x", "a*b"]
deny = "no"
[[hooks]]
name = "files"
event = "PreToolUse"
write = ["src/**", "*.lock"]
deny = "no"
[[hooks]]
name = "hooks"
event = "PreToolUse"
touches = "guards"
deny = "no"
"""
LINES = [
    line.replace("⏎", "\n")
    for name in ("attacks.txt", "quiet.txt")
    for line in (Path(__file__).parent / name).read_text().splitlines()
    if line.strip() and not line.startswith("#")
]


def test_no_rule_fails_on_a_line_with_words_that_are_hardly_any(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", os.environ["HOME"])  # which judging sets
    failed: list[str] = []
    bounded = plan.limited

    def watched(seconds: float, work: Callable[..., Any], *given: Any) -> Any:
        try:
            return bounded(seconds, work, *given)
        except Exception as error:
            failed.append(f"{given[-1].tool_input}: {error!r}")
            raise

    monkeypatch.setattr(plan, "limited", watched)
    chance = random.Random(1)
    lines = []
    for _ in range(1000):
        words = chance.choice(LINES).split(" ")
        words[chance.randrange(len(words))] = chance.choice(ODD)
        lines.append(Line(" ".join(words), ""))
    assert len(list(judge(lines, packs_config() + RULES, tmp_path))) == len(lines)
    assert failed == []
