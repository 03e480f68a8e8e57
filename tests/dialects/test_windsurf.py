"""Windsurf: events of one kind of action each, facts in `tool_info`, and what a conversion makes of matchers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.program import Program

from hookline.dialects import dialect
from hookline.dialects.converting.whole import convert
from hookline.hosts.bridge.call import speaker_of
from hookline.model.events import EventKind as K
from hookline.model.hooks import Command, HookSpec, Matcher

COMMON = {"trajectory_id": "t-1", "execution_id": "e", "timestamp": "2026-11-20T10:00:00Z", "model_name": "m"}
EDITS = [{"old_string": "a", "new_string": "b"}, {"old_string": "", "new_string": "secret"}]
SENT: list[tuple[str, dict[str, Any], K, str, dict[str, Any]]] = [
    ("pre_run_command", {"command_line": "rm -rf x", "cwd": "/w"}, K.PreToolUse, "Bash", {"command": "rm -rf x"}),
    ("post_read_code", {"file_path": "/w/src"}, K.PostToolUse, "Read", {"file_path": "/w/src"}),
    (
        "pre_write_code", {"file_path": "/w/a", "edits": EDITS[1:]}, K.PreToolUse, "Write",
        {"file_path": "/w/a", "content": "secret"},
    ),
    (
        "pre_write_code", {"file_path": "/w/a", "edits": EDITS}, K.PreToolUse, "Edit",
        {"file_path": "/w/a", "old_string": "a\n", "new_string": "b\nsecret"},
    ),
    (
        "post_mcp_tool_use",
        {"mcp_server_name": "git", "mcp_tool_name": "log", "mcp_tool_arguments": {"n": 1}, "mcp_result": "x"},
        K.PostToolUse, "mcp__git__log", {"n": 1},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("native", "info", "kind", "tool", "given"), SENT)
def test_what_it_sends_is_a_call_of_ours_and_reaches_its_own_hooks_unchanged(
    native: str, info: dict[str, Any], kind: K, tool: str, given: dict[str, Any]
) -> None:
    sent = {"agent_action_name": native, **COMMON, "tool_info": {**info, "later": 1}}
    event = speaker_of("windsurf").read_event("pre_read_code", sent)
    assert (event.kind, event.session_id, event.tool_name, event.tool_input) == (kind, "t-1", tool, given)
    hook = HookSpec("h", "windsurf", kind, native, Command("x"))
    assert speaker_of("windsurf").hook_input(event, hook).payload == sent
    other = HookSpec("h", "windsurf", kind, "pre_user_prompt", Command("x"))
    assert speaker_of("windsurf").skip_reason(other, event) is None
    for row in speaker_of("windsurf").rows:
        here = HookSpec("h", "windsurf", row.kind, row.native, Command("x"))
        if row.kind is kind and row.native != native:
            assert "by itself" in (speaker_of("windsurf").skip_reason(here, event) or "")


@pytest.mark.parametrize(
    "info", [None, [], {"edits": [1, None], "file_path": 3}, {"mcp_tool_arguments": "x"}]
)
def test_facts_of_another_shape_break_nothing(info: object) -> None:
    for row in speaker_of("windsurf").rows:
        event = speaker_of("windsurf").read_event(row.native, {**COMMON, "tool_info": info})
        assert event.kind is row.kind


RUN, WRITE, READ, MCP = "pre_run_command", "pre_write_code", "pre_read_code", "pre_mcp_tool_use"
CHOSEN = [
    ("claude", Matcher("exact", "Bash"), [RUN], False),
    ("claude", Matcher("names", "Write|Edit"), [WRITE], False),
    ("claude", Matcher("names", "Read|Bash"), [RUN, READ], False),
    ("claude", Matcher("exact", "mcp__git__push"), [MCP], False),
    ("claude", Matcher("regex", "mcp__.*"), [MCP], False),
    ("claude", Matcher("names", "Bash|WebFetch"), [RUN], True),
    ("claude", Matcher("exact", "WebFetch"), [], True),
    ("claude", Matcher("regex", "^(Edit|Note)"), [WRITE], False),
    ("claude", None, [RUN, WRITE, READ, MCP], True),
    ("claude", Matcher("regex", ".*"), [RUN, WRITE, READ, MCP], True),
    ("gemini", Matcher("regex", "^run_shell_command$"), [RUN], False),
    ("codex", Matcher("regex", "^apply_patch$"), [WRITE], False),
]


@pytest.mark.parametrize(("source", "matcher", "natives", "weakens"), CHOSEN)
def test_a_conversion_chooses_the_events_by_the_matcher_and_says_what_none_tells_of(
    source: str, matcher: Matcher | None, natives: list[str], weakens: bool
) -> None:
    row = dialect(source).rules[K.PreToolUse]
    hook = HookSpec("h", source, K.PreToolUse, row.native, Command("exit 2"), matcher=matcher)
    done = convert([hook], source, "windsurf")
    assert [made.native_event for made in done.specs] == natives
    assert any(loss.what == "event" and loss.weakens for loss in done.losses) is weakens


@pytest.mark.parametrize(
    ("source", "native", "tools"),
    [("windsurf", RUN, "Bash|PowerShell"), ("windsurf", MCP, "^mcp__"), ("cursor", "beforeReadFile", "Read"),
     ("goose", "AfterShellExecution", "Bash")],
)  # fmt: skip
def test_a_hook_of_some_tools_alone_gets_a_matcher_where_events_are_of_all(
    source: str, native: str, tools: str
) -> None:
    kind = dialect(source).kind_of(native)
    assert kind is not None
    done = convert([HookSpec("h", source, kind, native, Command("exit 2"))], source, "claude")
    assert [made.matcher and made.matcher.text for made in done.specs] == [tools]


def test_its_guard_holds_in_the_folder_it_names_and_a_matcher_is_told_of(program: Program) -> None:
    entry = {"command": "pwd >&2; exit 2", "working_directory": "sub", "matcher": "Bash"}
    program.write(".windsurf/hooks.json", json.dumps({"hooks": {"pre_write_code": [entry]}}))
    program.write("sub/a", "")
    call = {"session_id": "s", "tool_name": "Write", "tool_input": {"file_path": "a", "content": "x"}}
    done = json.loads(program("fire", "PreToolUse", "--json", stdin=json.dumps(call)).stdout)
    assert (done["verdict"], done["reason"]) == ("deny", str(program.workspace / "sub"))
    call["tool_name"] = "Read"
    assert program("fire", "PreToolUse", stdin=json.dumps(call)).returncode == 0
    problems = json.loads(program("check", "--dialect", "windsurf", "--json").stdout)
    assert [(each["code"], "no matchers" in each["message"]) for each in problems] == [("ignored-key", True)]
