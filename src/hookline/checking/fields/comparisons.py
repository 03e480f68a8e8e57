"""What a script compares a field with: a word, or a list: `tool_name in ("Edit", "Write")`, `case $name in`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.system.patterns.late import late

_WORD = late(r"[\"'`]([\w-]+)[\"'`]")
_LIST = r"(?:new\s+Set\(\s*|frozenset\(\s*|set\(\s*)?[\[({]([^\[\](){}]{1,400})[\])}]"
_CLAUSE = late(r"(?m)(?:^|;;|\bin\b)[ \t]*\(?[ \t]*([\w|\"' -]+)\)")
ASSIGNED = r"\b(\w+)\s*=[^=\n]{0,80}?\b%s\b(?!\s*[=!]=)[^\n]*"
_COMPARED = (
    r"(?:\b%s\b[\"'\])}]*(?:,\s*[\"']{2}\))?(?:\s*<<<\s*\"?\$\w+\"?)?|\$\{?\b(?:%s)\b\}?\"?|\b(?:%s)\b)\s*\)?\"?\s*"
    r"(={1,3}|!==?|is|-[ci]?(?:eq|ne))\s*(?:([\"'])([\w-]+)\2|([\w-]+)(?=[\s;)\]:,]|$))"
)
# what follows a word in a test that lets the tool be: nothing is decided there
_ENDS_THEN = late(
    r"[^\n]{0,40}?(?:\]\]?|\)|:|;|then|\{)\s*(?:&&\s*|then\s+|\{\s*)?"
    r"(?:exit(?:\s+0)?\s*(?:\n|;|\Z)|return\s*;?\s*(?:\n|\})|return 0|pass\b|(?:sys|process)\.exit\(0?\)|continue\b)"
)
_LONGEST = 1500  # letters of a function that is looked at
_IN_TEST = late(r"(?:\[\s|\btest\s)[^\n]*$")
# what a script puts in place of a value that is not there, and may ask for
_OWN_DEFAULT = r"(?://|:-|\|\||\?\?|\bor|\bget(?:attr)?\([^()\n]*,)\s*\\?[\"']?%s\b\\?[\"']?\s*[)}'\";\n]"
# whose field it is, and names of what is no input
_OWNER = late(r"(\w+)(?:\.get\(\s*[\"']|\[[\"']|\??\.)\Z")
_OF_OTHERS = late(
    r"(?i)(?:re)?resp(?:onse)?\w*|reply|ack|res|result|proc\w*|completed|done|row|entry|item|record|state|job"
)
_COMPARES = late(r"={2,3}|!=|\[\s|\[\[|\btest\b|-[ci]?(?:eq|ne)\b")


_CASE = late(r"(?m)\bcase\s+((?:[\"'][\w-]+[\"'][ \t|]*)+):|^[ \t]*([\"'][\w-]+[\"'])[ \t]*\{")
_NAMES_ALONE = late(r"\^?\(?(\w{3,}(?:\|\w{3,})*)\)?\$?")
# a field that is tested with a pattern: in JavaScript, in Python, by `jq`, in a shell, and in PowerShell
_PATTERNS = (
    r"/(?P<pattern>[\w|()?:^$]+)/(?P<flags>i?)\.test\(\s*(?:\w+(?:\?\.|\.))?(?:%(names)s)\b",
    r"\b(?:%(names)s)\??\.match\(\s*/(?P<pattern>[\w|()?:^$]+)/(?P<flags>i?)\s*\)",
    r"\bre\.(?:match|search|fullmatch)\(\s*r?[\"'](?P<pattern>[\w|()?:^$]+)[\"']\s*,\s*(?:\w+\.)?(?:%(names)s)\s*\)",
    r"\.(?:%(names)s)\s*(?://\s*\\?[\"']{2}\s*)?\)?\s*\|\s*test\(\\?[\"'](?P<pattern>[\w|()?:^$]+)\\?[\"'](?P<flags>;?)",
    r"\$\{?(?:%(names)s)\}?\"?\s+=~\s+(?P<pattern>[\w|()?:^$]+)\s+(?:\]\]|&&|\|\|)",
    r"\$\{?(?:%(names)s)\}?\"?\s*\|\s*grep\s+-\w*E(?P<flags>(?<=i.)|(?<=i..)|i?)\w*\s+[\"'](?P<pattern>[\w|()?:^$]+)[\"']",
    r"\$(?:\w+\.)?(?:%(names)s)\s+-(?:not)?(?P<flags>match)\s+[\"'](?P<pattern>[\w|()?:^$]+)[\"']",
)


_RECASES = (
    r"(?:ascii_(?:down|up)case|\.(?:lower|upper|casefold|capitalize|title)\(|to(?:Low|Upp)erCase|,,|\^\^"
    r"|\btr\b[^\n]*(?:A-Z|upper))"
)
_CHANGED = rf"(?:%s)[^\n]{{0,40}}{_RECASES}"
# a function of any of three languages, by its name
_FUNCTION = late(
    r"(?m)^(?P<margin>[ \t]*)(?:export +)?(?:(?:async +)?(?:def|function\*?) +(?P<name>\w+)"
    r"|(?:const|let|var) +(?P<held>\w+) *=[^\n=]{0,80}(?:=>|\bfunction\b)|(?P<plain>\w+) *\(\) *\{)"
)


def looked_up_in(text: str, field: str, assigned: str) -> tuple[str, ...]:
    """The words of all lists that the field, or a variable it was put into (by `assigned`), is looked up in."""
    return tuple(dict.fromkeys(word for each in lists_of(text, field, assigned) for word in each))


def lists_of(text: str, field: str, assigned: str) -> list[list[str]]:
    """The words of each such list."""
    names = _names_of(text, field, assigned) if re.search(rf"\b{field}\b", text) else ""
    if not names or _is_recased(text, field, names):
        return []
    looks = (_written_there, _held, _clauses, _cases)
    return [words for look in looks for words in look(text, names)]


def _is_recased(text: str, field: str, names: str) -> bool:
    """Whether the letters of a field are made small or large: where it is taken, or by a function that is given it."""
    if not re.search(_RECASES, text):
        return False
    if re.search(_CHANGED % field, text) or re.search(rf"\b(?:{names})\b\s*=\s*{_CHANGED % names}", text):
        return True
    return any(
        re.search(rf"(?<![\w.]){name}(?:\(| +)[^\n]{{0,80}}?\b(?:{names})\b", text)
        for name in _recasing_functions(text)
    )


def _recasing_functions(text: str) -> Iterator[str]:
    for found in _FUNCTION.finditer(text):
        rest = text[found.end() : found.end() + _LONGEST]
        body = re.split(rf"\n(?!{found['margin']}[ \t]|\s*\n)", rest, maxsplit=1)[0]
        if re.search(_RECASES, body):
            yield found["name"] or found["held"] or found["plain"]


def _names_of(text: str, field: str, assigned: str) -> str:
    """A pattern of the names that a field is kept under, and its own."""
    kept = [found[1] for found in re.finditer(assigned, text)]
    return "|".join(map(re.escape, dict.fromkeys((*kept, field))))


def _written_there(text: str, names: str) -> list[list[str]]:
    asked = rf"\b(?:{names})\b[\"'\])]*(?:,\s*[\"']{{2}}\))?\s+(?:(?:not\s+)?in|-(?:not)?in)\s+@?{_LIST}"
    has = rf"{_LIST}\)?(?:\.(?:includes|has|indexOf)\(\s*|\s+-(?:not)?contains\s+\$)(?:\w+(?:\?\.|\.))?(?:{names})\b"
    found = [*re.findall(asked, text), *re.findall(has, text)]
    return [_WORD.findall(each) for each in found]


def _held(text: str, names: str) -> list[list[str]]:
    """Lists that have a name of their own."""
    asked = (
        rf"\b(?:{names})\b[\"'\])]*(?:,\s*[\"']{{2}}\))?\s+(?:(?:not\s+)?in|-(?:not)?in)\s+\$?(\w+)\b(?!\()"
    )
    has = rf"\b(\w+)(?:\.(?:includes|has|indexOf)\(\s*|\s+-(?:not)?contains\s+\$)(?:\w+(?:\?\.|\.))?(?:{names})\b"
    words = []
    for name in sorted({*re.findall(asked, text), *re.findall(has, text)}):
        for each in re.findall(rf"\b{name}\s*(?::[^=\n]{{1,60}})?=\s*{_LIST}", text):
            words.append(_WORD.findall(each))
    return words


def _clauses(text: str, names: str) -> list[list[str]]:
    """The patterns of a shell's `case`, where they are plain names."""
    words = []
    for found in re.finditer(rf"\bcase\s+\"?\$\{{?(?:{names})\}}?\"?\s+in\b(.*?)\besac\b", text, re.DOTALL):
        for clause in _CLAUSE.findall(" in " + found[1]):
            words.append(re.findall(r"[\w-]+", clause))
    return words


