"""What a hook meant by its exit code and its JSON, as Claude Code defined it and others copied it."""

from __future__ import annotations

from hookline.dialects.answering import answer_of, wide_letters
from hookline.model.record import replace
from hookline.model.results import SILENT, Outcome, RawResult, Verdict
from hookline.model.short_json import as_written, value_at
from hookline.model.typing import TYPE_CHECKING, Any, Iterable, Mapping

if TYPE_CHECKING:
    from hookline.dialects.base import EventRule

DECISIONS: Mapping[str, Verdict] = {
    "allow": Verdict.ALLOW,
    "ask": Verdict.ASK,
    "defer": Verdict.DEFER,
    "deny": Verdict.DENY,
}
VERDICT_EFFECTS: Mapping[Verdict, str] = {
    Verdict.ALLOW: "allow",
    Verdict.ASK: "ask",
    Verdict.DEFER: "deny",
    Verdict.DENY: "deny",
}
EXIT_2_REASON = "Blocked by hook (exit 2, nothing on stderr)"
JSON_REASON = "Blocked by hook"


def read_hook_output(
    raw: RawResult,
    rule: EventRule,
    *,
    top_allows: bool = True,
    exit_2_reason: str = EXIT_2_REASON,
    unheard: frozenset[str] = frozenset(),
) -> Outcome:
    """The outcome of a command, webhook, model question or callback, by Claude Code's table.

    Exit 2 blocks and no JSON undoes it; JSON counts next; another failure is told to the user and
    changes nothing, and so are time-outs (whatever was printed before) and hooks that did not start. A block becomes a
    denial where the event has `deny`, goes back to the agent with `reprompt`, else it is only shown to the user.
    """
    if trouble := failure_words(raw):
        return Outcome(messages=(trouble,))
    answer, problem = json_answer(raw)
    if answer is not None and isinstance(answer.get("ok"), bool) and answer is raw.value:
        return _model_answer(answer, rule)
    counts = raw.http_status is None or 200 <= raw.http_status < 300
    said = None
    if answer is not None and counts:
        said = read_answer(answer, rule, top_allows=top_allows, unheard=unheard)
    if raw.exit_code == 2 and raw.http_status is None:
        return _exit_2(raw, rule, said, exit_2_reason)
    if said is not None:
        return said
    if raw.failed:
        return Outcome(messages=(exit_words(raw, "deny" in rule.effects),), problem=problem)
    if problem:
        return Outcome(problem=problem)
    if rule.plain_context and raw.stdout.strip() and raw.http_status is None:
        return Outcome(contexts=(raw.stdout.strip(),))
    near = near_miss(raw.stdout)
    return Outcome(problem=near) if near else SILENT


def near_miss(text: str) -> str:
    """What keeps a text from being the JSON answer it was surely meant to be; empty if it is only text."""
    text = text.strip().removeprefix("\ufeff").strip()
    if text.startswith("{"):
        return "output begins like a JSON object and does not end like one; it was ignored"
    at = text.find("\n{")
    if at < 0:
        return wide_letters(text)
    import json

    try:
        json.JSONDecoder().raw_decode(text, at + 1)
    except (ValueError, RecursionError):
        return ""
    banner = text[:at].splitlines()[0][:60]
    return f"a JSON object follows other output (`{banner}`) at character {at + 1}; print it alone"


def block(effects: frozenset[str], reason: str) -> Outcome:
    """A block, as far as an event with these effects can be blocked."""
    if "deny" in effects:
        return Outcome(Verdict.DENY, reason, reprompt=reason if "reprompt" in effects else "")
    if "reprompt" in effects:
        return Outcome(reason=reason, reprompt=reason)
    return Outcome(messages=(reason,))


def failure_words(raw: RawResult) -> str:
    """Why a hook gave no answer at all; empty if it came to its end."""
    if raw.launch_error:
        return f"hook could not start: {raw.launch_error}"
    if raw.timed_out:
        return f"hook timed out after {raw.limit or 'its time limit'}; what it printed was not used"
    return "hook was cancelled" if raw.cancelled else ""


def exit_words(raw: RawResult, guard: bool = False) -> str:
    """How a hook failed, with what it said about it; for a guard also that this did not block."""
    said = raw.stderr.strip() or raw.stdout.strip()
    if raw.http_status is not None:
        return f"hook's server answered {raw.http_status}" + (f": {said}" if said else "")
    how = f"was killed by signal {raw.signal}" if raw.signal else f"failed with exit {raw.exit_code}"
    notes = ["likely a missing program"] if raw.exit_code == 127 else []
    notes += ["only exit 2 blocks"] if guard else []
    return f"hook {how}" + (f" ({'; '.join(notes)})" if notes else "") + (f": {said}" if said else "")


