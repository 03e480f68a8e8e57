"""A host of AGENT-HOOKS-0.1: the emissions of one session, for any agent written in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hookline.integrations.agent_hooks.composing import Emission, Emitter
from hookline.integrations.agent_hooks.contexts import POINTS, Session
from hookline.integrations.agent_hooks.verdicts import HostError
from hookline.model.errors import UsageError


class Host:
    """`emit` before each thing the agent does, and go on only if the emission `proceeds`.

    `interceptors` and `options` as of `Emitter`. `agent_id` and `framework` name the agent to interceptors.
    """

    def __init__(
        self,
        interceptors: Sequence[Any],
        *,
        session_id: str = "default",
        agent_id: str = "hookline",
        framework: str = "hookline",
        **options: Any,
    ) -> None:
        self.emitter = Emitter(interceptors, **options)
        self.session = Session(session_id, agent_id, framework)
        self._reached = ""

    async def emit(self, point: str, own: HostError | None = None, **fields: Any) -> Emission:
        """Judges one moment; `fields` are its row's, e.g. `tool_call={"id", "name", "args"}`.

        Raises UsageError for a point out of its place: nothing comes before `agent_startup` or after
        `agent_shutdown`, and after a denied start only the end.
        """
        self._check_place(point)
        emission = await self.emitter.emit(self.session.context(point, fields), own)
        denied = point == "agent_startup" and not emission.proceeds
        self._reached = "denied" if denied else point
        return emission

    @property
    def records(self) -> list[dict[str, Any]]:
        """One for each emission, in order; nothing of what was judged is in them."""
        return self.emitter.records

    def _check_place(self, point: str) -> None:
        if point not in POINTS:
            raise UsageError(f"no interception point `{point}`", f"there are {', '.join(POINTS)}")
        first = point == "agent_startup"
        over = self._reached == "agent_shutdown" or (self._reached == "denied" and point != "agent_shutdown")
        if over or first == bool(self._reached):
            raise UsageError(f"`{point}` cannot come here, after `{self._reached or 'nothing'}`")
