"""What a Claude Code hook means by how it ended and what it printed."""

from __future__ import annotations

from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.claude.rules import ROWS
from hookline.dialects.json_output import (
    JSON_REASON,
    block,
    exit_words,
    failure_words,
    json_answer,
    read_hook_output,
    text_at,
    unknown_keys,
)
from hookline.model.events import EventKind
from hookline.model.hooks import HookSpec, McpTool, PromptCheck
from hookline.model.record import replace
from hookline.model.results import SILENT, Outcome, RawResult, Verdict
from hookline.model.typing import Any, Mapping

TOP_KEYS = frozenset(
    {
        "continue", "stopReason", "suppressOutput", "systemMessage", "terminalSequence", "decision", "reason",
        "hookSpecificOutput", "async", "asyncTimeout", "ok", "impossible",
    }
)  # fmt: skip
# What a model's `ok: false` does where it is more, or less, than a block.
MODEL_IS_IGNORED = frozenset({EventKind.PermissionRequest, EventKind.PermissionDenied})
MODEL_ENDS_TURN = frozenset(
    {EventKind.PreToolUse, EventKind.PostToolUse, EventKind.PostToolBatch, EventKind.UserPromptSubmit,
     EventKind.UserPromptExpansion, EventKind.TeammateIdle}
)  # fmt: skip
# `onFailure: "block"` has no effect where a block makes the agent go on.
MODEL_ANSWER = 'a model must answer `{"ok": true}` or `{"ok": false, "reason": "…"}`'
NEVER_FAILS_CLOSED = frozenset(
    {EventKind.Stop, EventKind.SubagentStop, EventKind.TaskCompleted, EventKind.TeammateIdle}
)


def read_claude_output(rule: AgentRule, spec: HookSpec, raw: RawResult) -> Outcome:
    """The outcome by Claude Code's rules: JSON on every exit code, exit 2 blocks, the rest is a notice."""
    if spec.background or _went_async(raw):
        return _background(spec, raw)
    if isinstance(spec.action, PromptCheck):
        return _model_outcome(rule, spec, raw)
    outcome = _event_outcome(rule, raw)
    if (
        spec.on_failure == "block"
        and rule.kind not in NEVER_FAILS_CLOSED
        and _gave_nothing(spec, raw, outcome)
    ):
        why = failure_words(raw) or outcome.problem or exit_words(raw)
        return replace(block(rule.effects, f"{why} (onFailure: block)"), problem=outcome.problem)
    return outcome


def _as_printed(rule: AgentRule, raw: RawResult) -> Outcome:
    """By the table that others share; of a request only `hookSpecificOutput` grants it (observed)."""
    if rule.kind is EventKind.PreCompact:  # text for the model comes in plain words alone
        rule = replace(rule, effects=rule.effects - {"context"})
    unheard = _DECIDES.difference(_SPECIFIC_KEYS.get(rule.kind, ()))
    return read_hook_output(
        raw, rule, top_allows=rule.kind is not EventKind.PermissionRequest, unheard=unheard
    )


def _event_outcome(rule: AgentRule, raw: RawResult) -> Outcome:
    if raw.timed_out and rule.kind is EventKind.PreModelSwitch:
        return block(rule.effects, failure_words(raw))
    if rule.kind is EventKind.WorktreeCreate:
        return _worktree(rule, raw)
    if raw.exit_code == 2 and rule.exit_two in ("ignored", "shown") and json_answer(raw)[0] is None:
        told = raw.stderr.strip() or exit_words(raw)
        return Outcome(messages=(told,) if rule.exit_two == "shown" else (exit_words(raw),))
    if raw.exit_code == 2 and rule.exit_two == "ignored":
        raw = replace(raw, exit_code=1)  # the JSON still decides
    outcome = _as_printed(rule, raw)
    answer, _ = json_answer(raw)
    if answer is not None and not outcome.problem:
        outcome = replace(outcome, problem=_without_effect(answer, rule))
        if answer.get("terminalSequence"):
            outcome = replace(
                outcome, products={**outcome.products, "terminal_sequence": answer["terminalSequence"]}
            )
    if outcome.products.get("action") in ("decline", "cancel"):
        return replace(outcome, verdict=Verdict.DENY, reason="declined by a hook")
    return _stop_context(rule, answer, outcome)


def _gave_nothing(spec: HookSpec, raw: RawResult, outcome: Outcome) -> bool:
    """Whether it is a failure for `onFailure`; of an MCP tool every text that is no JSON is one."""
    if raw.timed_out or raw.launch_error or raw.signal or outcome.problem:
        return True
    if json_answer(raw)[0] is not None:
        return False
    only_text = isinstance(spec.action, McpTool) and bool(raw.stdout.strip())
    return only_text or (raw.failed and raw.exit_code != 2)


