"""The commands of a line as they are written, which permission rules compare with their text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.dialects.matching.permission_rules import parse_rule, rule_mismatch
from hookline.shell.effects.written import written_commands


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("a=1 git push >x && echo $(rm y) | b; x=1", ("git push >x", "echo $(rm y)", "rm y", "b")),
        ("if a; then b `c`; fi", ("a", "b `c`", "c")),
        ("for i in $(l); do m; done", ("l", "m")),
        ("f() { g; }; [[ -n $(x) ]]", ("g", "[[", "x")),
        ("cat <<E\n$(rm)\nE\nb", ("cat <<E", "rm", "b")),
        (">o git push", ("git push",)),
        ("! a; time b", ("a", "b")),
        ("> f; { a; } 2> g", ("> f", "> g", "a")),
    ],
)
def test_commands_are_given_as_they_stand_in_the_line(line: str, wanted: tuple[str, ...]) -> None:
    assert written_commands(line) == wanted


@pytest.mark.parametrize("line", ["a (", "echo '", "$(git push", "`echo \\`git push\\``", "a" * 200_000])
def test_what_cannot_be_taken_apart_for_certain_is_told_and_meets_a_rule(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        written_commands(line)
    rule = parse_rule("Bash(git push:*)")
    assert rule is not None
    assert rule_mismatch(rule, "Bash", {"command": line}, "/", "/") is None


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40) | st.text("git push;&|()`$'\"\\\n\0\ud800{}<>#=[]", max_size=60))
def test_a_rule_answers_for_any_line(line: str) -> None:
    rule = parse_rule("Bash(git push:*)")
    assert rule is not None
    rule_mismatch(rule, "Bash", {"command": line}, "/", "/")


@pytest.mark.parametrize("piece", ["git push ", "a; ", "(", "$(", "`", "'", "((", "a[", "cd build\n", "&& "])
def test_a_rule_answers_soon_for_a_long_line(piece: str) -> None:
    """By processor time, with much room: a slip of one degree would be seen."""
    rule = parse_rule("Bash(git push --force:*)")
    assert rule is not None
    start = time.process_time()
    rule_mismatch(rule, "Bash", {"command": piece * (100_000 // len(piece))}, "/", "/")
    assert time.process_time() - start < 3
