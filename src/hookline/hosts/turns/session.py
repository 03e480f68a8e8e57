"""A session of the turn host: its conversation, the turn under way, and the evaluation behind it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any

from hookline.agents.base import OnEvent
from hookline.hosts.tool_loop.host import ToolLoop
from hookline.hosts.turns.kept_chats import KeptChat, shown_messages
from hookline.hosts.turns.log import TurnLog
from hookline.hosts.turns.timeline import Timeline
from hookline.hosts.turns.turn_options import TurnWish
from hookline.hosts.turns.ui_stream import text_of
from hookline.model.errors import HooklineError, unheard
from hookline.model.events import Event, EventKind
from hookline.model.record import Record, replace
from hookline.state.transcripts import Transcript


class Busy(HooklineError):
    """A completion is under way in the session."""

    def __init__(self, completion_id: str) -> None:
        super().__init__("a completion is in progress")
        self.completion_id = completion_id


class Completion:
    """One turn under way, or the last one: its chunks stay for readers who come back."""

    def __init__(self, origin: str) -> None:
        self.id = os.urandom(4).hex()
        self.origin = origin
        self.log = TurnLog()
        self.task: asyncio.Task[None] | None = None
        self.cancelled = False


class TurnLoop(ToolLoop):
    """A tool loop in a container: session hooks ran when that started, and not for each session."""

    def event(self, kind: EventKind, body: Record) -> Event:
        return replace(super().event(kind, body), extra={"container_started": True})


class Session:
    """One conversation: its messages, its completion, and the evaluation behind it."""

    def __init__(self, session_id: str, chat: KeptChat) -> None:
        self.id = session_id
        self.chat = chat
        self.messages = shown_messages(chat.seen)
        self.partial: dict[str, Any] | None = None
        self.completion: Completion | None = None
        self.evaluation: asyncio.Task[None] | None = None
        self.wish = TurnWish()
        self.timeline = Timeline()
        self.log = TurnLog()
        self.loop: TurnLoop | None = None
        self.transcript: Transcript | None = None
        self.hear: OnEvent = unheard

    @property
    def running(self) -> Completion | None:
        """The completion under way."""
        completion = self.completion
        return completion if completion is not None and not completion.log.closed else None

    @property
    def evaluating(self) -> bool:
        return self.evaluation is not None and not self.evaluation.done()

    def keep_shown(self, message: Mapping[str, Any]) -> None:
        """Keeps what people see of a message, for a server that is started anew: of the user's also its words,
        which its hooks and the model may be long in coming to."""
        words = text_of(message) if message["role"] == "user" else ""
        if self.transcript is not None and (words or message.get("metadata")):
            self.transcript.add_shown(message["role"], message.get("metadata") or {}, words)

    def heard(self, event: Mapping[str, Any]) -> None:
        """What the loop tells goes to the stream of the turn under way."""
        self.hear(event)

    def tell(self, name: str, data: Mapping[str, Any], id: str = "") -> None:
        """To those who follow the whole session."""
        self.log.append(name, data, id)
