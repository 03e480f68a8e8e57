"""A tool loop's events as UI message chunks (the AI SDK's stream parts), and the message they add up to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hookline.model.short_json import whole_text

Emit = Callable[[Mapping[str, Any]], object]

MAX_TOOL_TEXT = 64 * 1024


class UiStream:
    """Turns events of one completion into chunks for `emit`, and keeps the parts of its message."""

    def __init__(self, message_id: str, emit: Emit) -> None:
        self.message: dict[str, Any] = {"id": message_id, "role": "assistant", "parts": []}
        self._emit = emit
        self._text: dict[str, Any] | None = None
        self._texts = 0
        self._calls: dict[str, dict[str, Any]] = {}

    @property
    def parts(self) -> list[dict[str, Any]]:
        parts: list[dict[str, Any]] = self.message["parts"]
        return parts

    def start(self) -> None:
        self._emit({"type": "start", "messageId": self.message["id"]})

    def hear(self, event: Mapping[str, Any]) -> None:
        """One event of the loop; those of subagents stay inside their tool call."""
        if "agent_id" in event:
            return
        match event["type"], event.get("role"):
            case "delta", _:
                self._delta(event["text"])
            case "message", "assistant":
                self._whole(event["text"])
            case "message", ("hook" | "notice" as role):
                self._emit({"type": "data-notice", "data": {"role": role, "text": event["text"]}})
            case "tool.asked", _:
                self._asked(event)
            case "tool.finished", _:
                self._answer(event["id"], str(event["content"]), bool(event["is_error"]))

    def settle(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Answers the calls that were refused before they ran, from the conversation's tool results."""
        for message in messages:
            for block in message["content"]:
                if block["type"] == "tool_result" and block["tool_use_id"] in self._calls:
                    self._answer(block["tool_use_id"], str(block["content"]), bool(block["is_error"]))

    def finish(self, reason: str, error: str = "") -> None:
        """`reason`: stop or error; an error is told first."""
        self._end_text()
        for call in tuple(self._calls):
            self._answer(call, "the call did not end", True)
        if error:
            self._emit({"type": "error", "errorText": error})
        self._emit({"type": "finish", "finishReason": reason})

    def _delta(self, text: str) -> None:
        if self._text is None:
            self._texts += 1
            self._text = {"type": "text", "text": ""}
            self.parts.append(self._text)
            self._emit({"type": "text-start", "id": self._text_id})
        self._text["text"] += text
        self._emit({"type": "text-delta", "id": self._text_id, "delta": text})

    def _whole(self, text: str) -> None:
        if self._text is None:
            self._delta(text)
        self._end_text()

    def _end_text(self) -> None:
        if self._text is not None:
            self._emit({"type": "text-end", "id": self._text_id})
            self._text = None

    @property
    def _text_id(self) -> str:
        return f"text-{self._texts}"

    def _asked(self, event: Mapping[str, Any]) -> None:
        self._end_text()
        call, name, given = event["id"], event["name"], event["input"]
        part = {
            "type": "dynamic-tool", "toolName": name, "toolCallId": call, "state": "input-available",
            "input": given,
        }  # fmt: skip
        self.parts.append(part)
        self._calls[call] = part
        self._emit({"type": "tool-input-start", "toolCallId": call, "toolName": name, "dynamic": True})
        available = {"toolCallId": call, "toolName": name, "input": given, "dynamic": True}
        self._emit({"type": "tool-input-available", **available})

    def _answer(self, call: str, content: str, is_error: bool) -> None:
        part = self._calls.pop(call, None)
        if part is None:
            return
        content = content if len(content) <= MAX_TOOL_TEXT else f"{content[:MAX_TOOL_TEXT]}\n[...]"
        if is_error:
            part.update(state="output-error", errorText=content)
            self._emit({"type": "tool-output-error", "toolCallId": call, "errorText": content})
        else:
            part.update(state="output-available", output=content)
            self._emit({"type": "tool-output-available", "toolCallId": call, "output": content})


def user_message(message_id: str, text: str, metadata: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A user's UI message with one text part."""
    message: dict[str, Any] = {"id": message_id, "role": "user", "parts": [{"type": "text", "text": text}]}
    return {**message, "metadata": dict(metadata)} if metadata else message


def text_of(message: Mapping[str, Any]) -> str:
    """The text parts of a UI message, a line between them; half characters, which no file holds, replaced."""
    parts = message.get("parts")
    texts = [
        part["text"]
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)
    ]
    return whole_text("\n".join(texts))