def _cases(text: str, names: str) -> list[list[str]]:
    """The words that a `switch` or a `match` waits for."""
    words = []
    opens = rf"\bswitch\s*(?:-\w+\s+)?\(\s*\$?(?:\w+\??\.)?(?:{names})\s*\)\s*\{{"
    opens = rf"{opens}|\bmatch\s+(?:{names})\s*:[ \t]*\n"
    for found in re.finditer(opens, text):
        words.append(
            [word for each in _CASE.finditer(_block(text, found)) for word in _WORD.findall(each[0])]
        )
    return words


def _block(text: str, opened: re.Match[str]) -> str:
    """What stands in the block that a bracket, or a line of Python, opens."""
    if not opened[0].endswith("{"):
        margin = re.match(r"[ \t]*", text[opened.end() :])
        return re.split(rf"\n(?!{margin[0] if margin else ''}|\s*\n)", text[opened.end() :], maxsplit=1)[0]
    depth = 1
    for each in re.finditer(r"[{}]", text[opened.end() :]):
        depth += 1 if each[0] == "{" else -1
        if not depth:
            return text[opened.end() : opened.end() + each.start()]
    return text[opened.end() :]


def sought_by_pattern(text: str, field: str, values: tuple[str, ...]) -> Iterator[str]:
    """The names in the patterns a field is tested with that are nothing but names; of one that fits values, these."""
    names = _names_of(text, field, ASSIGNED % field) if re.search(rf"\b{field}\b", text) else ""
    if not names or _is_recased(text, field, names):
        return
    for form in _PATTERNS:
        for found in re.finditer(form % {"names": names}, text):
            words = _NAMES_ALONE.fullmatch(found["pattern"].replace("(?:", "("))
            flags = re.IGNORECASE if found.groupdict().get("flags") else 0
            fitting = [each for each in values if words and re.search(found["pattern"], each, flags)]
            yield from fitting or (words[1].split("|") if words else ())


