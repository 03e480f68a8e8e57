"""Cursor's events as rows; several of them stand for one canonical event.

From cursor.com's hooks page (October and November 2026) and a third-party study of its CLI; none of it was
observed. Rows about what a matcher of the MCP, read and edit events is tested on are a guess from the
generic events; so is the default time limit of 60 s.
"""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.bridged.rules import AgentRule, effects
from hookline.dialects.tools import Tools
from hookline.model.events import EventKind
from hookline.model.typing import Any

SOURCE = "cursor.com/docs/hooks, Oct/Nov 2026"


def _row(native: str, kind: EventKind, can: str = "", subject: str = "", **more: Any) -> AgentRule:
    """All hooks of all layers run."""
    return AgentRule(native=native, kind=kind, subject=subject, effects=effects(can), **more)


K = EventKind
ROWS: tuple[AgentRule, ...] = (
    _row("sessionStart", K.SessionStart, "context product", products=("env",)),
    _row("sessionEnd", K.SessionEnd),
    _row("workspaceOpen", K.Setup, "product", products=("pluginPaths",)),
    _row("beforeSubmitPrompt", K.UserPromptSubmit, "deny message", "literal"),
    # `ask` is accepted here and not enforced
    _row("preToolUse", K.PreToolUse, "deny allow rewrite message", "tool_name"),
    _row("beforeShellExecution", K.PreToolUse, "deny ask allow message", "command"),
    _row("beforeMCPExecution", K.PreToolUse, "deny ask allow message", "tool_name"),
    _row("beforeReadFile", K.PreToolUse, "deny allow message", "tool_name"),
    _row("beforeTabFileRead", K.PreToolUse, "deny allow message", "tool_name"),
    _row(
        "postToolUse", K.PostToolUse, "deny context product", "tool_name", feedback=True,
        products=("updatedMCPToolOutput",),
    ),
    _row("afterShellExecution", K.PostToolUse, "", "command"),
    _row("afterMCPExecution", K.PostToolUse, "", "tool_name"),
    _row("afterFileEdit", K.PostToolUse, "", "tool_name"),
    _row("afterTabFileEdit", K.PostToolUse, "", "tool_name"),
    _row("postToolUseFailure", K.PostToolUseFailure, "", "tool_name"),
    _row("subagentStart", K.SubagentStart, "deny allow message", "agent_type"),
    _row("subagentStop", K.SubagentStop, "deny reprompt", "agent_type"),
    _row("preCompact", K.PreCompact, "message"),
    _row("stop", K.Stop, "deny reprompt", "literal"),
    # the same native event with another `status`
    _row("stop", K.StopFailure, "", "literal"),
    _row("stop", K.Interrupt, "", "literal"),
    _row("afterAgentResponse", K.PostModelResponse, "", "literal"),
    _row("afterAgentThought", K.PostModelResponse, "", "literal"),
)  # fmt: skip
TOOLS = Tools(
    agent="cursor",
    names=(
        ("Bash", "Shell"), ("Read", "Read"), ("Write", "Write"), ("Edit", "Write"), ("Grep", "Grep"),
        ("Delete", "Delete"), ("Agent", "Task"),
    ),
    mcp="MCP:{tool}",
)  # fmt: skip
PROMPT_EVENT = "beforeSubmitPrompt"
# where its documentation names a permission, and words for the user
_ASKED = frozenset({
    "preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeTabFileRead", "subagentStart",
})  # fmt: skip
_TOLD = _ASKED | {PROMPT_EVENT, "preCompact"}
_USER, _AGENT = "user_message|userMessage", "agent_message|agentMessage"
SAYS = (
    Says("deny", "followup_message", at=frozenset({"stop", "subagentStop"})),
    Says("deny", "continue", False, f"|{_USER}", frozenset({PROMPT_EVENT})),
    Says("deny", "permission", "deny", f"|{_AGENT}|{_USER}", frozenset({"subagentStart"})),  # only the user is told
    Says("allow", "continue", True, at=frozenset({PROMPT_EVENT})),
    *(Says(word, "permission", word, f"agent_message|agentMessage|{_USER}", _ASKED) for word in ("deny", "ask")),
    Says("allow", "permission", "allow"),
    # a changed input counts with an approval alone
    Says("rewrite", "updated_input", at=frozenset({"preToolUse"}), beside=("permission", "allow")),
    Says("rewrite", "updated_input", at=frozenset({"preToolUse"})),
    Says("context", "additional_context"),
    Says("message", "user_message", at=_TOLD), Says("message", "userMessage", at=_TOLD),
    Says("env", "env"), Says("updatedMCPToolOutput", "updated_mcp_tool_output"),
    Says("pluginPaths", "pluginPaths", at=frozenset({"workspaceOpen"})),
)  # fmt: skip
# What a matcher is tested on where it is no value of the event.
LITERALS = {
    "beforeSubmitPrompt": "UserPromptSubmit", "stop": "Stop", "afterAgentResponse": "AgentResponse",
    "afterAgentThought": "AgentThought",
}  # fmt: skip
# The canonical tools an event is about.
TOOLS_OF = {
    "beforeShellExecution": ("Bash", "PowerShell"), "afterShellExecution": ("Bash", "PowerShell"),
    "beforeReadFile": ("Read",), "afterFileEdit": ("Edit", "Write", "MultiEdit", "NotebookEdit"),
    "beforeMCPExecution": ("mcp__*",), "afterMCPExecution": ("mcp__*",),
}  # fmt: skip
TAB_ONLY = frozenset({"beforeTabFileRead", "afterTabFileEdit"})
