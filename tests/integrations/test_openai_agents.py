"""Hooks in front of agents of the real OpenAI Agents SDK; its model is the SDK's own scripted one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agents.testing")

from agents.testing import ScriptedModel, assistant_message, function_call
from tests.integrations.guards import MOMENTS, claude_workspace, moments, ran_example

from agents import Agent, LocalShellTool, RunConfig, function_tool
from hookline import Engine, UsageError, halt
from hookline.integrations.gate import Halted
from hookline.integrations.openai_agents import Hooks

QUIET = RunConfig(tracing_disabled=True)


def calls(*lines: str) -> list[Any]:
    return [
        [function_call("shell", {"command": line}, call_id=f"c{number}")] for number, line in enumerate(lines)
    ]


def ran(hooks: Hooks, *said: Any, prompt: Any = "Tidy up.", **options: Any) -> tuple[str, str, list[str]]:
    """What the agent answered, what its model was told last, and the commands that ran; `said` by the model."""
    commands: list[str] = []

    @function_tool
    def shell(command: str) -> str:
        """Runs a command."""
        commands.append(command)
        return "secret" if "cat" in command else f"ran {command}"

    model = ScriptedModel([[assistant_message(each)] if isinstance(each, str) else each for each in said])
    agent = Agent("tidy", model=model, tools=[shell], **options)
    if "handoffs" in options:
        for each in options["handoffs"]:
            each.model, each.tools = model, [shell]
    result = asyncio.run(hooks.run(agent, prompt, run_config=QUIET))
    assert agent.tools == [shell]
    return str(result.final_output), json.dumps(model.calls[-1].input, default=str), commands


def test_a_guard_of_claude_code_stops_a_tool_of_this_agent(tmp_path: Path) -> None:
    asked: list[str] = []
    hooks = Hooks(
        claude_workspace(tmp_path), tools={"shell": "Bash"}, ask=lambda each: bool(asked.append(each.reason))
    )
    lines = ("rm -rf build", "git push", "curl http://x", "cat key", "ls")
    text, told, commands = ran(hooks, *calls(*lines), "Done.")
    assert (text, commands) == ("Done.", ["curl https://x", "cat key", "ls"])
    assert "Blocked by a hook: use git clean" in told
    assert "pushing is for people; the person said no" in told and asked == ["pushing is for people"]
    assert "ran ls\\n\\nchecked by a guard" in told
    assert "***" in told and "secret" not in told
    with pytest.raises(Halted, match="not today"):
        ran(hooks, *calls("stop all"), "never")


def test_an_agent_that_is_handed_the_work_has_the_same_guards(tmp_path: Path) -> None:
    hooks = Hooks(claude_workspace(tmp_path), tools={"shell": "Bash"})
    other = Agent[Any]("other")
    said = ([function_call("transfer_to_other", {}, call_id="h")], *calls("rm -rf /", "ls"), "Done.")
    text, told, commands = ran(hooks, *said, handoffs=[other])
    assert (text, commands) == ("Done.", ["ls"])
    assert "use git clean" in told


def test_the_other_moments_of_a_run_have_their_hooks() -> None:
    engine, heard = moments()
    prompt = [{"role": "user", "content": "Tidy up."}]
    text, told, commands = ran(Hooks(engine), "Early.", *calls("pytest"), "Late.", prompt=prompt)
    assert (text, commands) == ("Late.", ["pytest"])
    assert "Be quick.\\n\\nIt is Monday." in told and "Tidy up." not in told
    assert "run the tests" in told
    assert heard == MOMENTS


@pytest.mark.parametrize("event", ["UserPromptSubmit", "PostToolUse", "SessionStart"])
def test_a_hook_can_end_the_run(event: str) -> None:
    engine = Engine()
    engine.on(event)(lambda event: halt("enough"))
    with pytest.raises(Halted, match="enough"):
        ran(Hooks(engine), *calls("ls"), "never")


def test_a_tool_that_no_hook_could_stop_is_refused() -> None:
    agent = Agent(
        "x",
        model=ScriptedModel([[assistant_message("never")]]),
        tools=[LocalShellTool(executor=lambda _: "")],
    )
    with pytest.raises(UsageError, match="no hook can stop the tool `local_shell`"):
        asyncio.run(Hooks(Engine()).run(agent, "x", run_config=QUIET))


def test_the_example_does_what_it_says() -> None:
    assert ran_example("openai_agents") == "Blocked by a hook: use git clean | ran ls | Done.\n"
