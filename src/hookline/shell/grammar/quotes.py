"""What the letters inside `$'…'` and backticks stand for."""

from __future__ import annotations

import re

# Text, for making patterns of it costs more than most lines.
_NUMBER = r"x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})"
_ESCAPE = rf"\\(?:([0-7]{{1,3}})|x\{{([0-9A-Fa-f]*)\}}?|{_NUMBER}|c(\\\\|.)|(.))"
_PRINTED = rf"\\(?:(0[0-7]{{0,3}}|[1-7][0-7]{{0,2}})|((?!))|{_NUMBER}|((?!))|([^?'\"]))"
_LETTERS = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip


def ansi_text(inner: str) -> str:
    """The text of `$'inner'`; a NUL ends it, as it ends every word of a program."""
    if "\\" not in inner:
        return inner
    text = re.sub(_ESCAPE, _letter, inner, flags=re.DOTALL)
    return whole_letters(text.partition("\0")[0])


def printed_text(text: str, any_octal: bool) -> str | None:
    """What `echo -e` prints, and `%b` of `printf`, which takes numbers without a `0`; None where `\\c` ends it."""
    if any(found[7] == "c" for found in re.finditer(_PRINTED, text, re.DOTALL)):
        return None

    def letter(found: re.Match[str]) -> str:
        bare = bool(found[1]) and found[1][0] != "0"
        return found[0] if bare and not any_octal else _letter(found)

    return whole_letters(re.sub(_PRINTED, letter, text, flags=re.DOTALL))


def _letter(found: re.Match[str]) -> str:
    octal, braced, hexadecimal, short, long, control, letter = found.groups()
    if octal:
        return _byte(int(octal, 8) & 0xFF)
    if hexadecimal or braced is not None:
        return _byte(int(hexadecimal or braced or "0", 16) & 0xFF)
    if short or long:
        number = int(short or long, 16)
        return _encoded(number) if number < 0x110000 else found[0]
    if control:
        return chr(ord(control[0].upper()) & 0x1F if control != "?" else 0x7F)
    return _LETTERS.get(letter or "", found[0])


def _encoded(number: int) -> str:
    """A letter; of half a pair, which is none, the bytes that bash makes of it."""
    return chr(number).encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")


def _byte(number: int) -> str:
    return chr(number) if number < 0x80 else chr(0xDC00 + number)


def whole_letters(text: str) -> str:
    """With single bytes that make up a letter of UTF-8 put together."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text


def backtick_text(inner: str, in_double_quotes: bool) -> str:
    """The commands that stand, with backslashes of their own, between backticks."""
    escaped = r'\\(?:\n|([$`\\"]))' if in_double_quotes else r"\\(?:\n|([$`\\]))"
    return re.sub(escaped, lambda found: found[1] or "", inner)  # a line goes on also within single quotes
