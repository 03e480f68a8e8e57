"""Conversations of the turn host on disk, so that a restarted server goes on with them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from hookline.engine.opening import Opened
from hookline.model.errors import StateError, Warn, unheard
from hookline.model.record import Record
from hookline.state.transcripts import Transcript, TranscriptStore

Message = Mapping[str, Any]


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
        if warn is not None:
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
