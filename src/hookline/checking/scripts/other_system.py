"""Programs in the spelling of one system, in a script that any may run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.checking.lines import HookLine
from hookline.model.errors import Problem
from hookline.system.patterns.late import late

_OTHER_SYSTEM = (
    (
        r"\bsed\s+(?:-[A-Za-z]+\s+)*-i\s+(?:''|\"\")\s+(?:-[A-Za-z]+\s+)*(?:-[A-Za-z]*[ef]|--expression|--file)\b",
        "GNU's `sed` takes the empty word for a file, edits the others, and ends with 2",
    ),
    (
        r"\bsed\s+(?:-[A-Za-z]+\s+)*-i\s+(?:''|\"\")\s",
        "GNU's `sed` takes the empty word for its script, and fails",
    ),
    (r"\bdate\s+(?:-u\s+)?-j\b", "GNU's `date` knows no `-j`"),
    (
        r"\b(?:osascript|afplay|pbcopy|terminal-notifier)\b[\s\S]*?(?P<at>\bsed\s+-i\s+(?:-e\s+)?[\"']s\W)",
        "the `sed` of macOS, for which the script is written, takes the next word for a suffix",
    ),
)
_QUOTED = late(r"\"(?:\\.|[^\"\\])*\"|'[^']*'")
_BOTH = late(r"\bdate\s[^\n|;&$()]*(?<![\w-])(?:-d\b|--date\b)")  # one of two, each for its own system
_ASKS_SYSTEM = late(r"\buname\b|OSTYPE|\bgsed\b|[Dd]arwin|sed\s+--version")


def of_another_system(line: HookLine, shown: str, text: str) -> Iterator[Problem]:
    """A program in the spelling of one system, in a script that does not look on which it runs."""
    for pattern, why in () if _ASKS_SYSTEM.search(text) else _OTHER_SYSTEM:
        if "date" in pattern and _BOTH.search(text):
            continue
        met = (each for each in re.finditer(pattern, text) if not _is_said(text, each))
        if found := next(met, None):
            told = " ".join((found.groupdict().get("at") or found[0]).split())
            words = f"`{shown}` has `{told:.30}`, which does not run everywhere: {why}"
            hint = "write `sed -i.bak`, which both take, or ask `uname`" if "sed" in told else "ask `uname`"
            yield line.entry.at_line("other-system", words, hint)
            return


def _is_said(text: str, found: re.Match[str]) -> bool:
    """Whether it stands in a text in quotes, in which a shell runs nothing."""
    named = found.groupdict().get("at")
    at = found.start("at") if named else found.start()
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    row = text[start : end if end >= 0 else len(text)]
    return any(
        each.start() < at - start < each.end() and "$(" not in each[0] and "`" not in each[0]
        for each in _QUOTED.finditer(row)
    )
