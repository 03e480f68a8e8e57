"""Puts every tool of a pydantic-ai agent behind the hooks of a workspace, whatever dialect they are in.

Needs `pip install pydantic-ai-slim`. The model is pydantic-ai's own test function: no key, no network.
"""

import asyncio
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hookline import Decision, Engine, EventName, Verdict, make_event, open_engine

try:
    from pydantic_ai import Agent, FunctionToolset, ModelRetry
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel
    from pydantic_ai.toolsets import WrapperToolset
except ImportError:
    sys.exit("this example needs pydantic-ai: pip install pydantic-ai-slim")


@dataclass
class Guarded(WrapperToolset):
    """A toolset whose every call is decided by hooks first and told to hooks afterwards."""

    engine: Engine
    workspace: str
    session_id: str = "pydantic-ai"

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        about = {"tool_name": name, "tool_use_id": ctx.tool_call_id or ""}
        decision = await self.fire("PreToolUse", **about, tool_input=tool_args)
        if decision.verdict is Verdict.HALT:
            raise UserError(f"Ended by a hook: {decision.why}")  # the whole run, not this call alone
        if not decision.may_run:  # `ask` as well: nobody is here to be asked
            raise ModelRetry(f"Blocked by a hook: {decision.why}")  # the model hears why, and goes on
        about["tool_input"] = given = dict(decision.updated_input or tool_args)
        try:
            result = await super().call_tool(name, given, ctx, tool)
        except Exception as error:
            await self.fire("PostToolUseFailure", **about, error=str(error))
            raise
        after = await self.fire("PostToolUse", **about, tool_response=result)
        notes = "\n".join((*after.contexts, *filter(None, (after.reprompt, after.reason))))
        return f"{result}\n\n{notes}" if notes else result

    async def fire(self, event: EventName, **fields: Any) -> Decision:
        made = make_event(event, workspace=self.workspace, session_id=self.session_id, **fields)
        return await self.engine.fire(made)


def played(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """First something a guard refuses, then something it does not mind, then the answer."""
    said = len([message for message in messages if isinstance(message, ModelResponse)])
    if said < 2:
        command = ("rm -rf build", "ls")[said]
        return ModelResponse(parts=[ToolCallPart("shell", {"command": command})])
    heard = [str(part.content) for message in messages for part in message.parts if part.part_kind != "text"
             and hasattr(part, "content")]  # fmt: skip
    return ModelResponse(parts=[TextPart(" | ".join(heard[1:]))])


async def main(workspace: str) -> None:
    tools = FunctionToolset()

    @tools.tool_plain
    def shell(command: str) -> str:
        """Pretends to run a command."""
        return f"ran {command}"

    engine = open_engine(
        workspace, environment={**os.environ, "HOOKLINE_TRUST": "workspace"}, history=False
    ).engine
    agent = Agent(FunctionModel(played), toolsets=[Guarded(tools, engine, workspace)])
    result = await agent.run("Tidy up.")
    print(result.output)


HOOKS = """
{"hooks": {"PreToolUse": [{"matcher": "shell", "hooks": [{"type": "command",
  "command": "if grep -q 'rm -rf'; then echo 'use git clean' >&2; exit 2; fi"}]}]}}
"""

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        (place / ".gen").mkdir()
        (place / ".gen" / "settings.json").write_text(HOOKS)
        asyncio.run(main(str(place)))
