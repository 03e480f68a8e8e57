"""Hooks in front of an agent of the real pydantic-ai; only its model is a function of the test."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic_ai.capabilities")

from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from tests.integrations.guards import MOMENTS, claude_workspace, moments, ran_example

from hookline import Engine, context, deny, halt, rewrite
from hookline.integrations.gate import Halted, Question
from hookline.integrations.pydantic_ai import Hooks


class Point(BaseModel):
    x: int


def ran(
    hooks: Hooks, *said: str | tuple[str, dict[str, Any]], prompt: Any = "Tidy up."
) -> tuple[str, str, list[str]]:
    """What the agent answered, all its model was told, and the commands that ran; `said` is what the model says."""
    answers, commands, told = iter(said), [], ""

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal told
        told = str(messages)
        answer = next(answers)
        return ModelResponse(parts=[TextPart(answer) if isinstance(answer, str) else ToolCallPart(*answer)])

    agent: Agent[None, str] = Agent(FunctionModel(model), capabilities=[hooks])

    @agent.tool_plain
    def shell(command: str) -> str:
        commands.append(command)
        return "secret" if "cat" in command else f"ran {command}"

    @agent.tool_plain
    def locate(at: Point) -> Point:
        commands.append(repr(at))
        return at

    return asyncio.run(agent.run(prompt)).output, told, commands


def calls(*lines: str) -> list[tuple[str, dict[str, Any]]]:
    return [("shell", {"command": line}) for line in lines]


def test_a_guard_of_claude_code_stops_a_tool_of_this_agent(tmp_path: Path) -> None:
    asked: list[Question] = []
    hooks = Hooks(
        claude_workspace(tmp_path), tools={"shell": "Bash"}, ask=lambda each: bool(asked.append(each))
    )
    lines = ("rm -rf build", "git push", "curl http://x", "cat key", "ls")
    text, told, commands = ran(hooks, *calls(*lines), "Done.")
    assert (text, commands) == ("Done.", ["curl https://x", "cat key", "ls"])
    assert "Blocked by a hook: use git clean" in told
    assert "pushing is for people; the person said no" in told
    assert [(each.tool_name, each.reason) for each in asked] == [("shell", "pushing is for people")]
    assert "ran ls\\n\\nchecked by a guard" in told
    assert "***" in told and "secret" not in told
    with pytest.raises(Halted, match="not today"):
        ran(hooks, *calls("stop all"))


def test_the_other_moments_of_a_run_have_their_hooks() -> None:
    engine, heard = moments()
    text, told, commands = ran(Hooks(engine), "Early.", *calls("pytest"), "Late.")
    assert (text, commands) == ("Late.", ["pytest"])
    assert "Be quick.\\n\\nIt is Monday." in told and "Tidy up." not in told
    assert "run the tests" in told
    assert heard == MOMENTS


def test_a_prompt_can_be_refused() -> None:
    engine = Engine()
    engine.on("UserPromptSubmit")(lambda event: deny("not like this"))
    with pytest.raises(Halted, match="not like this"):
        ran(Hooks(engine), "never")


def test_values_that_are_no_json_are_shown_as_it_and_stay_what_they_are() -> None:
    engine, shown = Engine(), list[Any]()
    engine.on("PreToolUse")(lambda event: shown.append(event.tool_input) or rewrite({**event.tool_input}))
    engine.on("PostToolUse")(lambda event: shown.append(event.get("tool_response")) or context("noted"))
    _, told, commands = ran(Hooks(engine), ("locate", {"at": {"x": 1}}), "Done.")
    assert (shown, commands) == ([{"at": {"x": 1}}, {"x": 1}], ["Point(x=1)"])
    assert "noted" in told


def test_after_a_tool_a_hook_can_end_the_run() -> None:
    engine = Engine()
    engine.on("PostToolUse")(lambda event: halt("enough"))
    with pytest.raises(Halted, match="enough"):
        ran(Hooks(engine), *calls("ls"), "never")


def test_the_example_does_what_it_says() -> None:
    assert ran_example("pydantic_ai") == "Blocked by a hook: use git clean | ran ls\n"
