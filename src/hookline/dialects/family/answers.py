"""A decision in the words an agent of the family reads from its hooks, by its rows."""

from __future__ import annotations

from hookline.dialects.answering import put, say
from hookline.dialects.bridged.payloads import json_or_silence, native_input, specific_products
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.family.columns import PROMPTS, Agent
from hookline.dialects.tools import Tools
from hookline.model.events import Event
from hookline.model.results import Decision, Response, Verdict
from hookline.model.typing import Any

WORDS = {Verdict.ALLOW: "allow", Verdict.ASK: "ask"}


def family_response(
    agent: Agent, tools: Tools, rule: AgentRule, event: Event, decision: Decision
) -> Response:
    """The answer to a fitted decision; nothing at all when there is no opinion."""
    denied = decision.verdict is Verdict.DENY or (
        bool(decision.reprompt) and decision.verdict is not Verdict.HALT
    )
    reason = (decision.reprompt if "reprompt" in rule.effects else "") or decision.why
    if denied and agent.denies_by_exit and rule.exit_two == "block":
        told = "\n".join((reason, *decision.contexts, *decision.messages))
        return Response(stderr=told + "\n", exit_code=2)
    answer: dict[str, Any] = {}
    halts = decision.verdict is Verdict.HALT and rule.guards and "reprompt" not in rule.effects
    if denied or (halts and not agent.ends_alone):
        say(agent.says, rule, "deny", reason, answer)
    if decision.verdict is Verdict.HALT or (denied and decision.products.get("interrupt")):
        ended = say(agent.says, rule, "interrupt", "", answer)
        if decision.verdict is Verdict.HALT and not ended:
            say(agent.says, rule, "continue", decision.why, answer)
    if decision.verdict in WORDS:
        say(agent.says, rule, WORDS[decision.verdict], decision.reason, answer)
    _say_rest(agent, tools, rule, event, decision, answer)
    if "hookSpecificOutput" in answer:
        put(answer, "hookSpecificOutput.hookEventName", rule.native)
    if not answer and rule.plain_context and all(row.effect != "context" for row in agent.says):
        return Response(stdout="\n".join(decision.contexts))  # no key of JSON says it there
    return json_or_silence(answer)


def _say_rest(
    agent: Agent, tools: Tools, rule: AgentRule, event: Event, decision: Decision, answer: dict[str, Any]
) -> None:
    says = agent.says
    if decision.updated_input is not None and not decision.blocked:
        say(says, rule, "rewrite", _changed(tools, event, decision.updated_input), answer)
    if decision.contexts:
        say(says, rule, "context", "\n".join(decision.contexts), answer)
    if decision.messages:
        say(says, rule, "message", "\n".join(decision.messages), answer)
    for name, value in specific_products(rule, decision).items():
        if not say(says, rule, name, value, answer):
            put(answer, f"hookSpecificOutput.{name}", value)


def _changed(tools: Tools, event: Event, changed: Any) -> Any:
    if event.kind in PROMPTS:
        return str(changed.get("prompt", ""))
    return native_input(tools, event, changed)
