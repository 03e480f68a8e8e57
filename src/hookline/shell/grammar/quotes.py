"""What the letters inside `$'…'` and backticks stand for."""

from __future__ import annotations

import re

_ESCAPE = (  # text, for making a pattern of it costs more than most lines
    r"\\(?:([0-7]{1,3})|x\{([0-9A-Fa-f]*)\}|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})"
    r"|U([0-9A-Fa-f]{1,8})|c(\\\\|.)|(.))"
)
_LETTERS = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip


def ansi_text(inner: str) -> str:
    """The text of `$'inner'`; a NUL ends it, as it ends every word of a program."""
    if "\\" not in inner:
        return inner
    text = re.sub(_ESCAPE, _letter, inner, flags=re.DOTALL)
    return _whole_letters(text.partition("\0")[0])


def _letter(found: re.Match[str]) -> str:
    octal, braced, hexadecimal, short, long, control, letter = found.groups()
    if octal:
        return _byte(int(octal, 8) & 0xFF)
    if hexadecimal or braced:
        return _byte(int(hexadecimal or braced, 16) & 0xFF)
    if short or long:
        number = int(short or long, 16)
        return chr(number) if number < 0x110000 else found[0]
    if control:
        return chr(ord(control[0].upper()) & 0x1F if control != "?" else 0x7F)
    return _LETTERS.get(letter or "", found[0])


def _byte(number: int) -> str:
    return chr(number) if number < 0x80 else chr(0xDC00 + number)


def _whole_letters(text: str) -> str:
    """With single bytes that make up a letter of UTF-8 put together."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text


def backtick_text(inner: str, in_double_quotes: bool) -> str:
    """The commands that stand, with backslashes of their own, between backticks."""
    return re.sub(r'\\([$`\\"])' if in_double_quotes else r"\\([$`\\])", r"\1", inner)
