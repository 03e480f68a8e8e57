"""A small agent: our tool loop with a tool of its own, the workspace's hooks, and one rule in Python.

Run it anywhere; the model is a script. With `open_model("anthropic:NAME", os.environ)` it is a real one.
"""

import asyncio
import os
import tempfile
from collections.abc import Mapping
from typing import Any

from hookline import (
    Event,
    Outcome,
    ScriptedModel,
    Toolbox,
    ToolContext,
    ToolLoop,
    ToolOutput,
    context,
    open_engine,
    script_from,
    tool,
)  # fmt: skip

SCRIPT = {
    "turns": [
        {"tool_calls": [{"name": "Weather", "input": {"city": "Bern"}}]},
        {"text": "It snows in Bern; take a coat.", "expect": "take a coat"},
    ]
}


async def advice(event: Event) -> Outcome | None:
    return context("Tell the user to take a coat.") if "snow" in event.get("tool_response") else None


async def weather(given: Mapping[str, Any], where: ToolContext) -> ToolOutput:
    return ToolOutput(f"snow in {given['city']}")


async def main(workspace: str) -> None:
    opened = open_engine(workspace, history=False)
    opened.engine.on("PostToolUse", matcher="Weather")(advice)
    own = tool("Weather", "Says the weather of a city.", weather, {"city": {"type": "string"}}, ("city",))
    loop = ToolLoop(
        opened.engine,
        ScriptedModel(script_from(SCRIPT)),
        workspace=workspace,
        toolbox=Toolbox.standard().plus(own),
    )
    await loop.start()
    result = await loop.submit("What is the weather in Bern?")
    await loop.end()
    print(f"{result.status}: {result.text}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(os.path.realpath(folder)))
