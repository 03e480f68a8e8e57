"""Under which names a script keeps what it was given: read by a function of its own, or handed on to another name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hookline.system.patterns.late import late

_RETURNS = late(
    r"(?ms)^(?P<indent>[ \t]*)(?:async\s+)?(?:def|function)\s+(?P<name>\w+)\s*\([^()]*\)[^\n]*\n"
    r"(?P<body>(?:(?P=indent)[ \t]+[^\n]*\n|[ \t]*\n)*)"
)
_GIVES_BACK = late(
    r"return\s+(?:await\s+)?(?:json\.loads?\(|JSON\.parse\()[\w.()'\" ]{0,40}?(?:stdin|raw|data|input|text|body|buf)"
)
_OR_NOTHING = r"(?:[ \t]*(?:or|\|\||\?\?)[ \t]*\{\})?[ \t]*;?[ \t]*(?=\n|$)"
_MOST = 20


def with_aliases(names: Iterable[str], text: str) -> frozenset[str]:
    """These names and all that are given what is in one of them: `event = read_input()`, `data = event or {}`."""
    found = set(names)
    readers = [each["name"] for each in _RETURNS.finditer(text) if _GIVES_BACK.search(each["body"])]
    for name in readers:
        found.update(re.findall(rf"(?<![\w.])(\w+)\s*(?::[^=\n]{{1,40}})?=\s*(?:await\s+)?{name}\(", text))
    for _ in range(2):
        for name in sorted(found)[:_MOST]:
            same = rf"(?<![\w.])(\w+)\s*(?::[^=\n]{{1,40}})?=\s*{re.escape(name)}{_OR_NOTHING}"
            found.update(re.findall(same, text))
    return frozenset(found)
