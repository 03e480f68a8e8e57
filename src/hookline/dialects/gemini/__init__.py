"""Gemini CLI: eleven events, command hooks with time limits in milliseconds, one answer format.

As read from the compiled sources of 0.61 and its documentation; `observed` marks what that version did when it was run,
which wins where the three differ.
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
    event,
)
from hookline.dialects.keys import Key, Switch
from hookline.dialects.tools import Tools
from hookline.model.events import Event
from hookline.model.events import EventKind as K
from hookline.model.record import replace
from hookline.model.results import Decision, Outcome, RawResult, Verdict
from hookline.model.short_json import value_at
from hookline.model.typing import Any

SOURCE = "Gemini CLI 0.61 sources; observed"
CALL = "tool_name tool_input mcp_context? original_request_name?"
RESULT = "deny context continue message product"

# Hooks start together, identical ones run once (observed); a block never cancels the others.
ROWS: tuple[AgentRule, ...] = (
    event("SessionStart", "context message", fields="source"),
    event("SessionEnd", "message"),
    event("BeforeAgent", "deny context continue message", K.UserPromptSubmit),
    event(
        "AfterAgent", "deny reprompt continue message product", K.Stop,
        fields="prompt last_assistant_message stop_hook_active", products=("clearContext",),
    ),
    event(
        "BeforeModel", "deny continue message product", K.PreModelRequest, fields="llm_request",
        products=("llm_request", "llm_response"),
    ),
    # a block is reported, yet the tools the model asked for still ran (observed)
    event(
        "AfterModel", "deny continue message product", K.PostModelResponse, fields="llm_request llm_response",
        feedback=True, products=("llm_response",),
    ),
    event("BeforeToolSelection", "product", K.PreToolSelection, fields="llm_request", products=("toolConfig",)),
    # additionalContext is ignored here (observed); `ask` is undocumented but forces a confirmation
    event("BeforeTool", "deny ask allow rewrite continue message", K.PreToolUse, fields=CALL),
    event("AfterTool", RESULT, K.PostToolUse, fields=f"{CALL} tool_response", products=("tailToolCallRequest",)),
    # the same native event with `tool_response.error`
    event(
        "AfterTool", RESULT, K.PostToolUseFailure, fields=f"{CALL} tool_response",
        products=("tailToolCallRequest",),
    ),
    # fires before every model call although nothing is compressed (observed)
    event("PreCompress", "message", K.PreCompact, fields="trigger"),
    event("Notification", "message", fields="notification_type message details?"),
)  # fmt: skip
TOOLS = Tools(
    names=(
        ("Bash", "run_shell_command"), ("Read", "read_file"), ("Read", "read_many_files"),
        ("Write", "write_file"), ("Edit", "replace"), ("Glob", "glob"), ("Grep", "grep_search"),
        ("LS", "list_directory"), ("WebFetch", "web_fetch"), ("WebSearch", "google_web_search"),
        ("TodoWrite", "write_todos"), ("Agent", "invoke_agent"), ("AskUserQuestion", "ask_user"),
        ("EnterPlanMode", "enter_plan_mode"), ("ExitPlanMode", "exit_plan_mode"),
        ("Skill", "activate_skill"),
    ),
    fields={"Read": {"paths": "include"}},
    mcp="mcp_{server}_{tool}",
)  # fmt: skip


class GeminiDialect(FamilyDialect):
    """Gemini CLI as a config reader, as the way its hooks talk, and as a host."""

    has_profile = True

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        """What Gemini CLI itself would send for this event."""
        payload = super().payload(event, rule)
        if rule.kind is K.Stop:
            payload.update({field: payload[field] or "" for field in ("prompt", "prompt_response")})
        if rule.kind is K.PostToolUseFailure and event.host != self.name:
            payload["tool_response"] = {**payload["tool_response"], "error": event.get("error")}
        return payload

    def meaning(self, rule: AgentRule, raw: RawResult) -> Outcome:
        from hookline.dialects.gemini.output import read_gemini_output

        return read_gemini_output(self.agent, rule, raw)

    def reported_kind(self, row: AgentRule, given: dict[str, Any]) -> K:
        """A failed AfterTool is a PostToolUseFailure."""
        error = value_at(given, "tool_response.error")
        if row.kind is not K.PostToolUse or not error:
            return row.kind
        given["error"] = str(error.get("message", error)) if isinstance(error, dict) else str(error)
        return K.PostToolUseFailure

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
            Says("rewrite", "hookSpecificOutput.tool_input", at=frozenset({K.PreToolUse})),
            CONTEXT, MESSAGE,
        ),
        no_reason="No reason provided",
        denies_by_exit=False,
        named="free",
        stop_limit=False,
        needs=("Gemini CLI refuses project hooks in a folder it does not trust; `/hooks` shows them",),
    )
)  # fmt: skip
