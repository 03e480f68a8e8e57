"""Gemini CLI's events as rows.

From the compiled sources of 0.61 and its documentation; `observed` marks what that version did when it
was run, which wins where the three differ.
"""

from __future__ import annotations

from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.family.columns import event
from hookline.dialects.tools import Tools
from hookline.model.events import EventKind as K

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
