"""What a Cursor hook means: JSON with exit 0, exit 2 denies, anything else lets go unless `failClosed`."""

from __future__ import annotations

from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.json_output import (
    OutputRules,
    block,
    exit_words,
    failure_words,
    json_answer,
    read_answer,
    text_at,
    unknown_keys,
)
from hookline.model.record import replace
from hookline.model.results import SILENT, Outcome, RawResult, Verdict
from hookline.model.typing import Any, Mapping

KEYS = frozenset(
    {
        "permission", "user_message", "agent_message", "updated_input", "continue", "additional_context", "env",
        "followup_message", "updated_mcp_tool_output", "pluginPaths", "userMessage", "agentMessage",
    }
)  # fmt: skip
CLAUDE_KEYS = frozenset({"hookSpecificOutput", "decision", "systemMessage", "stopReason"})
PERMISSIONS: Mapping[str, Verdict] = {
    "allow": Verdict.ALLOW, "ask": Verdict.ASK, "deny": Verdict.DENY,
}  # fmt: skip
DENIED = "Denied by hook"


def read_cursor_output(rule: AgentRule, raw: RawResult) -> Outcome:
    """`failClosed` is the hook's `on_failure`, which the engine applies to whatever failed."""
    if trouble := failure_words(raw):
        return Outcome(messages=(trouble,))
    answer, problem = json_answer(raw)
    if raw.exit_code == 2:
        told = text_at(answer or {}, "agent_message") or text_at(answer or {}, "user_message")
        return block(_rules(rule), raw.stderr.strip() or told or DENIED)
    if raw.failed:
        return Outcome(messages=(exit_words(raw, rule.guards),))
    if answer is not None and isinstance(answer.get("ok"), bool) and answer is raw.value:
        return SILENT if answer["ok"] else block(_rules(rule), text_at(answer, "reason") or DENIED)
    if answer is None:
        printed = raw.stdout.strip()
        return Outcome(problem=problem or "the answer is no JSON object") if printed else SILENT
    if CLAUDE_KEYS & answer.keys():
        return read_answer(answer, _rules(rule))
    return _answer(answer, rule)


def _rules(rule: AgentRule) -> OutputRules:
    return OutputRules(rule.kind.value, rule.effects, need_event_name=False)


def _answer(answer: Mapping[str, Any], rule: AgentRule) -> Outcome:
    word = answer.get("permission")
    user = text_at(answer, "user_message") or text_at(answer, "userMessage")
    agent = text_at(answer, "agent_message") or text_at(answer, "agentMessage")
    outcome = _decided(word, agent or user, rule)
    if answer.get("continue") is False and rule.native == "beforeSubmitPrompt":
        outcome = block(_rules(rule), user or DENIED)
    elif user and (user != outcome.reason):
        outcome = replace(outcome, messages=(user,))
    if "reprompt" in rule.effects and (text := text_at(answer, "followup_message")):
        outcome = block(_rules(rule), text)
    if (context := text_at(answer, "additional_context")) and "context" in rule.effects:
        outcome = replace(outcome, contexts=(context,))
    changed = answer.get("updated_input")
    if isinstance(changed, dict) and "rewrite" in rule.effects:
        outcome = replace(outcome, updated_input=changed)
    found = {key: answer[key] for key in ("env", "updated_mcp_tool_output") if key in answer}
    return replace(outcome, products=found, problem=_strange(answer, word))


def _decided(word: object, reason: str, rule: AgentRule) -> Outcome:
    verdict = PERMISSIONS.get(word, Verdict.NONE) if isinstance(word, str) else Verdict.NONE
    if verdict is Verdict.DENY:
        return block(_rules(rule), reason or DENIED)
    # `ask` is not enforced everywhere by Cursor; asking is what the hook wanted
    return Outcome(verdict, reason if verdict is Verdict.ASK else "") if rule.guards else SILENT


def _strange(answer: Mapping[str, Any], word: object) -> str:
    if word is not None and word not in PERMISSIONS:
        return f"`permission`: expected `allow`, `deny` or `ask`, found {word!r:.60}"
    return unknown_keys(answer, KEYS, "Cursor")
