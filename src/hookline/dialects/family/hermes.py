"""Hermes Agent: lists under events in the user's YAML, started without a shell. From its documentation and sources."""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.bridged.payloads import decoded, native_of, require_object, result_text
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import COMMAND, TIMEOUT, Agent, File, event
from hookline.dialects.keys import Key
from hookline.dialects.tools import Tools, is_patch
from hookline.model.events import Event
from hookline.model.events import EventKind as K
from hookline.model.record import replace
from hookline.model.results import SILENT, Outcome, RawResult
from hookline.model.short_json import value_at
from hookline.model.typing import Any, Mapping

# Beside these, all that an event is about stands in `extra`, where some of it has names of its own.
TOP = ("hook_event_name", "tool_name", "tool_input", "session_id", "cwd", "profile")
INNER = {
    "tool_use_id": "tool_call_id", "tool_response": "result", "error": "error_message", "prompt": "user_message",
    "message": "description", "last_assistant_message": "final_response", "agent_id": "child_session_id",
    "agent_type": "child_role", "reason": "reason", "model": "model", "duration_ms": "duration_ms",
    "command": "command",
}  # fmt: skip
CALL_ENDED = {"error": K.PostToolUseFailure, "blocked": K.PermissionDenied}
TURN = "on_session_end"
PRE, STOP, PROMPT = frozenset({K.PreToolUse}), frozenset({K.Stop}), frozenset({K.UserPromptSubmit})
_CALL = "tool_name tool_input tool_use_id?"


class HermesDialect(FamilyDialect):
    """What is not the same for all events stands in `extra`; how a call ended tells which of ours it is."""

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        flat = {"tool_name": None, "tool_input": None, **super().payload(event, rule)}
        given = flat.pop("extra", None)
        extra = {INNER.get(name, name): value for name, value in flat.items() if name not in TOP}
        if rule.kind is K.PostToolUse and "result" in extra:
            extra["result"] = result_text(extra["result"])
        found = {name: flat[name] for name in TOP if name in flat}
        patch = native_of(event, self.name).get("patch")
        if patch is not None:
            found.update({"tool_name": "patch", "tool_input": patch})
        return {**found, "extra": {**extra, **(given if isinstance(given, dict) else {})}}

    def read_event(self, native: str, payload: Mapping[str, Any]) -> Event:
        """The event Hermes reports. A patch of several files is one that guards see whole."""
        given = dict(require_object(payload, self.title))
        inner = given.get("extra")
        inner = inner if isinstance(inner, dict) else {}
        given.update({name: inner[sent] for name, sent in INNER.items() if inner.get(sent) is not None})
        if isinstance(given.get("prompt"), list):
            given["prompt"] = result_text({"content": given["prompt"]})
        if inner.get("status") == "blocked":
            given["reason"] = inner.get("error_message") or ""
        if "tool_response" in given:
            given["tool_response"] = _printed(given["tool_response"])
        sent = given.get("tool_input")
        if given.get("tool_name") != "patch" or not isinstance(sent, dict) or not is_patch(sent.get("patch")):
            return super().read_event(native, given)
        given.update({"tool_name": "apply_patch", "tool_input": {"command": sent["patch"]}})
        found = super().read_event(native, given)
        words = {**found.extra["native"], "tool_name": "patch", "patch": sent}
        return replace(found, extra={**found.extra, "native": words})

    def reported_kind(self, row: AgentRule, given: dict[str, Any]) -> K:
        inner = given.get("extra")
        inner = inner if isinstance(inner, dict) else {}
        if row.kind is K.PostToolUse:
            return CALL_ENDED.get(str(inner.get("status")), row.kind)
        if row.native != TURN or inner.get("completed") is not False:
            return row.kind
        given["error"] = str(inner.get("turn_exit_reason") or "the turn did not come to its end")
        return K.Interrupt if inner.get("interrupted") else K.StopFailure

    def is_noise(self, event: Event) -> bool:
        """At its exit Hermes reports the end of a turn that has ended already, without saying how."""
        inner = event.extra.get("extra")
        known = isinstance(inner, dict) and "completed" in inner
        return native_of(event, self.name).get("event") == TURN and not known

    def meaning(self, rule: AgentRule, raw: RawResult) -> Outcome:
        """A call to go on without a text changes nothing."""
        found = super().meaning(rule, raw)
        return SILENT if found.reprompt == self.agent.no_reason else found


def _printed(result: Any) -> Any:
    """What a command printed, of the JSON in which a call's result comes; else the result as it is."""
    printed = value_at(decoded(result), "output")
    return printed if isinstance(printed, str) else result


