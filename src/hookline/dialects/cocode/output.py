"""What a cocode hook means: it rejects by failing in any way but by being late; products are what it printed."""

from __future__ import annotations

from hookline.dialects.base import EventRule
from hookline.dialects.cocode.results import (
    Continue,
    HookResult,
    ModifyInput,
    Reject,
    read_result,
    result_from,
)
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HookSpec, Inline, Webhook
from hookline.model.record import replace
from hookline.model.results import SILENT, Outcome, RawResult, Verdict
from hookline.model.short_json import json_or


def read_cocode_output(rule: EventRule, event: Event, spec: HookSpec, raw: RawResult) -> Outcome:
    """The outcome of a hook by its row."""
    if "product" in rule.effects:
        return _product(event, raw)
    if raw.cancelled:
        return Outcome(messages=("hook was cancelled",))
    if raw.timed_out:
        words = f"hook `{spec.name}` timed out after {spec.timeout_s:g} s"
        if spec.options.get("on_timeout") == "reject":
            return _judged(rule, event, spec, Reject(words))
        return Outcome(messages=(f"{words}; the operation goes on",))
    result, problem = _result(spec, raw)
    outcome = _judged(rule, event, spec, result)
    return replace(outcome, problem=problem) if problem else outcome


def _judged(rule: EventRule, event: Event, spec: HookSpec, result: HookResult) -> Outcome:
    if isinstance(result, Reject):
        if not rule.guards:
            return Outcome(messages=(f"{result.reason} (`{spec.native_event}` only notifies)",))
        if event.kind is EventKind.PreCompact and event.get("trigger") == "auto":
            return Outcome(messages=(f"{result.reason} (not heeded: the context is full)",))
        reprompt = result.reason if "reprompt" in rule.effects else ""
        return Outcome(Verdict.DENY, result.reason, reprompt=reprompt)
    if isinstance(result, ModifyInput):
        if "rewrite" not in rule.effects:
            return Outcome(messages=(f"`ModifyInput` has no effect on `{spec.native_event}`",))
        return _rewritten(event, result.new_input)
    return SILENT


def _result(spec: HookSpec, raw: RawResult) -> tuple[HookResult, str]:
    """What the hook answered, and why its answer was ignored if it was."""
    if isinstance(spec.action, Webhook):
        return _web_result(raw)
    if isinstance(spec.action, Inline) and not raw.launch_error:
        return _inline_result(raw)
    if raw.launch_error:
        return Reject(f"Hook error: {raw.launch_error}"), ""
    if raw.failed:
        said = raw.stderr.strip() or _ending(raw)
        return Reject(f"Hook failed: {said}"), ""
    if not spec.options.get("parse_result"):
        return Continue(), ""
    return _read(read_result(raw.stdout))


def _inline_result(raw: RawResult) -> tuple[HookResult, str]:
    if isinstance(raw.value, HookResult):
        return raw.value, ""
    if raw.failed:
        return Reject(f"Hook error: {raw.stderr.strip()}"), ""
    return (Continue(), "") if raw.value is None else _read(result_from(raw.value))


def _web_result(raw: RawResult) -> tuple[HookResult, str]:
    if raw.launch_error or raw.http_status is None:
        return Reject(f"Webhook error: {raw.launch_error or raw.stderr.strip() or 'no answer'}"), ""
    if not 200 <= raw.http_status < 300:
        return Reject(f"Webhook failed: {raw.http_status} {_phrase(raw.http_status)}".rstrip()), ""
    found = read_result(raw.stdout) if raw.value is None else result_from(raw.value)
    if isinstance(found, HookResult):
        return found, ""
    meant = any(word in raw.stdout for word in ("Reject", "reject", "ModifyInput"))
    return _read(found) if meant else (Continue(), "")


def _read(found: HookResult | str) -> tuple[HookResult, str]:
    if isinstance(found, HookResult):
        return found, ""
    return Continue(), f"{found}; the result was ignored"


def _ending(raw: RawResult) -> str:
    return f"killed by signal {raw.signal}" if raw.signal else f"exit {raw.exit_code}"


def _phrase(status: int) -> str:
    from http import HTTPStatus

    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _rewritten(event: Event, new_input: object) -> Outcome:
    """The new input, if it is one: an object for a tool; a text or `{"user_prompt": …}` for a prompt."""
    if event.kind is EventKind.UserPromptSubmit:
        prompt = new_input.get("user_prompt") if isinstance(new_input, dict) else new_input
        if not isinstance(prompt, str):
            return Outcome(problem="`new_input` must be a text or hold a text `user_prompt`; it was ignored")
        return SILENT if prompt == event.get("prompt") else Outcome(updated_input={"prompt": prompt})
    if not isinstance(new_input, dict):
        words = f"Hook put {type(new_input).__name__} in place of the input of `{event.get('tool_name')}`"
        return Outcome(Verdict.DENY, f"{words}; a tool's input is an object")
    return SILENT if new_input == event.get("tool_input") else Outcome(updated_input=new_input)


def _product(event: Event, raw: RawResult) -> Outcome:
    """Standard output is the product; a hook that failed has none, and nothing is ever blocked."""
    if raw.failed:
        return Outcome(messages=(f"hook gave no {event.kind.value}: {raw.stderr.strip() or _ending(raw)}",))
    text = raw.value.strip() if isinstance(raw.value, str) else raw.stdout.strip()
    if event.kind is EventKind.StatusLine:
        return Outcome(products={"status_line": text.split("\n", 1)[0].rstrip()}) if text else SILENT
    suggestions = _suggestions(text)
    return Outcome(products={"suggestions": suggestions}) if suggestions else SILENT


def _suggestions(text: str) -> list[str]:
    if text.startswith("[") and (listed := json_or(text)) is not None:
        return [item for item in listed if isinstance(item, str)]
    return [line.strip() for line in text.splitlines() if line.strip()]
