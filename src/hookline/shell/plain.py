"""A line that is one command of words that mean themselves, as half of all lines are: read without a tree."""

from __future__ import annotations

import re

from hookline.shell.reading import Word
from hookline.system.patterns.late import late

MOST_WORDS = 64_000  # of one command
WORD = r"(?:-[A-Za-z0-9_./:@%+,^=-]*+|[A-Za-z0-9_./:@%+,^-]++)"  # one that means itself
_QUOTED = r"""(?:'[ -&(-~]*+'|"[ !#%-\[\]-_a-~]*+")"""  # in which every letter means itself
_GIVEN = rf"(?:-(?:[A-Za-z0-9_./:@%+,^=-]++|{_QUOTED})*+|(?:[A-Za-z0-9_./:@%+,^-]++|{_QUOTED})++)"
WORDS = late(rf"{WORD}(?:[ \t]++{_GIVEN})*+(?=[ \t]*(?:[;\n|)]|&(?!>)|\Z))")  # a whole command of them
_EACH = late(_GIVEN)
_QUOTES = late(r"""'([^']*)'|"([^"]*)\"""")
_LETTERS = (
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-./_:@%+,^ \t"  # of words without quotes
)
RESERVED = {
    "i": ("if",), "t": ("then", "time"), "e": ("elif", "else", "esac"), "f": ("fi", "for", "function"),
    "w": ("while",), "u": ("until",), "d": ("do", "done"), "c": ("case", "coproc"), "s": ("select",),
    "[": ("[[",), "{": ("{",), "}": ("}",), "!": ("!",),
}  # fmt: skip
_FIRST = frozenset(word for words in RESERVED.values() for word in words)


def is_plain(text: str) -> bool:
    """Whether all of a text is one command of such words."""
    if not text.strip(_LETTERS):
        return text == text.strip() != "" and text.split(None, 1)[0] not in _FIRST
    return WORDS.fullmatch(text) is not None and text.split(None, 1)[0] not in _FIRST


def plain_words(
    source: str, low: int = 0, high: int = 0, scale: int = 1, most: int = MOST_WORDS
) -> tuple[Word, ...]:
    """The words of such a command, with quotes around parts of them or without; none where there are too many."""
    end = 0
    quotes = "'" in source or '"' in source
    words: list[Word] = []
    given = _EACH.findall(source) if quotes else source.split()
    for each in given if len(given) <= most else ():
        begin = source.index(each, end)
        end = begin + len(each)
        text = _QUOTES.sub(_within, each) if quotes else each
        words.append(Word((text,) if text else (), low + scale * begin, high + scale * end))
    return tuple(words)


def _within(found: re.Match[str]) -> str:
    return found[1] or found[2] or ""
