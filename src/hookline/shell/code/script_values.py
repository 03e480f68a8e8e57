"""What the variables of a script hold, put where its calls and strings name them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_TEXT = r"(?:\"[^\"\\\n]*\"|'[^'\\\n]*')"
_LIST = rf"[\[({{]\s*+(?P<list>{_TEXT}(?:\s*+,\s*+{_TEXT})*+)\s*+,?\s*+[\])}}]"
_NAME = r"\b[A-Za-z_]\w*+"
_SOURCE = rf"(?:\(?{_LIST}|\(?[@$]?(?P<from>{_NAME})\)?)"
_BOUND = re.compile(
    rf"(?<![=.\w])[@$]?(?P<name>{_NAME})\s*+=\s*+"
    rf"(?:(?P<text>{_TEXT})[^\S\n]*+(?=[;,\n)]|$)|(?:array)?{_LIST})"
)
_LOOPS = [
    # `for (const x of [...])`, `for my $x (...)`, `for x in [...]`, `for _, x in ipairs({...})`
    re.compile(
        rf"\bfor(?:each)?\b\s*+\(?\s*+(?:(?:const|let|var|my)\s++)?(?:\w++\s*+,\s*+)?[$]?(?P<name>{_NAME})"
        rf"\s*+(?:\b(?:of|in)\b)?\s*+(?:ipairs\s*+\()?\s*+{_SOURCE}"
    ),
    # `foreach ([...] as $x)`
    re.compile(
        rf"\bforeach\s*+\(\s*+(?:array)?{_SOURCE}\s*+as\s++(?:[$]\w++\s*+=>\s*+)?[$](?P<name>{_NAME})"
    ),
    # `[...].forEach(x => …)`, `[...].each do |x|`
    re.compile(
        rf"{_SOURCE}\s*+\.(?:forEach|map|each)\b\s*+"
        rf"(?:\(\s*+(?:async\s*+)?(?:function\s*+)?\(?|\{{\s*+\||do\s*+\|)\s*+(?P<name>{_NAME})"
    ),
]  # fmt: skip
_USED = re.compile(
    rf"(?P<before>[(,\[+]\s*+|\.\s*+(?=[$])|\bunlink\s++)[$@]?(?P<name>{_NAME})"
    r"(?=\s*+[,);}\]+]|\s*+\.\s*+[\"'$]|$)"
)
_OPEN_STRING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`\\]|\\.)*`", re.DOTALL)
_IN_STRING = re.compile(rf"[$#]\{{({_NAME})\}}|[$]({_NAME})")


def with_values(text: str) -> Iterator[str]:
    """The script with the texts that its variables hold; and what names a loop's variable for each further text."""
    values: dict[str, list[str]] = {}
    loops: dict[str, list[str]] = {}
    for found in _BOUND.finditer(text):
        given = _texts(found["text"] or found["list"])
        if found["name"] in values:  # it may be each of them
            loops[found["name"]] = [*loops.get(found["name"], values[found["name"]]), *given]
        else:
            values[found["name"]] = given
    for found in (each for loop in _LOOPS for each in loop.finditer(text)):
        given = _texts(found["list"]) if found["list"] else values.get(found["from"], [])
        if given:
            loops[found["name"]] = [*loops.get(found["name"], []), *given]
    if not values and not loops:
        yield text
        return
    yield _filled(text, values | {name: given[:1] for name, given in loops.items()})
    named = _statements_naming(text, loops)
    for turn in range(1, max(map(len, loops.values()), default=1)):
        yield _filled(named, values | {name: [given[turn % len(given)]] for name, given in loops.items()})


def _statements_naming(text: str, names: Iterable[str]) -> str:
    """The statements that name one of these, and those beside them, as a call may take several lines."""
    statements = re.split(r"(?<=[;\n])", text)
    word = re.compile(rf"\b(?:{'|'.join(names) or '(?!)'})\b")
    near = {at + by for at, each in enumerate(statements) if word.search(each) for by in (-2, -1, 0, 1, 2)}
    return "".join(each for at, each in enumerate(statements) if at in near)


def _texts(listed: str) -> list[str]:
    return [each[1:-1] for each in re.findall(_TEXT, listed)]


def _filled(text: str, values: dict[str, list[str]]) -> str:
    def named(found: re.Match[str]) -> str:
        given = values.get(found["name"])
        return found[0] if given is None else found["before"] + ", ".join(map(_quoted, given))

    def string(found: re.Match[str]) -> str:
        quote = found[0][0]
        if quote == "'" or ("$" not in found[0] and "#" not in found[0]):
            return found[0]

        def value(name: re.Match[str]) -> str:
            given = values.get(name[1] or name[2], [])
            return given[0] if len(given) == 1 and quote not in given[0] else name[0]

        return _IN_STRING.sub(value, found[0])

    return _OPEN_STRING.sub(string, _USED.sub(named, text))


def _quoted(text: str) -> str:
    return f"'{text}'" if "'" not in text else f'"{text}"'
