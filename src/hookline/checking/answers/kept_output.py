"""Whether what a shell script prints at a place stays in the script."""

from __future__ import annotations

import re

from hookline.system.patterns.late import late

_CAPTURED = late(r"(?m)^[ \t]*(?:local[ \t]+)?(?P<name>\w+)=\"?\$\(", needs=("$(",))
_FUNCTION = late(r"(?m)^(?:function[ \t]+)?(?P<name>[\w:.-]+)[ \t]*\(\)[ \t]*\{[ \t]*$", needs=("()",))
_CALLS_BY_NAME = late(r"\beval\b|(?m:^)[ \t]*\"?\$[\w{@]")
_DEEPEST = 5


def is_kept(text: str, at: int, depth: int = 0) -> bool:
    """Whether what is printed at a place goes into a variable which the script never prints, or is of a function of
    which that is so wherever it is called."""
    if _goes_into_a_variable(text, at):
        return True
    opened = [*_FUNCTION.finditer(text, 0, at)]
    if (
        depth > _DEEPEST
        or not opened
        or -1 < text.find("\n}", opened[-1].end()) < at
        or _CALLS_BY_NAME.search(text)
    ):
        return False
    name = re.escape(opened[-1]["name"])
    calls = [
        *re.finditer(
            rf"(?<![\w:.-]){name}(?![\w:.-]|[ \t]*\(\))", re.sub(r"(?m)^[ \t]*#[^\n]*", _blank, text)
        )
    ]
    return all(is_kept(text, each.start(), depth + 1) for each in calls)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _goes_into_a_variable(text: str, at: int) -> bool:
    """Whether what is printed at a place goes into a variable which the script never prints."""
    begun = [*_CAPTURED.finditer(text, max(0, at - 1500), at)]
    between = text[begun[-1].end() : at] if begun else ""
    if not begun or between.count("(") < between.count(")"):
        return False
    name = begun[-1]["name"]
    said = rf"\b(?:echo|printf|cat)\b[^\n>|]*\$\{{?{name}\b[^\n>|]*$|<<<\s*\"?\$\{{?{name}\b"
    passed_on = rf"=\"?[^\n(]*\$\{{?{name}\b"
    return not re.search(rf"(?m){said}|{passed_on}|\$\{{?{name}\b[^\n]*\|", text)
