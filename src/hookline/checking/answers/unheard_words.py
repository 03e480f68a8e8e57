"""Words in an answer that nobody reads: under a key the agent does not know, or beside the object they belong into."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hookline.checking.answers.for_the_person import for_the_person
from hookline.checking.answers.heard import acts, outcome_of, refusal_in, what_is_read
from hookline.checking.answers.written_answers import Written, filled_in
from hookline.checking.fields.never_sent import started_too
from hookline.checking.lines import HookLine
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.model.record import replace
from hookline.model.results import Outcome, Verdict
from hookline.model.typing import Any

# What people call the words of an answer, where the agent has another name for them.
_WORDS = frozenset({
    "message", "msg", "text", "content", "context", "feedback", "output", "note", "warning", "info", "details",
    "suggestion", "hint", "additionalContext", "additional_context", "user_message", "agent_message", "userMessage",
    "description", "stopReason", "contextModification",
})  # fmt: skip
# with nothing else
_ALONE = frozenset({
    "feedback", "message", "warning", "note", "hint", "suggestion", "context", "agent_message", "agentMessage",
    "user_message", "userMessage",
})  # fmt: skip
_OF_ANSWERS = frozenset({
    "continue", "decision", "suppressOutput", "permission", "permissionDecision", "stopReason", "hookSpecificOutput",
    "cancel", "approve", "approved",
})  # fmt: skip
# what stands inside of `hookSpecificOutput` somewhere; what is wrong about it is told elsewhere
_KNOWN = frozenset({"additionalContext", "decision", "reason", "permission", "action", "content", "clearContext"}) | {
    "permissionDecision", "permissionDecisionReason", "updatedInput", "tool_input", "updatedMCPToolOutput",
    "worktreePath", "watchPaths", "updatedToolOutput", "retry", "initialUserMessage", "llm_request", "llm_response",
    "toolConfig",
}  # fmt: skip
_WITHOUT_DECISION = frozenset({"reason", "continue", "suppressOutput"})
_AFTER = (EventKind.PostToolUse, EventKind.Stop, EventKind.SubagentStop)
_CONTEXT = "additionalContext"
_SNAKE = "additional_context"
_TO_THE_PERSON = "user_message"  # which says nothing to the model


def unheard_words(line: HookLine, where: str, text: str, answers: list[Written]) -> Iterator[Problem]:
    """At most one finding: what an answer that is printed says, and the agent passes over."""
    values = [each.value for each in answers if each.printed]
    told = _misplaced(line, where, values) or _unknown(line, where, values)
    yield from told or for_the_person(line, where, text, answers)


def _misplaced(line: HookLine, where: str, values: list[dict[str, Any]]) -> list[Problem]:
    """Words for the model in the shape of another agent's answers."""
    title, event = line.entry.speaker.title, line.entry.spec.native_event
    inner = {"hookSpecificOutput": {"hookEventName": event, _CONTEXT: "x"}}
    left = [value for value in values if _CONTEXT in value and _CONTEXT not in _inside(value)]
    if left and not _heard(line, {_CONTEXT: "x"}) and _heard(line, inner):
        words = f"{where} answers with `{_CONTEXT}` and without `hookSpecificOutput`, so {title} drops it"
        hint = f'write `{{"hookSpecificOutput": {{"hookEventName": "{event}", "{_CONTEXT}": …}}}}`'
        return [line.entry.at_line("wrong-answer", words, hint)]
    nested = [value for value in values if _CONTEXT in _inside(value)]
    if any(_CONTEXT in value or _SNAKE in value for value in values) or not nested or _heard(line, inner):
        return []
    if right := next((key for key in (_CONTEXT, _SNAKE) if _heard(line, {key: "x"})), ""):
        words = f"{where} answers with `{_CONTEXT}` inside of `hookSpecificOutput`, where {title} does not look for it"
        return [line.entry.at_line("wrong-answer", words, f'write `{{"{right}": …}}`')]
    return []


