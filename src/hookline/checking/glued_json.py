"""Answers in JSON that a shell glues together: a quote in what is filled in breaks them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ECHO = re.compile(r"(?:echo|printf)\s++(?:-\w++\s++){0,9}+\"\s*+\{[^\n]{0,800}\\\"[^\n\"$]*+\$\{?(\w+)")
_RISKY = re.compile(
    r"(?:^|_)(?:cmd|command|input|prompt|file|path|file_path|msg|message|reason|output|content|text)s?$",
    re.IGNORECASE,
)
# what is kept in a file, or handed to another program, is no answer
_ELSEWHERE = re.compile(
    r"(?:[^\n\"\\]|\\.){0,800}+\"\s*+(?:1?>>?\s*+(?!&|/dev/stdout\b)|\|\s*+(?!cat\b|jq\b))"
)
_MADE_BY_JQ = re.compile(r"\$\(.*\bjq\b.*(?:-R|@json|tojson)")
_NUMBER = re.compile(
    r"\d+\s*$|\$\(\(|\$\(\s*(?:\w+\s[^\n|]{0,200}\|\s*)?(?:e?grep\s+(?:-\w+\s+)*-\w*c|wc\s+-|date\s+\+%s)|\$\{\w+:-\d+\}"
)
_TEXT = re.compile(r"\"([^\"`\\]*)\"(?=[\s;&|)]|$)")
_FILLED_IN = re.compile(r"\$\{?(\w+)(?::-\d+)?\}?")
_DEEPEST = 4


def glued_json(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """The first variable of unknown content between the quotes of an answer."""
    for found in _ECHO.finditer(text):
        name = found[1]
        if _RISKY.search(name) and not _ELSEWHERE.match(text, found.end()) and not _is_plain(name, text):
            words = f"{where} puts `${name}` between the quotes of JSON: a quote in it breaks the answer"
            yield "glued-json", words, f"build it with `jq -n --arg {name.lower()} \"${name}\" '{{…}}'`"
            return


def _is_plain(name: str, text: str, inside: tuple[str, ...] = ()) -> bool:
    """Whether every value it is given is plain text, a number, JSON made by a program, or put together of those."""
    if name in inside:
        return True  # what is added to itself: the other parts count
    values = re.findall(rf"(?<![\w$]){re.escape(name)}=([^\n]*)", text)
    further = (*inside, name)
    return (
        bool(values)
        and len(inside) < _DEEPEST
        and all(_is_plain_value(each, text, further) for each in values)
    )


def _is_plain_value(value: str, text: str, inside: tuple[str, ...]) -> bool:
    if re.match(r"'[^']*'|\w+\s*$", value) or _MADE_BY_JQ.match(value) or _NUMBER.match(value):
        return True
    quoted = _TEXT.match(value)
    if quoted is None or "$(" in quoted[1]:
        return False
    return all(_is_plain(name, text, inside) for name in _FILLED_IN.findall(quoted[1]))