def branches(text: str) -> Iterator[list[str]]:
    """The words a script compares `tool_name` with, those of a list or a line together; none where it ends then."""
    yield from lists_of(text, "tool_name", ASSIGNED % "tool_name")
    if not re.search(r"\btool_name\b", text) or not _COMPARES.search(text):
        return
    names = _names_of(text, "tool_name", ASSIGNED % "tool_name")
    lines: dict[int, list[str]] = {}
    for found in re.finditer(_COMPARED % ("tool_name", names, names), text):
        if _is_comparison(found, text) and not _ENDS_THEN.match(text, found.end()):
            others = found[1].startswith("!")  # which belong together, on whatever line they stand
            at = -1 if others else text.count("\n", 0, found.start())
            lines.setdefault(at, []).append(found[3] or found[4])
    yield from lines.values()


def compared(text: str, field: str, *, lists: bool = False) -> tuple[str, ...]:
    """The words that a field, or its variable, is compared with; with `lists`, also beside lists it is sought in."""
    if not re.search(rf"\b{field}\b", text) or not _COMPARES.search(text):
        return ()
    names = _names_of(text, field, ASSIGNED % field)
    if (not lists and not _is_one_value(text, field)) or _is_recased(text, field, names):
        return ()
    found = (
        each for each in re.finditer(_COMPARED % (field, names, names), text) if _is_comparison(each, text)
    )
    told = dict.fromkeys(each[3] or each[4] for each in found)
    return tuple(value for value in told if not re.search(_OWN_DEFAULT % re.escape(value), text))


def _is_comparison(found: re.Match[str], text: str) -> bool:
    """Whether a word is compared there: `=`, and a word without quotes, do so in a test of a shell alone."""
    if re.search(r"\btypeof\s+[\w.?]*$", text[max(0, found.start() - 60) : found.start()]):
        return False  # its type is
    owner = _OWNER.search(text, max(0, found.start() - 60), found.start())
    if owner and _OF_OTHERS.fullmatch(owner[1]):
        return False  # what came of something that the script did
    plain = bool(found[4]) or found[1] == "="
    if found[1] == "=" and not text[found.start(1) - 1].isspace():
        return False  # it is given that value
    return not plain or bool(_IN_TEST.search(text, text.rfind("\n", 0, found.start()) + 1, found.start()))


def _is_one_value(text: str, field: str) -> bool:
    """Whether nothing else is made of the field that would change its letters, and no list is asked."""
    changed = rf"{field}[^\n]{{0,40}}(?:ascii_downcase|\.lower\(|toLowerCase|,,|test\(|startswith|in \(|in \[|in \{{)"
    return not re.search(changed, text)
