"""Cursor beside its hooks: how its file is written, installed and told of."""

from __future__ import annotations

from hookline.dialects.cursor import DIALECT
from hookline.dialects.cursor.rules import ROWS
from hookline.dialects.family.profile import profile_of
from hookline.dialects.profile import CLAUDE_CODE, Words
from hookline.dialects.profile.traps import Traps
from hookline.model.events import EventKind as K
from hookline.model.record import replace

# events that read no answer
_UNREAD = frozenset(row.native for row in ROWS if not row.effects) - {"stop"}
_MADE = profile_of(DIALECT)
PROFILE = replace(
    _MADE,
    can=replace(_MADE.can, options={"loop_limit": 5}),
    words=Words(
        hears=frozenset({CLAUDE_CODE}),
        variables=frozenset((
            "CLAUDE_PLUGIN_ROOT", "CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "CURSOR_TRANSCRIPT_PATH",
            "CURSOR_USER_EMAIL", "CURSOR_VERSION",
        )),
        answers={"allow": lambda native, text: {"permission": "allow"}},
    ),
    style=replace(_MADE.style, on_demand=frozenset({K.Setup, K.PostModelResponse})),
    traps=Traps(
        whole_paths=True,
        sent={
            "": "model_id model_params session_id cwd", "sessionStart": "is_background_agent composer_mode",
            "sessionEnd": "duration_ms is_background_agent final_status error_message", "preToolUse": "agent_message",
            "postToolUse": "duration", "afterMCPExecution": "duration mcp_server_name url command",
            "postToolUseFailure": "duration error_message failure_type is_interrupt", "afterShellExecution": "cwd",
            "beforeMCPExecution": "url mcp_server_url command", "beforeReadFile": "attachments",
            "subagentStart": "subagent_id task subagent_model is_parallel_worker git_branch tool_call_id "
            "parent_conversation_id",
            "subagentStop": "subagent_id duration_ms duration modified_files agent_transcript_path task description "
            "message_count tool_call_count error_message",
            "preCompact": "context_usage_percent context_tokens context_window_size message_count "
            "messages_to_compact is_first_compaction",
            "stop": "duration_ms input_tokens output_tokens cache_read_tokens cache_write_tokens",
            "afterAgentResponse": "input_tokens output_tokens cache_read_tokens cache_write_tokens",
            "afterAgentThought": "text duration_ms", "beforeTabFileRead": "attachments",
        },
        beside_file=True,
        closed={"status": ("completed", "aborted", "error")},
        words={("permission", "block"): "deny", ("permission", "reject"): "deny"},
        sets=frozenset(
            {
                "CURSOR_VERSION", "CURSOR_USER_EMAIL", "CURSOR_TRANSCRIPT_PATH", "CURSOR_CODE_REMOTE",
                "CURSOR_PLUGIN_ROOT",
            }
        ),
        silent=True,
        answers={
            "userMessage": "user_message", "agentMessage": "agent_message", "followupMessage": "followup_message",
            "updatedInput": "updated_input", "additionalContext": "additional_context",
        },
        counter="loop_count",
        hearsay={
            "decision": "`permission`, at `beforeSubmitPrompt` `continue`, at `stop` `followup_message`",
            "beforeSubmitPrompt.permission": "`continue`: false", "stop.permission": "`followup_message`",
            **{f"{event}.systemMessage": "it at another event" for event in _UNREAD},
        },
    ),
)  # fmt: skip
