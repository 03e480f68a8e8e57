"""Gemini CLI: eleven events, command hooks with time limits in milliseconds, one answer format.

As read from the compiled sources of 0.61, and seen by running it.
"""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import (
    BLOCK,
    COMMAND,
    CONTEXT,
    DENY,
    MESSAGE,
    STOP,
    TIMEOUT,
    TYPE,
    Agent,
    File,
)
from hookline.dialects.gemini.rules import ROWS, SOURCE, TOOLS
from hookline.dialects.keys import Key, Switch
from hookline.model.events import Event, EventKind
from hookline.model.record import replace
from hookline.model.results import Decision, Outcome, RawResult, Verdict
from hookline.model.typing import Any


class GeminiDialect(FamilyDialect):
    """Gemini CLI as a config reader, as the way its hooks talk, and as a host."""

    has_profile = True

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        """What Gemini CLI itself would send for this event."""
        payload = super().payload(event, rule)
        if rule.kind is EventKind.Stop:
            payload.update({field: payload[field] or "" for field in ("prompt", "prompt_response")})
        if rule.kind is EventKind.PostToolUseFailure and event.host != self.name:
            payload["tool_response"] = {**payload["tool_response"], "error": event.get("error")}
        return payload

    def meaning(self, rule: AgentRule, raw: RawResult) -> Outcome:
        from hookline.dialects.gemini.output import read_gemini_output

        return read_gemini_output(self.agent, rule, raw)

    def reported_kind(self, row: AgentRule, given: dict[str, Any]) -> EventKind:
        """A failed AfterTool is a PostToolUseFailure."""
        response = given.get("tool_response")
        error = response.get("error") if isinstance(response, dict) else None
        if row.kind is not EventKind.PostToolUse or not error:
            return row.kind
        given["error"] = str(error.get("message", error)) if isinstance(error, dict) else str(error)
        return EventKind.PostToolUseFailure

    def sayable(self, event: Event, fitted: Decision) -> Decision:
        """Only a denial shows its reason, so that of a question is a message."""
        if fitted.verdict in (Verdict.ALLOW, Verdict.ASK):
            told = (fitted.why,) if fitted.verdict is Verdict.ASK else ()
            return replace(fitted, reason="", messages=(*fitted.messages, *told))
        return fitted


DIALECT = GeminiDialect(
    Agent(
        name="gemini",
        title="Gemini CLI",
        program="gemini",
        sources=SOURCE,
        files=(
            File("plugin", "{home}/.gemini/extensions/*/hooks/hooks.json"),
            File("managed", "/etc/gemini-cli/settings.json"),
            File("user", "{home}/.gemini/settings.json", ours=True),
            File("project", "{ws}/.gemini/settings.json", ours=True),
        ),
        format="jsonc",
        rows=ROWS,
        tools=TOOLS,
        keys=(
            replace(TYPE, required=True), COMMAND, replace(TIMEOUT, type="milliseconds"),
            Key("name", "text", "name"), Key("description", "text", "description"),
            Key("env", "map", "env", "further variables"),
        ),
        single=True,
        sequence_key="sequential",
        switches=(Switch("hooksConfig.enabled", False, "`hooksConfig.enabled` is false", "set it to true"),),
        names_off="hooksConfig.disabled",
        matching="tool_regex",
        dedupe=True,
        shell=("bash", "-c"),
        payload={"last_assistant_message": "prompt_response", "permission_mode": "", "agent_id": "", "agent_type": ""},
        environment={
            "GEMINI_PROJECT_DIR": "{project}", "GEMINI_CWD": "{cwd}", "GEMINI_SESSION_ID": "{session}",
            "CLAUDE_PROJECT_DIR": "{project}",
        },
        placeholders="dollar",
        adds={"timestamp": "{time}"},
        result=("llmContent", "returnDisplay"),
        project_variable="GEMINI_PROJECT_DIR",
        says=(
            DENY, BLOCK,
            Says("ask", "decision", "ask", "reason"),
            Says("allow", "decision", "allow", "reason"), Says("allow", "decision", "approve", "reason"),
            STOP,
            Says("rewrite", "hookSpecificOutput.tool_input", at=frozenset({EventKind.PreToolUse})),
            CONTEXT, MESSAGE,
        ),
        no_reason="No reason provided",
        denies_by_exit=False,
        named="free",
        stop_limit=False,
        needs=("Gemini CLI refuses project hooks in a folder it does not trust; `/hooks` shows them",),
    )
)  # fmt: skip
