"""Gemini CLI's events as rows.

From the compiled sources of 0.61 and its documentation; `observed` marks what that version did when it
was run, which wins where the three differ.
"""

from __future__ import annotations

from hookline.dialects.bridged.rules import AgentRule, by_kind, effects
from hookline.dialects.tools import Tools
from hookline.model.events import EventKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SOURCE = "Gemini CLI 0.61 sources; observed"
COMMAND = frozenset({"command"})
CALL = ("tool_name", "tool_input", "mcp_context?", "original_request_name?")


def _row(
    native: str, kind: EventKind, can: str, fields: tuple[str, ...], subject: str = "", **more: Any
) -> AgentRule:
    """Hooks start together, identical ones run once (observed); a block never cancels the others."""
    return AgentRule(
        native=native, kind=kind, subject=subject, effects=effects(can), order="parallel", timeout_s=60.0,
        dedupe=True, cite=SOURCE, fields=fields, handlers=COMMAND, **more,
    )  # fmt: skip


K = EventKind
ROWS: tuple[AgentRule, ...] = (
    _row("SessionStart", K.SessionStart, "context message", ("source",), "source"),
    _row("SessionEnd", K.SessionEnd, "message", ("reason",), "reason"),
    _row("BeforeAgent", K.UserPromptSubmit, "deny context continue message", ("prompt",)),
    _row(
        "AfterAgent", K.Stop, "deny reprompt continue message product",
        ("prompt", "prompt_response", "stop_hook_active"), products=("clearContext",),
    ),
    _row(
        "BeforeModel", K.PreModelRequest, "deny continue message product", ("llm_request",),
        products=("llm_request", "llm_response"),
    ),
    # a block is reported, yet the tools the model asked for still ran (observed)
    _row(
        "AfterModel", K.PostModelResponse, "deny continue message product", ("llm_request", "llm_response"),
        feedback=True, products=("llm_response",),
    ),
    _row(
        "BeforeToolSelection", K.PreToolSelection, "product", ("llm_request",), products=("toolConfig",),
    ),
    # additionalContext is ignored here (observed); `ask` is undocumented but forces a confirmation
    _row("BeforeTool", K.PreToolUse, "deny ask allow rewrite continue message", CALL, "tool_name"),
    _row(
        "AfterTool", K.PostToolUse, "deny context continue message product", (*CALL, "tool_response"),
        "tool_name", feedback=True, products=("tailToolCallRequest",),
    ),
    # the same native event with `tool_response.error`
    _row(
        "AfterTool", K.PostToolUseFailure, "deny context continue message product", (*CALL, "tool_response"),
        "tool_name", feedback=True, products=("tailToolCallRequest",),
    ),
    # fires before every model call although nothing is compressed (observed)
    _row("PreCompress", K.PreCompact, "message", ("trigger",), "trigger"),
    _row(
        "Notification", K.Notification, "message", ("notification_type", "message", "details?"),
        "notification_type",
    ),
)  # fmt: skip
RULES = by_kind(ROWS)
TOOLS = Tools(
    "gemini",
    names=(
        ("Bash", "run_shell_command"), ("Read", "read_file"), ("Read", "read_many_files"),
        ("Write", "write_file"), ("Edit", "replace"), ("Glob", "glob"), ("Grep", "grep_search"),
        ("LS", "list_directory"), ("WebFetch", "web_fetch"), ("WebSearch", "google_web_search"),
        ("TodoWrite", "write_todos"), ("Agent", "invoke_agent"), ("AskUserQuestion", "ask_user"),
        ("EnterPlanMode", "enter_plan_mode"), ("ExitPlanMode", "exit_plan_mode"),
        ("Skill", "activate_skill"),
    ),
    mcp="mcp_{server}_{tool}",
)  # fmt: skip
