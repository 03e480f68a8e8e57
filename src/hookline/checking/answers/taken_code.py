"""Code of other languages inside of a shell script, whose output is kept, sent away or read by another program."""

from __future__ import annotations

import re
from functools import lru_cache

from hookline.checking.steps.here_documents import here_documents
from hookline.system.patterns.late import late

_PROGRAM = r"(?:\b(?:python3?|node)|\"?\$\{?\w++\}?\"?)"
_OPENS = late(rf"{_PROGRAM}(?:[ \t]++-\w++){{0,3}}?[ \t]++-[ce][ \t]++(['\"])", needs=("-c", "-e"))
_RUNS = late(rf"{_PROGRAM}(?:[ \t]++[^\s|;&<>]++){{0,9}}[ \t]*+\Z")
_DOUBLE = late(r"(?:[^\"\\]|\\.)*+\"", re.DOTALL)
_SINGLE = late(r"[^']*+'")
_GOES_ON = late(r"\\'|\"'\"|'")
_CLOSED = late(r"\$\([^()]*+\)")
_GIVEN_TO = late(r"(\w++)=\"?\Z")
_OPEN_ABOVE = late(r"\$\(\s*+\Z")
_SAYS = late(r"\b(?:echo|printf)\b[^|>;&]*+\Z")
_SENT = late(r"(?<![0-9&>])1?>>?[ \t]*+(?!&|/dev/stdout|>)|(?<!\|)\|(?!\|)")
_RECORDS = late(
    r"(?<![\w.])(?:\w+\.)?(?i:(?:log|audit|record|track|write_log|append_log)_?[a-z]\w*|\w+_(?:log|audit))\("
    r"(?:[^(){};\n]|\n(?!\s*\n)){0,120}\Z"
)
_LONGEST_HEAD = 400
_SAID = (
    r"(?m)\b(?:echo|printf)\b[^\n>|]*\$\{?%s\b(?![^\n]*(?:>(?!\s*&\s*1)|(?<!\|)\|(?!\|)))"
    r"|\bcat\b[^\n|]*<<<\s*\"?\$\{?%s\b"
)


def is_recorded(text: str, at: int) -> bool:
    """Whether what stands at a place is given to a function that keeps records: `log_event("shell", {…})`."""
    return bool(_RECORDS.search(text, max(0, at - _LONGEST_HEAD), at))


def is_taken(text: str, at: int) -> bool:
    """Whether what is printed at a place is printed by such code."""
    return any(start < at < end for start, end in _taken(text))


@lru_cache(maxsize=4)
def _taken(text: str) -> tuple[tuple[int, int], ...]:
    plain = text.replace("\\\n", "  ")
    found = []
    for opened in _OPENS.finditer(plain):
        end = _end(plain, opened.end(), opened[1])
        tail = plain[end : plain.find("\n", end) if "\n" in plain[end:] else len(plain)]
        if end > 0 and _goes_elsewhere(plain, opened.start(), tail):
            found.append((opened.end(), end))
    for each in here_documents(plain):
        head = plain[each.start : each.mark]
        if each.cat < 0 and _RUNS.search(head) and _goes_elsewhere(plain, each.mark, each.tail):
            found.append((each.mark, each.end))
    return tuple(found)


def _end(text: str, at: int, quote: str) -> int:
    """Where code in quotes ends; behind `'"'"'` of a shell it goes on. -1 where it does not end."""
    form = _SINGLE if quote == "'" else _DOUBLE
    while ends := form.match(text, at):
        on = _GOES_ON.match(text, ends.end()) if quote == "'" else None
        if on is None:
            return ends.end()
        at = ends.end() + len(on[0]) if on[0] == "'" else text.find("'", on.end()) + 1 or len(text)
    return -1


def _goes_elsewhere(text: str, at: int, tail: str) -> bool:
    """Whether what a program prints there goes into a file, to another, or into a variable that nobody prints."""
    begins = max(text.rfind("\n", 0, at) + 1, at - _LONGEST_HEAD)
    head = text[begins:at]
    if _SENT.search(tail.partition(")")[0] if "$(" in head else tail):
        return True
    above = _OPEN_ABOVE.search(text, max(0, begins - _LONGEST_HEAD), begins)
    head = f"{text[text.rfind(chr(10), 0, above.start()) + 1 : begins]}{head}" if above else head
    while (less := _CLOSED.sub("", head)) != head:
        head = less
    before, taken, _ = head.rpartition("$(")
    if not taken:
        return False
    if named := _GIVEN_TO.search(before):
        return not re.search(_SAID % (named[1], named[1]), text)
    return not _SAYS.search(before)
