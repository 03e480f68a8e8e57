"""What only the shell knows of a line is found by hand as patterns would find it."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from hookline.engine.unknown_parts import rooted, with_holes, with_home

PART = r"\$\([^()]*\)|`[^`]*`|\$\{[^{}]*\}|\$\w+"
PIECES = (
    "$", "{", "}", "(", ")", '"', "'", "`", " ", "a", "é", "_", "/", ".", "-", "$A", "${A}", "$HOME", "${HOME}",
    "$HOMES", '"$CLAUDE_PROJECT_DIR"/', "$(git rev-parse --show-toplevel)", "hooks/", "x.sh",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@example('a$name"')
@example("hooks/$(a $b.sh)`c`${d}e")
@example('"$A"/x \'$B\'"$C"')
def test_lines_are_read_as_by_patterns(line: str) -> None:
    assert with_home(line, "/home/u") == re.sub(r"\$(?:\{HOME\}|HOME\b)", "/home/u", line)
    assert rooted(line) == re.sub(rf"[\"']?(?:{PART})[\"']?(/?)", lambda m: "./" if m[1] else "_", line)
    assert with_holes(line) == re.sub(rf"(?<=[\w./-])(?:{PART})+(?=[\w./-])", "*", line)


def test_no_line_takes_more_than_its_length() -> None:
    for line in ("${" * 4_000, "$(" * 4_000, "a" + "$b" * 4_000 + '"', "`" * 4_001):
        assert len(with_holes(line)) == len(line)
        assert rooted(line)
