"""Antigravity: named sets of hooks, a call in an object, JSON for every answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.dialects.agent_cases import ended, parsed
from tests.program import Program

from hookline.dialects import dialect
from hookline.dialects.bridged import AgentDialect
from hookline.model.events import EventKind
from hookline.model.results import Decision, Verdict

K = EventKind
ANTIGRAVITY = dialect("antigravity")
assert isinstance(ANTIGRAVITY, AgentDialect)
CALL = {"name": "run_command", "args": {"CommandLine": "rm -rf build", "Cwd": "/w/a"}}
SENT = {
    "conversationId": "c1", "workspacePaths": ["/w", "/x"], "transcriptPath": "/t", "artifactDirectoryPath": "/a",
    "stepIdx": 3, "toolCall": CALL,
}  # fmt: skip


def sets(config: dict[str, Any]) -> Any:
    return parsed(ANTIGRAVITY, config, label="hookline")


def test_sets_are_read_with_their_names_and_their_switches() -> None:
    group = {"matcher": "run_command", "hooks": [{"type": "command", "command": "a", "timeout": 5}]}
    loaded = sets(
        {
            "gate": {"PreToolUse": [group], "stop": [{"command": "b"}]},
            "off": {"enabled": False, "PreInvocation": [{"type": "command", "command": "c"}]},
            "told": {"PreInvocation": [{"type": "prompt", "prompt": "x"}]},
        }
    )
    assert not loaded.problems
    found = [(spec.name, spec.kind, spec.enabled, spec.timeout_s) for spec in loaded.specs]
    assert found == [
        ("gate", K.PreToolUse, True, 5.0), ("gate", K.Stop, True, 30.0), ("off", K.PreModelRequest, False, 30.0),
        ("told", K.PreModelRequest, False, 30.0),
    ]  # fmt: skip
    assert loaded.specs[2].origin.disabled_why == "`enabled` is false in `off`"
    assert "for Antigravity alone" in loaded.specs[3].origin.disabled_why
    assert len({spec.id for spec in loaded.specs}) == 4


@pytest.mark.parametrize(
    "config",
    [
        {"enabled": False},
        {"a": []},
        {"a": {"PreToolUse": {}}},
        {"a": {"enabled": "no"}},
        {"a": {"Stop": ["x"]}},
    ],
)
def test_what_it_cannot_read_drops_the_file_and_says_so(config: dict[str, Any]) -> None:
    loaded = sets(config)
    assert any(ANTIGRAVITY.drops_for(problem) for problem in loaded.problems)


def test_a_payload_comes_back_field_for_field_and_means_the_same_to_others() -> None:
    event = ANTIGRAVITY.read_event("PreToolUse", SENT)
    assert (event.kind, event.session_id, event.cwd) == (K.PreToolUse, "c1", "/w")
    assert event.get("tool_name") == "Bash" and event.get("tool_input")["command"] == "rm -rf build"
    assert ANTIGRAVITY.payload(event, ANTIGRAVITY.host_row(event)) == SENT
    failed = ANTIGRAVITY.read_event("PostToolUse", {**SENT, "error": "no such file"})
    assert failed.kind is K.PostToolUseFailure and failed.get("error") == "no such file"


@pytest.mark.parametrize("given", [{"path": ".env"}, '{"path": ".env"}'])
def test_a_call_of_a_servers_tool_is_that_of_others(given: object) -> None:
    args = {"ServerName": "fs", "ToolName": "write_file", "Arguments": given}
    sent = {**SENT, "toolCall": {"name": "call_mcp_tool", "args": args}}
    event = ANTIGRAVITY.read_event("PreToolUse", sent)
    assert (event.tool_name, event.tool_input) == ("mcp__fs__write_file", {"path": ".env"})
    assert ANTIGRAVITY.payload(event, ANTIGRAVITY.host_row(event)) == sent


@pytest.mark.parametrize(
    ("native", "decided", "said"),
    [
        ("PreToolUse", {}, {}),
        ("PreToolUse", {"verdict": Verdict.DENY, "reason": "no"}, {"decision": "deny", "reason": "no"}),
        ("PreToolUse", {"verdict": Verdict.ASK, "reason": "sure?"}, {"decision": "force_ask", "reason": "sure?"}),
        ("PreToolUse", {"updated_input": {"command": "ls"}}, {"decision": "deny"}),
        ("PreInvocation", {"contexts": ("a",)}, {"injectSteps": [{"ephemeralMessage": "a"}]}),
        ("Stop", {"verdict": Verdict.DENY, "reason": "go on"}, {"decision": "continue", "reason": "go on"}),
        ("Stop", {"verdict": Verdict.HALT, "reason": "end"}, {}),
        ("PostToolUse", {"verdict": Verdict.DENY, "reason": "late"}, {}),
    ],
)  # fmt: skip
def test_every_answer_is_json(native: str, decided: dict[str, Any], said: dict[str, Any]) -> None:
    event = ANTIGRAVITY.read_event(native, SENT if "Tool" in native else {"conversationId": "c"})
    response = ANTIGRAVITY.respond(event, Decision(event.kind, **decided))
    printed = json.loads(response.stdout)
    assert response.exit_code == 0 and all(printed[key] == value for key, value in said.items())
    assert bool(said) == bool(printed)


def test_words_of_a_step_that_is_put_in_are_text_for_the_model() -> None:
    spec = sets({"a": {"PreInvocation": [{"command": "x"}]}}).specs[0]
    event = ANTIGRAVITY.read_event("PreInvocation", {"conversationId": "c"})
    said = {"injectSteps": [{"ephemeralMessage": "one"}, {"userMessage": "two"}, {"toolCall": {}}]}
    assert ANTIGRAVITY.read_output(event, spec, ended(0, said)).contexts == ("one", "two")


def test_in_front_of_it_hooks_of_others_decide_and_its_own_sets_stay(program: Program) -> None:
    program.write(".agents/hooks.json", '{"mine": {"Stop": [{"command": "true"}]}}')
    guard = {
        "matcher": "Bash",
        "hooks": [{"type": "command", "command": "grep -q 'rm -rf' && echo no >&2 && exit 2"}],
    }
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [guard]}}))
    done = program("install", "antigravity")
    assert done.returncode == 0, done.stderr
    config = json.loads((program.workspace / ".agents/hooks.json").read_text())
    assert config["mine"] == {"Stop": [{"command": "true"}]}
    assert config["hookline"]["PreToolUse"][0]["hooks"][0]["type"] == "command"
    assert "hooks" not in config["hookline"]["Stop"][0]
    sent = {**SENT, "workspacePaths": [str(program.workspace)]}
    answer = program("bridge", "antigravity", "--event", "PreToolUse", stdin=json.dumps(sent))
    assert json.loads(answer.stdout) == {"decision": "deny", "reason": "no"}
    harmless = {**sent, "toolCall": {"name": "run_command", "args": {"CommandLine": "ls"}}}
    answer = program("bridge", "antigravity", "--event", "PreToolUse", stdin=json.dumps(harmless))
    assert (answer.returncode, json.loads(answer.stdout)) == (0, {})
    assert program("uninstall", "antigravity").returncode == 0
    assert (
        program.workspace / ".agents/hooks.json"
    ).read_text() == '{"mine": {"Stop": [{"command": "true"}]}}'
