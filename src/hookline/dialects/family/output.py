"""What a hook of the family means by how it ended and what it printed, by its agent's columns."""

from __future__ import annotations

from hookline.dialects.answering import answer_of, things_said
from hookline.dialects.bridged.rules import PROMPT_KINDS, AgentRule
from hookline.dialects.family.columns import Agent
from hookline.dialects.json_output import (
    block,
    exit_words,
    failure_words,
    near_miss,
    snake_case,
    text_at,
    unknown_keys,
)
from hookline.model.record import replace
from hookline.model.results import SILENT, Outcome, RawResult, Verdict
from hookline.model.short_json import as_written, json_or, value_at
from hookline.model.typing import Any, Mapping

EFFECTS = frozenset(
    {"deny", "ask", "allow", "defer", "continue", "rewrite", "context", "message", "interrupt"}
)
VERDICTS: Mapping[str, Verdict] = {"allow": Verdict.ALLOW, "ask": Verdict.ASK, "defer": Verdict.DEFER}


def read_family_output(agent: Agent, rule: AgentRule, raw: RawResult) -> Outcome:
    """The outcome by the agent's own rules; time-outs and hooks that did not start say nothing."""
    if trouble := failure_words(raw):
        return Outcome(messages=(trouble,))
    effect = "" if rule.exit_two == "fails" else _effect(agent, raw)
    if effect and rule.exit_two != "block":
        return Outcome(messages=(raw.stderr.strip() or exit_words(raw),))
    if effect:
        return _ended(agent, rule, raw, effect)
    answer = answer_of(raw, raw.stderr if agent.stderr_json and not raw.stdout.strip() else None)
    text_alone = rule.plain_context and not agent.says  # there JSON is a text like any other
    if answer.json is not None and _counts(agent, raw) and not text_alone:
        found = meant(agent, rule, answer.json, raw.value is answer.json)
        if (
            "a_decision" not in agent.as_read
            or found.problem
            or found.verdict >= Verdict.DENY
            or found.reprompt
        ):
            return found
        yes = (row for row in agent.says if row.effect == "allow")
        decided = not raw.failed and any(value_at(answer.json, row.key) == row.value for row in yes)
        return found if decided else Outcome(problem=_undecided(agent, rule, raw))
    if raw.failed:
        problem = answer.problem or _undecided(agent, rule, raw)
        if raw.exit_code == 2 and rule.guards and not agent.exits:
            problem = f"exit 2 denies nothing in {agent.title}, JSON does"
        return Outcome(messages=(exit_words(raw, rule.guards and bool(agent.exits)),), problem=problem)
    return _plain(agent, rule, raw, answer.problem)


def _effect(agent: Agent, raw: RawResult) -> str:
    """What the exit code alone means."""
    if raw.http_status is not None or raw.signal or not raw.exit_code:
        return ""
    return agent.exits.get(raw.exit_code, "deny" if raw.exit_code >= agent.denies_from else "")


def _counts(agent: Agent, raw: RawResult) -> bool:
    if raw.http_status is not None:
        return 200 <= raw.http_status < 300
    return agent.json_counts != "zero" or raw.exit_code in (0, None)


def _ended(agent: Agent, rule: AgentRule, raw: RawResult, effect: str) -> Outcome:
    """A denial by exit code; by JSON too where the agent reads it there."""
    answer = answer_of(raw, raw.stderr) if agent.stderr_json else answer_of(raw)
    said = SILENT
    if answer.json is not None and (agent.stderr_json or agent.json_counts == "always"):
        said = meant(agent, rule, answer.json, False)
        if agent.stderr_json:
            return said
    text = raw.stderr.strip()
    if not text and agent.needs_words:
        return Outcome(
            problem=f"exit {raw.exit_code} without a text on stderr has no effect on {agent.title}"
        )
    if said.verdict >= Verdict.DENY:
        return said
    printed = text_at(answer.json, "reason") if answer.json and "printed_reason" in agent.as_read else ""
    reason = printed or text or agent.no_reason
    if effect == "continue" and "continue" in rule.effects:
        return Outcome(Verdict.HALT, reason)
    return replace(block(rule.effects, reason), problem=said.problem)


def _plain(agent: Agent, rule: AgentRule, raw: RawResult, problem: str) -> Outcome:
    text = raw.stdout.strip()
    if problem:
        return Outcome(problem=problem)
    if text and raw.http_status is None and rule.plain_context:
        return Outcome(contexts=(text,))
    if near := near_miss(text):
        return Outcome(problem=near)
    if text and agent.plain_is == "message":
        return Outcome(messages=(text,))
    undecided = _undecided(agent, rule, raw)
    return Outcome(problem=undecided) if undecided else SILENT


def _undecided(agent: Agent, rule: AgentRule, raw: RawResult) -> str:
    if agent.plain_is != "undecided" or not rule.guards or not raw.stdout.strip():
        return ""
    return f"what it printed is no answer {agent.title} knows; it counts as no decision"


def meant(agent: Agent, rule: AgentRule, answer: Mapping[str, Any], by_model: bool = False) -> Outcome:
    """What a JSON answer says, by the agent's rows."""
    if by_model and isinstance(answer.get("ok"), bool):
        reason = answer.get("reason")
        return (
            SILENT
            if answer["ok"]
            else block(rule.effects, reason if isinstance(reason, str) else agent.no_reason)
        )
    if agent.as_read:
        answer = _as_read(agent, answer)
    problem = _misnamed(agent, rule, answer)
    outcome = Outcome(problem=problem)
    for said in things_said(agent.says, answer, rule):
        if problem and said.key.startswith("hookSpecificOutput."):
            continue
        outcome = _with(agent, outcome, rule, said.effect, said.value)
    named = {row.effect for row in agent.says}
    found = {
        snake_case(name): value
        for name in rule.products
        if name not in named and (value := _product(answer, name)) is not None
    }
    outcome = replace(outcome, products={**outcome.products, **found}) if found else outcome
    if outcome != SILENT or problem:
        return outcome
    return Outcome(problem=strange(agent, rule, answer))


