"""Codex CLI's events as rows.

From its hooks page and generated schemas, and third-party wire models; `observed` marks what 0.169 did
when it was run, which wins where they differ.
"""

from __future__ import annotations

from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.family.columns import event
from hookline.dialects.tools import Tools

SOURCE = "Codex CLI hooks page and schemas, 0.145 to 0.169; observed"
WHO = "turn_id agent_id? agent_type? model permission_mode"
CALL = f"{WHO} tool_name tool_input"
COMPACT = "turn_id model trigger"
STOPPED = "stop_hook_active last_assistant_message"
AGENT = "permission_mode agent_id agent_type"

# Hooks start together; identical ones each run (observed).
ROWS: tuple[AgentRule, ...] = (
    # `fork` as a source was seen by third parties only
    event(
        "SessionStart", "context continue message", fields="model permission_mode source", plain_context=True,
        exit_two="fails",
    ),
    event("SubagentStart", "context message", fields=f"turn_id model {AGENT}", plain_context=True, exit_two="fails"),
    event("UserPromptSubmit", "deny context continue message", fields=f"{WHO} prompt", plain_context=True),
    # an approval can only be sent with a changed input; `continue: false` lets the tool run (observed)
    event("PreToolUse", "deny rewrite context message", fields=f"{CALL} tool_use_id"),
    event("PermissionRequest", "deny allow message", fields=CALL, exit_two="block"),
    # a block replaces the tool's output; after `continue: false` the loop goes on all the same (observed)
    event("PostToolUse", "deny context message", fields=f"{CALL} tool_response tool_use_id"),
    event("PreCompact", "continue message", fields=COMPACT, exit_two="fails"),
    event("PostCompact", "continue message", fields=COMPACT, exit_two="fails"),
    event(
        "SubagentStop", "deny reprompt continue message",
        fields=f"turn_id agent_transcript_path model {AGENT} {STOPPED}",
    ),
    event("Stop", "deny reprompt continue message", fields=f"turn_id model permission_mode {STOPPED}"),
    event("Interrupt", fields="turn_id model permission_mode", exit_two="fails"),
    event("SessionEnd", fields="reason", exit_two="fails"),
)  # fmt: skip
TOOLS = Tools(
    names=(
        ("Bash", "Bash"), ("Edit", "apply_patch"), ("Write", "apply_patch"), ("Agent", "spawn_agent"),
        ("TodoWrite", "update_plan"),
    ),
    aliases={"apply_patch": ("Edit", "Write"), "spawn_agent": ("Agent",)},
    patches=True,
)  # fmt: skip
