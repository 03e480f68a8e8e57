"""Hooks in the real Claude Agent SDK, through its own client and control protocol; only Claude Code is played."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("claude_agent_sdk")

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, HookMatcher, Transport
from tests.integrations.guards import claude_workspace

from hookline import Engine, ask, context, deny, halt, rewrite
from hookline.integrations.claude_agent_sdk import EVENTS, Hooks
from hookline.integrations.gate import Question

ISOLATED = ClaudeAgentOptions(setting_sources=[])


class PlayedClaude(Transport):
    """Claude Code's end of the control protocol: takes the hooks, then calls them as `calls` says."""

    def __init__(self, calls: list[dict[str, Any]]) -> None:
        self._calls = calls
        self._lines: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._answered: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._hooks: dict[str, list[dict[str, Any]]] = {}
        self.answers: list[Any] = []

    async def connect(self) -> None: ...

    def is_ready(self) -> bool:
        return True

    async def end_input(self) -> None: ...

    async def close(self) -> None: ...

    async def write(self, data: str) -> None:
        line = json.loads(data)
        if line["type"] == "control_request":
            self._hooks = line["request"]["hooks"]
            done = {"subtype": "success", "request_id": line["request_id"], "response": {}}
            await self._lines.put({"type": "control_response", "response": done})
        elif line["type"] == "control_response":
            await self._answered.put(line["response"])

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        yield await self._lines.get()
        for number, payload in enumerate(self._calls):
            answers = []
            for matcher in self._hooks.get(payload["hook_event_name"], ()):
                for callback in matcher["hookCallbackIds"]:
                    request = {"subtype": "hook_callback", "callback_id": callback, "input": payload}
                    yield {"type": "control_request", "request_id": f"r{number}", "request": request}
                    found = await self._answered.get()
                    answers.append(found.get("response", found.get("error")))
            self.answers.append(answers[0] if len(answers) == 1 else answers)
        yield {
            "type": "result", "subtype": "success", "duration_ms": 1, "duration_api_ms": 1, "is_error": False,
            "num_turns": 1, "session_id": "s-1", "total_cost_usd": 0.0,
        }  # fmt: skip


def told(options: ClaudeAgentOptions, *calls: dict[str, Any]) -> list[Any]:
    """What Claude Code is answered to each call of its hooks."""

    async def session() -> list[Any]:
        common = {"session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": "/"}
        played = PlayedClaude([{**common, **call} for call in calls])
        async with ClaudeSDKClient(options, transport=played) as client:
            async for _ in client.receive_response():
                pass
        return played.answers

    return asyncio.run(session())


def before(command: str) -> dict[str, Any]:
    return {
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "c1"
    }  # fmt: skip


