"""Quotes inside of long strings of TOML: what stands behind them has its place, on every Python there is."""

from __future__ import annotations

import pytest

from hookline.dialects.reading.toml_text import parse_toml

STRINGS = (
    "'''it's'''", "''''''", "'''a''''", "'''a'''''", "'''it's ''two'' x'''", "'''a\nb'c'''",
    '""""""', '"""a"b""c"""', '"""a\\"""b"""', '"""x""""', '"""x"""""', '"""\\\\"""',
)  # fmt: skip


@pytest.mark.parametrize("text", STRINGS)
def test_what_stands_behind_a_long_string_has_its_place(text: str) -> None:
    root = parse_toml(f"first = {text}\nsecond = 2\n", "x.toml")
    second = root.members["second"]
    assert (second.value, second.line) == (2, 2 + text.count("\n"))
