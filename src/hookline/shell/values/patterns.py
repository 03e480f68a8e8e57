"""Bash's patterns on text that is known: `case`, `${x#…}`, `${x/…/…}`. What is too odd gets no answer."""

from __future__ import annotations

import re

LONGEST = 4000
MOST_STARS = 2  # each more makes matching one degree slower


def pattern_regex(pieces: list[tuple[str, bool]]) -> str | None:
    """A regular expression for a pattern of texts, each with whether it is quoted; None where it is too odd."""
    found: list[str] = []
    stars = 0
    for text, quoted in pieces:
        if quoted:
            found.append(re.escape(text))
            continue
        at = 0
        while at < len(text):
            letter = text[at]
            at += 1
            if letter == "*":
                stars += 1
                found.append("[\\s\\S]*")
            elif letter == "?":
                found.append("[\\s\\S]")
            elif letter == "\\":
                found.append(re.escape(text[at : at + 1]))
                at += 1
            elif letter in "[(":
                return None
            else:
                found.append(re.escape(letter))
    return "".join(found) if stars <= MOST_STARS else None


def removed(text: str, pattern: str, operator: str) -> str | None:
    """`text` after `#`, `##`, `%` or `%%` with a pattern."""
    if len(text) > LONGEST:
        return None
    fits = re.compile(pattern)
    ends = range(len(text) + 1) if len(operator) == 1 else range(len(text), -1, -1)
    if operator[0] == "#":
        return next((text[end:] for end in ends if fits.fullmatch(text, 0, end)), text)
    return next((text[: len(text) - end] for end in ends if fits.fullmatch(text, len(text) - end)), text)


def replaced(text: str, pattern: str, operator: str, replacement: str) -> str | None:
    """`text` after `/` or `//`; the first letter of a pattern may say that it must begin or end there."""
    if len(text) > LONGEST or not pattern:
        return None if pattern else text
    greedy = re.compile(pattern)
    once = 0 if operator == "//" else 1
    return greedy.sub(lambda found: replacement if found[0] or not text else "", text, count=once)


def replaced_at_end(text: str, pattern: str, anchor: str, replacement: str) -> str | None:
    """`text` after `${x/#pattern/…}` or `${x/%pattern/…}`: what is longest there."""
    if len(text) > LONGEST:
        return None
    fits = re.compile(pattern)
    if anchor == "#":
        end = next((end for end in range(len(text), -1, -1) if fits.fullmatch(text, 0, end)), None)
        return text if end is None else replacement + text[end:]
    start = next((start for start in range(len(text) + 1) if fits.fullmatch(text, start)), None)
    return text if start is None else text[:start] + replacement