def permission(word: str, reason: str) -> dict[str, Any]:
    said = {"permissionDecision": word, "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **said}}


def test_hooks_are_functions_of_the_agents_own_process(tmp_path: Path) -> None:
    hooks = Hooks(claude_workspace(tmp_path))
    after = {"hook_event_name": "PostToolUse", "tool_response": {"stdout": "a"}}
    done = {"hook_event_name": "PostToolUse", "tool_response": {"stdout": "secret"}}
    calls = [
        before("rm -rf build"),
        before("git push"),
        before("curl http://x"),
        before("ls"),
        before("stop all"),
    ]
    calls += [{**before("ls"), **after}, {**before("ls"), **done}]
    denied, asked, changed, nothing, halted, noted, replaced = told(hooks.options(ISOLATED), *calls)
    assert denied == permission("deny", "use git clean")
    assert asked == permission("ask", "pushing is for people")
    assert changed["hookSpecificOutput"]["updatedInput"] == {"command": "curl https://x"}
    assert nothing == {}
    assert (halted["continue"], halted["stopReason"]) == (False, "not today")
    assert noted["hookSpecificOutput"]["additionalContext"] == "checked by a guard"
    assert replaced["hookSpecificOutput"]["updatedToolOutput"] == "***"


@pytest.mark.parametrize("sources", [None, ["project"], ["user"]])
def test_what_claude_code_runs_itself_is_left_to_it(tmp_path: Path, sources: Any) -> None:
    engine = claude_workspace(tmp_path)
    engine.on("PreToolUse")(lambda event: ask("by code"))
    found = told(Hooks(engine).options(ClaudeAgentOptions(setting_sources=sources)), before("rm -rf build"))
    assert found == [permission(*(("deny", "use git clean") if sources == ["user"] else ("ask", "by code")))]


def test_where_claude_code_calls_the_bridge_only_hooks_in_code_are_ours(tmp_path: Path) -> None:
    engine = claude_workspace(tmp_path, PreToolUse="hookline bridge claude PreToolUse")
    engine.on("PreToolUse")(lambda event: deny("by code"))
    assert told(Hooks(engine).options(), before("rm -rf build")) == [permission("deny", "by code")]


@pytest.mark.parametrize(("answer", "word"), [(True, "allow"), (False, "deny")])
def test_a_person_can_be_asked_here_instead_of_there(answer: bool, word: str) -> None:
    engine, asked = Engine(), list[Question]()
    engine.on("PreToolUse")(lambda event: ask("sure?"))

    async def person(question: Question) -> bool:
        asked.append(question)
        return answer

    found = told(Hooks(engine, ask=person).options(), before("git push"))[0]["hookSpecificOutput"]
    assert found["permissionDecision"] == word
    assert [(each.tool_name, each.tool_input) for each in asked] == [("Bash", {"command": "git push"})]


def test_the_other_moments_have_their_hooks() -> None:
    engine, heard = Engine(), list[str]()
    for name, answer in (
        ("SessionStart", context("It is Monday.")), ("UserPromptSubmit", context("Be brief.")),
        ("Stop", deny("run the tests")), ("SubagentStop", None), ("SessionEnd", None), ("Notification", None),
    ):  # fmt: skip
        engine.on(name, thread=False)(lambda event, answer=answer: heard.append(event.kind.value) or answer)
    hooks = Hooks(engine)
    prompt = {"hook_event_name": "UserPromptSubmit", "prompt": "x"}
    stop = {"hook_event_name": "Stop", "stop_hook_active": False}
    ended = {"hook_event_name": "SubagentStop", "stop_hook_active": False, "agent_id": "a", "agent_type": "b"}
    first, second, stopped, *_ = told(hooks.options(), prompt, prompt, stop, ended)
    asyncio.run(hooks.end())
    assert "It is Monday." in str(first) and "Be brief." in str(first)
    assert "It is Monday." not in str(second) and "Be brief." in str(second)
    assert (stopped["decision"], stopped["reason"]) == ("block", "run the tests")
    assert heard == [
        "SessionStart",
        "UserPromptSubmit",
        "UserPromptSubmit",
        "Stop",
        "SubagentStop",
        "SessionEnd",
    ]


def test_hooks_of_the_options_stay_and_a_defect_of_ours_is_a_denial(monkeypatch: pytest.MonkeyPatch) -> None:
    async def theirs(given: Any, tool_use_id: Any, context: Any) -> Any:
        return {"systemMessage": "theirs"}

    engine, said = Engine(), list[str]()
    engine.on("PreToolUse")(lambda event: rewrite({"command": "ls"}))
    given = ClaudeAgentOptions(hooks={"PreToolUse": [HookMatcher(hooks=[theirs])]}, model="opus")
    options = Hooks(engine, tell=said.append).options(given)
    assert (options.model, sorted(options.hooks or {}), len(given.hooks or {})) == ("opus", sorted(EVENTS), 1)
    monkeypatch.setattr(Engine, "fire", None)
    first, ours = told(options, before("x"))[0]
    assert first == {"systemMessage": "theirs"}
    assert ours["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert said and said[0].startswith("hookline failed: TypeError")


def test_a_halt_ends_the_session() -> None:
    engine = Engine()
    engine.on("PostToolUse")(lambda event: halt("enough"))
    found = told(
        Hooks(engine).options(), {**before("ls"), "hook_event_name": "PostToolUse", "tool_response": "x"}
    )
    assert (found[0]["continue"], found[0]["stopReason"]) == (False, "enough")