def json_answer(raw: RawResult) -> tuple[Mapping[str, Any] | None, str]:
    """The JSON object a hook answered with, or None; and what is wrong when it only looks like one."""
    if not isinstance(raw.value, dict) and not raw.stdout.rstrip().endswith("}"):
        return None, ""  # a text, however it begins
    answer = answer_of(raw)
    return answer.json, answer.problem


def read_answer(
    answer: Mapping[str, Any],
    rule: EventRule,
    *,
    need_event_name: bool = True,
    top_allows: bool = True,
    unheard: frozenset[str] = frozenset(),
) -> Outcome:
    """What a JSON answer asks for; `problem` names the first key that is not as it must be.

    `need_event_name` is off for agents that accept a `hookSpecificOutput` without its `hookEventName`. `top_allows`: a
    `decision` of `approve` at the top grants. `unheard`: keys of `hookSpecificOutput` that this event does not read.
    """
    if problem := _wrong_type(answer, _TOP_TYPES, ""):
        return Outcome(problem=problem)
    messages = (answer["systemMessage"],) if answer.get("systemMessage") else ()
    specific, problem = _specific(answer, rule, need_event_name, unheard)
    outcome = _merged(_top_decision(answer, rule, top_allows), specific)
    if answer.get("continue") is False and "continue" in rule.effects:
        outcome = replace(outcome, verdict=Verdict.HALT, reason=answer.get("stopReason") or outcome.reason)
    return replace(outcome, messages=messages + outcome.messages, problem=problem or outcome.problem)


def text_at(answer: Mapping[str, Any], key: str) -> str:
    """The text at a dotted key; empty where there is none."""
    value = value_at(answer, key)
    return value if isinstance(value, str) else ""


def unknown_keys(answer: Mapping[str, Any], known: Iterable[str], agent: str) -> str:
    """What is wrong with an answer of which the agent knows no key; empty when it knows one."""
    if not answer or set(known) & answer.keys():
        return ""
    found = ", ".join(f"`{key}`" for key in list(answer)[:3])
    return f"none of the answer's keys means anything to {agent}: {found}"


def snake_case(name: str) -> str:
    """`updatedToolOutput` as `updated_tool_output`, `updatedMCPToolOutput` as `updated_mcp_tool_output`."""
    found = ""
    for place, letter in enumerate(name):
        begins = letter.isupper() and not (
            name[place - 1 : place].isupper() and name[place + 1 : place + 2].isupper()
        )
        found += f"_{letter.lower()}" if begins and place else letter.lower()
    return found


_TOP_TYPES: Mapping[str, tuple[type, str]] = {
    "continue": (bool, "true or false"),
    "stopReason": (str, "a string"),
    "suppressOutput": (bool, "true or false"),
    "systemMessage": (str, "a string"),
    "decision": (str, "`approve` or `block`"),
    "reason": (str, "a string"),
    "hookSpecificOutput": (dict, "an object"),
}
_SPECIFIC_TYPES: Mapping[str, tuple[type, str]] = {
    "permissionDecision": (str, "`allow`, `deny`, `ask` or `defer`"),
    "permissionDecisionReason": (str, "a string"),
    "updatedInput": (dict, "an object"),
    "additionalContext": (str, "a string"),
    "decision": (dict, "an object"),
}
_BEHAVIOR_TYPES: Mapping[str, tuple[type, str]] = {
    "behavior": (str, "`allow` or `deny`"),
    "message": (str, "a string"),
    "updatedInput": (dict, "an object"),
    "updatedPermissions": (list, "a list"),
    "interrupt": (bool, "true or false"),
}
_TOP_DECISIONS = {"approve": Verdict.ALLOW, "block": Verdict.DENY}


def _exit_2(raw: RawResult, rule: EventRule, said: Outcome | None, no_words: str) -> Outcome:
    if said is not None and (said.verdict >= Verdict.DENY or said.reprompt):
        return said
    blocked = block(rule.effects, raw.stderr.strip() or no_words)
    if said is None:
        return blocked
    return replace(blocked, messages=said.messages + blocked.messages, problem=said.problem)


def _model_answer(answer: Mapping[str, Any], rule: EventRule) -> Outcome:
    if answer["ok"] or answer.get("impossible") is True:
        return SILENT
    return block(rule.effects, text_at(answer, "reason") or JSON_REASON)


def _top_decision(answer: Mapping[str, Any], rule: EventRule, allows: bool) -> Outcome:
    decision = answer.get("decision")
    if decision == "block":
        return block(rule.effects, answer.get("reason") or JSON_REASON)
    if decision == "approve" and not allows:
        return Outcome(problem=f"`decision`: `approve` has no effect on {rule.native}")
    if decision == "approve" and "allow" in rule.effects:
        return Outcome(Verdict.ALLOW, answer.get("reason") or "")
    return SILENT


