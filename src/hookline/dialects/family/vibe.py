"""Mistral Vibe: three events, answers in JSON alone. From its sources of 2.18 to 3.0.3, and seen by running 3.0.2."""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.bridged.payloads import result_text
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import COMMAND, DENY, TIMEOUT, Agent, File, event
from hookline.dialects.keys import Key
from hookline.dialects.tools import Tools
from hookline.model.events import Event
from hookline.model.events import EventKind as K
from hookline.model.typing import Any

_CALL = "tool_name tool_input tool_use_id?"
_AFTER = f"{_CALL} tool_response duration_ms?"
_FAILED = f"{_CALL} error duration_ms?"


class VibeDialect(FamilyDialect):
    """What a tool gave back is sent as it is, and as a text; `tool_status` tells whether it failed."""

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        found = super().payload(event, rule)
        if "tool_error" in found:
            ended = {"tool_status": "failure", "tool_output": None, "tool_output_text": found["tool_error"]}
        elif "tool_output" in found:
            text = result_text(event.get("tool_response"))
            ended = {"tool_status": "success", "tool_output_text": text, "tool_error": None}
        else:
            return found
        return {**ended, **found}

    def reported_kind(self, row: AgentRule, given: dict[str, Any]) -> K:
        failed = row.kind is K.PostToolUse and given.get("tool_status") == "failure"
        return K.PostToolUseFailure if failed else row.kind


DIALECT = VibeDialect(Agent(
    name="vibe",
    title="Mistral Vibe",
    program="vibe",
    sources="its sources of 2.18.4 and 3.0.2; 3.0.2 was run",
    files=(
        File("user", "{home}/.vibe/hooks.toml", ours=True, top=""),
        File("project", "{ws}/.vibe/hooks.toml", ours=True, top=""),
    ),
    levels="names",
    format="toml",
    event_key="type",
    matcher_key="match",
    rows=(
        event("pre_tool", "deny rewrite message", K.PreToolUse, fields=_CALL),
        event("post_tool", "deny context message", K.PostToolUse, fields=_AFTER),
        event("post_tool", "deny context message", K.PostToolUseFailure, fields=_FAILED),
        event("post_agent", "deny reprompt message", K.Stop, fields=""),
        event("before_tool", "deny rewrite message", K.PreToolUse, fields=_CALL),
        event("after_tool", "deny context message", K.PostToolUse, fields=_AFTER),
        event("after_tool", "deny context message", K.PostToolUseFailure, fields=_FAILED),
        event("post_agent_turn", "deny reprompt message", K.Stop, fields=""),
    ),
    never=frozenset({"before_tool", "after_tool", "post_agent_turn"}),
    tools=Tools(
        names=(
            ("Bash", "bash"), ("Bash", "file_system.bash"), ("Bash", "process.start"), ("Read", "read_file"),
            ("Read", "file_system.read_file"), ("Write", "write_file"), ("Write", "file_system.write_file"),
            ("Edit", "search_replace"), ("Edit", "edit"), ("Edit", "file_system.search_replace"), ("Grep", "grep"),
            ("Task", "task"), ("Task", "agents.spawn"), ("Skill", "skill.read"), ("TodoWrite", "todo"),
            ("AskUserQuestion", "ask_user_question"),
        ),
        fields={"Read": {"file_path": "path"}, "Write": {"file_path": "path"}, "Edit": {"file_path": "file_path"}},
    ),
    keys=(
        Key("name", "text", "name", "what it is called; a project's replaces the user's", required=True),
        Key("type", words="when it runs", required=True),
        Key("match", words="names of tools, with `*` and `?`; a pattern after `re:`"),
        COMMAND,
        TIMEOUT,
        Key("strict", "flag", "on_failure", "its own failure denies", means="block"),
        Key("description", "text", "description"),
    ),
    order="sequential",
    stop_at="deny",
    matching="glob",
    payload={"tool_use_id": "tool_call_id", "tool_response": "tool_output", "error": "tool_error"},
    always=("parent_session_id",),
    says=(
        DENY,
        Says("allow", "decision", "allow"),
        Says("rewrite", "hook_specific_output.tool_input"),
        Says("context", "hook_specific_output.additional_context"),
        Says("message", "system_message"),
    ),
    exits={},
    plain_is="undecided",
    denies_by_exit=False,
    needs=(
        "Mistral Vibe reads hooks of trusted folders alone; up to 2.18 behind `enable_experimental_hooks`",
        "before 2.21 the events are called `before_tool`, `after_tool` and `post_agent_turn`: rename them",
    ),
))  # fmt: skip
