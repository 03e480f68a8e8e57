"""A decision in the words Gemini CLI reads from its hooks."""

from __future__ import annotations

from hookline.dialects.bridged.payloads import json_or_silence, native_input, specific_products
from hookline.dialects.gemini.rules import TOOLS
from hookline.model.results import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.dialects.bridged.rules import AgentRule
    from hookline.model.events import Event
    from hookline.model.results import Decision, Response


def gemini_response(rule: AgentRule, event: Event, decision: Decision) -> Response:
    """The answer to a fitted decision; nothing at all when there is no opinion."""
    return json_or_silence(_top(rule, decision), rule.native, _specific(rule, event, decision))


def _top(rule: AgentRule, decision: Decision) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    messages = decision.messages
    match decision.verdict:
        case Verdict.ALLOW:
            answer["decision"] = "allow"
        case Verdict.ASK:
            answer["decision"] = "ask"
            messages = (*messages, decision.why)
        case Verdict.DENY:
            answer.update({"decision": "deny", "reason": decision.reprompt or decision.why})
        case Verdict.HALT:
            if rule.guards and "reprompt" not in rule.effects:
                answer.update({"decision": "deny", "reason": decision.why})
            answer.update({"continue": False, "stopReason": decision.why})
    if decision.reprompt and decision.verdict < Verdict.DENY and "reprompt" in rule.effects:
        answer.update({"decision": "deny", "reason": decision.reprompt})
    if messages:
        answer["systemMessage"] = "\n".join(messages)
    return answer


def _specific(rule: AgentRule, event: Event, decision: Decision) -> dict[str, Any]:
    specific = specific_products(rule, decision)
    if decision.contexts:
        specific["additionalContext"] = "\n".join(decision.contexts)
    if decision.updated_input is not None and not decision.blocked:
        specific["tool_input"] = native_input(TOOLS, event, decision.updated_input)
    return specific
