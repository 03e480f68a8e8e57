"""Whether words of a hook arrive anywhere, by the stream they are printed on and the code it ends with."""

from __future__ import annotations

import json

from hookline.checking.answers.heard import heard
from hookline.checking.answers.written_answers import spoken_first
from hookline.checking.lines import HookLine
from hookline.model.record import replace
from hookline.model.results import RawResult

WHY = "why it is so"


def hears(line: HookLine, code: int, on_stderr: bool, answers: bool = False) -> bool:
    """Whether words on this stream arrive anywhere when the hook ends with this code, and `answers` nothing in JSON."""
    if shows_output(line):
        return True
    empty = {"stdout": "{}", "answer": "{}"} if answers else {}
    printed = {"stderr": WHY, **empty} if on_stderr else {"stdout": WHY, "answer": WHY}
    outcome = heard(line.entry, RawResult(exit_code=code, **printed))  # type: ignore[arg-type]  # texts alone
    told = tuple(each for each in outcome.messages if not each.startswith("hook failed"))
    return WHY in repr(replace(outcome, problem="", messages=told)) or bool(outcome.problem and spoils(line))


def shows_output(line: HookLine) -> bool:
    """Whether an entry says that the person is shown what it prints."""
    members = line.entry.node.members if line.entry.node else {}
    return any(key.startswith("show") and node.value is True for key, node in members.items())


def spoils(line: HookLine) -> bool:
    """Whether plain words are a fault that is told of by `unread_answers`."""
    effects = line.entry.rule and line.entry.rule.effects
    return bool(effects) and any(spoken_first(text) for _, _, text in line.texts[1:])


def hears_answer(line: HookLine) -> bool:
    """Whether a reason in JSON arrives beside exit code 2."""
    inner = {"permissionDecision": "deny", "permissionDecisionReason": WHY}
    inner["hookEventName"] = line.entry.spec.native_event
    for form in (
        {"decision": "deny", "reason": WHY},
        {"decision": "block", "reason": WHY},
        {"hookSpecificOutput": inner},
    ):
        printed = json.dumps(form)
        if WHY in repr(heard(line.entry, RawResult(exit_code=2, stdout=printed, answer=printed))):
            return True
    return False
