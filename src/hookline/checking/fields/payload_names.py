"""Under which names a script keeps what it was given: read by a function of its own, or handed on to another name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hookline.system.patterns.late import late

_RETURNS = late(
    r"(?ms)^(?P<indent>[ \t]*)(?:async\s+)?(?:def|function)\s+(?P<name>\w+)\s*\([^()]*\)[^\n]*\n"
    r"(?P<body>(?:(?P=indent)[ \t]+[^\n]*\n|[ \t]*\n)*)",
    needs=("def", "function"),
)
_PARSES = r"\s*(?:await\s+)?(?:json\.loads?\(|JSON\.parse\()[\w.()'\" ]{0,40}?(?:stdin|raw|data|input|text|body|buf)"
_GIVES_BACK = late(rf"return\b{_PARSES}")
_PARSED = late(rf"\b(\w+)\s*(?::[^=\n]{{1,40}})?={_PARSES}")
_OR_NOTHING = r"(?:[ \t]*(?:or|\|\||\?\?)[ \t]*\{\})?[ \t]*;?[ \t]*(?=\n|$)"
_MOST = 20


def with_aliases(names: Iterable[str], text: str) -> frozenset[str]:
    """These names and all that are given what is in one of them: `event = read_input()`, `data = event or {}`."""
    found = set(names)
    readers = [each["name"] for each in _RETURNS.finditer(text) if _gives_back(each["body"])]
    for name in readers:
        found.update(re.findall(rf"(?<![\w.])(\w+)\s*(?::[^=\n]{{1,40}})?=\s*(?:await\s+)?{name}\(", text))
    for _ in range(2):
        for name in sorted(found)[:_MOST]:
            same = rf"(?<![\w.])(\w+)\s*(?::[^=\n]{{1,40}})?=\s*{re.escape(name)}{_OR_NOTHING}"
            found.update(re.findall(same, text))
        found.update(_handed_on(found, text))
    return frozenset(found)


def taken_apart(source: str, text: str) -> Iterator[str]:
    """The names that JavaScript takes out of an object: `const { tool, input: given } = JSON.parse(raw)`."""
    if "{" not in text:
        return
    for found in re.finditer(rf"\b(?:const|let|var)\s*\{{([^{{}}]{{1,200}})\}}\s*=\s*{source}", text):
        yield from re.findall(r"(?:^|,)\s*(\w+)", found[1])


def _gives_back(body: str) -> bool:
    """Whether a function returns what it parsed, at once or under a name."""
    named = _PARSED.search(body)
    return bool(
        _GIVES_BACK.search(body) or (named and re.search(rf"\breturn\s+{named[1]}\b(?!\s*[.\[(])", body))
    )


def _handed_on(names: Iterable[str], text: str) -> Iterator[str]:
    """What functions of the text call the arguments that are one of these: `def command_of(event):`."""
    for name in sorted(names)[:_MOST]:
        for call in re.finditer(
            rf"(?<![\w.])(\w+)\(((?:[^(),\n]*,){{0,3}})\s*{re.escape(name)}\s*[,)]", text
        ):
            before = call[2].count(",")
            opens = re.search(
                rf"\b(?:def|function)\s+{call[1]}\s*\(((?:[^(),]+,){{{before}}})\s*(\w+)"
                rf"|\b(?:const|let)\s+{call[1]}\s*=\s*(?:async\s*)?\(?((?:[^(),=]+,){{{before}}})\s*(\w+)[^=\n]{{0,40}}=>",
                text,
            )
            if opens:
                yield opens[2] or opens[4]
