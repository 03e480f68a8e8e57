"""Asks a person on the terminal whether a tool may run."""

from __future__ import annotations

import asyncio
import os
import sys

from hookline.cli.printing import subject_of
from hookline.cli.render import painted, wants_colour
from hookline.hosts.tool_loop.permissions import Rule
from hookline.model.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hookline.agents.base import ToolUse
    from hookline.hosts.tool_loop.host import ToolLoop

YES = ("y", "yes")
ALWAYS = ("a", "always")


class TerminalAsk:
    """Permission questions, one at a time. `always` adds a rule for the rest of the session.

    `read_line(prompt)` gives what was typed, None at the end of input; default: the plain terminal.
    """

    def __init__(self, read_line: Callable[[str], Awaitable[str | None]] | None = None) -> None:
        self.loop: ToolLoop | None = None
        self._read_line = read_line or plain_line
        self._turn = asyncio.Lock()

    async def __call__(self, call: ToolUse, reason: str) -> bool:
        async with self._turn:
            head = painted(f"{call.name} {subject_of(call.input)}", "1", wants_colour(sys.stderr))
            typed = await self._read_line(f"{reason}: {head}\n  [y]es, [a]lways in this session, [n]o? ")
        answer = (typed or "").strip().lower()
        if answer in ALWAYS and self.loop is not None:
            rules = (*self.loop.permissions.allow, rule_for(call))
            self.loop.permissions = replace(self.loop.permissions, allow=rules)
        return answer in (*YES, *ALWAYS)


def rule_for(call: ToolUse) -> Rule:
    """What `always` allows: exactly this command, or this tool on every file."""
    command = call.input.get("command")
    return Rule(call.name, command if isinstance(command, str) and "*" not in command else "")


async def plain_line(prompt: str) -> str | None:
    """One line from the terminal in its ordinary mode; waiting for it can be cancelled."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    number = sys.stdin.fileno()

    def heard() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(number, heard)
    try:
        await ready
    finally:
        loop.remove_reader(number)
    line = os.read(number, 4096).decode("utf-8", "replace")
    return line if line else None
