"""Puts an agent of LangChain behind the hooks of a workspace, whatever dialect they are in.

Needs `pip install 'hookline[langchain]'`. The model is LangChain's own fake: no key, no network.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from hookline import open_engine

try:
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool

    from hookline.integrations.langchain import Hooks
except ImportError:
    sys.exit("this example needs LangChain: pip install 'hookline[langchain]'")

SCRIPT = [
    AIMessage("", tool_calls=[{"name": "shell", "args": {"command": "rm -rf build"}, "id": "c1"}]),
    AIMessage("", tool_calls=[{"name": "shell", "args": {"command": "ls"}, "id": "c2"}]),
    AIMessage("Done."),
]


class Played(GenericFakeChatModel):
    """A model that plays a script and takes any tools."""

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self


@tool
def shell(command: str) -> str:
    """Pretends to run a command."""
    return f"ran {command}"


async def main(workspace: str) -> None:
    trusted = {**os.environ, "HOOKLINE_TRUST": "workspace"}  # an example's own hooks; yours are reviewed once
    hooks = Hooks(open_engine(workspace, environment=trusted, history=False).engine, tools={"shell": "Bash"})
    agent = create_agent(Played(messages=iter(SCRIPT)), [shell], middleware=[hooks])
    result = await agent.ainvoke({"messages": [{"role": "user", "content": "Tidy up."}]})
    print(" | ".join(message.content for message in result["messages"][1:] if message.content))


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
