"""What hosts with a `--json` stream have in common: the events of their session, and what is told of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hookline.agents.base import OnEvent
from hookline.engine import Engine
from hookline.engine.hookset import HookSet
from hookline.hosts.tool_loop.side_effects import unapplied
from hookline.model.events import Event, EventKind
from hookline.model.record import Record
from hookline.model.results import Decision
from hookline.system.clock import now
from hookline.system.files import read_bytes

Tell = Callable[..., None]


def tell_decision(decision: Decision, tell: Tell) -> None:
    """What hooks decided, and what is to be said about it."""
    if decision.ran or decision.verdict:
        tell("decision", event=decision.kind.value, verdict=decision.verdict.word, reason=decision.reason)
    tell_words(decision, tell)


def tell_words(decision: Decision, tell: Tell) -> None:
    """What hooks say to the user, what did not count of a decision, and what nobody does here."""
    for message in decision.messages:
        tell("message", role="hook", text=message)
    for words in (*decision.degraded, *(unapplied(decision) if decision.products else ())):
        tell("message", role="notice", text=words)


class Edits:
    """The hooks files of a run that keeps the hooks it began with, to tell of those that are changed meanwhile."""

    def __init__(self, hooks: HookSet) -> None:
        sources = (entry.source for entry in hooks.loaded)
        self._shown = {each.path: each.shown for each in sources if each.format != "scripts"}
        self._known = self._contents()

    def tell(self, tell: Tell) -> None:
        """Names those that changed since the last look."""
        known, self._known = self._known, self._contents()
        for path, shown in self._shown.items():
            if self._known[path] != known[path]:
                words = f"`{shown}` changed; this run keeps the hooks that it began with"
                tell("message", role="notice", text=words)

    def _contents(self) -> dict[str, bytes]:
        return {path: read_bytes(path).content for path in self._shown}


class Telling:
    """A host of one session; `on_event` hears the objects of the stream, and `told` says a decision in them."""

    told: Callable[[Decision, Tell], None] = staticmethod(tell_decision)

    def __init__(self, engine: Engine, workspace: str, session_id: str, on_event: OnEvent) -> None:
        self.engine = engine
        self.workspace = workspace
        self.session_id = session_id
        self.on_event = on_event

    def event(self, kind: EventKind, body: Record, **more: Any) -> Event:
        """An event of this session, now; `more` are further fields of it."""
        place = self.engine.workspace or self.workspace
        return Event(kind, self.session_id, self.workspace, body, place, at=now(), **more)

    async def fire(self, kind: EventKind, body: Record, **more: Any) -> Decision:
        """Fires an event and tells its messages."""
        decision = await self.engine.fire(self.event(kind, body, **more))
        self.told(decision, self.tell)
        return decision

    def tell(self, type: str, **fields: Any) -> None:
        """Adds an object to the stream."""
        self.on_event({"type": type, "session_id": self.session_id, **fields})
