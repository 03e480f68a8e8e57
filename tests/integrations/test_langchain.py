"""Hooks in front of an agent of the real LangChain; only its model is played."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langchain.agents")

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from tests.integrations.guards import MOMENTS, claude_workspace, moments, ran_example

from hookline import Engine, context, halt, rewrite
from hookline.integrations.gate import Halted
from hookline.integrations.langchain import Hooks

WAYS = pytest.mark.parametrize("way", ["ainvoke", "invoke"])


class Played(GenericFakeChatModel):
    """A model that plays its messages and takes any tools."""

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self


def calls(*lines: str) -> list[AIMessage]:
    return [
        AIMessage("", tool_calls=[{"name": "shell", "args": {"command": line}, "id": f"c{number}"}])
        for number, line in enumerate(lines)
    ]


def ran(hooks: Hooks, way: str, *said: Any, prompt: Any = "Tidy up.") -> tuple[list[str], list[str]]:
    """The contents of all messages at the end, and the commands that ran; `said` by the model."""
    commands: list[str] = []

    @tool
    def shell(command: str) -> str:
        """Runs a command."""
        commands.append(command)
        if command == "fail":
            raise OSError("no such file")
        return "secret" if "cat" in command else f"ran {command}"

    model = Played(messages=iter([AIMessage(each) if isinstance(each, str) else each for each in said]))
    agent = create_agent(model, [shell], middleware=[hooks])
    given = {"messages": [{"role": "user", "content": prompt}]}
    found = agent.invoke(given) if way == "invoke" else asyncio.run(agent.ainvoke(given))
    assert "hookline_session" not in found
    return [str(each.content) for each in found["messages"] if each.content], commands


@WAYS
def test_a_guard_of_claude_code_stops_a_tool_of_this_agent(tmp_path: Path, way: str) -> None:
    asked: list[str] = []
    hooks = Hooks(
        claude_workspace(tmp_path), tools={"shell": "Bash"}, ask=lambda each: bool(asked.append(each.reason))
    )
    lines = ("rm -rf build", "git push", "curl http://x", "cat key", "ls")
    told, commands = ran(hooks, way, *calls(*lines), "Done.")
    assert commands == ["curl https://x", "cat key", "ls"]
    assert told == [
        "Tidy up.",
        "Blocked by a hook: use git clean",
        "Blocked by a hook: pushing is for people; the person said no",
        "ran curl https://x\n\nchecked by a guard",
        "***",
        "ran ls\n\nchecked by a guard",
        "Done.",
    ]
    assert asked == ["pushing is for people"]
    with pytest.raises(Halted, match="not today"):
        ran(hooks, way, *calls("stop all"), "never")


@WAYS
def test_the_other_moments_of_a_run_have_their_hooks(way: str) -> None:
    engine, heard = moments()
    told, commands = ran(Hooks(engine), way, "Early.", *calls("pytest"), "Late.")
    assert told == ["Be quick.\n\nIt is Monday.", "Early.", "run the tests", "ran pytest", "Late."]
    assert commands == ["pytest"]
    assert heard == MOMENTS


@pytest.mark.parametrize("event", ["UserPromptSubmit", "PostToolUse", "SessionStart", "PreToolUse"])
def test_a_hook_can_end_the_run(event: str) -> None:
    engine = Engine()
    engine.on(event)(lambda event: halt("enough"))
    with pytest.raises(Halted, match="enough"):
        ran(Hooks(engine), "ainvoke", *calls("ls"), "never")


@WAYS
def test_a_tool_that_fails_is_told_as_one(way: str) -> None:
    engine, heard = Engine(), list[str]()
    engine.on("PostToolUseFailure")(lambda event: heard.append(event.get("error")))
    with pytest.raises(OSError, match="no such file"):
        ran(Hooks(engine), way, *calls("fail"), "never")
    assert heard == ["no such file"]


def test_a_prompt_of_several_parts_gets_context_and_is_not_rewritten_in_part() -> None:
    engine = Engine()
    engine.on("UserPromptSubmit")(
        lambda event: context("Be brief.") if event.prompt == "Look." else rewrite({"prompt": ""})
    )
    parts = [{"type": "text", "text": "Look."}, {"type": "image", "url": "https://x"}]
    told, _ = ran(Hooks(engine), "ainvoke", "Done.", prompt=parts)
    assert told[0] == str([*parts, {"type": "text", "text": "Be brief."}])
    with pytest.raises(Halted, match="not one text"):
        ran(Hooks(engine), "ainvoke", "never", prompt=[{"type": "text", "text": "Else."}])


def test_the_example_does_what_it_says() -> None:
    assert ran_example("langchain") == "Blocked by a hook: use git clean | ran ls | Done.\n"
