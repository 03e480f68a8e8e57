"""A model with our own tool loop, in the place of an agent program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hookline.agents.base import AgentReply, AgentUpdate, Model, ModelError, OnEvent, OnUpdate
from hookline.engine import Engine
from hookline.hosts.tool_loop.host import SYSTEM, ToolLoop
from hookline.hosts.tool_loop.permissions import Permissions
from hookline.hosts.tool_loop.sessions import Rounds, read_instructions, with_instructions
from hookline.hosts.tool_loop.toolbox import Toolbox
from hookline.model.errors import unheard

SILENCE = "the agent answered with nothing at all; often its login is missing"


@dataclass(eq=False)
class ModelAgent:
    """Each agent session is a conversation of its own; hooks see them all as `session_id`.

    `toolbox` holds the session's own tools beside the usual ones. A turn that does not complete is a
    ModelError, and so is one without a word or a tool call.
    """

    engine: Engine
    model: Model
    toolbox: Toolbox
    session_id: str
    permissions: Permissions | None = None
    on_event: OnEvent = unheard
    _loops: dict[str, Rounds] = field(default_factory=dict, init=False)
    _sounds: int = field(default=0, init=False)

    @property
    def name(self) -> str:
        return self.model.name

    async def new_session(self, cwd: str, mcp_servers: Sequence[Mapping[str, Any]] = ()) -> str:
        """A fresh conversation; `mcp_servers` are in the toolbox already."""
        del mcp_servers
        loop = ToolLoop(
            self.engine,
            self.model,
            workspace=cwd,
            session_id=self.session_id,
            toolbox=self.toolbox,
            permissions=self.permissions,
            system=with_instructions(SYSTEM, read_instructions(cwd)),
            on_event=self._heard,
        )
        self._loops = {f"{self.session_id}-{len(self._loops) + 1}": Rounds(loop)}
        return next(iter(self._loops))

    async def prompt(
        self, session: str, texts: Sequence[str], on_update: OnUpdate | None = None
    ) -> AgentReply:
        self._sounds = 0
        result = await self._loops[session].to_the_end(texts[-1], first=texts[:-1])
        if not result.ok:
            raise ModelError(result.reason or f"the turn ended: {result.status}")
        if not self._sounds:
            raise ModelError(SILENCE)
        if on_update is not None and result.text:
            await on_update(AgentUpdate("text", result.text))
        return AgentReply(result.text)

    async def close(self) -> None:
        self._loops.clear()

    def _heard(self, fields: Mapping[str, Any]) -> None:
        if fields["type"] == "tool.asked" or (
            fields["type"] == "message" and fields["role"] == "assistant" and fields["text"]
        ):
            self._sounds += 1
        self.on_event(fields)
