"""Fields that every call of a hook has: who looks for one of them in the input finds it."""

from __future__ import annotations

import json

from hookline.checking.fields.field_rules import payload_of
from hookline.checking.fields.unsent_values import CALLS
from hookline.checking.files.dead_matchers import names_in
from hookline.checking.lines import HookLine
from hookline.system.patterns.late import late

_FIELD = late(r"\\?\"(\w+)\\?\"(?:\[\[:space:\]\][*+]?|\\s[*+]|[ ]\*?)?:", needs=('"',))


def finds_what_is_sent(line: HookLine, run: str) -> bool:
    """Whether what a line looks for is nothing but fields, by their names in quotes, that each call of the hook has."""
    sought, entry = _FIELD.findall(run), line.entry
    if not sought or entry.rule is None:
        return False
    named = {entry.speaker.tools.canonical(each) for each in names_in(entry.spec.matcher)}
    tools = named if named and named <= CALLS.keys() else CALLS.keys()
    calls = [{"tool_name": tool, "tool_input": dict(CALLS[tool])} for tool in tools]
    given = calls if entry.rule.subject == "tool_name" else [{}]
    sent = (payload_of(entry.speaker.name, entry.spec.native_event, entry.spec.kind, each) for each in given)
    return all(f'"{name}":' in written for written in map(json.dumps, sent) for name in sought)
