"""Lists that a script looks up a field in: `tool_name in ("Edit", "Write")`, `[…].includes(name)`, `case $name in`."""

from __future__ import annotations

import re

from hookline.system.patterns.late import late

_WORD = late(r"[\"'`]([\w-]+)[\"'`]")
_LIST = r"(?:new\s+Set\(\s*|frozenset\(\s*|set\(\s*)?[\[({]([^\[\](){}]{1,400})[\])}]"
_CLAUSE = late(r"(?m)(?:^|;;|\bin\b)[ \t]*\(?[ \t]*([\w|\"' -]+)\)")
_CHANGED = r"%s[^\n]{0,40}(?:ascii_downcase|\.lower\(|toLowerCase|,,)"


def looked_up_in(text: str, field: str, assigned: str) -> tuple[str, ...]:
    """The words of all lists that the field, or a variable it was put into (by `assigned`), is looked up in."""
    if not re.search(rf"\b{field}\b", text) or re.search(_CHANGED % field, text):
        return ()
    kept = [found[1] for found in re.finditer(assigned, text)]
    names = "|".join(map(re.escape, dict.fromkeys((*kept, field))))
    inside = [*_written_there(text, names), *_held(text, names), *_clauses(text, names)]
    return tuple(dict.fromkeys(inside))


def _written_there(text: str, names: str) -> list[str]:
    asked = rf"\b(?:{names})\b[\"'\])]*(?:,\s*[\"']{{2}}\))?\s+(?:not\s+)?in\s+{_LIST}"
    has = rf"{_LIST}\)?\.(?:includes|has)\(\s*(?:\w+(?:\?\.|\.))?(?:{names})\b"
    found = [*re.findall(asked, text), *re.findall(has, text)]
    return [word for each in found for word in _WORD.findall(each)]


def _held(text: str, names: str) -> list[str]:
    """Lists that have a name of their own."""
    asked = rf"\b(?:{names})\b[\"'\])]*(?:,\s*[\"']{{2}}\))?\s+(?:not\s+)?in\s+(\w+)\b(?!\()"
    has = rf"\b(\w+)\.(?:includes|has)\(\s*(?:\w+(?:\?\.|\.))?(?:{names})\b"
    words = []
    for name in sorted({*re.findall(asked, text), *re.findall(has, text)}):
        for each in re.findall(rf"\b{name}\s*(?::[^=\n]{{1,60}})?=\s*{_LIST}", text):
            words += _WORD.findall(each)
    return words


def _clauses(text: str, names: str) -> list[str]:
    """The patterns of a shell's `case`, where they are plain names."""
    words = []
    for found in re.finditer(rf"\bcase\s+\"?\$\{{?(?:{names})\}}?\"?\s+in\b(.*?)\besac\b", text, re.DOTALL):
        for clause in _CLAUSE.findall(" in " + found[1]):
            words += re.findall(r"[\w-]+", clause)
    return words
