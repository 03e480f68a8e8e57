"""What the methods of a script's texts give, and values as code again."""

from __future__ import annotations

import re
from collections.abc import Callable

from hookline.system.patterns.late import late

LONGEST_VALUE = 4096  # of letters, or of elements
_PLACES = late(r"%%|%(\d+\$)?[-+ 0]*\d*(?:\.\d+)?[sdiqv]")


def bounded(text: str) -> str | None:
    return text if len(text) <= LONGEST_VALUE else None


def of_text(value: str, name: str, given: list[object]) -> object:
    texts = [each for each in given if isinstance(each, str)]
    if name in ("replace", "sub", "gsub", "replaceAll", "tr") and len(texts) == 2:
        return value.replace(texts[0], texts[1]) if len(value) * (len(texts[1]) + 1) < LONGEST_VALUE else None
    if name == "split":
        return list(value.split(texts[0]) if texts and texts[0] else value)
    if name == "concat" and len(texts) == len(given):
        return bounded(value + "".join(texts))
    if name == "format":
        return formatted(value, given)
    change = _CHANGES.get(name)
    return change(value) if change is not None else None


def formatted(text: object, given: list[object]) -> object:
    if not isinstance(text, str) or _PLACES.search(text) is None:
        return text if isinstance(text, str) and not given else None
    values = iter(given)
    known = True

    def one(found: re.Match[str]) -> str:
        nonlocal known
        value = "%" if found[0] == "%%" else next(values, None)
        known = known and isinstance(value, str)
        return str(value)

    made = _PLACES.sub(one, text)
    return made if known and len(made) <= LONGEST_VALUE else None


def joined(values: list[object], mark: object) -> object:
    texts = [each for each in values if isinstance(each, str)]
    if len(texts) != len(values) or not isinstance(mark, str):
        return None
    made = mark.join(texts)
    return made if len(made) <= LONGEST_VALUE else None


def rendered(value: object) -> str:
    """A value as code again: a string, or several with commas between."""
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return (
        ", ".join(rendered(each) if each is not None else "undefined" for each in value)
        if isinstance(value, list)
        else ""
    )


_CHANGES: dict[str, Callable[[str], object]] = {
    "toString": str, "to_s": str, "trim": str.strip, "strip": str.strip, "chomp": str.strip, "toLowerCase": str.lower,
    "downcase": str.lower, "lower": str.lower, "toUpperCase": str.upper, "upcase": str.upper, "freeze": str, "dup": str,
    "reverse": lambda text: text[::-1], "normalize": str, "valueOf": str, "to_sym": str,
    "shellsplit": lambda text: [*text.split()],
}  # fmt: skip
