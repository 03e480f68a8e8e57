"""What a Codex CLI hook means: closed answers, of which one unknown key spoils the whole.

Codex calls a hook whose answer it does not accept failed and goes on, even after a denial; here such an
answer is a problem that is shown, and that a hook's own failure rule can turn into a block.
"""

from __future__ import annotations

from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.json_output import block, exit_words, failure_words, near_miss
from hookline.model.events import EventKind
from hookline.model.record import replace
from hookline.model.results import SILENT, Outcome, RawResult, Verdict
from hookline.model.typing import Any, Mapping

K = EventKind
_BLOCKS = frozenset({"decision", "reason"})
_STOPS = frozenset({"continue", "stopReason"})
_COMMON = frozenset({"systemMessage", "continue"})
# The keys each event's answer may have; observed where the schemas leave it open.
TOP_KEYS: Mapping[EventKind, frozenset[str]] = {
    K.SessionStart: _COMMON | _STOPS | {"hookSpecificOutput", "suppressOutput"},
    K.SubagentStart: _COMMON | _STOPS | {"hookSpecificOutput", "suppressOutput"},
    K.UserPromptSubmit: _COMMON | _STOPS | _BLOCKS | {"hookSpecificOutput", "suppressOutput"},
    K.PreToolUse: _COMMON | _BLOCKS | {"hookSpecificOutput"},
    K.PermissionRequest: _COMMON | {"hookSpecificOutput"},
    K.PostToolUse: _COMMON | _STOPS | _BLOCKS | {"hookSpecificOutput"},
    K.PreCompact: _COMMON | _STOPS | {"suppressOutput"},
    K.PostCompact: _COMMON | _STOPS | {"suppressOutput"},
    K.SubagentStop: _COMMON | _STOPS | _BLOCKS | {"suppressOutput"},
    K.Stop: _COMMON | _STOPS | _BLOCKS | {"suppressOutput"},
    K.Interrupt: _COMMON,
    K.SessionEnd: _COMMON,
}
SPECIFIC_KEYS: Mapping[EventKind, frozenset[str]] = {
    K.SessionStart: frozenset({"additionalContext"}),
    K.SubagentStart: frozenset({"additionalContext"}),
    K.UserPromptSubmit: frozenset({"additionalContext"}),
    K.PreToolUse: frozenset(
        {"permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"}
    ),
    K.PermissionRequest: frozenset({"decision"}),
    K.PostToolUse: frozenset({"additionalContext", "updatedMCPToolOutput", "updatedToolOutput"}),
}
_TYPES: Mapping[str, type] = {
    "continue": bool, "suppressOutput": bool, "stopReason": str, "systemMessage": str, "decision": str,
    "reason": str, "hookSpecificOutput": dict, "hookEventName": str, "additionalContext": str,
    "permissionDecision": str, "permissionDecisionReason": str, "updatedInput": dict,
}  # fmt: skip
RESERVED = ("updatedInput", "updatedPermissions", "interrupt")


class Refused(Exception):
    """An answer Codex does not accept; the text says why."""


def read_codex_output(rule: AgentRule, raw: RawResult) -> Outcome:
    """JSON counts only with exit 0, exit 2 only with a text on stderr; everything else has failed."""
    if trouble := failure_words(raw):
        return Outcome(messages=(trouble,))
    if raw.exit_code == 2 and rule.exit_two == "block" and raw.stderr.strip():
        return block(rule.effects, raw.stderr.strip())
    if raw.failed:
        return Outcome(messages=(exit_words(raw, rule.guards),))
    text = raw.stdout.strip()
    if not text.startswith(("{", "[")):
        return _plain(rule, text)
    try:
        return _answer(_parsed(text), rule)
    except Refused as refusal:
        return Outcome(problem=f"Codex refuses this answer as a whole: {refusal}")


def _plain(rule: AgentRule, text: str) -> Outcome:
    if text and rule.kind in (K.Stop, K.SubagentStop):
        return Outcome(problem="a stop hook must print JSON or nothing")
    if text and rule.plain_context:
        return Outcome(contexts=(text,))
    near = near_miss(text)
    return Outcome(problem=near) if near else SILENT


def _parsed(text: str) -> Mapping[str, Any]:
    import json

    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused("it is not valid JSON") from None
    if not isinstance(found, dict):
        raise Refused("it is no JSON object")
    return found


