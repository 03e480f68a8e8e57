"""What a Cursor hook means: JSON with exit 0, exit 2 denies, anything else lets go unless `failClosed`."""

from __future__ import annotations

from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.family.columns import Agent
from hookline.dialects.family.output import meant, unknown, unknown_word
from hookline.dialects.json_output import (
    block,
    exit_words,
    failure_words,
    json_answer,
    read_answer,
    text_at,
)
from hookline.model.record import replace
from hookline.model.results import SILENT, Outcome, RawResult
from hookline.model.typing import Any, Mapping

CLAUDE_KEYS = frozenset({"hookSpecificOutput", "decision", "systemMessage", "stopReason"})


def read_cursor_output(agent: Agent, rule: AgentRule, raw: RawResult) -> Outcome:
    """`failClosed` is the hook's `on_failure`, which the engine applies to whatever failed."""
    if trouble := failure_words(raw):
        return Outcome(messages=(trouble,))
    answer, problem = json_answer(raw)
    if raw.exit_code == 2:
        told = text_at(answer or {}, "agent_message") or text_at(answer or {}, "user_message")
        return block(rule.effects, raw.stderr.strip() or told or agent.no_reason)
    if raw.failed:
        return Outcome(messages=(exit_words(raw, rule.guards),))
    if answer is not None and isinstance(answer.get("ok"), bool) and answer is raw.value:
        return SILENT if answer["ok"] else block(rule.effects, text_at(answer, "reason") or agent.no_reason)
    if answer is None:
        printed = raw.stdout.strip()
        return Outcome(problem=problem or "the answer is no JSON object") if printed else SILENT
    if CLAUDE_KEYS & answer.keys():
        return read_answer(answer, replace(rule, native=rule.kind.value), need_event_name=False)
    return _own(agent, rule, answer)


def _own(agent: Agent, rule: AgentRule, answer: Mapping[str, Any]) -> Outcome:
    """`ask` is not enforced everywhere by Cursor; asking is what the hook wanted."""
    heard = replace(rule, effects=rule.effects | {"ask"}) if rule.guards else rule
    outcome = meant(agent, heard, answer)
    messages = tuple(text for text in outcome.messages if text != outcome.reason)[:1]
    problem = unknown_word(agent, answer, "permission") or unknown(agent, answer)
    return replace(outcome, messages=messages, problem=problem)
