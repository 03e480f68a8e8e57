"""The messages of a session as the model sees them, kept on disk before each request."""

from __future__ import annotations

from collections.abc import Iterable

from hookline.agents.base import Message, ModelReply
from hookline.hosts.tool_loop.calls import CallResult
from hookline.state.transcripts import Transcript

INTERRUPTED = "interrupted by the user before it ended"


class Conversation:
    """`messages` may be read at any time; they change only through these methods."""

    def __init__(self, messages: Iterable[Message] = (), journal: Transcript | None = None) -> None:
        self.messages: list[Message] = list(messages)
        self._journal = journal
        self._kept = len(self.messages)

    def add_user(self, text: str, contexts: Iterable[str] = (), first: Iterable[str] = ()) -> None:
        """A prompt, with texts before and after it."""
        self.messages.append(
            {"role": "user", "content": [_text(words) for words in (*first, text, *contexts)]}
        )

    def add_reply(self, reply: ModelReply) -> None:
        """What the model said, and the tools it wants."""
        blocks: list[Message] = [_text(reply.text)] if reply.text else []
        blocks += [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.input)}
            for call in reply.tool_calls
        ]
        self.messages.append({"role": "assistant", "content": blocks or [_text("")]})

    def add_results(self, results: Iterable[CallResult]) -> None:
        """One result for each call, in the order of the calls, then what hooks want the model to know."""
        every = list(results)
        blocks = [_result(each.call.id, each.content, each.is_error) for each in every]
        blocks += [_text(text) for each in every for text in each.contexts]
        self.messages.append({"role": "user", "content": blocks})

    def add_contexts(self, texts: Iterable[str]) -> None:
        """Adds texts to the newest message."""
        blocks = [_text(text) for text in texts]
        if blocks and self.messages:
            newest = self.messages[-1]
            self.messages[-1] = {**newest, "content": [*newest["content"], *blocks]}

    def replace_by(self, summary: str) -> None:
        """Puts a summary in place of everything; what was said is written down first."""
        self.keep()
        words = f"Summary of the conversation so far:\n{summary}"
        self.messages[:] = [{"role": "user", "content": [_text(words)]}]
        if self._journal is not None:
            self._journal.restart(self.messages)
        self._kept = len(self.messages)

    def clear(self) -> None:
        """Forgets everything."""
        self.messages.clear()
        if self._journal is not None:
            self._journal.restart(self.messages)
        self._kept = 0

    def close_calls(self) -> None:
        """Answers calls that an interrupt left open: a model takes no conversation with open calls."""
        if not self.messages or self.messages[-1]["role"] != "assistant":
            return
        newest = self.messages[-1]["content"]
        open_calls = [block["id"] for block in newest if block["type"] == "tool_use"]
        if open_calls:
            blocks = [_result(each, INTERRUPTED, True) for each in open_calls]
            self.messages.append({"role": "user", "content": blocks})

    def keep(self) -> None:
        """Writes down what is new."""
        if self._journal is not None:
            for message in self.messages[self._kept :]:
                self._journal.add(message)
        self._kept = len(self.messages)

    @property
    def last_text(self) -> str:
        """What the model said last."""
        for message in reversed(self.messages):
            if message["role"] == "assistant":
                return "".join(block.get("text", "") for block in message["content"])
        return ""


def _text(text: str) -> Message:
    return {"type": "text", "text": text}


def _result(call_id: str, content: str, is_error: bool) -> Message:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": is_error}
