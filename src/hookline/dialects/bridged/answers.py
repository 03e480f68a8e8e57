"""A fitted decision in the words that an agent reads from its hooks, by its rows (`Says`)."""

from __future__ import annotations

from hookline.dialects.answering import Says, put, say
from hookline.dialects.bridged.payloads import json_or_silence, native_input, specific_products
from hookline.dialects.bridged.rules import PROMPT_KINDS, AgentRule
from hookline.dialects.tools import Tools
from hookline.model.events import Event
from hookline.model.results import Decision, Response, Verdict
from hookline.model.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hookline.dialects.family.columns import Agent

WORDS = {Verdict.ALLOW: "allow", Verdict.ASK: "ask", Verdict.DEFER: "defer"}


def family_response(
    agent: Agent, tools: Tools, rule: AgentRule, event: Event, decision: Decision
) -> Response:
    """The answer to a fitted decision; nothing at all when there is no opinion."""
    if is_denied(decision) and agent.denies_by_exit and rule.exit_two == "block":
        told = "\n".join((_reason(decision), *decision.contexts, *decision.messages))
        return Response(stderr=told + "\n", exit_code=2)
    answer = said_by_rows(agent.says, tools, rule, event, decision, agent.ends_alone)
    if "hookSpecificOutput" in answer:
        put(answer, "hookSpecificOutput.hookEventName", rule.native)
    if not answer and rule.plain_context and all(row.effect != "context" for row in agent.says):
        return Response(stdout="\n".join(decision.contexts))  # no key of JSON says it there
    return json_or_silence(answer)


def is_denied(decision: Decision) -> bool:
    return decision.verdict is Verdict.DENY or (
        bool(decision.reprompt) and decision.verdict is not Verdict.HALT
    )


def said_by_rows(
    says: tuple[Says, ...], tools: Tools, rule: AgentRule, event: Event, decision: Decision, ends_alone: bool
) -> dict[str, Any]:
    """All of a fitted decision that the rows have a key for at this event."""
    answer: dict[str, Any] = {}
    denied, halts = is_denied(decision), decision.verdict is Verdict.HALT
    if denied or (halts and rule.guards and "reprompt" not in rule.effects and not ends_alone):
        say(says, rule, "deny", _reason(decision), answer)
    if halts or (denied and decision.products.get("interrupt")):
        ended = say(says, rule, "interrupt", "", answer)
        if halts and not ended:
            say(says, rule, "continue", decision.why, answer)
    if decision.verdict in WORDS:
        say(says, rule, WORDS[decision.verdict], decision.reason, answer)
    if decision.updated_input is not None and not decision.blocked:
        say(says, rule, "rewrite", _changed(tools, event, decision.updated_input), answer)
    if decision.contexts:
        say(says, rule, "context", "\n".join(decision.contexts), answer)
    if decision.messages:
        say(says, rule, "message", "\n".join(decision.messages), answer)
    for name, value in specific_products(rule, decision).items():
        if not say(says, rule, name, value, answer):
            put(answer, f"hookSpecificOutput.{name}", value)
    return answer


def _reason(decision: Decision) -> str:
    """Why it is denied; where the agent is sent on, what it should do."""
    sent_on = decision.reprompt or ""
    return decision.why if sent_on in decision.reason else sent_on


def _changed(tools: Tools, event: Event, changed: Any) -> Any:
    if event.kind in PROMPT_KINDS:
        return str(changed.get("prompt", ""))
    return native_input(tools, event, changed)
