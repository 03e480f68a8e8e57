"""Puts an agent of pydantic-ai behind the hooks of a workspace, whatever dialect they are in.

Needs `pip install 'hookline[pydantic-ai]'`. The model is pydantic-ai's own test function: no key, no network.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from hookline import open_engine

try:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from hookline.integrations.pydantic_ai import Hooks
except ImportError:
    sys.exit("this example needs pydantic-ai: pip install 'hookline[pydantic-ai]'")


def played(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """First something a guard refuses, then something it does not mind, then the answer."""
    said = len([message for message in messages if isinstance(message, ModelResponse)])
    if said < 2:
        command = ("rm -rf build", "ls")[said]
        return ModelResponse(parts=[ToolCallPart("shell", {"command": command})])
    heard = [
        part.content for message in messages for part in message.parts if part.part_kind == "tool-return"
    ]
    return ModelResponse(parts=[TextPart(" | ".join(map(str, heard)))])


async def main(workspace: str) -> None:
    trusted = {**os.environ, "HOOKLINE_TRUST": "workspace"}  # an example's own hooks; yours are reviewed once
    hooks = Hooks(open_engine(workspace, environment=trusted, history=False).engine, tools={"shell": "Bash"})
    agent = Agent(FunctionModel(played), capabilities=[hooks])

    @agent.tool_plain
    def shell(command: str) -> str:
        """Pretends to run a command."""
        return f"ran {command}"

    result = await agent.run("Tidy up.")
    print(result.output)


SETTINGS = """
{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command",
  "command": "if grep -q 'rm -rf'; then echo 'use git clean' >&2; exit 2; fi"}]}]}}
"""

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        (place / ".claude").mkdir()
        (place / ".claude" / "settings.json").write_text(SETTINGS)
        asyncio.run(main(str(place)))
