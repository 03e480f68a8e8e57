"""Puts an agent of the OpenAI Agents SDK behind the hooks of a workspace, whatever dialect they are in.

Needs `pip install 'hookline[openai-agents]'`. The model is the SDK's own scripted one: no key, no network.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from hookline import open_engine

try:
    from agents.testing import ScriptedModel, assistant_message, function_call

    from agents import Agent, RunConfig, function_tool
    from hookline.integrations.openai_agents import Hooks
except ImportError:
    sys.exit("this example needs the OpenAI Agents SDK: pip install 'hookline[openai-agents]'")

SCRIPT = [
    [function_call("shell", {"command": "rm -rf build"}, call_id="c1")],
    [function_call("shell", {"command": "ls"}, call_id="c2")],
    [assistant_message("Done.")],
]


@function_tool
def shell(command: str) -> str:
    """Pretends to run a command."""
    return f"ran {command}"


async def main(workspace: str) -> None:
    trusted = {**os.environ, "HOOKLINE_TRUST": "workspace"}  # an example's own hooks; yours are reviewed once
    hooks = Hooks(open_engine(workspace, environment=trusted, history=False).engine, tools={"shell": "Bash"})
    agent = Agent("tidy", tools=[shell], model=ScriptedModel(SCRIPT))
    result = await hooks.run(agent, "Tidy up.", run_config=RunConfig(tracing_disabled=True))
    heard = [item["output"] for item in result.to_input_list() if item.get("type") == "function_call_output"]
    print(" | ".join([*heard, result.final_output]))


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
