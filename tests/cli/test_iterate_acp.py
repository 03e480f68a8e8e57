"""`hookline iterate --agent`: ACP agents, their tools, permissions and deaths."""

from __future__ import annotations

import asyncio
import json
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from tests.cli.test_iterate import call, hooks
from tests.program import Program
from tests.waiting import DEADLINE_S, wait_for, wait_until_gone

HOOKLINE = f"{shlex.quote(sys.executable)} -m hookline"
GUARD = {"matcher": "Bash", "hooks": [{"type": "command", "command": "grep -q secret && exit 2; exit 0"}]}


def script(program: Program, *turns: Mapping[str, Any], name: str = "turns.yml") -> str:
    program.write(name, yaml.safe_dump({"turns": list(turns)}))
    return f"{HOOKLINE} scripted-agent {name} --record record.jsonl"


def iterate(program: Program, agent: str, *more: str, **options: Any) -> Any:
    program.write("prompt.txt", "prompt {{iteration}}")
    arguments = ("--name", "s", "--template", "prompt.txt", "--backoff", "0", "--agent", agent)
    return program("iterate", *arguments, *more, **options)


def prompts(program: Program) -> list[tuple[str, list[str]]]:
    file = program.workspace / "record.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return [(line["session"], [block["text"] for block in line["prompt"]]) for line in lines]


def test_an_agent_that_ends_at_once_is_told_of_in_words(program: Program) -> None:
    done = iterate(program, "false", "--iterations", "1")
    assert done.returncode == 1 and "the agent died during initialize" in done.stderr
    assert "exception" not in done.stderr and "RpcClosed" not in done.stderr


def test_the_end_of_a_run_sums_up_its_rounds_its_failed_hooks_and_its_tasks(program: Program) -> None:
    hooks(program, post_iteration=["echo 2 tests fail; exit 1", "true"])
    plan = call("task-add", tasks=[{"content": "one", "priority": 0}, {"content": "two", "priority": 0}])
    agent = script(program, {"tool_calls": [plan]}, {"text": "planned"}, {"text": "second"})
    done = iterate(program, agent, "--iterations", "2")
    end = done.stderr[done.stderr.rindex("iteration 1: complete in ") :]
    assert end.count("2 hooks, 1 failed") == 2 and end.count("post_iteration: echo 2 tests fail; exit 1") == 2
    assert "tasks: 2 remaining\n" in end and "iteration 2: complete in " in end


def test_three_documented_iterations_with_an_agent(program: Program) -> None:
    """Two blocks in one session/prompt, a new session for each iteration; deliveries and
    recovery prompts go to the current one."""
    hooks(
        program,
        session_start=["echo built"],
        pre_iteration=["echo lint {{iteration}}", "echo status"],
        post_iteration=["echo tests {{iteration}}"],
        on_task_complete=["echo validated {{task_id}}"],
        on_error=["echo diff"],
        session_end=["echo pushed >> pushed"],
    )
    agent = script(
        program,
        {"text": "I plan.", "tool_calls": [call("task-add", tasks=[{"content": "one", "priority": 0}])]},
        {"tool_calls": [call("task-update", id="TAS-1", status="completed")]},
        {"text": "done"},
        {"error": "overloaded"},
        {"text": "recovered"},
        {"text": "third"},
        {"text": "delivered"},
    )
    done = iterate(program, agent, "--iterations", "3")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "I plan.\ndone\nrecovered\nthird\ndelivered\n"
    waiting = "validated TAS-1\n\ntests 1\n\n"
    assert prompts(program) == [
        ("session-1", ["built\n\nlint 1\n\nstatus\n", "prompt 1"]),
        ("session-2", [waiting + "lint 2\n\nstatus\n", "prompt 2"]),
        ("session-2", ["diff\n"]),
        ("session-3", [waiting + "lint 3\n\nstatus\n", "prompt 3"]),
        ("session-3", ["tests 3\n"]),
    ]
    assert (program.workspace / "pushed").read_text() == "pushed\n"
    assert program("task", "list").stdout == "TAS-1 [completed] P0 one\n"


@pytest.mark.parametrize(
    ("event", "kept"), [("PreToolUse", False), ("PermissionRequest", False), ("PostToolUse", True)]
)
def test_permission_is_what_hooks_say(program: Program, event: str, kept: bool) -> None:
    """A hook that denies has the agent's request rejected; without one it is allowed."""
    program.write(".gen/settings.json", json.dumps({"hooks": {event: [GUARD]}}))
    command = "echo secret > out"
    agent = script(
        program,
        {"tool_calls": [{"name": "Bash", "input": {"command": command}}]},
        {"text": "so be it", "expect": "" if kept else "Permission denied"},
    )
    done = iterate(program, agent, "--iterations", "1")
    assert (done.returncode, (program.workspace / "out").exists()) == (0, kept), done.stderr


