"""Instructions for the model under a key that only the person sees."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from hookline.checking.answers.heard import acts, outcome_of
from hookline.checking.answers.written_answers import UNKNOWN, Written
from hookline.checking.lines import HookLine
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.system.patterns.late import late

_FOR_THE_MODEL = (EventKind.SessionStart, EventKind.UserPromptSubmit, EventKind.SubagentStart)
_KEY = "systemMessage"
_BESIDE = frozenset({_KEY, "continue", "suppressOutput"})
_INSTRUCTS = late(
    r"(?i:\byou (?:must|should|have to|are to)\b|\b(?:before|when) you (?:edit|begin|start|write|commit)\b"
    r"|\bmake sure\b)|(?:^|[.!:;\n\"'`][ \t]*|\\n|- )(?:[A-Z]\w+ )?"
    r"(?:Follow|Read|Load|Check|Review|Consult|Resume|Remember|Always|Never|Do not|Use)"
    r" (?:the|your|to|all|it|from|[\w/.-]+\.(?:md|txt|json))\b"
)
_NAMED = late(r"systemMessage\\?[\"']?\s*[:=]\s*(?:\$\{?)?(?P<name>[A-Za-z_]\w*)")
_NAMES = ("system_message", "systemMessage", "message", "msg")
_TEXT = (
    r"(?<![\w.])\$?%s\s*\+?=\s*\(?\s*[fr]?(?P<quote>[\"'`])(?P<words>(?:\\.|(?!(?P=quote))[\s\S]){1,1200})"
)


def for_the_person(line: HookLine, where: str, text: str, answers: list[Written]) -> Iterator[Problem]:
    """The first such answer of a script, at an event where the model would be told by another key."""
    entry = line.entry
    if entry.spec.kind not in _FOR_THE_MODEL or "context" not in (entry.rule.effects if entry.rule else ()):
        return
    if outcome_of(entry, json.dumps({_KEY: "x"})).contexts:
        return
    inner = {"hookEventName": entry.spec.native_event, "additionalContext": "x"}
    forms = ({"hookSpecificOutput": inner}, {"additionalContext": "x"}, {"additional_context": "x"})
    right = next((each for each in forms if acts(outcome_of(entry, json.dumps(each)))), None)
    for each in answers if right else ():
        alone = each.printed and _KEY in each.value and each.value.keys() <= _BESIDE
        found = next(filter(None, map(_INSTRUCTS.search, _texts(each, text))), None) if alone else None
        if found:
            said = found[0].strip(" \n.:;!\"'`\\n-")
            words = (
                f"{where} tells the model what to do (`{said:.40}`) in `{_KEY}`, which the person alone sees"
            )
            form = json.dumps(right).replace('"x"', "…")
            yield entry.at_line("unread-output", words, f"write `{form}`")
            return


def _texts(answer: Written, text: str) -> Iterator[str]:
    """What may stand under the key: its text, or what is put into the variable that stands there."""
    said = answer.value[_KEY]
    if isinstance(said, str):
        yield said
    elif said is UNKNOWN:
        named = _NAMED.search(text, answer.at, answer.end)
        for name in dict.fromkeys((*([named["name"]] if named else ()), *_NAMES)):
            yield from (found["words"] for found in re.finditer(_TEXT % name, text))
