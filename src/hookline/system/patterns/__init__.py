"""Globs and regular expressions from config files, answered in bounded time.

A pattern that is nothing but words, as `Bash|mcp__server__.*`, is answered here: `re` and what a pattern may cost are
loaded for any other.
"""

from __future__ import annotations

_IN_WORDS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_SHORT = 1000


def pattern_fault(text: str) -> str:
    """Why a text is no regular expression; empty if it is one."""
    if _words(text):
        return ""
    from hookline.system.patterns.expressions import compile_pattern

    try:
        compile_pattern(text)
    except ValueError as error:
        return str(error)
    return ""


def fits(text: str, value: str, *, whole: bool = False) -> bool:
    """Whether an expression fits a value, anywhere or as a whole. Raises ValueError where it would take too long."""
    if words := _words(text):
        return any(_is_word(word, value) if whole else word.removesuffix(".*") in value for word in words)
    from hookline.system.patterns.expressions import compile_pattern

    pattern = compile_pattern(text)
    return pattern.fullmatch(value) if whole else pattern.search(value)


def _words(text: str) -> list[str]:
    """The words of which one must fit, each with what may follow it; none where it says more than that."""
    words = text.split("|") if len(text) < _SHORT else []
    return words if _IN_WORDS.issuperset("".join(word.removesuffix(".*") for word in words)) else []


def _is_word(word: str, value: str) -> bool:
    start = word.removesuffix(".*")
    return value == word if start == word else value.startswith(start) and "\n" not in value[len(start) :]