def _as_read(agent: Agent, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The answer in the words, and of the parts, that the agent reads of it."""
    specific = answer.get("hookSpecificOutput")
    if "specific_alone" in agent.as_read and isinstance(specific, dict):
        return {"hookSpecificOutput": specific}
    found = dict(answer)
    for row in agent.says:
        value = found.get(row.key)
        if not isinstance(value, str):
            continue
        if "any_case" in agent.as_read and row.value == value.lower():
            found[row.key] = row.value
        elif "text_input" in agent.as_read and row.effect == "rewrite":
            found[row.key] = json_or(value, value)
    return found


def strange(agent: Agent, rule: AgentRule, answer: Mapping[str, Any]) -> str:
    """What in an answer means nothing to the agent at this event; empty when all does, and of a yes in any words,
    which asks for what happens anyway.
    """
    from hookline.dialects.refusals import goes_on

    if agent.plain_is != "undecided" and goes_on(answer):
        return ""
    keys = {key for row in agent.says for key in (row.key, *row.words.split("|"), row.beside[0])}
    if problem := unknown(agent, answer):
        return problem
    for row in agent.says:
        if row.wants_words and row.counts_at(rule) and value_at(answer, row.key) == row.value:
            return f"`{row.key}` counts with a `{row.words}` alone"
    for key in dict.fromkeys(row.key for row in agent.says if isinstance(row.value, str)):
        if problem := unknown_word(agent, answer, key):
            return problem
    specific = answer.get("hookSpecificOutput")
    for key in specific if isinstance(specific, dict) else ():
        path = f"hookSpecificOutput.{key}"
        if key not in ("hookEventName", *rule.products) and not any(
            each == path or each.startswith(f"{path}.") for each in keys
        ):
            return f"`{key}` means nothing to {agent.title} at {rule.native}"
    return ""


def unknown(agent: Agent, answer: Mapping[str, Any]) -> str:
    """That the agent knows no key of an answer; empty when it knows one."""
    keys = {key for row in agent.says for key in (row.key, *row.words.split("|"), row.beside[0])}
    known = {key.partition(".")[0] for key in keys} | {"hookSpecificOutput", "suppressOutput"}
    return unknown_keys(answer, known, agent.title)


def unknown_word(agent: Agent, answer: Mapping[str, Any], key: str) -> str:
    """That at a key stands none of the words that the agent knows there; empty when one does, or nothing."""
    words = dict.fromkeys(row.value for row in agent.says if row.key == key)
    found = value_at(answer, key)
    if found is None or found in tuple(words):
        return ""
    return f"`{key}`: expected {', '.join(f'`{word}`' for word in words)}, found {as_written(found)}"


def _with(agent: Agent, outcome: Outcome, rule: AgentRule, effect: str, value: Any) -> Outcome:
    """The outcome with one thing more that was said; the strictest verdict stays."""
    match effect:
        case "context" if "context" in rule.effects and not isinstance(value, dict):
            text = "\n".join(str(each) for each in value) if isinstance(value, list) else value
            return replace(outcome, contexts=(*outcome.contexts, text))
        case "message":
            return replace(outcome, messages=(*outcome.messages, str(value)))
        case "rewrite":
            if rule.kind in PROMPT_KINDS and isinstance(value, str):
                value = {"prompt": value}
            changes = isinstance(value, dict) and "rewrite" in rule.effects
            return replace(outcome, updated_input=value) if changes else outcome
        case "deny" if isinstance(value, str) and outcome.verdict < Verdict.DENY and not outcome.reprompt:
            blocked = block(rule.effects, value or agent.no_reason)
            return replace(
                outcome, verdict=blocked.verdict, reason=blocked.reason, reprompt=blocked.reprompt,
                messages=(*outcome.messages, *blocked.messages),
            )  # fmt: skip
        case "continue" if "continue" in rule.effects and outcome.verdict < Verdict.HALT:
            return replace(
                outcome, verdict=Verdict.HALT, reason=value or outcome.reason or agent.no_reason, reprompt=""
            )
        case "allow" | "ask" | "defer" if effect in rule.effects and outcome.verdict < VERDICTS[effect]:
            return replace(outcome, verdict=VERDICTS[effect], reason=value)
        case "interrupt" if outcome.verdict is Verdict.DENY:
            return replace(outcome, products={**outcome.products, "interrupt": True})
        case _ if effect not in EFFECTS:
            return replace(outcome, products={**outcome.products, snake_case(effect): value})
    return outcome


def _misnamed(agent: Agent, rule: AgentRule, answer: Mapping[str, Any]) -> str:
    specific = answer.get("hookSpecificOutput")
    if not isinstance(specific, dict):
        return ""
    named = specific.get("hookEventName")
    if named is None and agent.named == "must":
        return f"`hookSpecificOutput` has no `hookEventName` (`{rule.native}`); it was ignored"
    if named is not None and named != rule.native and agent.named != "free":
        return f"`hookSpecificOutput` is for {named!r}, the event was `{rule.native}`; it was ignored"
    return ""


def _product(answer: Mapping[str, Any], name: str) -> Any:
    found = value_at(answer, f"hookSpecificOutput.{name}")
    return answer.get(name) if found is None else found
