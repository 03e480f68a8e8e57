"""Qwen Code: what it was seen to send, and what it was seen to make of answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.dialects.agent_cases import answer, captured, ended, hook
from tests.program import Program

from hookline.dialects import dialect
from hookline.dialects.bridged import AgentDialect
from hookline.model.events import BODIES, Event, EventKind, ToolCall
from hookline.model.hooks import HookSpec
from hookline.model.results import Decision, Outcome, Verdict

QWEN = dialect("qwen")
assert isinstance(QWEN, AgentDialect)
DENY = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "no",
    }
}
CALL = Event(EventKind.PreToolUse, "s", "/w", ToolCall("Bash", {"command": "ls"}, "t"), "/w")


def meant(code: int, stdout: object = "", stderr: str = "", native: str = "PreToolUse") -> Outcome:
    spec = hook(QWEN, native)
    return QWEN.read_output(Event(spec.kind, "s", "/w", CALL.body, "/w"), spec, ended(code, stdout, stderr))


def given(native: str, payload: dict[str, Any]) -> Event:
    assert isinstance(QWEN, AgentDialect)
    return QWEN.read_event(native, payload)


@pytest.mark.parametrize(("native", "payload"), captured("qwen"))
def test_every_recorded_payload_comes_back_field_for_field(native: str, payload: dict[str, Any]) -> None:
    event = given(native, payload)
    spec = hook(QWEN, native)
    sent = QWEN.hook_input(event, spec).payload
    assert {key: value for key, value in payload.items() if sent.get(key) != value} == {}


def test_its_tools_and_arguments_are_canonical_to_hooks_of_others() -> None:
    calls = [given(native, payload) for native, payload in captured("qwen") if native == "PreToolUse"]
    assert {"Bash", "Read"} <= {call.get("tool_name") for call in calls}
    shell = next(call for call in calls if call.get("tool_name") == "Bash")
    assert (shell.get("tool_input") or {})["command"] == "echo hi"


@pytest.mark.parametrize(
    ("code", "stdout", "stderr", "verdict"),
    [
        (0, DENY, "", Verdict.DENY),
        (1, DENY, "", Verdict.DENY),
        (0, {"decision": "block", "reason": "no"}, "", Verdict.DENY),
        (0, {"decision": "deny", "reason": "no"}, "", Verdict.DENY),
        (0, {"continue": False, "stopReason": "no"}, "", Verdict.HALT),
        (0, "", json.dumps(DENY), Verdict.DENY),
        (2, "", "no", Verdict.DENY),
        (2, "", json.dumps(DENY), Verdict.DENY),
        (2, "", "", Verdict.NONE),
        (2, DENY, "", Verdict.NONE),
        (127, "", "not found", Verdict.NONE),
        (0, "{broken", "", Verdict.NONE),
        (0, "just words", "", Verdict.NONE),
    ],
)
def test_what_ends_how_is_what_it_was_seen_to_do(
    code: int, stdout: object, stderr: str, verdict: Verdict
) -> None:
    found = meant(code, stdout, stderr)
    assert found.verdict is verdict
    assert verdict is Verdict.NONE or found.reason == "no"


def test_a_guard_that_ends_with_2_and_says_nothing_is_pointed_out() -> None:
    assert "without a text" in meant(2).problem


def test_a_changed_input_has_no_effect_before_a_tool() -> None:
    answered = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "id"}}}
    assert meant(0, answered).updated_input is None


@pytest.mark.parametrize(
    ("matcher", "runs"),
    [("Bash", True), ("Shell", True), ("Edit|Bash", True), ("shell", True), ("run_shell_command", True),
     ("bash", False), ("Write", False), ("(", False), ("*", True), (".*", True), ("", True)],
)  # fmt: skip
def test_a_matcher_fits_what_it_was_seen_to_fit(matcher: str, runs: bool) -> None:
    spec = hook(QWEN, "PreToolUse", matcher=matcher)
    assert (QWEN.skip_reason(spec, CALL) is None) is runs


@pytest.mark.parametrize(("written", "seconds"), [(5, 5.0), (999, 999.0), (1000, 1.0), (30000, 30.0)])
def test_a_long_time_is_milliseconds(written: int, seconds: float) -> None:
    assert hook(QWEN, "Stop", {"timeout": written}).timeout_s == seconds


def test_a_denial_is_told_by_exit_2_so_that_no_other_hook_can_undo_it() -> None:
    response = QWEN.respond(CALL, Decision(CALL.kind, Verdict.DENY, "no", messages=("said",)))
    assert (response.exit_code, response.stdout, response.stderr) == (2, "", "no\nsaid\n")


def test_it_is_never_told_to_allow() -> None:
    assert answer(QWEN, CALL, verdict=Verdict.ALLOW) is None


def test_a_blocked_stop_gives_the_reason_as_the_next_instruction() -> None:
    stop = Event(EventKind.Stop, "s", "/w", BODIES[EventKind.Stop](), "/w")
    response = QWEN.respond(stop, Decision(stop.kind, Verdict.DENY, "tests fail", reprompt="tests fail"))
    assert (response.exit_code, response.stderr) == (2, "tests fail\n")


def test_an_empty_prompt_runs_no_hook_and_ends_no_turn(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml",
        'version = 1\n[[hooks]]\nevent = "UserPromptSubmit"\nrun = "echo called >>calls; echo more context"\n',
    )
    said = {"session_id": "s", "cwd": str(program.workspace), "hook_event_name": "UserPromptSubmit"}
    for prompt in ("do it", ""):
        program("bridge", "qwen", "--event", "UserPromptSubmit", stdin=json.dumps({**said, "prompt": prompt}))
    assert (program.workspace / "calls").read_text() == "called\n"


def test_hooks_of_others_see_a_spec_of_it_in_claudes_words() -> None:
    spec = HookSpec("h", "qwen", EventKind.PreToolUse, "PreToolUse", hook(QWEN, "PreToolUse").action)
    payload = dict(QWEN.hook_input(CALL, spec).payload)
    assert (payload["tool_name"], payload["tool_input"]) == ("run_shell_command", {"command": "ls"})
