"""What a Copilot hook means: before a tool every failure denies, but a time-out lets go."""

from __future__ import annotations

from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.copilot.rules import LIKE_CLAUDE
from hookline.dialects.family.columns import Agent
from hookline.dialects.family.output import meant, unknown, unknown_word
from hookline.dialects.json_output import exit_words, failure_words, json_answer
from hookline.model.events import EventKind
from hookline.model.record import replace
from hookline.model.results import SILENT, Outcome, RawResult, Verdict
from hookline.model.short_json import json_or
from hookline.model.typing import Any, Mapping


def read_copilot_output(agent: Agent, rule: AgentRule, raw: RawResult) -> Outcome:
    """By Copilot CLI's rules; lines of progress are no part of the answer."""
    raw = replace(raw, stdout=without_progress(raw.stdout))
    if raw.timed_out or raw.cancelled or (raw.http_status is not None and raw.failed):
        return Outcome(messages=(failure_words(raw) or exit_words(raw),))
    if raw.failed:
        return _failed(agent, rule, raw)
    answer, problem = json_answer(raw)
    if answer is None:
        printed = bool(raw.stdout.strip())
        return Outcome(problem=problem or "the answer is no JSON object") if printed else SILENT
    said = {
        key: value
        for key, value in answer.items()
        if key != LIKE_CLAUDE or "permissionDecision" not in answer
    }
    return replace(meant(agent, rule, said), problem=_odd(agent, answer))


def without_progress(text: str) -> str:
    """The text without `{"type": "progress", …}` lines."""
    if '"progress"' not in text:
        return text
    kept = []
    for line in text.splitlines():
        found = json_or(line) if '"progress"' in line else None
        if not (isinstance(found, dict) and found.get("type") == "progress"):
            kept.append(line)
    return "\n".join(kept)


def _failed(agent: Agent, rule: AgentRule, raw: RawResult) -> Outcome:
    said = raw.stderr.strip() or raw.stdout.strip()
    if rule.kind is EventKind.PreToolUse:
        why = failure_words(raw) or said or exit_words(raw)
        return Outcome(Verdict.DENY, why)
    if raw.exit_code == 2 and rule.kind is EventKind.PermissionRequest:
        return Outcome(Verdict.DENY, said or agent.no_reason)
    if raw.exit_code == 2 and rule.kind is EventKind.PostToolUseFailure and raw.stdout.strip():
        return Outcome(contexts=(raw.stdout.strip(),))
    return Outcome(messages=(failure_words(raw) or exit_words(raw),))


def _odd(agent: Agent, answer: Mapping[str, Any]) -> str:
    words = unknown_word(agent, answer, "permissionDecision") or unknown_word(agent, answer, "behavior")
    return words or unknown(agent, answer)