def _unknown(line: HookLine, where: str, values: list[dict[str, Any]]) -> list[Problem]:
    """Words under a key of which nothing comes, in an answer that says nothing else in words."""
    title, event = line.entry.speaker.title, line.entry.spec.native_event
    docs = what_is_read(line.entry)
    for value in values:
        inside = [key for key in _inside(value) if key != "hookEventName"]
        if (
            len(value) == 1
            and inside
            and _KNOWN.isdisjoint(inside)
            and _outcomes(line, value) == _outcomes(line, {})
        ):
            words = f"{where} answers with `{inside[0]}`, which says nothing in {title} at `{event}`"
            return [line.entry.at_line("wrong-answer", words, docs)]
        lets = value.get("decision") in ("approve", "allow") and value.get("reason")
        if lets and line.entry.spec.kind in _AFTER and not any(map(_reaches, _outcomes(line, value))):
            words = f"{where} answers `{value['decision']}` with a `reason`, which nobody reads at `{event}`"
            return [line.entry.at_line("unread-output", words, docs)]
        alone = {"reason"} <= value.keys() <= _WITHOUT_DECISION and value.get("continue", True) is True
        decided = any("ecision" in text for _, _, text in line.texts)  # in another branch, or later
        if alone and not decided and not any(_speaks(each) for each in _outcomes(line, value)):
            words = f"{where} answers with `reason` and without `decision`, which says nothing in {title} at `{event}`"
            return [line.entry.at_line("wrong-answer", words, docs)]
        known = _WORDS | {"reason"} if any(map(_refuses, _outcomes(line, value))) else _WORDS
        said = (
            value.keys() & _OF_ANSWERS
            or value.keys() <= _ALONE
            or {_SNAKE} < value.keys()
            or {_CONTEXT} < value.keys()
        )
        if docs.startswith("nothing"):  # at such an event no report is one for another reader either
            said = said or value.keys() & _ALONE
        for key in sorted(value.keys() & known) if said else ():
            rest = {name: each for name, each in value.items() if name != key}
            if (
                value[key] != ""
                and _outcomes(line, value) == (without := _outcomes(line, rest))
                and not any(
                    _speaks(each) and each.reason in json.dumps(rest, default=lambda _: "x")
                    for each in (() if key == _SNAKE and _TO_THE_PERSON in rest else without)
                )
                and not _is_for_elsewhere(line, where, value)
            ):
                words = f"{where} answers with `{key}`, which says nothing in {title} at `{event}`"
                return [line.entry.at_line("wrong-answer", words, docs)]
    return []


def _is_for_elsewhere(line: HookLine, where: str, value: dict[str, Any]) -> bool:
    """Whether an answer denies where nothing can be denied: for another event, at which the script is started too."""
    if not refusal_in(value) or any(map(_refuses, _outcomes(line, value))):
        return False
    others = (HookLine(each, line.workspace, line.home) for each in started_too(line, where.strip("`")))
    return any(_refuses(each) for other in others for each in _outcomes(other, value))


def _inside(value: dict[str, Any]) -> list[str]:
    """The names in the object that Claude Code's answers have inside."""
    inner = value.get("hookSpecificOutput")
    return list(inner) if isinstance(inner, dict) else []


def _refuses(outcome: Outcome) -> bool:
    return outcome.verdict in (Verdict.DENY, Verdict.ASK)


def _reaches(outcome: Outcome) -> bool:
    return bool(outcome.contexts or outcome.messages)


def _heard(line: HookLine, value: dict[str, Any]) -> bool:
    other = line.entry.also_read_by
    readers = (line.entry, *([line.entry.read_by(other)] if other else ()))
    return any(acts(outcome_of(each, json.dumps(value))) for each in readers)


def _outcomes(line: HookLine, value: dict[str, Any]) -> list[Outcome]:
    found = (outcome_of(line.entry, json.dumps(each)) for each in filled_in(value))
    return [replace(each, problem="") for each in found]


def _speaks(outcome: Outcome) -> bool:
    return bool(outcome.reason or outcome.contexts or outcome.messages or outcome.reprompt)