def test_the_stream_tells_the_agents_tools_and_decisions(program: Program) -> None:
    program.write(".gen/settings.json", json.dumps({"hooks": {"PreToolUse": [GUARD]}}))
    agent = script(program, {"tool_calls": [{"name": "Bash", "input": {"command": "true"}}]}, {"text": "ok"})
    done = iterate(program, agent, "--iterations", "1", "--json", "--record", "own.jsonl")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["type"] for line in lines if not line["type"].startswith("hook.")] == [
        "session.started",
        "iteration.started",
        "message",
        "tool.started",
        "decision",
        "tool.finished",
        "message",
        "iteration.finished",
        "session.ended",
    ]
    started = next(line for line in lines if line["type"] == "tool.started")
    assert (started["name"], started["input"]) == ("Bash", {"command": "true"})
    own = json.loads((program.workspace / "own.jsonl").read_text())
    assert own == {"n": 1, "session": "session-1", "prompt": [{"type": "text", "text": "prompt 1"}]}


def test_an_agent_that_dies_is_started_again_for_its_recovery(program: Program) -> None:
    hooks(program, on_error=["echo why"])
    dying = script(program, {"tool_calls": [{"name": "Bash", "input": {"command": "kill -9 $PPID"}}]})
    living = script(program, {"text": "here again"}, name="living.yml")
    program.write("agent.sh", f"[ -e born ] && exec {living}\ntouch born\nexec {dying}\n")
    done = iterate(program, "sh agent.sh", "--iterations", "1")
    assert (done.returncode, done.stdout) == (0, "here again\n"), done.stderr
    assert "the agent died during session/prompt" in done.stderr
    assert prompts(program) == [("session-1", ["prompt 1"]), ("session-1", ["why\n"])]


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("no-such-agent --acp", "`no-such-agent` cannot be started"),
        ("sh -c 'echo broken config >&2; exit 3'", "ended with 3: broken config"),
    ],
)
def test_an_agent_that_does_not_come_up_says_why(program: Program, agent: str, words: str) -> None:
    done = iterate(program, agent, "--iterations", "1")
    assert (done.returncode, words in done.stderr) == (1, True), done.stderr


def test_a_signal_cancels_the_agents_turn_and_ends_its_process(program: Program) -> None:
    """Session/cancel, session_end, and nothing left running."""
    hooks(program, session_end=["echo e >> ended"])
    agent = script(program, {"tool_calls": [{"name": "Bash", "input": {"command": "touch busy; sleep 60"}}]})
    program.write("agent.sh", f"echo $$ > agent.pid\nexec {agent}\n")
    command = ("iterate", "--name", "s", "--agent", "sh agent.sh")
    process = program.start(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(program.workspace / "busy")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=DEADLINE_S)
    assert (process.returncode, (program.workspace / "ended").read_text()) == (143, "e\n")
    wait_until_gone(int((program.workspace / "agent.pid").read_text()))


@pytest.mark.parametrize("how", ["agent", "model"])
def test_deny_rules_of_the_settings_hold_where_nobody_is_asked(program: Program, how: str) -> None:
    program.write(".claude/settings.json", json.dumps({"permissions": {"deny": ["Bash(touch:*)"]}}))
    agent = script(
        program,
        {"tool_calls": [{"name": "Bash", "input": {"command": "touch out"}}]},
        {"text": "so be it", "expect": "Permission denied"},
    )
    if how == "agent":
        done = iterate(program, agent, "--iterations", "1")
    else:
        done = program("iterate", "--iterations", "1", "--model", "scripted:turns.yml")
    assert (done.returncode, done.stdout) == (0, "so be it\n"), done.stderr
    assert not (program.workspace / "out").exists()


@pytest.mark.parametrize("how", ["iterate", "issues"])
def test_a_guard_that_cannot_judge_an_agents_call_is_told_of(program: Program, how: str) -> None:
    slow = {"type": "command", "command": "sleep 60", "timeout": 200}
    program.write(".gen/settings.json", json.dumps({"hooks": {"PreToolUse": [{"hooks": [slow]}]}}))
    agent = script(program, {"tool_calls": [{"name": "Bash", "input": {"command": "true"}}]}, {"text": "ok"})
    if how == "iterate":
        done = iterate(program, agent, "--iterations", "1")
    else:
        program("issues", "create", "-t", "One", "-d", "x")
        done = program("issues", "run", "1", "--agent", agent)
    assert done.returncode == 0 and "timed out and let the action through" in done.stderr, done.stderr


