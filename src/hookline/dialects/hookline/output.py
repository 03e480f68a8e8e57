"""What one of our own hooks meant: its reply, its exit code, its text, in that order.

A reply is one JSON object in the file `$HOOK_REPLY`, else on stdout:
`{"verdict": "deny", "reason": "…", "input": {…}, "context": "…", "message": "…", "reprompt": "…"}`, or Claude
Code's shape. Exit 2 denies with stderr. Any other failure blocks where the event can be blocked.
"""

from __future__ import annotations

from hookline.dialects.base import EventRule
from hookline.dialects.hookline.rules import RULES, TEXT_IS_CONTEXT
from hookline.dialects.json_output import block, json_answer, near_miss, read_answer
from hookline.model.errors import own_words
from hookline.model.hooks import Answer, HookSpec, Inline, PromptCheck
from hookline.model.record import replace
from hookline.model.results import SILENT, Outcome, RawResult, Verdict
from hookline.model.short_json import as_written
from hookline.model.typing import Any, Mapping

VERDICTS: Mapping[str, Verdict] = {verdict.word: verdict for verdict in Verdict}
_CLAUDE_KEYS = frozenset(
    {"hookSpecificOutput", "continue", "stopReason", "systemMessage", "decision", "suppressOutput"}
)
_OUR_KEYS: Mapping[str, type] = {
    "verdict": str, "reason": str, "input": dict, "context": str, "message": str, "reprompt": str,
    "products": dict,
}  # fmt: skip


def read_hookline_output(spec: HookSpec, raw: RawResult) -> Outcome:
    """The outcome of one of our hooks. A callback returns None or an Outcome."""
    rule = RULES[spec.kind]
    if isinstance(spec.action, Answer):
        return fixed_answer(rule, spec.action)
    if isinstance(spec.action, Inline) and raw.value is not None and (words := _no_answer(raw.value)):
        return replace(_failure(rule, spec, replace(raw, stderr=words)), problem=words)
    if isinstance(raw.value, Outcome):
        return raw.value
    if raw.launch_error or raw.timed_out or raw.cancelled or raw.signal:
        return _failure(rule, spec, raw)
    if isinstance(spec.action, PromptCheck) and not raw.failed:
        return _model_verdict(rule, raw)
    answer, problem = _reply(raw)
    if answer is None and raw.answer_cut and raw.exit_code != 2:
        problem = "its answer is longer than 1 MiB and was not read"
    outcome = _read_reply(rule, answer) if answer is not None else SILENT
    if problem := problem or outcome.problem:
        return replace(_failure(rule, spec, replace(raw, stderr=problem)), problem=problem)
    if raw.exit_code == 2 and outcome.verdict < Verdict.DENY:
        return _objection(rule, _said(raw))
    if raw.failed and answer is None:
        return _failure(rule, spec, raw)
    if answer is None:
        return _plain(rule, spec, raw)
    return outcome


def _no_answer(value: object) -> str:
    """What is wrong with what a callback returned; empty when it is an answer."""
    if not isinstance(value, Outcome | dict):
        from reprlib import repr as shortened  # an object's own may be endless, or raise

        return f"it returned {shortened(value)}, and not None or one of `deny(…)`, `ask(…)`, `context(…)`, …"
    content = value if isinstance(value, dict) else value.updated_input
    if content is not None:
        import json

        try:
            json.dumps(content, default=str, skipkeys=True)  # a Python host may keep objects in it
        except Exception as error:  # also what somebody's `__str__` raises
            return f"it returned what cannot be said in JSON: {own_words(error)}"
    return ""


def fixed_answer(rule: EventRule, action: Answer) -> Outcome:
    """The answer a hook was configured with, as far as the event can be answered so."""
    if action.verdict == "context":
        return Outcome(contexts=(action.text,))
    if action.verdict == "message":
        return Outcome(messages=(action.text,))
    if action.verdict == "deny":
        return _objection(rule, action.text)
    return Outcome(VERDICTS[action.verdict], action.text)


