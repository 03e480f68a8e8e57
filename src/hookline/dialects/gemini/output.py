"""What a Gemini CLI hook means by how it ended and what it printed."""

from __future__ import annotations

from hookline.dialects.json_output import (
    OutputRules,
    block,
    exit_words,
    failure_words,
    snake_case,
    text_at,
    unknown_keys,
)
from hookline.model.record import replace
from hookline.model.results import SILENT, Outcome, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.dialects.bridged.rules import AgentRule
    from hookline.model.results import RawResult

TOP_KEYS = frozenset(
    {"decision", "reason", "continue", "stopReason", "systemMessage", "suppressOutput", "hookSpecificOutput"}
)
DECISIONS: Mapping[str, Verdict] = {
    "allow": Verdict.ALLOW, "approve": Verdict.ALLOW, "ask": Verdict.ASK, "deny": Verdict.DENY,
    "block": Verdict.DENY,
}  # fmt: skip
NO_REASON = "No reason provided"


def read_gemini_output(rule: AgentRule, raw: RawResult) -> Outcome:
    """JSON decides on any exit code, from stdout or else stderr; text blocks from exit 2 upwards.

    A hook killed by a signal counts as exit 0; one that timed out or could not start says nothing.
    """
    if trouble := failure_words(raw):
        return Outcome(messages=(trouble,))
    text = raw.stdout.strip() or raw.stderr.strip()
    answer, problem = json_object(text)
    if answer is not None:
        return _answer(answer, rule)
    code = raw.exit_code or 0
    if code in (0, 1):
        told = (text,) if text and not problem else ()
        warned = (exit_words(raw, rule.guards),) if code or raw.signal else ()
        return Outcome(messages=warned or told, problem=problem)
    if not text:
        return Outcome(messages=(exit_words(raw),))
    return replace(block(OutputRules(rule.native, rule.effects), text), problem=problem)


def json_object(text: str) -> tuple[Mapping[str, Any] | None, str]:
    """The object a text is, a JSON string that holds one unwrapped; and what is wrong with a near miss."""
    import json

    text = text.removeprefix("\ufeff").strip()
    if not text.startswith(("{", '"')):
        return None, ""
    try:
        found = json.loads(text)
        found = json.loads(found) if isinstance(found, str) else found
    except (ValueError, RecursionError):
        return None, "output looks like a JSON object but is not valid JSON" if text.startswith("{") else ""
    return (found, "") if isinstance(found, dict) else (None, "")


def _answer(answer: Mapping[str, Any], rule: AgentRule) -> Outcome:
    word = answer.get("decision")
    verdict = DECISIONS.get(word, Verdict.NONE) if isinstance(word, str) else Verdict.NONE
    reason = text_at(answer, "reason")
    outcome = _decided(verdict, reason, rule)
    if answer.get("continue") is False and "continue" in rule.effects:
        told = text_at(answer, "stopReason") or reason or NO_REASON
        outcome = replace(outcome, verdict=Verdict.HALT, reason=told, reprompt="")
    message = text_at(answer, "systemMessage")
    if message and answer.get("suppressOutput") is not True:
        outcome = replace(outcome, messages=(*outcome.messages, message))
    problem = _strange(answer, word, rule)
    return replace(_with_specific(outcome, answer.get("hookSpecificOutput"), rule), problem=problem)


def _decided(verdict: Verdict, reason: str, rule: AgentRule) -> Outcome:
    if verdict is Verdict.DENY:
        return block(OutputRules(rule.native, rule.effects), reason or NO_REASON)
    if verdict and verdict.word in rule.effects:
        return Outcome(verdict, reason)
    return SILENT


def _with_specific(outcome: Outcome, specific: object, rule: AgentRule) -> Outcome:
    if not isinstance(specific, dict):
        return outcome
    context = specific.get("additionalContext")
    if isinstance(context, str) and context and "context" in rule.effects:
        outcome = replace(outcome, contexts=(context,))
    changed = specific.get("tool_input")
    if isinstance(changed, dict) and "rewrite" in rule.effects:
        outcome = replace(outcome, updated_input=changed)
    found = {snake_case(name): specific[name] for name in rule.products if name in specific}
    return replace(outcome, products=found) if found else outcome


def _strange(answer: Mapping[str, Any], word: object, rule: AgentRule) -> str:
    if problem := unknown_keys(answer, TOP_KEYS, "Gemini CLI"):
        return problem
    if word is not None and word not in DECISIONS:
        return f"`decision`: expected `allow`, `deny`, `block` or `ask`, found {word!r:.60}"
    specific = answer.get("hookSpecificOutput")
    if not isinstance(specific, dict):
        return ""
    known = {"hookEventName", "additionalContext", "tool_input", *rule.products}
    strange = [key for key in specific if key not in known]
    return f"`{strange[0]}` means nothing to Gemini CLI at {rule.native}" if strange else ""
