"""What an agent makes of an answer or an exit code, by its own dialect's reader."""

from __future__ import annotations

import json

from hookline.checking.answers.written_answers import ITS_EVENT, read_as
from hookline.checking.entries import Entry
from hookline.dialects import dialect
from hookline.dialects.refusals import REJECTS, says_no
from hookline.model.events import event_from_payload
from hookline.model.record import replace
from hookline.model.results import Outcome, RawResult, Verdict
from hookline.model.typing import Any

# answers that say something to somebody, where they are read
_TELLS: tuple[dict[str, Any], ...] = (
    {"systemMessage": "x"}, {"user_message": "x"},
    {"hookSpecificOutput": {"hookEventName": "EVENT", "additionalContext": "x"}},
    {"additionalContext": "x"}, {"additional_context": "x"}, {"contextModification": "x"}, {"followup_message": "x"},
    {"decision": "block", "reason": "x"}, {"decision": "deny", "reason": "x"},
    {"permission": "deny", "user_message": "x"}, {"cancel": True, "errorMessage": "x"},
)  # fmt: skip
EARLIER = "guard an event before it happens"


def outcome_of(entry: Entry, printed: str, stderr: bool = False) -> Outcome:
    """What comes of these words on standard output, or on standard error, with exit code 0."""
    raw = (
        RawResult(exit_code=0, stderr=printed)
        if stderr
        else RawResult(exit_code=0, stdout=printed, answer=printed)
    )
    return heard(entry, raw)


def heard(entry: Entry, raw: RawResult) -> Outcome:
    """What comes of an end like this one."""
    named = {
        key: text.replace(ITS_EVENT, entry.spec.native_event)
        for key in ("stdout", "stderr", "answer")
        if ITS_EVENT in (text := getattr(raw, key))
    }
    raw = replace(raw, **named) if named else raw
    given: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "prompt": "x"}
    event = event_from_payload(entry.spec.kind, given, session_id="s", cwd="/", workspace="/", at=0.0)
    return dialect(entry.speaker.name).read_output(event, entry.spec, raw)


def acts(outcome: Outcome) -> bool:
    """Whether something comes of it: a refusal, a goal to go on, or words for the model."""
    return outcome.verdict not in (Verdict.NONE, Verdict.ALLOW) or bool(outcome.reprompt or outcome.contexts)


def documented(entry: Entry, value: dict[str, Any]) -> dict[str, Any]:
    """An answer without keys that hookline understands and the agent is not known to."""
    return {key: value[key] for key in value if not instead_of(entry, key)}


def instead_of(entry: Entry, key: str) -> str:
    """What to write for a key that hookline understands and the agent's documentation does not name there."""
    hearsay = entry.traps.hearsay
    return hearsay.get(key) or hearsay.get(f"{entry.spec.native_event}.{key}", "")


def is_answered(entry: Entry, value: dict[str, Any], stderr: bool = False) -> bool:
    """Whether something comes of an answer, or of what is left of it without one key."""
    known = documented(entry, value)
    parts = [known, *({key: known[key] for key in known if key != left} for left in known)]
    return any(
        acts(outcome) and not outcome.problem
        for part in parts
        if refusal_in(part)
        for each in read_as(part)
        for outcome in [outcome_of(entry, json.dumps(each), stderr)]
    )


def refusal_in(found: Any, printed: bool = True) -> str:
    """The part of an object that refuses, as it stands in the text."""
    for key, value in found.items() if isinstance(found, dict) else ():
        if says_no(key, value, printed):
            return f'"{key}": {json.dumps(value)}'
        if isinstance(value, dict) and key == REJECTS:
            return f'"{key}": {{…}}'
        if isinstance(value, dict) and (inner := refusal_in(value, printed)):
            return inner
    return ""


def is_whole(entry: Entry, value: dict[str, Any]) -> bool:
    """Whether an answer refuses, and that is heard."""
    return bool(refusal_in(value)) and is_answered(entry, value)


def how_to_refuse(entry: Entry) -> str:
    """What to do for a no to be one at the event of a hook."""
    by_2 = acts(heard(entry, RawResult(exit_code=2, stderr="no")))
    return "end with 2, the reason on standard error" if by_2 else instead_of_2(entry)


def how_to_tell(entry: Entry) -> str:
    """What to do for words to be read, where plain ones are not."""
    told = what_is_read(entry)
    return told if told.startswith("nothing") else f"answer in JSON: {told}"


def what_is_read(entry: Entry) -> str:
    """Where it stands what is read at the event of a hook, or that nothing is."""
    for form in filter(None, (documented(entry, each) for each in _TELLS)):
        outcome = outcome_of(entry, json.dumps(form).replace("EVENT", entry.spec.native_event))
        if (acts(outcome) or outcome.messages) and not outcome.problem:
            return f"`hookline docs {entry.speaker.name}` has what it reads"
    return f"nothing is read there: `hookline docs {entry.speaker.name}` has the events whose output is"


def instead_of_2(entry: Entry) -> str:
    """What the agent reads as a no at the event of a hook, where it reads any."""
    why = {"permissionDecision": "deny", "permissionDecisionReason": "…"}
    plain: tuple[dict[str, Any], ...] = (
        {"decision": "deny", "reason": "…"}, {"decision": "block", "reason": "…"},
        {"permission": "deny", "reason": "…"}, {"cancel": True, "errorMessage": "…"},
        {"hookSpecificOutput": {"hookEventName": entry.spec.native_event, **why}}, {"followup_message": "…"},
    )  # fmt: skip
    for answer in plain:
        text = json.dumps(answer, ensure_ascii=False)
        if acts(outcome := outcome_of(entry, text)) and not outcome.problem:
            return f"print `{text}` and end with 0"
    return EARLIER