def _specific(
    answer: Mapping[str, Any], rule: EventRule, need_event_name: bool, unheard: frozenset[str]
) -> tuple[Outcome, str]:
    specific = answer.get("hookSpecificOutput")
    top = answer.get("decision")
    wrong = f'`decision`: expected `approve` or `block`, found "{top}"'
    problem = "" if top is None or top in _TOP_DECISIONS else wrong
    if specific is None:
        return SILENT, problem
    named = specific.get("hookEventName")
    if named is None and need_event_name:
        return SILENT, f"`hookSpecificOutput` has no `hookEventName` (`{rule.native}`); it was ignored"
    if named is not None and named != rule.native:
        return SILENT, (
            f"`hookSpecificOutput` is for {named!r}, the event was `{rule.native}`; it was ignored"
        )
    if found := _wrong_type(specific, _SPECIFIC_TYPES, "hookSpecificOutput."):
        return SILENT, found
    if not unheard.isdisjoint(specific):
        specific = {key: value for key, value in specific.items() if key not in unheard}
    outcome, found = _permission(specific, rule)
    return _with_products(outcome, specific, rule), problem or found


def _permission(specific: Mapping[str, Any], rule: EventRule) -> tuple[Outcome, str]:
    context = specific.get("additionalContext")
    contexts = (context,) if context and "context" in rule.effects else ()
    word = specific.get("permissionDecision")
    if word is not None and word not in DECISIONS:
        return Outcome(contexts=contexts), (
            f"`hookSpecificOutput.permissionDecision`: "
            f'expected {_SPECIFIC_TYPES["permissionDecision"][1]}, found "{word}"'
        )
    verdict = DECISIONS[word] if word else Verdict.NONE
    if verdict and VERDICT_EFFECTS[verdict] not in rule.effects:
        verdict = Verdict.NONE
    changed = specific.get("updatedInput") if "rewrite" in rule.effects else None
    reason = specific.get("permissionDecisionReason") or (JSON_REASON if verdict is Verdict.DENY else "")
    outcome = Outcome(verdict, reason if verdict else "", changed, contexts)
    behavior, problem = _behavior(specific.get("decision"), rule)
    return _merged(outcome, behavior), problem


def _behavior(decision: Mapping[str, Any] | None, rule: EventRule) -> tuple[Outcome, str]:
    """A permission request's `{behavior, updatedInput, updatedPermissions, message, interrupt}`."""
    if decision is None:
        return SILENT, ""
    place = "hookSpecificOutput.decision."
    if problem := _wrong_type(decision, _BEHAVIOR_TYPES, place):
        return SILENT, problem
    if decision.get("behavior") not in ("allow", "deny"):
        return (
            SILENT,
            f"`{place}behavior`: expected `allow` or `deny`, found {as_written(decision.get('behavior'))}",
        )
    verdict = DECISIONS[decision["behavior"]]
    if VERDICT_EFFECTS[verdict] not in rule.effects:
        return SILENT, ""
    if verdict is Verdict.DENY:
        products = {"interrupt": True} if decision.get("interrupt") else {}
        return Outcome(verdict, decision.get("message") or JSON_REASON, products=products), ""
    changed = decision.get("updatedInput") if "rewrite" in rule.effects else None
    permissions = decision.get("updatedPermissions")
    products = {"updated_permissions": permissions} if permissions else {}
    return Outcome(verdict, updated_input=changed, products=products), ""


def _with_products(outcome: Outcome, specific: Mapping[str, Any], rule: EventRule) -> Outcome:
    found = {snake_case(key): specific[key] for key in rule.products if key in specific}
    return replace(outcome, products={**outcome.products, **found}) if found else outcome


def _merged(first: Outcome, second: Outcome) -> Outcome:
    """Two parts of one answer: the stricter verdict with its reason, everything else of both."""
    if first is SILENT or second is SILENT:
        return second if first is SILENT else first
    strict = second if second.verdict > first.verdict else first
    return Outcome(
        strict.verdict,
        strict.reason,
        first.updated_input if second.updated_input is None else second.updated_input,
        first.contexts + second.contexts,
        first.messages + second.messages,
        first.reprompt or second.reprompt,
        first.problem or second.problem,
        {**first.products, **second.products},
    )


def _wrong_type(given: Mapping[str, Any], types: Mapping[str, tuple[type, str]], place: str) -> str:
    for key, (wanted, words) in types.items():
        value = given.get(key)
        if value is not None and not isinstance(value, wanted):
            return f"`{place}{key}`: expected {words}, found {as_written(value)}; the answer was ignored"
    return ""
