"""What a Copilot hook means: before a tool every failure denies, but a time-out lets go."""

from __future__ import annotations

from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.json_output import (
    OutputRules,
    block,
    exit_words,
    failure_words,
    json_answer,
    snake_case,
    text_at,
    unknown_keys,
)
from hookline.model.events import EventKind
from hookline.model.record import replace
from hookline.model.results import SILENT, Outcome, RawResult, Verdict
from hookline.model.typing import Any, Mapping

KEYS = frozenset(
    {
        "permissionDecision", "permissionDecisionReason", "modifiedArgs", "behavior", "message", "interrupt",
        "additionalContext", "modifiedResult", "modifiedResponse", "modifiedTransformedPrompt", "decision",
        "reason", "suppressOutput", "modifiedPrompt", "hookSpecificOutput",
    }
)  # fmt: skip
PERMISSIONS: Mapping[str, Verdict] = {
    "allow": Verdict.ALLOW, "ask": Verdict.ASK, "deny": Verdict.DENY,
}  # fmt: skip
DENIED = "Denied by hook"


def read_copilot_output(rule: AgentRule, raw: RawResult) -> Outcome:
    """By Copilot CLI's rules; lines of progress are no part of the answer."""
    raw = replace(raw, stdout=without_progress(raw.stdout))
    if raw.timed_out or raw.cancelled or (raw.http_status is not None and raw.failed):
        return Outcome(messages=(failure_words(raw) or exit_words(raw),))
    if raw.failed:
        return _failed(rule, raw)
    answer, problem = json_answer(raw)
    if answer is None:
        printed = bool(raw.stdout.strip())
        return Outcome(problem=problem or "the answer is no JSON object") if printed else SILENT
    return replace(_answer(answer, rule), problem=_strange(answer))


def without_progress(text: str) -> str:
    """The text without `{"type": "progress", …}` lines."""
    if '"progress"' not in text:
        return text
    import json

    kept = []
    for line in text.splitlines():
        try:
            found = json.loads(line) if '"progress"' in line else None
        except (ValueError, RecursionError):
            found = None
        if not (isinstance(found, dict) and found.get("type") == "progress"):
            kept.append(line)
    return "\n".join(kept)


def _failed(rule: AgentRule, raw: RawResult) -> Outcome:
    said = raw.stderr.strip() or raw.stdout.strip()
    if rule.kind is EventKind.PreToolUse:
        why = failure_words(raw) or said or exit_words(raw)
        return Outcome(Verdict.DENY, why)
    if raw.exit_code == 2 and rule.kind is EventKind.PermissionRequest:
        return Outcome(Verdict.DENY, said or DENIED)
    if raw.exit_code == 2 and rule.kind is EventKind.PostToolUseFailure and raw.stdout.strip():
        return Outcome(contexts=(raw.stdout.strip(),))
    return Outcome(messages=(failure_words(raw) or exit_words(raw),))


def _answer(answer: Mapping[str, Any], rule: AgentRule) -> Outcome:
    outcome = SILENT
    if rule.kind is EventKind.PreToolUse:
        # Claude Code's shape denies as well (observed)
        said = answer if "permissionDecision" in answer else _specific(answer)
        outcome = _verdict(said.get("permissionDecision"), text_at(said, "permissionDecisionReason"))
    elif rule.kind is EventKind.PermissionRequest:
        outcome = _verdict(answer.get("behavior"), text_at(answer, "message"))
        if answer.get("interrupt") is True and outcome.verdict is Verdict.DENY:
            outcome = replace(outcome, products={"interrupt": True})
    elif answer.get("decision") == "block" and "deny" in rule.effects:
        outcome = block(OutputRules(rule.native, rule.effects), text_at(answer, "reason") or DENIED)
    if (context := text_at(answer, "additionalContext")) and "context" in rule.effects:
        outcome = replace(outcome, contexts=(context,))
    return _with_changes(answer, rule, outcome)


def _with_changes(answer: Mapping[str, Any], rule: AgentRule, outcome: Outcome) -> Outcome:
    changed = answer.get("modifiedArgs")
    if rule.kind is EventKind.PreToolUse and isinstance(changed, dict):
        outcome = replace(outcome, updated_input=changed)
    prompt = answer.get("modifiedTransformedPrompt")
    if rule.kind is EventKind.UserPromptSubmit:
        prompt = answer.get("modifiedPrompt")
    if rule.kind in (EventKind.UserPromptExpansion, EventKind.UserPromptSubmit) and isinstance(prompt, str):
        outcome = replace(outcome, updated_input={"prompt": prompt})
    found = {snake_case(name): answer[name] for name in rule.products if name in answer}
    return replace(outcome, products={**outcome.products, **found}) if found else outcome


def _verdict(word: object, reason: str) -> Outcome:
    verdict = PERMISSIONS.get(word, Verdict.NONE) if isinstance(word, str) else Verdict.NONE
    return Outcome(verdict, reason or DENIED if verdict is Verdict.DENY else reason if verdict else "")


def _specific(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    found = answer.get("hookSpecificOutput")
    return found if isinstance(found, dict) else {}


def _strange(answer: Mapping[str, Any]) -> str:
    for key in ("permissionDecision", "behavior"):
        if key in answer and answer[key] not in PERMISSIONS:
            return f"`{key}`: expected `allow`, `deny` or `ask`, found {answer[key]!r:.60}"
    return unknown_keys(answer, KEYS, "Copilot")
