"""Models and ACP agents as providers of issues: they stay for the whole session, our hooks around their tools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hookline.agents.base import Agent, Model, ModelError, OnEvent
from hookline.agents.cli_process import is_limit
from hookline.engine.opening import Opened
from hookline.hosts.issues.providers import Reply, Task
from hookline.hosts.tool_loop.host import SYSTEM
from hookline.hosts.tool_loop.sessions import ToolSession, Wish, open_session
from hookline.model.errors import Warn, unheard
from hookline.model.record import replace


@dataclass(eq=False)
class ModelProvider:
    """A model in our tool loop: a fresh conversation for each issue, all of one session.

    `wish` says how each conversation shall be; session and instructions are the issue's.
    """

    opened: Opened
    model: Model
    on_event: OnEvent
    wish: Wish
    warn: Warn = unheard
    _session: ToolSession | None = field(default=None, init=False)
    _first: tuple[str, ...] = field(default=(), init=False)

    @property
    def name(self) -> str:
        return self.model.name

    async def why_unavailable(self) -> str:
        return ""

    async def work(self, task: Task) -> Reply:
        """SessionStart before the first issue; what it told the model is told again at each one."""
        is_first = self._session is None
        system = f"{SYSTEM}\n\n{task.instructions}"
        wish = replace(self.wish, session_id=task.session_id, system=system)
        session = open_session(self.opened, self.model, wish, on_event=self.on_event, warn=self.warn)
        self._session = session
        if is_first:
            self._first = (await session.loop.start()).contexts
            return await self._submit(session, task.content)
        session.transcript.restart(())
        return await self._submit(session, task.content, self._first)

    async def go_on(self, task: Task) -> Reply:
        if self._session is None:
            return await self.work(task)
        return await self._submit(self._session, task.content, origin="hook")

    async def close(self, reason: str) -> None:
        """Fires SessionEnd, if a session was ever started."""
        if self._session is not None:
            await self._session.loop.end(reason, for_good=False)

    async def _submit(
        self, session: ToolSession, text: str, first: tuple[str, ...] = (), origin: str = "user"
    ) -> Reply:
        result = await session.rounds.submit(text, origin=origin, first=first)
        if result.ok:
            return Reply(result.text, provider=self.name)
        fault = "rate_limit" if is_limit(result.reason) else "final"
        return Reply(result.text, fault, result.reason or f"the turn ended: {result.status}", self.name)


class AgentProvider:
    """An agent program that stays (ACP): a conversation of its own for each issue."""

    def __init__(self, make: Callable[[str], Agent], name: str, workspace: str) -> None:
        self._make = make
        self._workspace = workspace
        self._agent: Agent | None = None
        self._session = ""
        self.name = name

    async def why_unavailable(self) -> str:
        return ""

    async def work(self, task: Task) -> Reply:
        """`make` starts the agent for the session's id, once."""
        if self._agent is None:
            self._agent = self._make(task.session_id)
        try:
            self._session = await self._agent.new_session(self._workspace)
        except ModelError as error:
            return Reply("", "final", error.message, self.name)
        return await self._prompt(self._agent, (task.instructions, task.content))

    async def go_on(self, task: Task) -> Reply:
        if self._agent is None or not self._session:
            return await self.work(task)
        return await self._prompt(self._agent, (task.content,))

    async def close(self, reason: str) -> None:
        del reason
        if self._agent is not None:
            await self._agent.close()

    async def _prompt(self, agent: Agent, texts: tuple[str, ...]) -> Reply:
        try:
            reply = await agent.prompt(self._session, texts)
        except ModelError as error:
            fault = "rate_limit" if is_limit(error.message) else "final"
            return Reply("", fault, error.message, self.name)
        if reply.stop_reason in ("refusal", "cancelled"):
            return Reply(reply.text, "final", f"the agent ended with `{reply.stop_reason}`", self.name)
        return Reply(reply.text, provider=self.name)
