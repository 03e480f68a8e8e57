"""GitHub Copilot CLI: flat files in a folder, two payload spellings, fail-closed before tools.

Seen by running CLI 1.0.102, else from its documentation and third-party probes. Copilot also runs the hooks of
`.claude/settings.json`; those are read by the Claude Code dialect alone.
"""

from __future__ import annotations

from hookline.dialects.bridged import AgentDialect
from hookline.dialects.bridged.payloads import (
    json_or_silence,
    native_input,
    native_of,
    read_agent_event,
    require_object,
)
from hookline.dialects.copilot.payloads import copilot_payload, read_fields
from hookline.dialects.copilot.rules import EVENTS_LIKE_CLAUDE, ROWS, RULES, TOOLS
from hookline.dialects.tools import call_names
from hookline.model.events import EventKind
from hookline.model.hooks import HandlerInput
from hookline.model.results import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.dialects.bridged.rules import AgentRule
    from hookline.model.events import Event
    from hookline.model.hooks import HookSpec
    from hookline.model.results import Decision, Outcome, RawResult, Response

ABOUT_THE_TURN = frozenset({EventKind.Stop, EventKind.UserPromptSubmit, EventKind.UserPromptExpansion})
PERMISSIONS = {Verdict.ALLOW: "allow", Verdict.ASK: "ask", Verdict.DENY: "deny"}


class CopilotDialect(AgentDialect):
    """Copilot CLI as a config reader, as the way its hooks talk, and as a host."""

    name = "copilot"
    title = "GitHub Copilot"
    rules = RULES
    rows = ROWS
    tools = TOOLS
    project_variable = "COPILOT_PROJECT_DIR"

    def is_noise(self, event: Event) -> bool:
        """A subagent's prompt and its `agentStop`: subagentStart and subagentStop tell of the same."""
        return bool(event.agent_id) and event.kind in ABOUT_THE_TURN

    # -- one hook -----------------------------------------------------------------------------------

    def subject_values(self, rule: AgentRule, event: Event) -> object:
        """Claude Code's tool names too where the event is spelled as Claude Code spells it."""
        if rule.native in EVENTS_LIKE_CLAUDE:
            return tuple(dict.fromkeys((*call_names(event), *self.tool_words(event))))
        return super().subject_values(rule, event)

    def skip_reason(self, spec: HookSpec, event: Event) -> str | None:
        reported = native_of(event, self.name).get("event")
        if reported and reported != spec.native_event:
            return f"this is `{reported}`; Copilot reports `{spec.native_event}` by itself"
        return super().skip_reason(spec, event)

    def hook_input(self, event: Event, spec: HookSpec) -> HandlerInput:
        """JSON on stdin, in the folder the hook names, with the variables Copilot sets."""
        import os.path

        root = event.workspace or event.cwd
        cwd = os.path.join(root, str(spec.options.get("cwd") or "")).rstrip("/") or root
        env = {
            "CLAUDE_PROJECT_DIR": root, "COPILOT_PROJECT_DIR": root, "COPILOT_CLI": "1",
            "COPILOT_HOOK_DIR": os.path.dirname(spec.path),
        }  # fmt: skip
        return HandlerInput(payload=copilot_payload(event, self.rule(spec)), stdin=True, env=env, cwd=cwd)

    def read_output(self, event: Event, spec: HookSpec, raw: RawResult) -> Outcome:
        from hookline.dialects.copilot.output import read_copilot_output

        outcome = read_copilot_output(self.rule(spec), raw)
        return self.in_canonical_fields(event, outcome) if event.kind is EventKind.PreToolUse else outcome

    # -- as a host ----------------------------------------------------------------------------------

    def read_event(self, native: str, payload: Mapping[str, Any]) -> Event:
        """The event Copilot reports; camelCase payloads do not name it, so `native` must."""
        given = dict(require_object(payload, self.title))
        row = self.reported_row(native, given)
        return read_agent_event(row.kind, self.name, given, read_fields(row.native, given))

    def respond(self, event: Event, decision: Decision) -> Response:
        """JSON with exit 0; nothing for no opinion."""
        fitted, _ = self.fit(event, decision)
        answer = copilot_answer(self.host_row(event), event, fitted)
        return json_or_silence(answer)


def copilot_answer(rule: AgentRule, event: Event, decision: Decision) -> dict[str, Any]:
    """A fitted decision in Copilot's keys; all at the top level."""
    answer: dict[str, Any] = {}
    if rule.kind is EventKind.PermissionRequest:
        return _request(decision)
    if rule.kind is EventKind.PreToolUse and decision.verdict in PERMISSIONS:
        answer["permissionDecision"] = PERMISSIONS[decision.verdict]
        reason = decision.reason if decision.verdict is Verdict.ALLOW else decision.why
        answer.update({"permissionDecisionReason": reason} if reason else {})
    elif not rule.feedback and (decision.verdict is Verdict.DENY or decision.reprompt):
        answer.update({"decision": "block", "reason": decision.reprompt or decision.why})
    if decision.updated_input is not None and not decision.blocked:
        answer.update(_changed(rule, event, decision.updated_input))
    told = (*((decision.why,) if rule.feedback and decision.blocked else ()), *decision.contexts)
    if told:
        answer["additionalContext"] = "\n".join(told)
    for name, key in (("modifiedResult", "modified_result"), ("modifiedResponse", "modified_response")):
        if name in rule.products and decision.products.get(key) is not None:
            answer[name] = decision.products[key]
    return answer


def _request(decision: Decision) -> dict[str, Any]:
    if decision.verdict is Verdict.ALLOW:
        return {"behavior": "allow"}
    if not decision.blocked:
        return {}  # the agent asks the user, which is what it was about to do
    interrupt = decision.verdict is Verdict.HALT or bool(decision.products.get("interrupt"))
    return {"behavior": "deny", "message": decision.why, **({"interrupt": True} if interrupt else {})}


def _changed(rule: AgentRule, event: Event, updated: Mapping[str, Any]) -> dict[str, Any]:
    if rule.kind is EventKind.UserPromptExpansion:
        return {"modifiedTransformedPrompt": str(updated.get("prompt", ""))}
    if rule.kind is EventKind.UserPromptSubmit:
        return {"modifiedPrompt": str(updated.get("prompt", ""))}
    return {"modifiedArgs": native_input(TOOLS, event, updated)}


DIALECT = CopilotDialect()
