"""A program and its arguments as a line for a shell, which fills in what the agent would have."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from shlex import quote

_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")
_SPECIAL = re.compile(r'(["`\\$])')


def placeholders_of(argv: Sequence[str], filled: Collection[str]) -> frozenset[str]:
    """The variables in the words that an agent with these fills in by itself, where no shell is."""
    return frozenset(name for word in argv for name in _PLACEHOLDER.findall(word) if name in filled)


def as_line(argv: Sequence[str], filled: Collection[str]) -> str:
    """The words for a shell, which fills in these variables and leaves all else as it is."""
    return " ".join(_quoted(word, filled) for word in argv)


def _quoted(word: str, filled: Collection[str]) -> str:
    if not any(name in filled for name in _PLACEHOLDER.findall(word)):
        return quote(word)
    parts = _PLACEHOLDER.split(word)  # texts and names by turns
    texts = (
        (f"${{{part}}}" if part in filled else f"\\${{{part}}}")
        if number % 2
        else _SPECIAL.sub(r"\\\1", part)
        for number, part in enumerate(parts)
    )
    return f'"{"".join(texts)}"'
