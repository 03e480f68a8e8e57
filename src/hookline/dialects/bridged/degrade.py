"""What a host cannot express becomes the next stricter thing it can, and we say so."""

from __future__ import annotations

from hookline.model.events import Event, EventKind
from hookline.model.record import replace
from hookline.model.results import DENIED, Decision, Verdict
from hookline.model.typing import TYPE_CHECKING, Iterator

if TYPE_CHECKING:
    from hookline.dialects.bridged.rules import AgentRule

ANSWERED_OTHERWISE = frozenset({"failed", "interrupt", "updated_permissions"})
ABOUT_PERMISSION = frozenset({EventKind.PreToolUse, EventKind.PermissionRequest})


def fit(title: str, rule: AgentRule, event: Event, decision: Decision) -> tuple[Decision, tuple[str, ...]]:
    """The decision as the agent called `title` can carry it out at this event, and what had to change.

    Never weaker while the event can be blocked at all. Fitting a fitted decision changes nothing.
    """
    notes: list[str] = []
    at = f"{title} at {rule.native}"
    decision = _fit_rewrite(at, rule, decision, notes)
    decision = _fit_verdict(at, rule, decision, notes)
    decision = _fit_reprompt(at, rule, decision, notes)
    notes.extend(_lost_products(at, rule, decision))
    return _fit_texts(at, rule, decision, notes), tuple(notes)


def _fit_rewrite(at: str, rule: AgentRule, decision: Decision, notes: list[str]) -> Decision:
    if decision.updated_input is None:
        return decision
    if decision.blocked:  # what does not happen is not changed, also where a denial is only told
        return replace(decision, updated_input=None)
    possible = "rewrite" in rule.effects
    if possible and not (rule.rewrite_allows and decision.verdict is not Verdict.ALLOW):
        return decision
    why = (
        f"{at} cannot change the input"
        if not possible
        else f"{at} can change the input only when it approves"
    )
    if rule.effects.isdisjoint(("deny", "continue")):
        notes.append(f"{why}; the change was dropped")
        return replace(decision, updated_input=None)
    notes.append(f"{why}; the call is denied instead")
    reason = decision.reason or f"a hook changed the input, and {why}"
    return replace(decision, verdict=Verdict.DENY, reason=reason, updated_input=None)


def _fit_verdict(at: str, rule: AgentRule, decision: Decision, notes: list[str]) -> Decision:
    wanted = decision.verdict
    if wanted is Verdict.HALT and "reprompt" in rule.effects and "continue" not in rule.effects:
        # a denied stop would make the agent go on, which is the opposite
        return replace(decision, verdict=Verdict.NONE, reason="", reprompt=None)
    for verdict, effect in _LADDER[wanted]:
        if effect in rule.effects:
            if verdict is not wanted:
                notes.append(f"{at} has no `{wanted.word}`; sent as `{verdict.word}`")
                decision = replace(decision, verdict=verdict, reason=decision.why)
            return decision
    if wanted is Verdict.NONE:
        return decision
    if wanted is Verdict.ALLOW and rule.kind not in ABOUT_PERMISSION:
        return replace(decision, verdict=Verdict.NONE, reason="")
    if wanted is Verdict.ALLOW:
        notes.append(f"{at} cannot skip its own permission rules; `allow` was sent as no opinion")
        return replace(decision, verdict=Verdict.NONE, reason="")
    notes.append(f"{at} cannot block; `{wanted.word}` was only reported: {decision.why}")
    told = (*decision.messages, decision.why)
    return replace(decision, verdict=Verdict.NONE, reason="", messages=told)


def _fit_reprompt(at: str, rule: AgentRule, decision: Decision, notes: list[str]) -> Decision:
    if not decision.reprompt or "reprompt" in rule.effects:
        return decision
    if decision.blocked:  # what the agent should do is told with the reason
        told = decision.reason if decision.reprompt in decision.reason else ""
        told = told or "\n".join(filter(None, (decision.reason, decision.reprompt)))
        return replace(decision, reason=told, reprompt=None)
    if rule.feedback and "deny" in rule.effects:
        return replace(decision, verdict=Verdict.DENY, reason=decision.reason or decision.reprompt)
    notes.append(f"{at} cannot be told to go on; the instruction was dropped")
    return replace(decision, reprompt=None)


def _fit_texts(at: str, rule: AgentRule, decision: Decision, notes: list[str]) -> Decision:
    if decision.contexts and "context" not in rule.effects:
        if decision.verdict is Verdict.DENY:
            told = "\n".join((decision.reason or DENIED, *decision.contexts))
            decision = replace(decision, reason=told, contexts=())
        else:
            notes.append(f"{at} takes no text for the model; {_count(decision.contexts)} dropped")
            decision = replace(decision, contexts=())
    if decision.messages and "message" not in rule.effects:
        notes.append(f"{at} takes no text for the user; {_count(decision.messages)} dropped")
        decision = replace(decision, messages=())
    return decision


def _lost_products(at: str, rule: AgentRule, decision: Decision) -> Iterator[str]:
    """What hooks asked for that this agent's answer has no key for; a permission's details go another way."""
    if not decision.products:
        return
    from hookline.dialects.json_output import snake_case

    known = {snake_case(name) for name in rule.products} | ANSWERED_OTHERWISE
    for name in decision.products:
        if name not in known:
            yield f"{at} has no `{name}`; it was dropped"


def _count(texts: tuple[str, ...]) -> str:
    return "it was" if len(texts) == 1 else f"{len(texts)} were"


_DENY = ((Verdict.DENY, "deny"), (Verdict.HALT, "continue"))
_LADDER: dict[Verdict, tuple[tuple[Verdict, str], ...]] = {
    Verdict.NONE: (),
    Verdict.ALLOW: ((Verdict.ALLOW, "allow"),),
    Verdict.ASK: ((Verdict.ASK, "ask"), *_DENY),
    Verdict.DEFER: ((Verdict.DEFER, "defer"), *_DENY),
    Verdict.DENY: _DENY,
    # a halt that cannot be sent is at least a denial
    Verdict.HALT: ((Verdict.HALT, "continue"), (Verdict.DENY, "deny")),
}
