"""A session of the turn host: its conversation, also on disk, the turn under way, and the evaluation behind it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from hookline.agents.base import OnEvent
from hookline.engine.opening import Opened
from hookline.hosts.tool_loop.host import ToolLoop
from hookline.hosts.turns.log import TurnLog
from hookline.hosts.turns.timeline import Timeline
from hookline.hosts.turns.turn_options import TurnWish
from hookline.hosts.turns.ui_stream import text_of
from hookline.model.errors import HooklineError, StateError, Warn, unheard
from hookline.model.events import Event, EventKind
from hookline.model.record import Record
from hookline.state.transcripts import Transcript, TranscriptStore

Message = Mapping[str, Any]


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

    def event(self, kind: EventKind, body: Record, **more: Any) -> Event:
        return super().event(kind, body, **{"extra": {"container_started": True}, **more})


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


class KeptChat(Record):
    """What is kept of a session: the transcript's own id, the model's conversation so far, and all that people saw."""

    id: str
    messages: tuple[Message, ...] = ()
    seen: tuple[Message, ...] = ()


def find_chat(opened: Opened, session_id: str) -> KeptChat:
    """The conversation kept under this id for this workspace; an empty one when there is none.

    Session ids are no property of a workspace: the same one of another workspace is another conversation.
    """
    store = TranscriptStore(opened.paths.transcripts)
    for name in (session_id, f"{session_id[:110]}-{_mark(opened.place)}"):
        kept = store.exact(name)
        if kept is None:
            return KeptChat(name)
        if os.path.realpath(kept.workspace) == os.path.realpath(opened.place):
            return KeptChat(name, store.messages(kept), store.seen(kept))
    return KeptChat(f"{session_id[:100]}-{os.urandom(8).hex()}")


def transcript_of(opened: Opened, chat: KeptChat, model: str, warn: Warn = unheard) -> Transcript:
    """The file to go on with, begun when it is new."""
    return TranscriptStore(opened.paths.transcripts, warn).begin(chat.id, opened.place, model, "serve")


def forget_chat(opened: Opened, chat: KeptChat, warn: Warn = unheard) -> None:
    """Removes what is kept of a conversation."""
    try:
        TranscriptStore(opened.paths.transcripts).forget(chat.id)
    except StateError as error:
        warn(f"the conversation `{chat.id}` is still kept: {error.message}")


def shown_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """A model's conversation as UI messages: one for each prompt, one for all that was answered to it.

    Of a prompt only its own words are the user's; what stands behind them is what hooks told the model.
    """
    shown: list[dict[str, Any]] = []
    calls: dict[str, dict[str, Any]] = {}
    for message in messages:
        blocks = message["content"]
        if message["role"] == "assistant":
            if not shown or shown[-1]["role"] != "assistant":
                shown.append({"id": os.urandom(8).hex(), "role": "assistant", "parts": []})
            shown[-1]["parts"].extend(_parts(blocks, calls))
        elif _answer(blocks, calls):
            continue
        else:
            texts = [block.get("text", "") for block in blocks if block["type"] == "text"]
            part = {"type": "text", "text": "".join(texts[:1])}
            shown.append({"id": os.urandom(8).hex(), "role": "user", "parts": [part]})
        if message.get("metadata"):
            shown[-1]["metadata"] = message["metadata"]
    return shown


def _parts(blocks: Sequence[Message], calls: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    for block in blocks:
        if block["type"] == "text" and block["text"]:
            parts.append({"type": "text", "text": block["text"]})
        elif block["type"] == "tool_use":
            part = {
                "type": "dynamic-tool", "toolName": block["name"], "toolCallId": block["id"],
                "state": "input-available", "input": block["input"],
            }  # fmt: skip
            calls[block["id"]] = part
            parts.append(part)
    return parts


def _answer(blocks: Sequence[Message], calls: dict[str, dict[str, Any]]) -> bool:
    """Gives tool results to their calls; False when there are none among the blocks."""
    results = [block for block in blocks if block["type"] == "tool_result"]
    for block in results:
        part = calls.pop(block["tool_use_id"], None)
        if part is not None and block.get("is_error"):
            part.update(state="output-error", errorText=str(block["content"]))
        elif part is not None:
            part.update(state="output-available", output=block["content"])
    return bool(results)


def _mark(workspace: str) -> str:
    return sha256(os.fsencode(os.path.realpath(workspace))).hexdigest()[:8]
