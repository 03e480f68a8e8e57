"""A line that is one command of words that mean themselves, as half of all lines are: read without a tree."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.shell.reading import Word

MOST_WORDS = 64_000  # of one command
_BLANKS = (" ", "\t")
_MEANT = frozenset("$`\\")  # something within `"`
NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"  # its letters
LETTERS = NAME + "-./:@%+,^"  # of words without quotes
_OF_PIECES = LETTERS + "= \t"
_AT_ONCE = 500  # letters
RESERVED = {
    "i": ("if",), "t": ("then", "time"), "e": ("elif", "else", "esac"), "f": ("fi", "for", "function"),
    "w": ("while",), "u": ("until",), "d": ("do", "done"), "c": ("case", "coproc"), "s": ("select",),
    "[": ("[[",), "{": ("{",), "}": ("}",), "!": ("!",),
}  # fmt: skip
_FIRST = frozenset(word for words in RESERVED.values() for word in words)


def is_plain(text: str) -> bool:
    """Whether all of a text is one command of such words."""
    whole = plain_end(text) == len(text) if text.strip(LETTERS + " \t") else text == text.strip() != ""
    return whole and text.split(None, 1)[0] not in _FIRST


def plain_end(text: str, begins: int = 0) -> int:
    """Where a command of such words ends that begins there, with quotes in all but the first; -1 where none does."""
    end = stop = word = begins
    for begin, stop, said, quoted in _pieces(text, begins):
        if quoted:
            if word == begins:
                return -1
            end = stop
            continue
        for at, each in enumerate(said.split() if "=" in said else ()):
            first = text[word] if at == 0 and said[0] not in _BLANKS else each[0]
            if "=" in each and first != "-":
                return -1
        blank = max(said.rfind(" "), said.rfind("\t"))
        word = word if blank < 0 else begin + blank + 1
        end = begin + len(plain) if (plain := said.rstrip(" \t")) else end
    letter = text[stop : stop + 1]
    ends = letter in ";\n|)" or (letter == "&" and text[stop + 1 : stop + 2] != ">")
    return end if ends and text[begins : begins + 1] not in (" ", "\t", "") and end > begins else -1


def _pieces(text: str, at: int) -> Iterator[tuple[int, int, str, bool]]:
    """What stands there as far as it means itself: letters and blanks, and what is in quotes."""
    while at < len(text):
        begin, quote = at, text[at]
        if quoted := quote in ("'", '"'):
            at = text.find(quote, at + 1) + 1
            said = text[begin + 1 : at - 1]
            meant = quote == '"' and not _MEANT.isdisjoint(said)
            if not at or meant or not (said.isascii() and said.isprintable()):
                return
        else:
            at = letters_end(text, at, _OF_PIECES)
            said = text[begin:at]
            if not said:
                return
        yield begin, at, said, quoted


def letters_end(text: str, at: int, letters: str) -> int:
    """Where such letters end that begin there: without a pattern, which costs more to make than a line to read."""
    while some := text[at : at + _AT_ONCE]:
        left = len(some.lstrip(letters))
        at += len(some) - left
        if left:
            break
    return at


def plain_words(
    source: str, low: int = 0, high: int = 0, scale: int = 1, most: int = MOST_WORDS
) -> tuple[Word, ...]:
    """The words of such a command, with quotes around parts of them or without; none where there are too many."""
    words: list[Word] = []
    end = 0
    if "'" not in source and '"' not in source:
        given = source.split()
        for each in given if len(given) <= most else ():
            begin = source.index(each, end)
            end = begin + len(each)
            words.append(Word((each,), low + scale * begin, high + scale * end))
        return tuple(words)
    parts: list[tuple[int, int, str]] = []
    for start, stop, said, quoted in _pieces(source, 0):
        if quoted:
            parts.append((start, stop, said))
            continue
        at = start
        for each in said.split():
            begin = source.index(each, at)
            at = begin + len(each)
            parts.append((begin, at, each))
    texts: list[str] = []
    for at, (start, stop, said) in enumerate(parts):
        begin = begin if texts else start
        texts.append(said)
        if at + 1 < len(parts) and parts[at + 1][0] == stop:
            continue  # the word goes on
        if len(words) == most:
            return ()
        text = "".join(texts)
        words.append(Word((text,) if text else (), low + scale * begin, high + scale * stop))
        texts = []
    return tuple(words)