def test_what_hooks_say_after_a_tool_waits_for_the_next_prompt(program: Program) -> None:
    after = {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo not formatted >&2; exit 2"}]}
    program.write(".gen/settings.json", json.dumps({"hooks": {"PostToolUse": [after]}}))
    agent = script(
        program,
        {"tool_calls": [{"name": "Bash", "input": {"command": "true"}}]},
        {"text": "ok"},
        {"text": "I see"},
    )
    done = iterate(program, agent, "--iterations", "1")
    assert done.returncode == 0, done.stderr
    assert [blocks for _, blocks in prompts(program)] == [["prompt 1"], ["not formatted"]]


def test_a_turn_that_takes_too_long_is_a_failed_iteration(program: Program) -> None:
    """The agent is told to stop, and its session goes on with the recovery prompt."""
    hooks(program, on_error=["echo why"])
    agent = script(program, {"text": "late", "delay": 60}, {"text": "quick"})
    done = iterate(program, agent, "--iterations", "1", "--turn-timeout", "8")
    assert (done.returncode, done.stdout) == (0, "quick\n"), done.stderr
    assert "the agent's turn took longer than 8 s" in done.stderr
    assert prompts(program) == [("session-1", ["prompt 1"]), ("session-1", ["why\n"])]


SDK_AGENT = """
import asyncio, json, sys
from acp import (run_agent, Agent, InitializeResponse, NewSessionResponse, PromptResponse,
                 update_agent_message_text, update_agent_thought_text)
from acp.schema import AgentCapabilities, Implementation, PermissionOption, ToolCallUpdate
class Oracle(Agent):
    def on_connect(self, conn): self.conn = conn
    async def initialize(self, protocol_version, client_capabilities=None, client_info=None, **kwargs):
        assert client_capabilities.fs.read_text_file and client_info.name == "hookline"
        return InitializeResponse(protocol_version=protocol_version, agent_capabilities=AgentCapabilities(),
                                  agent_info=Implementation(name="oracle", version="1"))
    async def new_session(self, cwd, mcp_servers=None, **kwargs):
        self.servers = [type(each).__name__ for each in mcp_servers]
        return NewSessionResponse(session_id="sdk-1")
    async def prompt(self, prompt, session_id, **kwargs):
        read = await self.conn.read_text_file(path=sys.argv[1] + "/in.txt", session_id=session_id)
        for name in ("out.txt", "denied.txt"):
            try:
                await self.conn.write_text_file(path=sys.argv[1] + "/" + name, content=read.content,
                                                session_id=session_id)
            except Exception as error:
                await self.conn.session_update(session_id, update_agent_thought_text(str(error)))
        call = ToolCallUpdate(tool_call_id="c1", title="ls", kind="execute", raw_input={"command": "ls"})
        options = [PermissionOption(option_id="y", name="Yes", kind="allow_once"),
                   PermissionOption(option_id="n", name="No", kind="reject_once")]
        answer = await self.conn.request_permission(session_id=session_id, tool_call=call, options=options)
        text = json.dumps({"blocks": [b.text for b in prompt], "servers": self.servers,
                           "outcome": answer.outcome.option_id})
        await self.conn.session_update(session_id, update_agent_message_text(text))
        return PromptResponse(stop_reason="end_turn")
    async def cancel(self, session_id, **kwargs): pass
asyncio.run(run_agent(Oracle()))
"""


def test_an_agent_made_with_the_sdk_understands_us(program: Program) -> None:
    """Files go through the guards too, and an agent without HTTP gets the tools as a program."""
    deny = {"matcher": "Write", "hooks": [{"type": "command", "command": "! grep -q denied || exit 2"}]}
    program.write(".gen/settings.json", json.dumps({"hooks": {"PreToolUse": [deny]}}))
    hooks(program, pre_iteration=["echo pre"])
    program.write("in.txt", "content\n")
    program.write("oracle.py", SDK_AGENT)
    agent = f"{shlex.quote(sys.executable)} oracle.py {shlex.quote(str(program.workspace))}"
    done = iterate(program, agent, "--iterations", "1")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "blocks": ["pre\n", "prompt 1"],
        "servers": ["McpServerStdio"],
        "outcome": "y",
    }
    assert (program.workspace / "out.txt").read_text() == "content\n"
    assert not (program.workspace / "denied.txt").exists()


def test_a_client_made_with_the_sdk_understands_the_scripted_agent(program: Program) -> None:
    import acp
    from acp.schema import AllowedOutcome, RequestPermissionResponse

    class Client(acp.Client):
        def __init__(self) -> None:
            self.heard: list[str] = []

        async def request_permission(self, session_id: str, tool_call: Any, options: Any, **_: Any) -> Any:
            chosen = next(option for option in options if option.kind == "allow_once")
            outcome = AllowedOutcome(outcome="selected", option_id=chosen.option_id)
            return RequestPermissionResponse(outcome=outcome)

        async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
            self.heard.append(update.session_update)

    script(program, {"tool_calls": [{"name": "Bash", "input": {"command": "echo hi"}}]},
           {"text": "said", "expect": "hi"})  # fmt: skip

    async def talk() -> str:
        command = (sys.executable, "-m", "hookline", "scripted-agent", "turns.yml")
        client = Client()
        async with acp.spawn_agent_process(
            client, *command, env=program.environment, cwd=program.workspace
        ) as (connection, _):
            await connection.initialize(protocol_version=acp.PROTOCOL_VERSION)
            session = await connection.new_session(cwd=str(program.workspace), mcp_servers=[])
            answer = await connection.prompt(session_id=session.session_id, prompt=[acp.text_block("go")])
            assert client.heard == ["tool_call", "tool_call_update", "agent_message_chunk"]
            return str(answer.stop_reason)

    assert asyncio.run(talk()) == "end_turn"
