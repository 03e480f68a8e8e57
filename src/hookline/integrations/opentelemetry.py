"""Decisions as spans of the program's own OpenTelemetry: `trace(engine)`. Needs the extra `opentelemetry`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import time_ns
from typing import TYPE_CHECKING, Any

from opentelemetry import trace as otel
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from hookline import __version__
from hookline.engine.fire import Engine
from hookline.engine.services import InFront
from hookline.model.asked import about_of, in_one_line, shortened
from hookline.model.events import Event
from hookline.model.rendering import decision_as_json
from hookline.model.results import Decision
from hookline.state.exports import Kept, without_outputs
from hookline.state.exports.otel import Span, Spans
from hookline.state.redaction import Redactor

if TYPE_CHECKING:
    from hookline.engine.services import Recorder


def trace(engine: Engine, provider: Any = None, *, tools: bool = True) -> Callable[[], None]:
    """Makes spans of every decision of `engine`, below the span that is current where it is fired.

    They are those of `hookline history export --format otel`, without secrets and without what hooks print.
    `provider` is a TracerProvider (default: the program's). Without `tools` none are made of tool calls: for an
    agent whose library makes them itself. What is returned ends it all.
    """
    before = engine.history
    engine.provide(history=_Traced(before, otel.get_tracer("hookline", __version__, provider), engine, tools))
    return lambda: engine.provide(history=before)


class _Traced(InFront):
    """A recorder that makes the spans, and hands every decision on to the one there was."""

    def __init__(self, inner: Recorder | None, tracer: Any, engine: Engine, tools: bool) -> None:
        super().__init__(inner)
        self._tracer = tracer
        self._redactor = Redactor(engine.environment)
        self._spans = Spans()
        self._tools = tools

    def record(self, event: Event, decision: Decision, workspace: str) -> object:
        began = time_ns() - round(decision.duration_s * 1e9)
        kept = super().record(event, decision, workspace)
        try:
            self._tell(_above(event), self._spans.of(self._described(event, decision, workspace), began))
        except Exception:  # of a span processor, say: it must not change what was decided
            logging.getLogger("hookline").exception("no spans of a decision")
        return kept

    def _described(self, event: Event, decision: Decision, workspace: str) -> Kept:
        tool, about = about_of(event)
        summary = shortened(in_one_line(self._redactor.command(about)))
        shown = {
            **decision_as_json(event, decision),
            "asked": {"tool": tool, "summary": summary},
            "host": event.host,
        }
        digests = [[result.spec.id, result.digest] for result in decision.results]
        facts = {"call": event.get("tool_use_id") or "", "policy": decision.policy, "hooks": digests}
        return Kept(0, self._redactor.value(without_outputs(shown)), workspace, facts)

    def _tell(self, above: Any, spans: Any) -> None:
        """Hooks come behind their decision, and end before it."""
        decided = span = None
        for each in spans:
            if each.name.startswith("execute_tool"):
                if self._tools:
                    self._started(each, above).end(each.end)
            elif span is None:
                decided, span = each, self._started(each, above)
            else:
                self._started(each, otel.set_span_in_context(span, above)).end(each.end)
        if decided is not None and span is not None:
            span.end(decided.end)

    def _started(self, span: Span, above: Any) -> Any:
        facts = {name: value for name, value in span.facts.items() if value is not None}
        made = self._tracer.start_span(span.name, above, attributes=facts, start_time=span.start)
        if span.fault:
            made.set_status(otel.Status(otel.StatusCode.ERROR, span.fault))
        return made


def _above(event: Event) -> Any:
    """The context that is current; else that of the agent's own trace, where it told one."""
    if otel.get_current_span().get_span_context().is_valid:
        return None
    told = event.traceparent or event.extra.get("traceparent") or ""
    return (
        TraceContextTextMapPropagator().extract({"traceparent": told})
        if isinstance(told, str) and told
        else None
    )
