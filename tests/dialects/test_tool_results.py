"""What a tool gave back, as the hooks of every agent take it apart, whatever agent it comes from."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from tests.dialects.agent_cases import captured
from tests.program import Program

from hookline.dialects.bridged.payloads import result_text
from hookline.hosts.bridge.call import speaker_of
from hookline.model.events import EventKind, ToolCall

# Where each agent's own hook of a tool's end stands, and how it finds the words of a shell in what it reads.
HOOKS = {
    "claude": (".claude/settings.json", "PostToolUse", 'd["tool_response"]["stdout"]'),
    "codex": (".codex/hooks.json", "PostToolUse", 'd["tool_response"]'),
    "gemini": (".gemini/settings.json", "AfterTool", 'd["tool_response"]["llmContent"]'),
    "copilot": (".github/hooks/own.json", "postToolUse", 'd["toolResult"]["textResultForLlm"]'),
    "cursor": (".cursor/hooks.json", "afterShellExecution", 'd["output"]'),
    "qwen": (".qwen/settings.json", "PostToolUse", 'd["tool_response"]["returnDisplay"]'),
    "tabnine": (".tabnine/agent/settings.json", "AfterTool", 'd["tool_response"]["llmContent"]'),
}
SENT = {
    "claude": {"tool_name": "Bash", "tool_response": {"stdout": "MADE", "stderr": "", "interrupted": False}},
    "codex": {"tool_name": "Bash", "tool_response": "MADE\n", "turn_id": "1", "model": "m"},
    "copilot": {"toolName": "bash", "toolResult": {"resultType": "success", "textResultForLlm": "MADE"}},
    "gemini": {
        "tool_name": "run_shell_command",
        "tool_response": {"llmContent": "MADE", "returnDisplay": "MADE"},
    },
}


READER = """
import json, sys
agent, path = sys.argv[1:]
with open(agent + ".read", "w") as kept:
    kept.write(eval(path, {"d": json.load(sys.stdin)}))
"""


def configure(program: Program) -> None:
    program.write("read.py", READER)
    for agent, (file, native, path) in HOOKS.items():
        line = f"cd {program.workspace} && {sys.executable} read.py {agent} '{path}'"
        entry: dict[str, Any] = {"type": "command", "command": line}
        flat = agent in ("copilot", "cursor")
        group = entry if flat else {"hooks": [entry]}
        program.write(file, json.dumps({**({"version": 1} if flat else {}), "hooks": {native: [group]}}))


@pytest.mark.parametrize("host", SENT)
def test_a_hook_of_every_dialect_reads_a_shells_words_in_its_own_form(program: Program, host: str) -> None:
    configure(program)
    arguments = "toolArgs" if host == "copilot" else "tool_input"
    payload = {"session_id": "s", "cwd": str(program.workspace), arguments: {"command": "make"}, **SENT[host]}
    done = program("bridge", host, "--event", HOOKS[host][1], stdin=json.dumps(payload))
    assert done.returncode == 0, done.stderr
    for agent in HOOKS.keys() - {host}:  # its own it runs itself
        read = program.workspace / f"{agent}.read"
        assert read.exists(), (agent, done.stderr)
        assert "MADE" in read.read_text(), agent


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (None, ""),
        ("plain", "plain"),
        ({"stdout": "out", "stderr": "err"}, "out\nerr"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ({"content": [{"type": "text", "text": "a"}]}, "a"),
        ({"type": "create", "content": "not what it said"}, '{"type":"create","content":"not what it said"}'),
        ([], "[]"),
        (7, "7"),
    ],
)
def test_a_result_as_a_text(found: object, text: str) -> None:
    assert result_text(found) == text


def written(name: str, native: str, event: Any) -> Any:
    from hookline.model.hooks import Command, HookSpec

    spec = HookSpec("h", name, event.kind, native, Command("x"), path="/w/f.json", scope="project")
    return speaker_of(name).hook_input(event, spec).payload


def from_claude(kind: EventKind) -> Any:
    claude = speaker_of("claude")
    return next(claude.read_event(native, given) for native, given in captured("claude") if native == kind)


@pytest.mark.parametrize(
    ("native", "wanted"),
    [
        ("agentStop", {"stopReason": "end_turn"}),
        ("Stop", {"stop_reason": "end_turn"}),
        ("subagentStop", {"stopReason": "end_turn", "agentName": "general-purpose"}),
        ("errorOccurred", {"errorContext": "model_call", "recoverable": False}),
        ("ErrorOccurred", {"error_context": "model_call", "recoverable": False}),
        ("PostToolUse", {"tool_result": {"result_type": "success"}}),
    ],
)
def test_copilots_hooks_find_what_copilot_always_says(native: str, wanted: dict[str, Any]) -> None:
    row = speaker_of("copilot").row(native)
    assert row is not None
    payload = written("copilot", native, from_claude(row.kind))
    for name, value in wanted.items():
        found = payload[name]
        assert found == value if not isinstance(value, dict) else value.items() <= found.items()


def test_a_typed_command_has_its_prompt_where_copilots_hooks_look() -> None:
    event = from_claude(EventKind.UserPromptExpansion)
    assert written("copilot", "userPromptTransformed", event)["transformedPrompt"] == event.get("prompt")


@pytest.mark.parametrize("agent", ["qwen", "vscode", "tabnine"])
def test_hooks_that_read_a_time_stamp_are_given_one(agent: str) -> None:
    event = from_claude(EventKind.PreToolUse)
    native = speaker_of(agent).row_of(EventKind.PreToolUse).native
    assert written(agent, native, event)["timestamp"].endswith("Z")
    sent = {"tool_name": "x", "tool_input": {}, "timestamp": "then", "session_id": "s", "cwd": "/w"}
    assert written(agent, native, speaker_of(agent).read_event(native, sent))["timestamp"] == "then"


def test_a_result_of_an_mcp_server_stays_as_it_is() -> None:
    event = from_claude(EventKind.PostToolUse)
    call = ToolCall("mcp__s__t", {}, "t")
    from hookline.model.record import replace

    result = {"content": [{"type": "text", "text": "a"}]}
    moved = replace(event, body=replace(event.body, tool_name=call.tool_name, tool_response=result))
    assert written("codex", "PostToolUse", moved)["tool_response"] == result
