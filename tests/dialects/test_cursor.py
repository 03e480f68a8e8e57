"""Cursor: config, matchers, payloads, output, and answers (documented, not observed)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.dialects.agent_cases import answer, ended, outcome, parsed, places

from hookline.dialects.claude import DIALECT as CLAUDE
from hookline.dialects.cursor import DIALECT
from hookline.model.events import Event, EventKind, Prompt, ToolCall, TurnEnd
from hookline.model.hooks import Command, HookSpec
from hookline.model.results import Decision, Outcome, Response, Verdict

K = EventKind
BASE = {
    "conversation_id": "c1",
    "generation_id": "g1",
    "model": "m",
    "cursor_version": "3.0",
    "workspace_roots": ["/w"],
    "user_email": None,
    "transcript_path": None,
}
PAYLOADS: dict[str, dict[str, Any]] = {
    "sessionStart": {"session_id": "c1", "is_background_agent": False, "composer_mode": "agent"},
    "sessionEnd": {"session_id": "c1", "reason": "completed", "duration_ms": 5},
    "beforeSubmitPrompt": {"prompt": "hi", "attachments": []},
    "preToolUse": {
        "tool_name": "Write",
        "tool_input": {"file_path": "/w/a"},
        "tool_use_id": "t",
        "cwd": "/w",
        "agent_message": "x",
    },
    "beforeShellExecution": {"command": "git push", "cwd": "/w/sub", "sandbox": False},
    "beforeMCPExecution": {
        "tool_name": "echo",
        "tool_input": '{"a": 1}',
        "mcp_server_name": "srv",
        "url": "u",
    },
    "beforeReadFile": {"file_path": "/w/.env", "content": "SECRET", "attachments": []},
    "afterFileEdit": {"file_path": "/w/a", "edits": [{"old_string": "x", "new_string": "y"}]},
    "afterShellExecution": {"command": "ls", "output": "a", "duration": 12, "sandbox": False},
    "stop": {"status": "completed", "loop_count": 2},
    "subagentStart": {"subagent_type": "explore", "task": "t", "subagent_model": "m"},
    "preCompact": {"trigger": "auto", "context_tokens": 5},
    "afterAgentResponse": {"text": "done"},
}


def reported(native: str, **more: Any) -> Event:
    return DIALECT.read_event(native, {**BASE, "hook_event_name": native, **PAYLOADS[native], **more})


def called(tool: str = "Bash", **given: Any) -> Event:
    return Event(K.PreToolUse, "s", "/w", ToolCall(tool, given or {"command": "ls"}, "t"), "/w")


def hook(native: str, **handler: Any) -> HookSpec:
    config = {"version": 1, "hooks": {native: [{"command": "true", **handler}]}}
    return parsed(DIALECT, config).specs[0]


@pytest.mark.parametrize("native", PAYLOADS)
def test_every_documented_payload_comes_back_field_for_field(native: str) -> None:
    event = reported(native)
    payload = DIALECT.hook_input(event, hook(native)).payload
    assert {key: payload[key] for key in PAYLOADS[native]} == PAYLOADS[native]
    assert {key: payload[key] for key in BASE} == BASE and payload["hook_event_name"] == native


@pytest.mark.parametrize(
    ("native", "kind", "tool", "given"),
    [
        ("preToolUse", K.PreToolUse, "Write", {"file_path": "/w/a"}),
        ("beforeShellExecution", K.PreToolUse, "Bash", {"command": "git push"}),
        ("beforeMCPExecution", K.PreToolUse, "mcp__srv__echo", {"a": 1}),
        ("beforeReadFile", K.PreToolUse, "Read", {"file_path": "/w/.env"}),
        (
            "afterFileEdit",
            K.PostToolUse,
            "Edit",
            {
                "file_path": "/w/a",
                "old_string": "x",
                "new_string": "y",
                "edits": [{"old_string": "x", "new_string": "y"}],
            },
        ),
        ("afterShellExecution", K.PostToolUse, "Bash", {"command": "ls"}),
    ],
)
def test_each_kind_of_action_is_a_tool_call(
    native: str, kind: EventKind, tool: str, given: dict[str, Any]
) -> None:
    event = reported(native)
    assert (event.kind, event.get("tool_name"), event.get("tool_input")) == (kind, tool, given)
    assert event.session_id == "c1" and event.workspace == "/w" and event.host == "cursor"


def test_a_guard_of_claude_sees_a_shell_command_of_cursor() -> None:
    config = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]}}
    (spec,) = parsed(CLAUDE, config).specs
    assert CLAUDE.skip_reason(spec, reported("beforeShellExecution")) is None


@pytest.mark.parametrize(
    ("status", "kind"), [("completed", K.Stop), ("error", K.StopFailure), ("aborted", K.Interrupt)]
)
def test_a_stop_says_how_it_ended(status: str, kind: EventKind) -> None:
    assert reported("stop", status=status).kind is kind


def test_the_loop_count_is_the_attempt_and_limits_a_hook() -> None:
    event = reported("stop", loop_count=5)
    assert event.body == TurnEnd(True, attempt=6)
    assert "loop_limit" in (DIALECT.skip_reason(hook("stop"), event) or "")
    assert DIALECT.skip_reason(hook("stop", loop_limit=None), event) is None
    assert DIALECT.skip_reason(hook("stop"), reported("stop", loop_count=4)) is None


def test_config_is_flat() -> None:
    spec = hook("beforeShellExecution", timeout=5, failClosed=True, matcher="curl")
    assert (spec.kind, spec.timeout_s, spec.on_failure) == (K.PreToolUse, 5.0, "block")
    assert spec.action == Command("true") and spec.id == "cursor:beforeShellExecution:1"
    assert parsed(DIALECT, {"hooks": {"stop": [{"command": "x"}]}}).problems[0].hint == 'write `"version": 1`'


def test_a_misspelled_event_is_an_error_with_the_nearest_name() -> None:
    found = parsed(DIALECT, {"version": 1, "hooks": {"beforeShellExec": [{"command": "x"}]}})
    assert [spec.kind for spec in found.specs] == [K.NoSuchEvent]
    assert found.problems[0].hint == "did you mean `beforeShellExecution`?" and found.problems[0].guard


def test_milliseconds_in_a_file_of_seconds_are_pointed_out() -> None:
    found = parsed(DIALECT, {"version": 1, "hooks": {"stop": [{"command": "x", "timeout": 30000}]}})
    assert [problem.code for problem in found.problems] == ["implausible-time"]


def test_sources_and_where_their_hooks_run(tmp_path: Path) -> None:
    shown = [source.shown for source in DIALECT.sources(places(tmp_path))]
    assert shown == ["~/.cursor/hooks.json", ".cursor/hooks.json", "/etc/cursor/hooks.json"]
    user = parsed(DIALECT, {"version": 1, "hooks": {"stop": [{"command": "x"}]}}, "user").specs[0]
    event = Event(K.Stop, cwd="/w/sub", workspace="/w")
    assert DIALECT.hook_input(event, user).cwd == "/w"
    given = DIALECT.hook_input(event, hook("stop"))
    assert given.cwd == "/w" and given.env["CURSOR_PROJECT_DIR"] == given.env["CLAUDE_PROJECT_DIR"] == "/w"


@pytest.mark.parametrize(
    ("native", "matcher", "event", "fits"),
    [
        ("preToolUse", "Shell", called(), True),
        ("preToolUse", "Bash", called(), False),
        ("preToolUse", "Shell|Write", called("Edit", file_path="a"), True),
        ("preToolUse", "MCP:echo", called("mcp__srv__echo", a=1), True),
        ("beforeShellExecution", "git push", called("Bash", command="git push -f"), True),
        ("beforeShellExecution", "^curl", called("Bash", command="git push"), False),
        ("beforeShellExecution", "", called("Read", file_path="a"), False),
        ("beforeReadFile", "", called("Read", file_path="a"), True),
        ("beforeMCPExecution", "", called("mcp__srv__echo", a=1), True),
        ("beforeMCPExecution", "", called(), False),
        ("beforeTabFileRead", "", called("Read", file_path="a"), False),
        ("beforeSubmitPrompt", "UserPromptSubmit", Event(K.UserPromptSubmit, body=Prompt("x")), True),
        ("beforeSubmitPrompt", "x", Event(K.UserPromptSubmit, body=Prompt("x")), False),
        ("preToolUse", "[", called(), False),
    ],
)
def test_matchers_test_another_value_at_every_event(
    native: str, matcher: str, event: Event, fits: bool
) -> None:
    spec = hook(native, matcher=matcher)
    assert (DIALECT.skip_reason(spec, event) is None) is fits


def test_a_command_too_long_for_its_pattern_does_not_slip_past_the_guard() -> None:
    spec = hook("beforeShellExecution", matcher="a(?!b).*c")
    assert spec.matcher is not None and spec.matcher.kind == "regex"
    assert DIALECT.skip_reason(spec, called("Bash", command="ls")) is not None
    assert DIALECT.skip_reason(spec, called("Bash", command="a" * 500_000)) is None


def test_an_action_reported_twice_runs_each_hook_once() -> None:
    shell = reported("beforeShellExecution")
    assert DIALECT.skip_reason(hook("beforeShellExecution"), shell) is None
    assert "by itself" in (DIALECT.skip_reason(hook("preToolUse"), shell) or "")


def test_hooks_of_our_own_loop_get_what_cursor_sends() -> None:
    generic = DIALECT.hook_input(called(), hook("preToolUse")).payload
    shell = DIALECT.hook_input(called(), hook("beforeShellExecution")).payload
    assert (generic["tool_name"], generic["tool_input"], generic["tool_use_id"]) == (
        "Shell",
        {"command": "ls"},
        "t",
    )
    assert (shell["command"], shell["cwd"], shell["sandbox"]) == ("ls", "/w", False)
    assert shell["conversation_id"] == "s" and shell["workspace_roots"] == ["/w"]
    mcp = DIALECT.hook_input(called("mcp__srv__echo", a=1), hook("beforeMCPExecution")).payload
    assert (mcp["tool_name"], mcp["tool_input"], mcp["mcp_server_name"]) == ("echo", '{"a": 1}', "srv")


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        (ended(0), Outcome()),
        (ended(0, {"permission": "allow"}), Outcome(Verdict.ALLOW)),
        (ended(0, {"permission": "ask", "user_message": "u"}), Outcome(Verdict.ASK, "u")),
        (
            ended(0, {"permission": "deny", "user_message": "u", "agent_message": "a"}),
            Outcome(Verdict.DENY, "a", messages=("u",)),
        ),
        (ended(0, {"permission": "deny"}), Outcome(Verdict.DENY, "Denied by hook")),
        (
            ended(0, {"permission": "allow", "updated_input": {"command": "id"}}),
            Outcome(Verdict.ALLOW, updated_input={"command": "id"}),
        ),
        (ended(2, "", "no"), Outcome(Verdict.DENY, "no")),
        (ended(2), Outcome(Verdict.DENY, "Denied by hook")),
        (
            ended(0, {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "c"}}),
            Outcome(Verdict.DENY, "c"),
        ),
    ],
)
def test_output_before_a_tool(raw: Any, meant: Outcome) -> None:
    assert outcome(DIALECT, called(), hook("preToolUse"), raw) == meant


@pytest.mark.parametrize(
    "raw", [ended(1, "", "x"), ended(127, "", "x"), ended(None, signal=9), ended(None, timed_out=True)]
)
def test_what_fails_lets_the_tool_run_and_says_so(raw: Any) -> None:
    found = outcome(DIALECT, called(), hook("preToolUse"), raw)
    assert found.verdict is Verdict.NONE and found.messages


@pytest.mark.parametrize("printed", ["text", "{bad}", {"permission": "perhaps"}, {"unknown": 1}])
def test_an_answer_that_is_none_is_named(printed: object) -> None:
    found = outcome(DIALECT, called(), hook("preToolUse"), ended(0, printed))
    assert found.verdict is Verdict.NONE and found.problem


@pytest.mark.parametrize(
    ("native", "kind", "printed", "meant"),
    [
        (
            "beforeSubmitPrompt",
            K.UserPromptSubmit,
            {"continue": False, "user_message": "u"},
            Outcome(Verdict.DENY, "u"),
        ),
        ("beforeSubmitPrompt", K.UserPromptSubmit, {"continue": True}, Outcome()),
        ("stop", K.Stop, {"followup_message": "go"}, Outcome(Verdict.DENY, "go", reprompt="go")),
        ("postToolUse", K.PostToolUse, {"additional_context": "c"}, Outcome(contexts=("c",))),
        ("sessionStart", K.SessionStart, {"env": {"A": "b"}}, Outcome(products={"env": {"A": "b"}})),
        ("workspaceOpen", K.Setup, {"pluginPaths": ["/p"]}, Outcome(products={"plugin_paths": ["/p"]})),
    ],
)
def test_output_by_event(native: str, kind: EventKind, printed: object, meant: Outcome) -> None:
    assert outcome(DIALECT, Event(kind), hook(native), ended(0, printed)) == meant


DENY = {"permission": "deny", "user_message": "r", "agent_message": "r"}


@pytest.mark.parametrize(
    ("native", "decided", "printed"),
    [
        ("preToolUse", {}, None),
        ("preToolUse", {"verdict": Verdict.ALLOW}, {"permission": "allow"}),
        ("preToolUse", {"verdict": Verdict.DENY, "reason": "r"}, DENY),
        ("preToolUse", {"verdict": Verdict.ASK, "reason": "r"}, DENY),
        ("preToolUse", {"verdict": Verdict.HALT, "reason": "r"}, DENY),
        ("preToolUse", {"verdict": Verdict.DEFER, "reason": "r"}, DENY),
        (
            "preToolUse",
            {"updated_input": {"file_path": "b"}},
            {"permission": "allow", "updated_input": {"file_path": "b"}},
        ),
        ("beforeShellExecution", {"verdict": Verdict.ASK, "reason": "r"}, {**DENY, "permission": "ask"}),
        (
            "beforeShellExecution",
            {"updated_input": {"command": "id"}},
            {
                "permission": "deny",
                "user_message": "a hook changed the input, and Cursor at beforeShellExecution "
                "cannot change the input",
                "agent_message": "a hook changed the input, and Cursor at beforeShellExecution "
                "cannot change the input",
            },
        ),
        ("beforeReadFile", {"verdict": Verdict.DENY, "reason": "r"}, DENY),
        (
            "beforeSubmitPrompt",
            {"verdict": Verdict.DENY, "reason": "r"},
            {"continue": False, "user_message": "r"},
        ),
        ("beforeSubmitPrompt", {"messages": ("m",)}, {"continue": True, "user_message": "m"}),
        (
            "beforeSubmitPrompt",
            {"verdict": Verdict.DENY, "reason": "r", "messages": ("m",)},
            {"continue": False, "user_message": "r\nm"},
        ),
        ("beforeSubmitPrompt", {"contexts": ("c",)}, None),
        ("stop", {"reprompt": "go"}, {"followup_message": "go"}),
        ("stop", {"verdict": Verdict.HALT, "reason": "r"}, None),
        ("sessionStart", {"contexts": ("c",)}, {"additional_context": "c"}),
        ("afterShellExecution", {"verdict": Verdict.DENY, "reason": "r"}, None),
        (
            "subagentStart",
            {"verdict": Verdict.ASK, "reason": "r"},
            {"permission": "deny", "user_message": "r"},
        ),
        ("preCompact", {"verdict": Verdict.DENY, "reason": "r"}, {"user_message": "r"}),
    ],
)
def test_answers(native: str, decided: dict[str, Any], printed: Any) -> None:
    assert answer(DIALECT, reported(native), **decided) == printed


def test_feedback_after_a_tool_is_context() -> None:
    payload = {
        **BASE,
        "tool_name": "Shell",
        "tool_input": {"command": "ls"},
        "tool_output": json.dumps({"a": 1}),
    }
    event = DIALECT.read_event("postToolUse", payload)
    assert event.get("tool_response") == {"a": 1}
    assert answer(DIALECT, event, reprompt="fix it") == {"additional_context": "fix it"}


def test_silence_is_silent_at_every_event() -> None:
    for row in DIALECT.rows:
        assert DIALECT.respond(Event(row.kind), Decision(row.kind)) == Response()


def test_the_schema_is_one() -> None:
    from jsonschema import Draft202012Validator

    check = Draft202012Validator(DIALECT.schema())
    check.check_schema(DIALECT.schema())
    assert check.is_valid({"version": 1, "hooks": {"stop": [{"command": "x", "loop_limit": None}]}})
    assert not check.is_valid({"version": 1, "hooks": {"Stop": []}})


def test_a_hook_of_what_the_model_said_is_given_the_text_of_another_agents_answer() -> None:
    from hookline.dialects.gemini import DIALECT as GEMINI

    sent = {
        "session_id": "s",
        "cwd": "/w",
        "llm_request": {},
        "llm_response": {"text": "I run", "candidates": []},
    }
    event = GEMINI.read_event("AfterModel", sent)
    assert DIALECT.hook_input(event, hook("afterAgentResponse")).payload["text"] == "I run"
