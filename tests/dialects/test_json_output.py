"""The table that Claude Code's hooks live by: exit codes, JSON, and what beats what."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookline.dialects.base import EventRule
from hookline.dialects.json_output import read_hook_output
from hookline.model.events import EventKind
from hookline.model.results import SILENT, Outcome, RawResult, Verdict


def rule(native: str, effects: frozenset[str] = frozenset(), **more: Any) -> EventRule:
    return EventRule(native, EventKind(native), effects=effects, **more)


PRE = rule(
    "PreToolUse",
    frozenset({"deny", "ask", "allow", "rewrite", "context", "continue"}),
)
POST = rule("PostToolUse", frozenset({"reprompt", "context", "continue"}), products=("updatedToolOutput",))
PROMPT = rule("UserPromptSubmit", frozenset({"deny", "context", "continue"}), plain_context=True)
STOP = rule("Stop", frozenset({"deny", "reprompt", "context", "continue"}))
ASKED = rule("PermissionRequest", frozenset({"deny", "allow", "rewrite"}))
WATCHER = rule("SessionEnd")


def ran(stdout: object = "", stderr: str = "", code: int | None = 0, **fields: Any) -> RawResult:
    text = stdout if isinstance(stdout, str) else json.dumps(stdout)
    return RawResult(exit_code=code, stdout=text, stderr=stderr, status_code=code, **fields)


def specific(event: str, **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


def test_silence_is_no_opinion() -> None:
    assert read_hook_output(ran(), PRE) is SILENT
    assert read_hook_output(ran("just talking\n"), PRE) is SILENT


def test_exit_2_blocks_with_stderr_as_the_reason() -> None:
    assert read_hook_output(ran(stderr="no rm\n", code=2), PRE) == Outcome(Verdict.DENY, "no rm")


def test_exit_2_at_a_stop_sends_the_reason_back_to_the_agent() -> None:
    outcome = read_hook_output(ran(stderr="tests fail", code=2), STOP)
    assert outcome == Outcome(Verdict.DENY, "tests fail", reprompt="tests fail")


def test_exit_2_after_a_tool_tells_the_agent_without_denying() -> None:
    outcome = read_hook_output(ran(stderr="lint fails", code=2), POST)
    assert outcome == Outcome(reason="lint fails", reprompt="lint fails")


def test_exit_2_where_nothing_can_be_blocked_is_only_shown() -> None:
    assert read_hook_output(ran(stderr="oops", code=2), WATCHER) == Outcome(messages=("oops",))


@pytest.mark.parametrize("code", [1, 3, 255])
def test_other_exit_codes_change_nothing_and_say_that_they_do_not_block(code: int) -> None:
    outcome = read_hook_output(ran(stderr="boom", code=code), PRE)
    assert outcome == Outcome(messages=(f"hook failed with exit {code} (only exit 2 blocks): boom",))


def test_a_missing_program_is_named_as_such() -> None:
    (message,) = read_hook_output(ran(stderr="sh: nope: not found", code=127), PRE).messages
    assert "likely a missing program" in message and "nope: not found" in message


def test_an_allow_cannot_undo_exit_2() -> None:
    allow = specific("PreToolUse", permissionDecision="allow")
    outcome = read_hook_output(ran(allow, "stop", 2), PRE)
    assert (outcome.verdict, outcome.reason) == (Verdict.DENY, "stop")


def test_the_reason_of_a_blocking_json_beats_stderr_at_exit_2() -> None:
    outcome = read_hook_output(ran({"decision": "block", "reason": "json"}, "stderr", 2), PRE)
    assert outcome == Outcome(Verdict.DENY, "json")


def test_json_counts_at_any_exit_code() -> None:
    raw = ran({"decision": "block", "reason": "R"}, code=1)
    assert read_hook_output(raw, PRE) == Outcome(Verdict.DENY, "R")


@pytest.mark.parametrize(
    ("word", "verdict"),
    [("allow", Verdict.ALLOW), ("ask", Verdict.ASK), ("defer", Verdict.DEFER), ("deny", Verdict.DENY)],
)
def test_permission_decisions(word: str, verdict: Verdict) -> None:
    answer = specific("PreToolUse", permissionDecision=word, permissionDecisionReason="because")
    assert read_hook_output(ran(answer), PRE) == Outcome(verdict, "because")


def test_a_rewrite_and_a_context_travel_together() -> None:
    answer = specific("PreToolUse", updatedInput={"command": "ls"}, additionalContext="note")
    assert read_hook_output(ran(answer), PRE) == Outcome(updated_input={"command": "ls"}, contexts=("note",))


def test_an_answer_for_another_event_is_refused_but_its_top_level_block_stands() -> None:
    answer = {"decision": "block", "reason": "R", **specific("PostToolUse", additionalContext="x")}
    outcome = read_hook_output(ran(answer), PRE)
    assert (outcome.verdict, outcome.reason, outcome.contexts) == (Verdict.DENY, "R", ())
    assert "'PostToolUse'" in outcome.problem and "`PreToolUse`" in outcome.problem


def test_an_answer_without_its_event_name_is_refused() -> None:
    outcome = read_hook_output(ran({"hookSpecificOutput": {"permissionDecision": "deny"}}), PRE)
    assert outcome.verdict is Verdict.NONE
    assert "hookEventName" in outcome.problem


@pytest.mark.parametrize(
    "answer",
    [
        {"continue": "false"},
        {"reason": 5, "decision": "block"},
        {"decision": "Block"},
        {"hookSpecificOutput": "x"},
        specific("PreToolUse", permissionDecision="Deny"),
        specific("PreToolUse", updatedInput=[]),
    ],
)
def test_answers_of_the_wrong_shape_are_reported_and_decide_nothing(answer: object) -> None:
    outcome = read_hook_output(ran(answer), PRE)
    assert outcome.verdict is Verdict.NONE
    assert outcome.problem


def test_broken_json_is_reported_and_never_becomes_context() -> None:
    outcome = read_hook_output(ran('{"decision": "block",}'), PROMPT)
    assert outcome.contexts == () and "not valid JSON" in outcome.problem


@pytest.mark.parametrize("text", ["[1]", '"block"', "5", "null"])
def test_what_is_not_an_object_is_plain_text(text: str) -> None:
    assert read_hook_output(ran(text), PRE) is SILENT
    assert read_hook_output(ran(text), PROMPT) == Outcome(contexts=(text,))


def test_an_answer_behind_a_banner_is_context_or_a_named_fault() -> None:
    text = 'log\n{"decision":"block"}'
    assert read_hook_output(ran(text), PROMPT) == Outcome(contexts=(text,))
    assert read_hook_output(ran(text), PRE).problem == (
        "a JSON object follows other output (`log`) at character 4; print it alone"
    )


def test_pretty_json_after_a_byte_order_mark_counts() -> None:
    text = "\ufeff" + json.dumps({"decision": "block", "reason": "R"}, indent=2) + "\n"
    assert read_hook_output(ran(text), PRE) == Outcome(Verdict.DENY, "R")


def test_continue_false_halts_where_the_event_allows_it() -> None:
    answer = {"continue": False, "stopReason": "enough", "systemMessage": "bye"}
    assert read_hook_output(ran(answer), PRE) == Outcome(Verdict.HALT, "enough", messages=("bye",))
    assert read_hook_output(ran(answer), WATCHER) == Outcome(messages=("bye",))


def test_a_permission_request_is_answered_by_behavior() -> None:
    allow = specific(
        "PermissionRequest",
        decision={"behavior": "allow", "updatedInput": {"a": 1}, "updatedPermissions": [{"type": "x"}]},
    )
    assert read_hook_output(ran(allow), ASKED) == Outcome(
        Verdict.ALLOW, updated_input={"a": 1}, products={"updated_permissions": [{"type": "x"}]}
    )
    deny = specific("PermissionRequest", decision={"behavior": "deny", "message": "no", "interrupt": True})
    assert read_hook_output(ran(deny), ASKED) == Outcome(Verdict.DENY, "no", products={"interrupt": True})


def test_an_unknown_behavior_is_reported() -> None:
    wrong = specific("PermissionRequest", decision={"behavior": "maybe"})
    assert "behavior" in read_hook_output(ran(wrong), ASKED).problem


def test_named_products_are_handed_on() -> None:
    answer = specific("PostToolUse", updatedToolOutput={"stdout": "x"}, other=1)
    assert read_hook_output(ran(answer), POST).products == {"updated_tool_output": {"stdout": "x"}}


def test_time_outs_and_failed_starts_decide_nothing_and_are_told() -> None:
    late = ran({"decision": "block"}, code=2, timed_out=True)
    assert read_hook_output(late, PRE).verdict is Verdict.NONE
    assert "timed out" in read_hook_output(late, PRE).messages[0]
    unstarted = RawResult(launch_error="no such directory", status_code=127)
    assert read_hook_output(unstarted, PRE) == Outcome(messages=("hook could not start: no such directory",))


def test_a_web_answer_counts_only_with_a_2xx_status() -> None:
    block = {"decision": "block", "reason": "R"}
    assert read_hook_output(RawResult(http_status=200, value=block), PRE) == Outcome(Verdict.DENY, "R")
    refused = read_hook_output(RawResult(http_status=403, value=block), PRE)
    assert (refused.verdict, len(refused.messages)) == (Verdict.NONE, 1)


def test_a_models_no_blocks_with_its_reason() -> None:
    assert read_hook_output(RawResult(value={"ok": True}), PRE) is SILENT
    no = RawResult(value={"ok": False, "reason": "unsafe"})
    assert read_hook_output(no, PRE) == Outcome(Verdict.DENY, "unsafe")
    assert read_hook_output(RawResult(value={"ok": False, "impossible": True}), STOP) is SILENT