def _went_async(raw: RawResult) -> bool:
    """`{"async": true}` as the first line sends a hook to the background (observed)."""
    first = raw.stdout.lstrip().partition("\n")[0]
    if '"async"' not in first:
        return False
    answer, _ = json_answer(replace(raw, stdout=first))
    return answer is not None and answer.get("async") is True


def _background(spec: HookSpec, raw: RawResult) -> Outcome:
    """A background hook decides nothing; what it has to say comes later."""
    if spec.conduct.rewake and raw.exit_code == 2:
        return Outcome(contexts=((raw.stderr.strip() or raw.stdout.strip()),))
    answer, problem = json_answer(raw)
    context = text_at(answer or {}, "hookSpecificOutput.additionalContext")
    message = text_at(answer or {}, "systemMessage")
    return Outcome(
        contexts=(context,) if context else (), messages=(message,) if message else (), problem=problem
    )


def _model_outcome(rule: AgentRule, spec: HookSpec, raw: RawResult) -> Outcome:
    """A model's `{ok, reason, impossible}`; with `continueOnBlock` the reason goes back to the model."""
    assert isinstance(spec.action, PromptCheck)
    answer, _ = json_answer(raw)
    if raw.failed or answer is None or not isinstance(answer.get("ok"), bool):
        return replace(
            _as_printed(rule, raw), verdict=Verdict.NONE, problem="" if raw.failed else MODEL_ANSWER,
        )  # fmt: skip
    if answer["ok"] or rule.kind in MODEL_IS_IGNORED:
        return SILENT
    if answer.get("impossible") is True and "reprompt" in rule.effects and not spec.action.agent:
        return SILENT
    outcome = block(rule.effects, text_at(answer, "reason") or JSON_REASON)
    if rule.kind in MODEL_ENDS_TURN and not spec.action.continue_on_block and "continue" in rule.effects:
        return replace(outcome, verdict=Verdict.HALT)
    return outcome


def _worktree(rule: AgentRule, raw: RawResult) -> Outcome:
    """Any failure keeps the worktree from being made; the last line printed is its path."""
    if raw.failed or raw.launch_error or raw.timed_out:
        return block(rule.effects, failure_words(raw) or exit_words(raw))
    answer, problem = json_answer(raw)
    if answer is not None:
        return _as_printed(rule, raw)
    lines = [line.strip() for line in raw.stdout.splitlines() if line.strip()]
    return Outcome(products={"worktree_path": lines[-1]} if lines else {}, problem=problem)


def _stop_context(rule: AgentRule, answer: Mapping[str, Any] | None, outcome: Outcome) -> Outcome:
    """`additionalContext` at a stop makes the agent go on just as a block does (observed)."""
    text = text_at(answer or {}, "hookSpecificOutput.additionalContext")
    named = text_at(answer or {}, "hookSpecificOutput.hookEventName") == rule.native
    if "reprompt" not in rule.effects or not text or not named or outcome.reprompt or outcome.verdict:
        return outcome
    return replace(outcome, verdict=Verdict.DENY, reason=text, reprompt=text)


def _without_effect(answer: Mapping[str, Any], rule: AgentRule) -> str:
    """Which part of a valid answer this event never reads; empty if all of it counts somewhere."""
    if strange := unknown_keys(answer, TOP_KEYS, "Claude Code"):
        return strange
    specific = answer.get("hookSpecificOutput")
    if outside := next((key for key in rule.products if key in answer and key not in TOP_KEYS), ""):
        return f"`{outside}` counts inside of `hookSpecificOutput` alone"
    if not isinstance(specific, dict):
        return ""
    known = {"hookEventName", *rule.products, *_SPECIFIC_KEYS.get(rule.kind, ())}
    if {"context", "reprompt"} & rule.effects and rule.kind is not EventKind.PreCompact:
        known.add("additionalContext")
    vain = next((key for key in specific if key in _ALL_SPECIFIC and key not in known), "")
    return vain and f"`{vain}` has no effect on {rule.native}"


_PERMISSION = ("permissionDecision", "permissionDecisionReason")
_SPECIFIC_KEYS: Mapping[EventKind, tuple[str, ...]] = {
    EventKind.PreToolUse: (*_PERMISSION, "updatedInput"),
    EventKind.PreModelSwitch: _PERMISSION,
    EventKind.PermissionRequest: ("decision",),
}
_DECIDES = frozenset(key for keys in _SPECIFIC_KEYS.values() for key in keys)
_ALL_SPECIFIC = frozenset(
    {
        "additionalContext", *_DECIDES, *(key for row in ROWS for key in row.products),
    }
)  # fmt: skip
