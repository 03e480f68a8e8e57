"""Asks a person on the terminal whether a tool may run."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable

from hookline.agents.base import ToolUse
from hookline.cli.render import one_line, wants_colour
from hookline.cli.session.question import question_text, rule_for
from hookline.hosts.tool_loop.host import ToolLoop
from hookline.model.asked import subject_of
from hookline.model.record import replace

YES = ("y", "yes")
ALWAYS = ("a", "always")
SHORT = 40  # letters of a call on the line where the answer is typed


class TerminalAsk:
    """Permission questions, one at a time. `always` adds a rule for the rest of the session.

    `read_line(prompt)` gives what was typed, None at the end of input; default: the plain terminal. `show`
    prints what the question is about above it.
    """

    def __init__(
        self,
        read_line: Callable[[str], Awaitable[str | None]] | None = None,
        show: Callable[[str], None] | None = None,
    ) -> None:
        self.loop: ToolLoop | None = None
        self._read_line = read_line or plain_line
        self._show = show or written
        self._turn = asyncio.Lock()

    async def __call__(self, call: ToolUse, reason: str) -> bool:
        async with self._turn:
            self._show(question_text(call, reason, self._workspace, wants_colour(sys.stderr)))
            # Named again, because what other calls tell meanwhile stands between the question and its answer.
            about = one_line(f"{call.name} {subject_of(call.input)}", SHORT)
            typed = await self._read_line(f"  {about}: [y]es, [a]lways in this session, [n]o? ")
        answer = (typed or "").strip().lower()
        if answer in ALWAYS and self.loop is not None:
            rules = (*self.loop.permissions.allow, rule_for(call, self._workspace))
            self.loop.permissions = replace(self.loop.permissions, allow=rules)
        return answer in (*YES, *ALWAYS)

    @property
    def _workspace(self) -> str:
        return self.loop.workspace if self.loop is not None else ""


def written(text: str) -> None:
    """A question's text, in which nothing steers the terminal, on standard error."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


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