def _objection(rule: EventRule, words: str) -> Outcome:
    """A denial; where it is too late for one, words for the model if it can be told."""
    if not {"deny", "reprompt"} & rule.effects and "context" in rule.effects:
        return Outcome(contexts=(words,))
    return block(rule.effects, words)


def _said(raw: RawResult) -> str:
    return raw.stderr.strip() or raw.stdout.strip() or "denied by a hook (exit 2, without a word)"


def _failure(rule: EventRule, spec: HookSpec, raw: RawResult) -> Outcome:
    """A failed guard blocks; what else failed is told to the user, and to the agent where it can act."""
    name = spec.name or spec.id
    if raw.timed_out:
        words = "timed out"
    else:
        words = (
            raw.stderr.strip() or raw.launch_error or raw.stdout.strip() or f"{raw.ending}, without a word"
        )
    if "reprompt" in rule.effects and "deny" not in rule.effects:
        return Outcome(reprompt=f"{name}: {words}")
    if not rule.guards or spec.on_failure:
        return Outcome(messages=(f"{name}: {words}",))
    return replace(block(rule.effects, f"guard `{name}` failed: {words}"), verdict=Verdict.DENY)


def _reply(raw: RawResult) -> tuple[Mapping[str, Any] | None, str]:
    """The reply, and what is wrong with it when there is none."""
    if isinstance(raw.value, str):  # the text of $HOOK_REPLY
        import json

        try:
            found = json.loads(raw.value)
        except (ValueError, RecursionError) as error:
            return None, f"`$HOOK_REPLY` is no JSON: {error}"
        if not isinstance(found, dict):
            return None, "`$HOOK_REPLY` holds no JSON object"
        return found, ""
    answer, problem = json_answer(raw)
    if answer is not None or problem or raw.http_status is not None:
        return answer, problem
    near = near_miss(raw.stdout)
    return None, f"{near}, or write it to the file `$HOOK_REPLY`" if near else ""


def _read_reply(rule: EventRule, answer: Mapping[str, Any]) -> Outcome:
    if _CLAUDE_KEYS & answer.keys():
        return read_answer(answer, rule, need_event_name=False)
    for key, value in answer.items():
        wanted = _OUR_KEYS.get(key)
        if wanted is None:
            return Outcome(problem=f"`{key}` means nothing in a reply")
        if not isinstance(value, wanted):
            return Outcome(problem=f"`{key}`: expected {_WORDS[wanted]}, found {as_written(value)}")
    word = answer.get("verdict", "none")
    if word not in VERDICTS:
        known = ", ".join(f"`{name}`" for name in VERDICTS)
        return Outcome(problem=f"`verdict`: expected {known}, found {word!r:.60}")
    reason = answer.get("reason", "")
    base = (
        block(rule.effects, reason or "denied by a hook")
        if word == "deny"
        else Outcome(VERDICTS[word], reason)
    )
    return replace(
        base,
        updated_input=answer.get("input"),
        contexts=(answer["context"],) if answer.get("context") else (),
        messages=(*base.messages, *((answer["message"],) if answer.get("message") else ())),
        reprompt=answer.get("reprompt") or base.reprompt,
        products=answer.get("products", {}),
    )


_WORDS: Mapping[type, str] = {str: "a text", dict: "an object"}


def _plain(rule: EventRule, spec: HookSpec, raw: RawResult) -> Outcome:
    text = raw.stdout.strip()
    wanted = spec.options.get("output") or ("context" if rule.kind in TEXT_IS_CONTEXT else "ignore")
    if not text or wanted in ("ignore", "reply") or raw.http_status is not None:
        return SILENT
    return Outcome(contexts=(text,)) if wanted == "context" else Outcome(messages=(text,))


def _model_verdict(rule: EventRule, raw: RawResult) -> Outcome:
    value = raw.value if isinstance(raw.value, dict) else {}
    if value.get("ok", True):
        return SILENT
    return block(rule.effects, str(value.get("reason") or "a model said no"))
