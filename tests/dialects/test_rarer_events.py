"""Events that few agents have: a denial where it counts, the fields each side expects, and what is skipped is named."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.program import Program

DENIES = '[[hooks]]\nevent = "{}"\nrun = "echo not here >&2; exit 2"\n'
QUESTION = {"mcp_server_name": "forms", "message": "which one?"}
REQUEST = {"timestamp": "t", "llm_request": {"model": "m", "messages": []}}
DECLINED = {"hookSpecificOutput": {"hookEventName": "Elicitation", "action": "decline"}}


def bridged(program: Program, agent: str, native: str, payload: dict[str, Any]) -> Any:
    sent = {"hook_event_name": native, "session_id": "s", "cwd": str(program.workspace), **payload}
    return program("bridge", agent, "--event", native, stdin=json.dumps(sent))


def guarded(program: Program, *events: str) -> None:
    program.write(".hookline/hooks.toml", "version = 1\n" + "".join(DENIES.format(event) for event in events))


@pytest.mark.parametrize(
    ("agent", "native", "event", "payload", "code", "answer"),
    [
        ("claude", "Elicitation", "Elicitation", QUESTION, 0, DECLINED),
        ("claude", "WorktreeCreate", "WorktreeCreate", {"name": "x"}, 2, None),
        ("gemini", "BeforeModel", "PreModelRequest", REQUEST, 0, {"decision": "deny", "reason": "not here"}),
        ("qwen", "TodoCreated", "TaskCreated", {"phase": "validation"}, 2, None),
        ("qwen", "TodoCompleted", "TaskCompleted", {"phase": "postWrite"}, 2, None),
    ],
)
def test_a_denial_counts_there(
    program: Program, agent: str, native: str, event: str, payload: dict[str, Any], code: int, answer: Any
) -> None:
    guarded(program, event)
    done = bridged(program, agent, native, payload)
    assert (done.returncode, json.loads(done.stdout) if done.stdout else None) == (code, answer)
    assert "not here" in done.stdout + done.stderr or answer == DECLINED
    program.write(".hookline/hooks.toml", "version = 1\n")
    assert "not here" not in (free := bridged(program, agent, native, payload)).stdout + free.stderr


@pytest.mark.parametrize(
    ("agent", "native", "payload"),
    [
        ("antigravity", "PreInvocation", {"conversationId": "s"}),
        ("hermes", "pre_api_request", {"extra": {"model": "m"}}),
    ],
)
def test_a_denial_that_cannot_count_is_told_of(
    program: Program, agent: str, native: str, payload: dict[str, Any]
) -> None:
    guarded(program, "PreModelRequest")
    done = bridged(program, agent, native, payload)
    assert (done.returncode, done.stdout.strip()) == (0, "{}" if agent == "antigravity" else "")
    assert "cannot block" in done.stderr and "not here" in done.stderr


@pytest.mark.parametrize(
    ("native", "sent", "seen"),
    [
        ("CwdChanged", {"old_cwd": "/a", "new_cwd": "/b"}, {"old_cwd": "/a", "new_cwd": "/b"}),
        ("FileChanged", {"file_path": "/w/a.env", "event": "add"}, {"file_path": "/w/a.env", "event": "add"}),
        ("MessageDisplay", {"message_id": "m", "displayed_text": "hi", "is_final": True},
         {"message_id": "m", "delta": "hi", "final": True}),
    ],
)  # fmt: skip
def test_hooks_of_claude_code_see_qwens_newer_events_in_their_own_fields(
    program: Program, native: str, sent: dict[str, Any], seen: dict[str, Any]
) -> None:
    """And hooks of Qwen Code's own see them as Qwen Code sends them."""
    for config, name in ((".claude", "claude"), (".qwen", "qwen")):
        hook = {"type": "command", "command": f"cat > {name}.json"}
        program.write(f"{config}/settings.json", json.dumps({"hooks": {native: [{"hooks": [hook]}]}}))
    assert bridged(program, "qwen", native, sent).returncode == 0
    given = json.loads((program.workspace / "claude.json").read_text())
    assert {name: given[name] for name in seen} == seen
    assert "displayed_text" not in given
    fired = json.dumps({**seen, "session_id": "s", "cwd": str(program.workspace)})
    assert program("fire", native, "--dialect", "qwen", stdin=fired).returncode == 0
    given = json.loads((program.workspace / "qwen.json").read_text())
    assert {name: given[name] for name in sent} == sent


def test_qwens_hooks_run_in_order_where_any_group_asks_for_it(program: Program) -> None:
    def group(name: str, **more: Any) -> dict[str, Any]:
        return {"hooks": [{"type": "command", "command": f"sleep 0.{name}; echo {name} >> order"}], **more}

    call = json.dumps(
        {
            "session_id": "s",
            "cwd": str(program.workspace),
            "tool_name": "Bash",
            "tool_input": {"command": "ls"},
        }
    )
    groups = [group("2"), group("1", sequential=True)]
    program.write(".qwen/settings.json", json.dumps({"hooks": {"PreToolUse": groups}}))
    assert program("fire", "PreToolUse", "--dialect", "qwen", stdin=call).returncode == 0
    assert (program.workspace / "order").read_text() == "2\n1\n"


def test_events_of_qwens_own_are_told_of_and_answered_with_silence(program: Program) -> None:
    hooks = {
        name: [{"hooks": [{"type": "command", "command": "true"}]}] for name in ("SessionDelete", "QueryEnd")
    }
    program.write(".qwen/settings.json", json.dumps({"hooks": hooks}))
    problems = json.loads(program("check", "--dialect", "qwen", "--json").stdout)
    assert [each["code"] for each in problems] == ["agent-alone", "agent-alone"]
    done = bridged(program, "qwen", "SessionDelete", {})
    assert (done.returncode, done.stdout) == (0, "")
    assert "no event `SessionDelete`" in done.stderr


@pytest.mark.parametrize("agent", ["codex", "gemini"])
def test_a_tool_of_a_server_that_cannot_be_called_at_the_start_is_named(program: Program, agent: str) -> None:
    hook = {"type": "mcp_tool", "server": "notes", "tool": "remember"}
    program.write(".claude/settings.json", json.dumps({"hooks": {"SessionStart": [{"hooks": [hook]}]}}))
    done = bridged(program, agent, "SessionStart", {"source": "startup", "timestamp": "t"})
    assert done.returncode == 0
    assert "the MCP server `notes` is not connected" in json.loads(done.stdout)["systemMessage"]
    (run,) = json.loads(program("history", "--json").stdout)
    assert [hook["status"] for hook in run["hooks"]] == ["launch_failed"]


KIMIS = (
    "SessionStart SessionEnd UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure PermissionRequest "
    "PermissionResult Stop StopFailure Interrupt SubagentStart SubagentStop PreCompact PostCompact Notification "
    "TurnStarted UserPromptQueued TaskStarted SessionHeartbeat"
)


def test_a_file_of_kimi_code_with_all_its_events_is_not_taken_for_one_that_it_drops(program: Program) -> None:
    """An event that was not known here counted as one by which Kimi Code refuses the whole file."""
    place = program.home / ".kimi-code/config.toml"
    place.parent.mkdir()
    entries = (f'[[hooks]]\nevent = "{name}"\ncommand = "true"\n' for name in KIMIS.split())
    place.write_text("\n".join(entries))
    done = program("check", "--json")
    problems = json.loads(done.stdout)
    assert {each["code"] for each in problems} == {"agent-alone"}
    assert done.returncode == 0
    assert len(json.loads(program("list", "--json").stdout)) == 15
