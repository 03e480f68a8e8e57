"""An agent of the Claude Agent SDK, with the hooks of the folder it is started in as functions of its own process.

Needs `pip install 'hookline[claude-agent-sdk]'` and a key in ANTHROPIC_API_KEY; hooks must be trusted.
"""

import asyncio
import sys

try:
    from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query

    from hookline.integrations.claude_agent_sdk import Hooks
    from hookline.integrations.gate import Question
except ImportError:
    sys.exit("this example needs the Claude Agent SDK: pip install 'hookline[claude-agent-sdk]'")


def person(question: Question) -> bool:
    """Asked where a hook says `ask`."""
    print(f"{question.tool_name} {question.tool_input}: {question.reason}")
    return sys.stdin.isatty() and input("may it? [y/N] ") == "y"


async def main(prompt: str) -> None:
    hooks = Hooks(".", ask=person)
    # no settings are loaded, so Claude Code's own hooks run here as well, once
    options = hooks.options(ClaudeAgentOptions(setting_sources=[], allowed_tools=["Bash"]))
    async for message in query(prompt=prompt, options=options):
        if isinstance(message, ResultMessage):
            print(message.result)
    await hooks.end()


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "Say hello."))
