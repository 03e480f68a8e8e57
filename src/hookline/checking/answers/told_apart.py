"""Scripts for several agents: what one of them says may be for another."""

from __future__ import annotations

import re

from hookline.checking.lines import HookLine
from hookline.dialects import agent_names

_OWN_SWITCH = r"\w*(?:(?:PROJECT_DIR|PLUGIN_ROOT)\b|DISABLE|ENABLE|SKIP|BLOCK|DEBUG|VERBOSE)"


def asks_who(line: HookLine, text: str) -> bool:
    """Whether a script looks for a variable that another agent sets: what it says then is not for this one."""
    others = "|".join(name.upper() for name in agent_names() if name != line.entry.speaker.name)
    return bool(re.search(rf"\b(?:{others})_(?!{_OWN_SWITCH})[A-Z]\w*", text))


def tells_apart(line: HookLine, shown: str, text: str) -> bool:
    """Whether a script asks for another agent by its name, or for what the payloads of some agents alone have.

    Of one that asks for words of the line there is only what they choose.
    """
    if shown in line.chosen:
        return False
    others = "|".join(name for name in agent_names() if name != line.entry.speaker.name)
    named = rf"===?\s*[\"'](?:{others})[\"']|(?m:^)[ \t]*\(?(?:{others})(?:[ \t]*\|[ \t]*[\w*-]+)*\)"
    return bool(re.search(rf"{named}|[\"']tool(?:Name|Args|Call)[\"']\s+in\b", text))