DIALECT = HermesDialect(
    Agent(
        name="hermes",
        title="Hermes Agent",
        program="hermes",
        sources="its hooks page and agent/shell_hooks.py of autumn 2026; version 0.19.0 was run",
        files=(File("user", "{home}/.hermes/config.yaml", ours=True),),
        moved=("HERMES_HOME", "{home}/.hermes"),
        format="yaml",
        flat=True,
        words=True,
        free=frozenset({"output_spill", "outbound"}),
        apart=frozenset({
            "transform_terminal_output", "transform_tool_result", "transform_llm_output", "post_llm_call",
            "api_request_error", "pre_auxiliary_call", "post_auxiliary_call", "on_interim_message", "pre_command",
            "on_stream_start", "on_stream_delta", "on_stream_end", "on_session_reset", "agent_loop_stopped",
            "on_skill_lifecycle", "pre_gateway_dispatch", "gateway_platform_event", "post_approval_response",
            "on_room_member_activity", "pre_transcription", "pre_tts_synthesis", "kanban_task_claimed",
            "kanban_task_completed", "kanban_task_blocked", "on_kanban_worker_spawned", "on_kanban_worker_exited",
            "on_kanban_worker_stale_claim", "on_kanban_task_updated", "on_kanban_dispatch_tick",
        }),
        rows=(
            event("on_session_start", "", K.SessionStart, fields="model?", subject="", exit_two="fails"),
            event("on_session_finalize", "", K.SessionEnd, fields="reason?", subject="", exit_two="fails"),
            event("pre_llm_call", "context", K.UserPromptSubmit, exit_two="fails"),
            event("pre_tool_call", "deny ask rewrite", K.PreToolUse, fields=_CALL, exits_speak=True),
            event("post_tool_call", "", K.PostToolUse, fields=f"{_CALL} tool_response duration_ms?", feedback=False,
                  exit_two="fails"),
            event("post_tool_call", "", K.PostToolUseFailure, fields=f"{_CALL} error", feedback=False,
                  exit_two="fails"),
            event("post_tool_call", "", K.PermissionDenied, fields=_CALL, exit_two="fails"),
            event("pre_approval_request", "", K.Notification, fields="message command?", subject="",
                  exit_two="fails"),
            event("pre_verify", "deny reprompt", K.Stop, fields="last_assistant_message?", exit_two="fails"),
            event("on_session_end", "", K.Stop, fields="", exit_two="fails"),
            event("on_session_end", "", K.StopFailure, fields="error", subject="", exit_two="fails"),
            event("on_session_end", "", K.Interrupt, fields="", exit_two="fails"),
            event("subagent_start", "", K.SubagentStart, fields="agent_id? agent_type?", subject="",
                  exit_two="fails"),
            event("subagent_stop", "", K.SubagentStop, fields="agent_id? agent_type?", subject="", exit_two="fails"),
            event("pre_api_request", "", K.PreModelRequest, fields="", exit_two="fails"),
            event("post_api_request", "", K.PostModelResponse, fields="", exit_two="fails"),
        ),
        tools=Tools(
            names=(
                ("Bash", "terminal"), ("Read", "read_file"), ("Write", "write_file"), ("Edit", "patch"),
                ("Grep", "search_files"), ("WebSearch", "web_search"), ("WebFetch", "web_extract"),
                ("Agent", "delegate_task"), ("TodoWrite", "todo"), ("Skill", "skill_view"),
                ("AskUserQuestion", "clarify"),
            ),
            fields={
                "Read": {"file_path": "path"}, "Write": {"file_path": "path"}, "Edit": {"file_path": "path"},
                "Agent": {"prompt": "goal"},
            },
        ),
        keys=(
            COMMAND,
            TIMEOUT,
            Key("fail_closed", "flag", "on_failure", "a hook that does not start, is late, or prints something else "
                "than a JSON object denies; at `pre_tool_call` alone", means="block"),
            Key("failClosed", "flag", "on_failure", "another spelling of `fail_closed`", means="block"),
        ),
        limits=dict.fromkeys(K, (60.0, 300.0)),
        payload={"transcript_path": ""},
        matching="full_or_exact",
        star=False,
        order="sequential",
        dedupe=True,
        says=(
            Says("deny", "action", "block", "message|reason", PRE),
            Says("deny", "decision", "block", "reason|message", PRE),
            Says("ask", "action", "approve", "message", PRE),
            Says("rewrite", "args", at=PRE, beside=("action", "modify")),
            Says("rewrite", "tool_input", at=PRE, beside=("decision", "modify")),
            Says("deny", "action", "continue", "message|reason", STOP),
            Says("deny", "action", "block", "message|reason", STOP),
            Says("deny", "decision", "block", "message|reason", STOP),
            Says("deny", "decision", "continue", "message|reason", STOP),
            Says("context", "context", at=PROMPT),
        ),
        no_reason="Blocked by shell hook.",
        denies_by_exit=False,
        json_counts="always",
        plain_is="undecided",
        merges_input=True,
        withheld=frozenset({"ask", "rewrite"}),
        closes_at=PRE,
        needs=(
            "Hermes asks at its next start on a terminal whether it may run each of these commands, and remembers "
            "it; without a terminal start it with `--accept-hooks` or `HERMES_ACCEPT_HOOKS=1`, or its config says "
            "`hooks_auto_accept: true`. `hermes hooks list` shows what it runs",
            "`HERMES_SAFE_MODE=1` leaves all hooks out; a profile has a config of its own: install with its "
            "`HERMES_HOME`",
        ),
    )
)  # fmt: skip
