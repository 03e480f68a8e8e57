"""Claude Code: 33 events, five handler types, settings on five levels, plugins, skills and agents.

As read from the hooks reference and the SDK types of 2.1.330, and seen by running it. Marks in the
tables: documented unless called observed.
"""

from __future__ import annotations

import os.path

from hookline.dialects.bridged import AgentDialect
from hookline.dialects.bridged.payloads import (
    as_shell_result,
    canonical_call,
    read_agent_event,
    require_object,
    with_extra,
    write_fields,
)
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.claude.rules import ROWS, RULES
from hookline.dialects.tools import CANONICAL, Tools, call_names
from hookline.model.errors import PERMISSIONS, PayloadError, Problem
from hookline.model.events import Event, EventKind, find_kind
from hookline.model.hooks import Command, HandlerInput, HookSpec
from hookline.model.record import replace
from hookline.model.results import Decision, Outcome, RawResult, Response
from hookline.model.typing import Any, Mapping

DROPPING = frozenset({"flat-entry", "missing-key", "wrong-type", "bad-value"})
COMMON_FIELDS = ("prompt_id", "permission_mode", "agent_id", "agent_type", "effort")


class ClaudeDialect(AgentDialect):
    """Claude Code as a config reader, as the way its hooks talk, and as a host."""

    name = "claude"
    tools = Tools(agent="claude", aliases={"Agent": ("Task",)})  # its old name still fits (observed)
    title = "Claude Code"
    rules = RULES
    rows = ROWS
    project_variable = "CLAUDE_PROJECT_DIR"
    placeholder_style = "vars"

    def drops_for(self, problem: Problem) -> bool:
        """One invalid entry drops its file, silently with `-p`; unknown events and keys do not (observed)."""
        return problem.severity == "error" and problem.code in DROPPING and problem.lost != PERMISSIONS

    # -- one hook -----------------------------------------------------------------------------------

    def subject_values(self, rule: AgentRule, event: Event) -> object:
        if rule.subject == "tool_name":
            names = call_names(event)
            return (*names, *(word for name in names for word in self.tools.aliases.get(name, ())))
        value = event.get(rule.subject)
        if rule.kind is EventKind.FileChanged and isinstance(value, str):
            return os.path.basename(value)
        return value

    def hook_input(self, event: Event, spec: HookSpec) -> HandlerInput:
        """JSON on stdin, `CLAUDE_PROJECT_DIR` in the environment, `${…}` in exec arguments."""
        env = {"CLAUDE_PROJECT_DIR": event.workspace or event.cwd}
        if root := spec.origin.plugin_root:
            env["CLAUDE_PLUGIN_ROOT"] = root
            env["CLAUDE_PLUGIN_DATA"] = spec.origin.plugin_data
        effort = event.extra.get("effort")
        if isinstance(effort, dict) and isinstance(effort.get("level"), str):
            env["CLAUDE_EFFORT"] = effort["level"]
        exec_form = isinstance(spec.action, Command) and bool(spec.action.argv)
        return HandlerInput(
            payload=self.payload(event, self.rule(spec)), stdin=True, env=env, cwd=event.cwd,
            placeholders="vars" if exec_form else "", variables=env if exec_form else {},
        )  # fmt: skip

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        """What Claude Code itself would send for this event."""
        payload: dict[str, Any] = {
            "session_id": event.session_id,
            "transcript_path": event.transcript_path,
            "cwd": event.cwd,
        }
        for field in COMMON_FIELDS:
            value = event.get(field)
            if value not in (None, ""):
                payload[field] = value
        payload["hook_event_name"] = rule.native
        payload.update(write_fields(rule, event))
        if "tool_response" in payload and event.host != self.name:
            payload["tool_response"] = as_shell_result(event)
        if rule.kind is EventKind.TaskCompleted and not payload.get("task_subject"):
            payload["task_subject"] = event.get("task_content") or ""
        return with_extra(payload, event)

    def read_output(self, event: Event, spec: HookSpec, raw: RawResult) -> Outcome:
        from hookline.dialects.claude.output import read_claude_output

        return read_claude_output(_as_blockable(self.rule(spec), event), spec, raw)

    # -- as a host ----------------------------------------------------------------------------------

    def read_event(self, native: str, payload: Mapping[str, Any]) -> Event:
        """The event Claude Code reports; the payload's own event name wins over `native`."""
        given = dict(require_object(payload, self.title))
        name = given.get("hook_event_name") or native
        kind = find_kind(str(name))
        if kind is None or kind not in RULES:
            raise PayloadError(f"Claude Code has no event `{name}`")
        if kind is EventKind.TaskCompleted and "task_subject" in given:
            given.setdefault("task_content", given["task_subject"])
        tool = given.get("tool_name")
        strange = isinstance(tool, str) and tool not in CANONICAL and not tool.startswith("mcp__")
        return read_agent_event(kind, self.name, given, canonical_call(self.tools, given) if strange else {})

    def host_row(self, event: Event) -> AgentRule:
        return _as_blockable(super().host_row(event), event)

    def respond(self, event: Event, decision: Decision) -> Response:
        """JSON with exit 0; nothing for no opinion; exit 2 only where a denial has no JSON form."""
        from hookline.dialects.claude.answers import claude_response

        fitted, _ = self.fit(event, decision)
        return claude_response(self.tools, self.host_row(event), event, fitted)


def _as_blockable(rule: AgentRule, event: Event) -> AgentRule:
    """The row for this one event: a change of the managed policy is applied, whatever its hooks say."""
    if rule.kind is EventKind.ConfigChange and event.get("source") == "policy_settings":
        return replace(rule, effects=rule.effects - {"deny"}, exit_two="shown")
    return rule


DIALECT = ClaudeDialect()
