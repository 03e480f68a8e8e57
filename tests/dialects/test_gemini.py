"""Gemini CLI: config, matchers, payloads, output, and answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.dialects.agent_cases import answer, captured, ended, hook, outcome, parsed, places

from hookline.dialects.gemini import DIALECT
from hookline.model.events import (
    Event,
    EventKind,
    Prompt,
    SessionStarted,
    ToolCall,
    ToolFailed,
    TurnEnd,
    event_from_payload,
)
from hookline.model.hooks import Command
from hookline.model.results import Decision, Outcome, Response, Verdict

K = EventKind


def called(tool: str = "Bash", **given: Any) -> Event:
    return Event(K.PreToolUse, "s", "/w", ToolCall(tool, given or {"command": "ls"}), "/w")


def from_gemini(tool: str, given: dict[str, Any], **more: Any) -> Event:
    payload = {"hook_event_name": "BeforeTool", "session_id": "s", "cwd": "/w", "timestamp": "T"}
    return DIALECT.read_event("BeforeTool", {**payload, "tool_name": tool, "tool_input": given, **more})


@pytest.mark.parametrize(("native", "payload"), captured("gemini"))
def test_every_recorded_payload_comes_back_field_for_field(native: str, payload: dict[str, Any]) -> None:
    event = DIALECT.read_event(native, payload)
    assert event.host == "gemini"
    assert DIALECT.payload(event, DIALECT.host_row(event)) == payload


@pytest.mark.parametrize(
    ("tool", "given", "more", "canonical"),
    [
        ("run_shell_command", {"command": "ls"}, {}, "Bash"),
        ("replace", {"file_path": "a", "old_string": "b", "new_string": "c"}, {}, "Edit"),
        ("read_many_files", {"include": ["a"]}, {}, "Read"),
        ("mcp_srv_echo", {}, {"mcp_context": {"server_name": "srv", "tool_name": "echo"}}, "mcp__srv__echo"),
        ("mcp_srv_echo", {}, {}, "mcp_srv_echo"),
        ("brand_new_tool", {}, {}, "brand_new_tool"),
    ],
)
def test_tool_names_are_translated_and_come_back(
    tool: str, given: dict[str, Any], more: dict[str, Any], canonical: str
) -> None:
    event = from_gemini(tool, given, **more)
    assert event.get("tool_name") == canonical
    assert DIALECT.payload(event, DIALECT.host_row(event))["tool_name"] == tool


def test_a_failed_tool_is_a_failure_and_comes_back_as_sent() -> None:
    response = {"llmContent": "x", "returnDisplay": "x", "error": {"message": "broke"}}
    payload = {
        "session_id": "s",
        "transcript_path": "",
        "cwd": "/w",
        "hook_event_name": "AfterTool",
        "timestamp": "T",
        "tool_name": "run_shell_command",
        "tool_input": {"command": "false"},
        "tool_response": response,
    }
    event = DIALECT.read_event("AfterTool", payload)
    assert event.kind is K.PostToolUseFailure and event.body == ToolFailed(
        "Bash", {"command": "false"}, error="broke"
    )
    assert DIALECT.payload(event, DIALECT.host_row(event)) == payload


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ({"stdout": "out", "stderr": "", "interrupted": False}, "out"),
        ({"stdout": "out", "stderr": "err"}, "out\nerr"),
        ("plain", "plain"),
        (None, ""),
        ({"filePath": "/w/a"}, '{"filePath":"/w/a"}'),
    ],
)
def test_what_another_agents_tool_gave_back_comes_in_geminis_form(found: object, text: str) -> None:
    payload = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": found}
    event = event_from_payload(K.PostToolUse, payload, workspace="/w", cwd="/w")
    given = DIALECT.hook_input(event, hook(DIALECT, "AfterTool")).payload
    assert given["tool_response"] == {"llmContent": text, "returnDisplay": text}


def test_a_canonical_name_finds_the_event_too() -> None:
    assert DIALECT.read_event("UserPromptSubmit", {"prompt": "x"}).body == Prompt("x")


def test_a_hook_of_our_own_loop_gets_what_gemini_sends() -> None:
    event = Event(K.Stop, "s", "/w", TurnEnd(True, "done"), "/w", extra={"prompt": "go", "timestamp": "T"})
    given = DIALECT.hook_input(event, hook(DIALECT, "AfterAgent"))
    assert given.payload == {
        "session_id": "s",
        "transcript_path": "",
        "cwd": "/w",
        "hook_event_name": "AfterAgent",
        "timestamp": "T",
        "prompt": "go",
        "prompt_response": "done",
        "stop_hook_active": True,
    }
    assert given.env["GEMINI_PROJECT_DIR"] == given.env["CLAUDE_PROJECT_DIR"] == "/w"
    assert given.placeholders == "dollar" and given.variables == given.env


def test_config_in_milliseconds_with_names_and_variables() -> None:
    handler = {"name": "fmt", "description": "d", "timeout": 5000, "env": {"A": "b"}}
    spec = hook(DIALECT, "BeforeTool", handler, "write_file|replace")
    assert (spec.timeout_s, spec.name, spec.description, spec.env) == (5.0, "fmt", "d", {"A": "b"})
    assert spec.action == Command("true", shell=("bash", "-c")) and spec.kind is K.PreToolUse
    assert hook(DIALECT, "BeforeTool").timeout_s == 60.0


def test_seconds_in_a_file_of_milliseconds_are_pointed_out() -> None:
    config = {"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "x", "timeout": 5}]}]}}
    (problem,) = parsed(DIALECT, config).problems
    assert problem.code == "implausible-time" and problem.severity == "warning" and "5000" in problem.hint


def test_a_claude_event_name_is_an_error_here() -> None:
    loaded = parsed(DIALECT, {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}})
    assert [spec.kind for spec in loaded.specs] == [K.NoSuchEvent]
    assert [problem.code for problem in loaded.problems] == ["unknown-event"]


def test_comments_are_accepted() -> None:
    loaded = parsed(
        DIALECT,
        '{// why\n"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
        language="jsonc",
    )
    assert len(loaded.specs) == 1 and loaded.problems == ()


def test_sources_from_extensions_to_the_project(tmp_path: Path) -> None:
    folder = tmp_path / "home" / ".gemini" / "extensions" / "ext" / "hooks"
    folder.mkdir(parents=True)
    (folder / "hooks.json").write_text("{}")
    assert [source.shown for source in DIALECT.sources(places(tmp_path))] == [
        "~/.gemini/extensions/ext/hooks/hooks.json",
        "/etc/gemini-cli/settings.json",
        "~/.gemini/settings.json",
        ".gemini/settings.json",
    ]


def test_hooks_are_switched_off_by_name_command_or_all_together() -> None:
    entries = [{"type": "command", "command": "x", "name": "a"}, {"type": "command", "command": "y"}]
    config = {"hooks": {"SessionEnd": [{"hooks": entries}]}}
    named = DIALECT.combine([parsed(DIALECT, {**config, "hooksConfig": {"disabled": ["a", "y"]}})])
    off = DIALECT.combine([parsed(DIALECT, {**config, "hooksConfig": {"enabled": False}})])
    assert [spec.enabled for spec in named[0].specs] == [False, False]
    assert [spec.enabled for spec in off[0].specs] == [False, False]


def test_one_sequential_group_orders_its_whole_event() -> None:
    groups = [{"hooks": [{"type": "command", "command": "x"}]}]
    config = {"hooks": {"BeforeTool": [{**groups[0], "sequential": True}, *groups], "AfterTool": groups}}
    first, second, third = DIALECT.combine([parsed(DIALECT, config)])[0].specs
    assert [DIALECT.rule(spec).order for spec in (first, second, third)] == [
        "pipeline",
        "pipeline",
        "parallel",
    ]


@pytest.mark.parametrize(
    ("matcher", "tool", "fits"),
    [
        ("", "Bash", True),
        ("*", "Bash", True),
        (".*", "Bash", True),
        ("run_shell_command", "Bash", True),
        ("shell", "Bash", True),
        ("Bash", "Bash", False),
        ("write_file|replace", "Edit", True),
        ("write_file,replace", "Edit", False),
        (" replace ", "Edit", True),
        ("A|", "Bash", True),
        ("[", "Bash", False),
        ("(?i)SHELL", "Bash", False),
        ("Run", "Bash", False),
        ("mcp_srv_.*", "mcp__srv__echo", True),
    ],
)
def test_tool_matchers_are_unanchored_patterns_on_geminis_names(matcher: str, tool: str, fits: bool) -> None:
    spec = hook(DIALECT, "BeforeTool", matcher=matcher)
    assert (DIALECT.skip_reason(spec, called(tool, x=1)) is None) is fits


@pytest.mark.parametrize(
    ("matcher", "fits"), [("startup", True), ("s.*", False), ("startup|resume", False), ("", True)]
)
def test_other_matchers_are_exact(matcher: str, fits: bool) -> None:
    spec = hook(DIALECT, "SessionStart", matcher=matcher)
    event = Event(K.SessionStart, body=SessionStarted("startup"))
    assert (DIALECT.skip_reason(spec, event) is None) is fits


@pytest.mark.parametrize(
    ("matcher", "hint"),
    [("Bash", "did you mean `run_shell_command`?"), ("^Edit$", "did you mean `replace`?")],
)
def test_a_matcher_that_fits_none_of_geminis_tools_is_pointed_out(matcher: str, hint: str) -> None:
    config = {"hooks": {"BeforeTool": [{"matcher": matcher, "hooks": [{"type": "command", "command": "x"}]}]}}
    (problem,) = parsed(DIALECT, config).problems
    assert (problem.code, problem.severity) == ("dead-matcher", "warning") and problem.hint.startswith(hint)


def test_a_matcher_on_an_event_without_a_subject_is_pointed_out() -> None:
    config = {"hooks": {"AfterAgent": [{"matcher": "x", "hooks": [{"type": "command", "command": "x"}]}]}}
    assert [problem.code for problem in parsed(DIALECT, config).problems] == ["matcher-ignored"]


def specific(**fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": fields}


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        (ended(0), Outcome()),
        (ended(0, "hello"), Outcome(messages=("hello",))),
        (ended(0, "", "from stderr"), Outcome(messages=("from stderr",))),
        (ended(0, {"decision": "deny", "reason": "r"}), Outcome(Verdict.DENY, "r")),
        (ended(0, "", '{"decision": "block", "reason": "r"}'), Outcome(Verdict.DENY, "r")),
        (ended(1, {"decision": "deny", "reason": "r"}), Outcome(Verdict.DENY, "r")),
        (ended(2, {"decision": "allow"}, "ignored"), Outcome(Verdict.ALLOW)),
        (ended(0, '"{\\"decision\\": \\"deny\\", \\"reason\\": \\"r\\"}"'), Outcome(Verdict.DENY, "r")),
        (ended(0, "\ufeff" + '{"decision": "deny"}'), Outcome(Verdict.DENY, "No reason provided")),
        (ended(0, {"decision": "ask", "reason": "sure?"}), Outcome(Verdict.ASK, "sure?")),
        (ended(0, {"continue": False, "stopReason": "r"}), Outcome(Verdict.HALT, "r")),
        (ended(0, specific(tool_input={"command": "id"})), Outcome(updated_input={"command": "id"})),
        (ended(0, {"systemMessage": "m"}), Outcome(messages=("m",))),
        (ended(0, {"systemMessage": "m", "suppressOutput": True}), Outcome()),
        (ended(2, "out", "err"), Outcome(Verdict.DENY, "out")),
        (ended(2, "", "err"), Outcome(Verdict.DENY, "err")),
        (ended(3, "", "err"), Outcome(Verdict.DENY, "err")),
        (ended(127, "", "not found"), Outcome(Verdict.DENY, "not found")),
    ],
)
def test_output_before_a_tool(raw: Any, meant: Outcome) -> None:
    assert outcome(DIALECT, called(), hook(DIALECT, "BeforeTool"), raw) == meant


@pytest.mark.parametrize(
    "raw",
    [
        ended(2),
        ended(1, "x"),
        ended(None, signal=9),
        ended(None, timed_out=True),
        ended(None, launch_error="no"),
    ],
)
def test_what_lets_the_tool_run_says_so(raw: Any) -> None:
    found = outcome(DIALECT, called(), hook(DIALECT, "BeforeTool"), raw)
    assert found.verdict is Verdict.NONE and found.messages


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ({"permission": "deny"}, "none of the answer's keys"),
        (specific(permissionDecision="deny"), "permissionDecision"),
        ({"decision": "perhaps"}, "perhaps"),
        ("{'a'}", "not valid JSON"),
    ],
)
def test_another_agents_answer_is_named(printed: object, words: str) -> None:
    found = outcome(DIALECT, called(), hook(DIALECT, "BeforeTool"), ended(0, printed))
    assert found.verdict is Verdict.NONE and words in found.problem


@pytest.mark.parametrize(
    ("native", "kind", "printed", "meant"),
    [
        ("SessionStart", K.SessionStart, specific(additionalContext="c"), Outcome(contexts=("c",))),
        ("BeforeAgent", K.UserPromptSubmit, specific(additionalContext="c"), Outcome(contexts=("c",))),
        (
            "AfterAgent",
            K.Stop,
            {"decision": "deny", "reason": "go on"},
            Outcome(Verdict.DENY, "go on", reprompt="go on"),
        ),
        ("AfterTool", K.PostToolUse, {"decision": "deny", "reason": "r"}, Outcome(Verdict.DENY, "r")),
        (
            "BeforeToolSelection",
            K.PreToolSelection,
            specific(toolConfig={"mode": "NONE"}),
            Outcome(products={"tool_config": {"mode": "NONE"}}),
        ),
        (
            "BeforeModel",
            K.PreModelRequest,
            specific(llm_request={"model": "m"}),
            Outcome(products={"llm_request": {"model": "m"}}),
        ),
        ("PreCompress", K.PreCompact, {"decision": "deny", "reason": "r"}, Outcome(messages=("r",))),
    ],
)
def test_output_by_event(native: str, kind: EventKind, printed: object, meant: Outcome) -> None:
    assert outcome(DIALECT, Event(kind), hook(DIALECT, native), ended(0, printed)) == meant


def named(native: str, **fields: Any) -> dict[str, Any]:
    return specific(hookEventName=native, **fields)


@pytest.mark.parametrize(
    ("kind", "decided", "printed"),
    [
        (K.PreToolUse, {}, None),
        (K.PreToolUse, {"verdict": Verdict.ALLOW}, {"decision": "allow"}),
        (K.PreToolUse, {"verdict": Verdict.ASK, "reason": "r"}, {"decision": "ask", "systemMessage": "r"}),
        (K.PreToolUse, {"verdict": Verdict.DEFER, "reason": "r"}, {"decision": "deny", "reason": "r"}),
        (K.PreToolUse, {"verdict": Verdict.DENY}, {"decision": "deny", "reason": "denied by a hook"}),
        (
            K.PreToolUse,
            {"verdict": Verdict.HALT, "reason": "r"},
            {"decision": "deny", "reason": "r", "continue": False, "stopReason": "r"},
        ),
        (
            K.PreToolUse,
            {"updated_input": {"command": "id"}},
            named("BeforeTool", tool_input={"command": "id"}),
        ),
        (K.PreToolUse, {"contexts": ("c",)}, None),
        (K.PreToolUse, {"messages": ("m", "n")}, {"systemMessage": "m\nn"}),
        (K.PostToolUse, {"contexts": ("c",)}, named("AfterTool", additionalContext="c")),
        (K.PostToolUseFailure, {"reprompt": "fix"}, {"decision": "deny", "reason": "fix"}),
        (K.UserPromptSubmit, {"verdict": Verdict.DENY, "reason": "r"}, {"decision": "deny", "reason": "r"}),
        (K.Stop, {"reprompt": "go on"}, {"decision": "deny", "reason": "go on"}),
        (K.Stop, {"verdict": Verdict.HALT, "reason": "r"}, {"continue": False, "stopReason": "r"}),
        (K.SessionStart, {"verdict": Verdict.DENY, "reason": "r"}, {"systemMessage": "r"}),
        (K.PreCompact, {"verdict": Verdict.ALLOW}, None),
    ],
)
def test_answers(kind: EventKind, decided: dict[str, Any], printed: Any) -> None:
    event = called() if kind is K.PreToolUse else Event(kind)
    assert answer(DIALECT, event, **decided) == printed


def test_silence_is_silent_at_every_event() -> None:
    for row in DIALECT.rows:
        assert DIALECT.respond(Event(row.kind), Decision(row.kind)) == Response()


def test_context_before_a_tool_is_dropped_with_a_note() -> None:
    _, notes = DIALECT.fit(called(), Decision(K.PreToolUse, contexts=("c",)))
    assert notes == ("Gemini CLI at BeforeTool takes no text for the model; it was dropped",)


def test_a_denial_that_can_only_be_told_takes_no_changed_input_along() -> None:
    """Gemini reads anything but silence at the choice of tools as an answer to it."""
    denied: dict[str, Any] = {"verdict": Verdict.DENY, "reason": "no", "updated_input": {"command": "ls"}}
    event = event_from_payload(K.PreToolSelection, {}, session_id="s", cwd="/", workspace="/", at=1.0)
    assert answer(DIALECT, event, **denied) is None


def test_the_schema_is_one() -> None:
    from jsonschema import Draft202012Validator

    check = Draft202012Validator(DIALECT.schema())
    check.check_schema(DIALECT.schema())
    assert check.is_valid({"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "x"}]}]}})
    assert not check.is_valid({"hooks": {"PreToolUse": []}})
