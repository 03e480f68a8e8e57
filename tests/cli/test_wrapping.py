"""Model text on a terminal: broken at words, however it streams in, and code left alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hookline.cli.render import cells
from hookline.cli.session.wrapping import Wrapping, wrapped


@given(
    st.text(alphabet="ab é漢 \n`", max_size=300), st.lists(st.integers(1, 7), min_size=1), st.integers(20, 60)
)
def test_streamed_text_is_broken_as_the_whole_would_be(text: str, sizes: list[int], width: int) -> None:
    wrapping, shown, at = Wrapping(width), "", 0
    while at < len(text):
        size = sizes[at % len(sizes)]
        shown += wrapping.add(text[at : at + size])
        at += size
    assert (shown + wrapping.end()).rstrip() == wrapped(text, width).rstrip()


@given(st.lists(st.text(alphabet="abc漢", min_size=1, max_size=8), max_size=60))
def test_no_row_is_too_long_and_no_word_is_lost(words: list[str]) -> None:
    shown = wrapped(" ".join(words), 20)
    assert shown.split() == words
    assert all(cells(row.rstrip()) <= 20 for row in shown.splitlines())


def test_code_is_not_broken() -> None:
    code = f"see:\n```\n{'x = 1; ' * 10}\n```\n"
    assert wrapped(code, 20) == code
