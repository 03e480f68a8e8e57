"""What a Gemini CLI hook means by how it ended and what it printed."""

from __future__ import annotations

from hookline.dialects.answering import answer_of
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.family.columns import Agent
from hookline.dialects.family.output import meant, strange
from hookline.dialects.json_output import block, exit_words, failure_words
from hookline.model.record import replace
from hookline.model.results import Outcome, RawResult
from hookline.model.short_json import json_or


def read_gemini_output(agent: Agent, rule: AgentRule, raw: RawResult) -> Outcome:
    """JSON decides on any exit code, from stdout or else stderr; text blocks from exit 2 upwards.

    A hook killed by a signal counts as exit 0; one that timed out or could not start says nothing.
    """
    if trouble := failure_words(raw):
        return Outcome(messages=(trouble,))
    text = raw.stdout.strip() or raw.stderr.strip()
    answer = answer_of(raw, _unquoted(text))
    if answer.json is not None:
        hushed = "systemMessage" if answer.json.get("suppressOutput") is True else ""
        said = {key: value for key, value in answer.json.items() if key != hushed}
        return replace(meant(agent, rule, said), problem=strange(agent, rule, answer.json))
    code = raw.exit_code or 0
    if code in (0, 1):
        told = (text,) if text and not answer.problem else ()
        warned = (exit_words(raw, rule.guards),) if code or raw.signal else ()
        return Outcome(messages=warned or told, problem=answer.problem)
    if not text:
        return Outcome(messages=(exit_words(raw),))
    return replace(block(rule.effects, text), problem=answer.problem)


def _unquoted(text: str) -> str:
    """The text, or what it holds when it is a JSON string."""
    found = json_or(text) if text.startswith('"') else text
    return found if isinstance(found, str) else text
