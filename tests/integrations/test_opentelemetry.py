"""Decisions as spans of OpenTelemetry's own SDK: in memory, below the program's own, and the same as in a file."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from tests.program import Program

from hookline import Engine, ScriptedModel, ToolLoop, deny, make_event, open_engine, script_from
from hookline.integrations.opentelemetry import trace

SECRET = "sesame-open-42"
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def group(command: str, matcher: str = "") -> dict[str, Any]:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": command}]}


FIVE = {
    "UserPromptSubmit": [group("echo seen")],
    "PreToolUse": [group("true", "Bash"), group("echo $API_TOKEN >&2; exit 3", "Bash")],
    "PostToolUse": [group("true", "Bash")],
    "Stop": [group("true")],
}
TURN = {"turns": [{"tool_calls": [{"name": "Bash", "input": {"command": "echo hi"}}]}, {"text": "Done."}]}


class Collector:
    """The SDK with its in-memory exporter."""

    def __init__(self, *more: SpanProcessor) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        for processor in (*more, SimpleSpanProcessor(self.exporter)):
            self.provider.add_span_processor(processor)

    @property
    def spans(self) -> list[ReadableSpan]:
        """In the order they began."""
        return sorted(self.exporter.get_finished_spans(), key=lambda span: span.start_time or 0)


class Broken(SpanProcessor):
    def on_start(self, span: Any, parent_context: Any = None) -> None:
        raise OSError("the collector is gone")


async def a_turn(program: Program, collector: Collector) -> None:
    environment = {**program.environment, "API_TOKEN": SECRET}
    opened = open_engine(str(program.workspace), environment=environment)
    trace(opened.engine, collector.provider)
    loop = ToolLoop(opened.engine, ScriptedModel(script_from(TURN)), workspace=str(program.workspace))
    with collector.provider.get_tracer("app").start_as_current_span("turn"):
        assert (await loop.submit("go")).ok
    await opened.engine.close()


def test_the_sdk_has_the_spans_of_a_turn_with_five_hooks_complete_in_order_and_as_the_file_has_them(
    program: Program,
) -> None:
    program.write(".claude/settings.json", json.dumps({"hooks": FIVE}))
    collector = Collector()
    asyncio.run(a_turn(program, collector))
    spans = [
        span for span in collector.spans if not span.name.startswith("decide Message")
    ]  # shown, not asked
    assert [span.name.rpartition(":")[0] or span.name for span in spans] == [
        "turn",
        "decide UserPromptSubmit", "run_guardrail claude:UserPromptSubmit", "decide UserMessage",
        "decide PreToolUse", "run_guardrail claude:PreToolUse", "run_guardrail claude:PreToolUse",
        "execute_tool Bash",
        "decide PostToolUse", "run_hook claude:PostToolUse",
        "decide Stop", "run_guardrail claude:Stop",
    ]  # fmt: skip
    turn = spans[0]
    by_number = {span.context.span_id: span for span in spans}
    for span in spans[1:]:
        above = by_number[span.parent.span_id] if span.parent else None
        assert above is not None and span.context.trace_id == turn.context.trace_id
        assert above is turn or (" claude:" in span.name and above.name.startswith("decide "))
        assert (
            (above.start_time or 0) <= (span.start_time or 0) <= (span.end_time or 0) <= (above.end_time or 0)
        )
    failed = [span for span in spans if span.status.status_code is StatusCode.ERROR]
    assert len(failed) == 1 and failed[0].attributes and failed[0].attributes["process.exit.code"] == 3
    assert SECRET not in "".join(span.to_json() for span in spans)

    done = program("history", "export", "--format", "otel", "--to", "spans.json")
    assert done.returncode == 0, done
    text = (program.workspace / "spans.json").read_text()
    (scope,) = json.loads(text)["resourceSpans"][0]["scopeSpans"]
    in_file = [span["name"] for span in scope["spans"]]
    assert sorted(in_file) == sorted(span.name for span in collector.spans if span is not turn)


def test_a_denial_is_an_answer_and_a_broken_guard_an_error() -> None:
    engine, collector = Engine(), Collector()
    engine.on("PreToolUse", "Bash", name="no")(lambda event: deny("no"))
    engine.on("PreToolUse", "Write", name="broken", on_failure="allow")(lambda event: 1 / 0)
    undo = trace(engine, collector.provider, tools=False)
    for tool in ("Bash", "Write"):
        engine.fire_now(make_event("PreToolUse", tool_name=tool, tool_input={}))
    engine.fire_now(make_event("PostToolUse", tool_name="Bash", tool_input={}, tool_use_id="c1"))
    states = {span.name: span.status.status_code for span in collector.spans}
    assert (
        states["run_guardrail no"] is StatusCode.UNSET and states["run_guardrail broken"] is StatusCode.ERROR
    )
    assert "execute_tool Bash" not in states
    verdicts = [span.attributes.get("hookline.verdict") for span in collector.spans if span.attributes]
    assert "deny" in verdicts
    undo()
    collector.exporter.clear()
    engine.fire_now(make_event("PreToolUse", tool_name="Bash", tool_input={}))
    assert not collector.spans


def test_without_a_span_of_the_program_they_stand_below_what_the_agent_told() -> None:
    engine, collector = Engine(), Collector()
    engine.on("PreToolUse")(lambda event: None)
    trace(engine, collector.provider)
    engine.fire_now(
        make_event("PreToolUse", tool_name="Bash", extra={"traceparent": f"00-{TRACE}-{PARENT}-01"})
    )
    decided = next(span for span in collector.spans if span.name == "decide PreToolUse")
    assert decided.parent is not None
    assert (f"{decided.parent.trace_id:032x}", f"{decided.parent.span_id:016x}") == (TRACE, PARENT)


def test_spans_that_cannot_be_made_change_nothing_of_a_decision(caplog: pytest.LogCaptureFixture) -> None:
    engine = Engine()
    engine.on("PreToolUse")(lambda event: deny("no"))
    trace(engine, Collector(Broken()).provider)
    with caplog.at_level(logging.ERROR, "hookline"):
        decision = engine.fire_now(make_event("PreToolUse", tool_name="Bash"))
    assert decision.blocked and "the collector is gone" in caplog.text
