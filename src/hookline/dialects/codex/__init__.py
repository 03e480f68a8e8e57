"""Codex CLI: Claude Code's config shape, closed answers, patches instead of edits.

As read from its hooks page and schemas, and seen by running 0.169. Codex runs a hook only after its user
reviewed it there; that trust is Codex's own and not read here.
"""

from __future__ import annotations

from hookline.dialects.bridged import AgentDialect
from hookline.dialects.bridged.payloads import (
    canonical_call,
    json_or_silence,
    native_call,
    native_input,
    read_agent_event,
    require_object,
    result_text,
    with_extra,
    write_fields,
)
from hookline.dialects.codex.rules import ROWS, RULES, TOOLS
from hookline.model.events import EventKind
from hookline.model.hooks import HandlerInput
from hookline.model.record import replace
from hookline.model.results import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.dialects.bridged.rules import AgentRule
    from hookline.model.errors import Problem
    from hookline.model.events import Event
    from hookline.model.hooks import HookSpec
    from hookline.model.results import Decision, Outcome, RawResult, Response

# What a required field holds when the event does not come from Codex.
MISSING: Mapping[str, Any] = {
    "turn_id": "", "model": "", "permission_mode": "default", "agent_transcript_path": None,
    "last_assistant_message": None,
}  # fmt: skip
DROPPING = frozenset({"missing-key", "wrong-type", "bad-value"})


class CodexDialect(AgentDialect):
    """Codex CLI as a config reader, as the way its hooks talk, and as a host."""

    name = "codex"
    title = "Codex CLI"
    rules = RULES
    rows = ROWS
    has_stop_limit = False  # observed
    tools = TOOLS

    def drops_for(self, problem: Problem) -> bool:
        """An invalid handler or matcher drops its `hooks.json`; a group without handlers does not (observed)."""
        group = problem.code == "missing-key" and problem.path.endswith("]")
        return problem.severity == "error" and problem.code in DROPPING and not group

    # -- one hook -----------------------------------------------------------------------------------

    def hook_input(self, event: Event, spec: HookSpec) -> HandlerInput:
        """JSON on stdin and no variables of its own: Codex sets none."""
        return HandlerInput(payload=self.payload(event, self.rule(spec)), stdin=True, cwd=event.cwd)

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        """What Codex CLI itself would send for this event; a missing transcript is null."""
        payload: dict[str, Any] = {
            "session_id": event.session_id,
            "transcript_path": event.transcript_path or None,
            "cwd": event.cwd,
            "hook_event_name": rule.native,
            **write_fields(rule, event),
        }
        for field, value in MISSING.items():
            if field in payload and payload[field] in (None, ""):
                payload[field] = value
        if "tool_name" in payload:
            payload.update(native_call(TOOLS, event))
        if "tool_response" in payload and event.host != self.name and event.get("tool_name")[:5] != "mcp__":
            payload["tool_response"] = result_text(payload["tool_response"])
        return with_extra(payload, event)

    def read_output(self, event: Event, spec: HookSpec, raw: RawResult) -> Outcome:
        from hookline.dialects.codex.output import read_codex_output

        outcome = read_codex_output(self.rule(spec), raw)
        if spec.background:  # nobody waits for its verdict
            return replace(outcome, verdict=Verdict.NONE, reason="", reprompt="", updated_input=None)
        return self.in_canonical_fields(event, outcome)

    # -- as a host ----------------------------------------------------------------------------------

    def read_event(self, native: str, payload: Mapping[str, Any]) -> Event:
        """The event Codex CLI reports; a patch becomes an Edit or a Write."""
        given = dict(require_object(payload, self.title))
        row = self.reported_row(native, given)
        words = canonical_call(TOOLS, given) if "tool_name" in given else {}
        return read_agent_event(row.kind, self.name, given, words)

    def respond(self, event: Event, decision: Decision) -> Response:
        """Only the keys Codex accepts at this event; never a bare approval, never an empty reason."""
        fitted, _ = self.fit(event, decision)
        row = self.host_row(event)
        return json_or_silence(_top(row, fitted), row.native, _specific(row, event, fitted))


def _top(rule: AgentRule, decision: Decision) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    if decision.messages:
        answer["systemMessage"] = "\n".join(decision.messages)
    if decision.verdict is Verdict.HALT:
        answer.update({"continue": False, "stopReason": decision.why})
    elif rule.kind not in (EventKind.PreToolUse, EventKind.PermissionRequest) and (
        decision.verdict is Verdict.DENY or decision.reprompt
    ):
        answer.update({"decision": "block", "reason": decision.reprompt or decision.why})
    return answer


def _specific(rule: AgentRule, event: Event, decision: Decision) -> dict[str, Any]:
    specific: dict[str, Any] = {}
    if rule.kind is EventKind.PreToolUse and decision.verdict is Verdict.DENY:
        specific.update({"permissionDecision": "deny", "permissionDecisionReason": decision.why})
    elif rule.kind is EventKind.PreToolUse and decision.updated_input is not None:
        changed = native_input(TOOLS, event, decision.updated_input)
        specific.update({"permissionDecision": "allow", "updatedInput": changed})
    if rule.kind is EventKind.PermissionRequest and decision.verdict is Verdict.DENY:
        specific["decision"] = {"behavior": "deny", "message": decision.why}
    elif rule.kind is EventKind.PermissionRequest and decision.verdict is Verdict.ALLOW:
        specific["decision"] = {"behavior": "allow"}
    if decision.contexts:
        specific["additionalContext"] = "\n".join(decision.contexts)
    return specific


DIALECT = CodexDialect()
