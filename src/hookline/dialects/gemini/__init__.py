"""Gemini CLI: eleven events, command hooks with time limits in milliseconds, one answer format.

As read from the compiled sources of 0.61, and seen by running it.
"""

from __future__ import annotations

from hookline.dialects.bridged import AgentDialect
from hookline.dialects.bridged.payloads import (
    canonical_call,
    native_call,
    read_agent_event,
    require_object,
    with_extra,
    write_fields,
)
from hookline.dialects.gemini.rules import ROWS, RULES, TOOLS
from hookline.model.events import EventKind
from hookline.model.hooks import HandlerInput
from hookline.model.record import replace
from hookline.model.short_json import write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.dialects.bridged.rules import AgentRule
    from hookline.model.events import Event
    from hookline.model.hooks import HookSpec
    from hookline.model.results import Decision, Outcome, RawResult, Response


class GeminiDialect(AgentDialect):
    """Gemini CLI as a config reader, as the way its hooks talk, and as a host."""

    name = "gemini"
    title = "Gemini CLI"
    rules = RULES
    rows = ROWS
    project_variable = "GEMINI_PROJECT_DIR"
    has_stop_limit = False  # observed
    tools = TOOLS
    placeholder_style = "dollar"

    def rule(self, spec: HookSpec) -> AgentRule:
        """In a sequence each hook sees what the one before it made of the call."""
        rule = super().rule(spec)
        return replace(rule, order="pipeline") if spec.options.get("sequential") else rule

    # -- one hook -----------------------------------------------------------------------------------

    def hook_input(self, event: Event, spec: HookSpec) -> HandlerInput:
        """JSON on stdin; five variables in the environment and, quoted, in the command line."""
        project = event.workspace or event.cwd
        env = {
            "GEMINI_PROJECT_DIR": project, "GEMINI_CWD": event.cwd, "GEMINI_SESSION_ID": event.session_id,
            "CLAUDE_PROJECT_DIR": project,
        }  # fmt: skip
        return HandlerInput(
            payload=self.payload(event, self.rule(spec)), stdin=True, env=env, cwd=event.cwd,
            placeholders="dollar", variables=env,
        )  # fmt: skip

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        """What Gemini CLI itself would send for this event."""
        from hookline.system.clock import iso_time

        payload: dict[str, Any] = {
            "session_id": event.session_id,
            "transcript_path": event.transcript_path,
            "cwd": event.cwd,
            "hook_event_name": rule.native,
            "timestamp": event.extra.get("timestamp") or iso_time(event.at or None),
            **write_fields(rule, event),
        }
        if rule.kind is EventKind.Stop:
            payload["prompt"] = event.get("prompt") or ""
            payload["prompt_response"] = event.get("last_assistant_message") or ""
        if "tool_name" in payload:
            payload.update(native_call(TOOLS, event))
        if "tool_response" in payload:
            error = event.get("error") if rule.kind is EventKind.PostToolUseFailure else None
            payload["tool_response"] = _response(payload["tool_response"], error)
        return with_extra(payload, event)

    def read_output(self, event: Event, spec: HookSpec, raw: RawResult) -> Outcome:
        from hookline.dialects.gemini.output import read_gemini_output

        return self.in_canonical_fields(event, read_gemini_output(self.rule(spec), raw))

    # -- as a host ----------------------------------------------------------------------------------

    def read_event(self, native: str, payload: Mapping[str, Any]) -> Event:
        """The event Gemini CLI reports. A failed AfterTool becomes PostToolUseFailure."""
        given = dict(require_object(payload, self.title))
        row = self.reported_row(native, given)
        kind, words = row.kind, {}
        if kind is EventKind.Stop:
            given["last_assistant_message"] = given.pop("prompt_response", "")
        if "tool_name" in given:
            context = given.get("mcp_context")
            server = str(context.get("server_name", "")) if isinstance(context, dict) else ""
            words = canonical_call(TOOLS, given, server)
        response = given.get("tool_response")
        if kind is EventKind.PostToolUse and isinstance(response, dict) and response.get("error"):
            kind = EventKind.PostToolUseFailure
            error = response["error"]
            given["error"] = str(error.get("message", error)) if isinstance(error, dict) else str(error)
        return read_agent_event(kind, self.name, given, words)

    def respond(self, event: Event, decision: Decision) -> Response:
        """JSON with exit 0; nothing for no opinion."""
        from hookline.dialects.gemini.answers import gemini_response

        fitted, _ = self.fit(event, decision)
        return gemini_response(self.host_row(event), event, fitted)


def _response(found: Any, error: object) -> Any:
    """What a tool gave back in Gemini CLI's form, whatever agent it comes from."""
    if isinstance(found, dict) and "llmContent" in found:
        return found
    if isinstance(found, dict) and "stdout" in found:
        found = "\n".join(filter(None, (str(found["stdout"]), str(found.get("stderr") or ""))))
    text = "" if found is None else found if isinstance(found, str) else write_json(found, default=str)
    return {"llmContent": text, "returnDisplay": text, **({} if error is None else {"error": error})}


DIALECT = GeminiDialect()