def _answer(answer: Mapping[str, Any], rule: AgentRule) -> Outcome:
    _check(answer, TOP_KEYS[rule.kind], rule)
    outcome = _top(answer, rule)
    specific = answer.get("hookSpecificOutput")
    if specific is not None:
        outcome = _specific(specific, rule, outcome)
    if message := answer.get("systemMessage"):
        outcome = replace(outcome, messages=(message,))
    return outcome


def _check(given: Mapping[str, Any], allowed: frozenset[str], rule: AgentRule) -> None:
    for key, value in given.items():
        if key not in allowed:
            raise Refused(f"`{key}` means nothing at {rule.native}")
        wanted = dict if key == "decision" and "hookEventName" in allowed else _TYPES.get(key)
        if wanted is not None and value is not None and not isinstance(value, wanted):
            raise Refused(f"`{key}` has the wrong type")


def _top(answer: Mapping[str, Any], rule: AgentRule) -> Outcome:
    word, reason = answer.get("decision"), answer.get("reason") or ""
    if word is not None and word != "block":
        raise Refused(f"`decision` must be `block`, not `{word}`")
    if word == "block" and not reason.strip():
        raise Refused("`block` needs a reason")
    if reason and word is None and rule.kind in (K.PreToolUse, K.PostToolUse):
        raise Refused("`reason` without a decision")
    if answer.get("continue") is False:
        return _stopped(answer, rule)
    return block(rule.effects, reason) if word == "block" else SILENT


def _stopped(answer: Mapping[str, Any], rule: AgentRule) -> Outcome:
    reason = answer.get("stopReason") or "stopped by a hook"
    if rule.kind is K.PreToolUse:
        raise Refused("`continue: false` is not for PreToolUse")
    if rule.kind is K.PostToolUse:
        return block(rule.effects, reason)
    return Outcome(Verdict.HALT, reason) if "continue" in rule.effects else SILENT


def _specific(specific: Mapping[str, Any], rule: AgentRule, outcome: Outcome) -> Outcome:
    name = specific.get("hookEventName")
    if name is None:
        raise Refused("`hookSpecificOutput` needs `hookEventName`")
    _check(specific, SPECIFIC_KEYS.get(rule.kind, frozenset()) | {"hookEventName"}, rule)
    context = specific.get("additionalContext")
    outcome = replace(outcome, contexts=(context,)) if context else outcome
    if name != rule.native:  # its decision does not count, its text and the top level still do (observed)
        return replace(outcome, problem=f"`hookSpecificOutput` is for `{name}`, the event is `{rule.native}`")
    if rule.kind is K.PreToolUse:
        return _permission(specific, outcome)
    decision = specific.get("decision")
    return (
        _request(decision, outcome) if rule.kind is K.PermissionRequest and decision is not None else outcome
    )


def _permission(specific: Mapping[str, Any], outcome: Outcome) -> Outcome:
    word, changed = specific.get("permissionDecision"), specific.get("updatedInput")
    reason = specific.get("permissionDecisionReason") or ""
    if word not in (None, "allow", "deny"):
        raise Refused(f"`permissionDecision` must be `deny`, or `allow` with `updatedInput`, not `{word}`")
    if word == "deny" and not reason.strip():
        raise Refused("a denial needs a reason")
    if changed is not None and word != "allow":
        raise Refused("`updatedInput` needs `permissionDecision: allow`")
    if word == "allow" and changed is None:
        raise Refused("`allow` needs `updatedInput`")
    if word == "deny":
        return replace(outcome, verdict=Verdict.DENY, reason=reason)
    return replace(outcome, updated_input=changed) if changed is not None else outcome


def _request(decision: object, outcome: Outcome) -> Outcome:
    """Reserved keys fail closed: the request is denied."""
    if not isinstance(decision, dict) or decision.get("behavior") not in ("allow", "deny"):
        raise Refused("`decision.behavior` must be `allow` or `deny`")
    if reserved := [key for key in RESERVED if key in decision]:
        why = f"`{reserved[0]}` is reserved, so Codex denies the request"
        return replace(outcome, verdict=Verdict.DENY, reason=why, problem=why)
    message = decision.get("message")
    if decision["behavior"] == "deny":
        return replace(outcome, verdict=Verdict.DENY, reason=message if isinstance(message, str) else "")
    return replace(outcome, verdict=Verdict.ALLOW)
