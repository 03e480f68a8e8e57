"""Decisions as OpenTelemetry spans in OTLP's JSON: of each decision, below it of each hook, and of each tool.

Names follow the GenAI conventions: `execute_tool` is among them, `run_guardrail` is a draft of them. A span's number is
made of what it is about, so that what is sent twice is the same span.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from hookline import __version__
from hookline.model.record import Record
from hookline.model.results import FAILURES, fate_of
from hookline.state.exports import Kept, dumped

INTERNAL, ERROR = 1, 2
CALLS_KEPT = 4096
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}")
_GUARDED = (
    "PreToolUse", "PermissionRequest", "UserPromptSubmit", "PreCommit", "Stop", "SubagentStop", "PreCompact",
    "PreIteration", "PreExecutionStart", "PreExecutionEnd",
)  # fmt: skip
_DONE = {"PostToolUse": "", "PostToolUseFailure": "tool_error"}
_SILENT = ("not_matched", "no_such_event", "duplicate")


class Span(Record):
    """One span: ids in hexadecimal (`above` empty: the first of its trace), times in nanoseconds since the epoch, the
    attributes, and what is wrong (empty: nothing).
    """

    trace: str
    above: str
    number: str
    name: str
    start: int
    end: int
    facts: Mapping[str, Any]
    fault: str = ""


class Spans:
    """Turns decisions into spans; remembers the tool calls that have begun, of which the newest 4,096 are kept."""

    def __init__(self) -> None:
        self._begun: OrderedDict[tuple[str, str], int] = OrderedDict()

    def lines(self, records: Sequence[Kept]) -> list[str]:
        """One `TracesData` for all of them, their spans in the order they began; nothing for none."""
        found = sorted((span for record in records for span in self.of(record)), key=lambda span: span.start)
        spans = [_as_json(span) for span in found]
        resource = {"attributes": _attributes({"service.name": "hookline", "service.version": __version__})}
        scope = {"name": "hookline", "version": __version__}
        data = {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": scope, "spans": spans}]}]}
        return [dumped(data)] if spans else []

    def of(self, record: Kept, began: int = 0) -> Iterable[Span]:
        """A tool call that is over, then the decision, then its hooks. `began` is when, where that is known better than
        to the millisecond.
        """
        shown = record.shown
        trace, parent = _place(shown)
        start = began or round(datetime.fromisoformat(shown["at"]).timestamp() * 1000) * 1_000_000
        end = start + round(shown["duration_ms"] * 1e6)
        number = _number(8, shown["run"])
        if (tool := self._tool(record, trace, parent, start, end)) is not None:
            yield tool
        name = f"decide {shown['event']}"
        yield Span(trace, parent, number, name, start, end, _decision(record), _fault(shown))
        for hook in shown["hooks"]:
            if hook["status"] not in _SILENT:
                yield _of_hook(record, hook, trace, number, start)

    def _tool(self, record: Kept, trace: str, parent: str, start: int, end: int) -> Span | None:
        """The call itself, once it is known how it ended: from the decision before it to the one after."""
        shown, call = record.shown, record.facts.get("call", "")
        name = (shown.get("asked") or {}).get("tool")
        if not call or not name:
            return None
        key = shown["session_id"], call
        if shown["event"] == "PreToolUse":
            self._begun[key] = end
            while len(self._begun) > CALLS_KEPT:
                self._begun.popitem(last=False)
        if shown["event"] not in _DONE:
            return None
        fault = _DONE[shown["event"]]
        facts = {
            "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.call.id": call,
            "gen_ai.conversation.id": shown["session_id"], **({"error.type": fault} if fault else {}),
        }  # fmt: skip
        began = min(self._begun.pop(key, start), start)
        return Span(trace, parent, _number(8, *key), f"execute_tool {name}", began, start, facts, fault)


def _of_hook(record: Kept, hook: Mapping[str, Any], trace: str, parent: str, start: int) -> Span:
    guarded = record.shown["event"] in _GUARDED
    times = hook.get("timings_ms") or {}
    began = start + round(times.get("queued", 0.0) * 1e6)
    fate = fate_of(hook) if hook["status"] == "ran" else hook["status"]
    failed = fate in FAILURES or hook["status"] not in ("ran", "not_reached", "disabled")
    digests = {each[0]: each[1] for each in record.facts.get("hooks", ())}
    facts = {
        "gen_ai.operation.name": "run_guardrail" if guarded else "run_hook",
        "gen_ai.security.guardrail.id": hook["id"], "gen_ai.security.guardrail.name": hook["name"],
        "hookline.hook.status": hook["status"], "hookline.hook.verdict": hook["verdict"],
        "hookline.hook.reason": hook["reason"] or "", "hookline.hook.why": hook["why"],
        "hookline.hook.dialect": hook["dialect"], "hookline.hook.digest": digests.get(hook["id"], ""),
        "code.file.path": hook["source"], "code.line.number": hook["line"],
        **({"process.exit.code": hook["exit_code"]} if hook["exit_code"] is not None else {}),
        **({"error.type": fate} if failed else {}),
    }  # fmt: skip
    name = f"{'run_guardrail' if guarded else 'run_hook'} {hook['name']}"
    number = _number(8, record.shown["run"], hook["id"])
    fault = hook["why"] or hook["reason"] or fate if failed else ""
    return Span(trace, parent, number, name, began, began + round(hook["duration_ms"] * 1e6), facts, fault)


def _decision(record: Kept) -> dict[str, Any]:
    shown, facts = record.shown, record.facts
    asked = shown.get("asked") or {}
    found = {
        "gen_ai.conversation.id": shown["session_id"], "gen_ai.agent.name": shown.get("host", "hookline"),
        "gen_ai.tool.name": asked.get("tool"), "gen_ai.tool.call.id": facts.get("call"),
        "hookline.run": shown["run"], "hookline.event": shown["event"], "hookline.asked": asked.get("summary"),
        "hookline.verdict": shown["verdict"], "hookline.reason": shown["reason"],
        "hookline.degraded": shown["degraded"], "hookline.workspace": record.workspace,
        "hookline.policy": facts.get("policy"), "hookline.input": facts.get("input"),
        "hookline.evidence.number": record.number or None, "hookline.evidence.digest": record.digest,
    }  # fmt: skip
    return {name: value for name, value in found.items() if value not in (None, "", [])}


def _fault(shown: Mapping[str, Any]) -> str:
    """A denial is an answer, no error; what was let through for want of one is."""
    return "; ".join(shown["degraded"])


def _place(shown: Mapping[str, Any]) -> tuple[str, str]:
    """The trace and the span above: the agent's own where it told them, else a trace for the session."""
    found = _TRACEPARENT.fullmatch(str(shown.get("traceparent", "")))
    return (found[1], found[2]) if found else (_number(16, "session", shown["session_id"]), "")


def _as_json(span: Span) -> dict[str, Any]:
    return {
        "traceId": span.trace, "spanId": span.number, **({"parentSpanId": span.above} if span.above else {}),
        "name": span.name, "kind": INTERNAL,
        "startTimeUnixNano": str(span.start), "endTimeUnixNano": str(span.end),
        "attributes": _attributes(span.facts),
        "status": {"code": ERROR, "message": span.fault} if span.fault else {},
    }  # fmt: skip


def _attributes(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in facts.items()]


def _value(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case list():
            return {"arrayValue": {"values": [_value(each) for each in value]}}
    return {"stringValue": str(value)}


def _number(size: int, *parts: str) -> str:
    digest = sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
    return digest[: size * 2]
