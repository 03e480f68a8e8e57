"""What a function looks for in its input where it did not find what is sent: it has returned that before."""

from __future__ import annotations

import re
from collections.abc import Collection

from hookline.system.patterns.late import late

_BEGINS = late(r"(?m)^[ \t]*(?:export[ \t]+)?(?:async[ \t]+)?(?:function\b|def[ \t])|=>[ \t]*\{[ \t]*$")
# what every event has, so that a look at it says nothing
_OF_ALL = frozenset({"session_id", "sessionId", "cwd", "hook_event_name", "hookEventName", "transcript_path"})
_GIVES = r"\breturn[ \t]+(?!(?:null|undefined|false|true|None|False|True)\b|[\"'`]{2}|\{\}|\[\]|\d)[^\n;]*\w"


def is_behind_a_return(name: str, sent: Collection[str], text: str) -> bool:
    """Whether wherever a script reads a field, its function read another one before, and returned what it had."""
    uses = [*re.finditer(rf"(?:\.|\.get\([\"']|\[[\"']){re.escape(name)}\b", text)]
    return bool(uses) and all(_is_second(each.start(), sent, text) for each in uses)


def _is_second(at: int, sent: Collection[str], text: str) -> bool:
    begins = [each.start() for each in _BEGINS.finditer(text, 0, at)]
    before = text[begins[-1] : at] if begins else ""
    first = min(
        (
            found.start()
            for each in set(sent) - _OF_ALL
            if (found := re.search(rf"(?:\.|[\"']){re.escape(each)}\b", before))
        ),
        default=-1,
    )
    given = re.search(_GIVES, before[first:]) if first >= 0 else None
    return given is not None and "\n" in before[first + given.end() :]
