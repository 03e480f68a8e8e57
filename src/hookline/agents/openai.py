"""The chat completions API that OpenAI and many servers speak: request bodies and streamed answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from hookline.agents.base import Message, ModelError, ModelReply, ModelRequest, Usage
from hookline.agents.llm import tool_use

BASE_URL = "https://api.openai.com/v1"
_STOPS = {"tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}


class OpenAi:
    """The wire of `POST /chat/completions`."""

    provider = "openai"
    path = "/chat/completions"

    def headers(self, key: str) -> Mapping[str, str]:
        return {"authorization": f"Bearer {key}"} if key else {}

    def body(self, name: str, request: ModelRequest) -> Mapping[str, Any]:
        system = [{"role": "system", "content": request.system}] if request.system else []
        tools = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in request.tools
        ]
        sent = [each for message in request.messages for each in _sent(message)]
        return {
            "model": name,
            "stream": True,
            "stream_options": {"include_usage": True},
            "messages": [*system, *sent],
            **({"tools": tools} if tools else {}),
        }

    def answer(self) -> OpenAiAnswer:
        return OpenAiAnswer()


class OpenAiAnswer:
    """Deltas of one choice, and the pieces of its tool calls by their index."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._calls: dict[int, dict[str, str]] = {}
        self._stop = ""
        self._usage = Usage()

    @property
    def complete(self) -> bool:
        return bool(self._stop)

    def take(self, event: str, content: Any) -> str:
        """The text one chunk adds."""
        if not isinstance(content, dict):
            return ""
        if error := content.get("error"):
            words = error.get("message", error) if isinstance(error, dict) else error
            raise ModelError(str(words), "server_error", retryable=True)
        if usage := content.get("usage"):
            self._usage = Usage(usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0)
        added = ""
        for choice in content.get("choices") or ():
            delta = choice.get("delta") or {}
            added += delta.get("content") or ""
            for piece in delta.get("tool_calls") or ():
                self._grow(piece)
            self._stop = choice.get("finish_reason") or self._stop
        self._text.append(added)
        return added

    def reply(self) -> ModelReply:
        calls = tuple(
            tool_use(call["id"] or f"call_{index}", call["name"], call["arguments"])
            for index, call in sorted(self._calls.items())
        )
        stop = "tool_use" if calls else _STOPS.get(self._stop, "end_turn")
        return ModelReply("".join(self._text), calls, stop, self._usage)

    def _grow(self, piece: Mapping[str, Any]) -> None:
        index = piece.get("index", len(self._calls))
        call = self._calls.setdefault(index, {"id": "", "name": "", "arguments": ""})
        function = piece.get("function") or {}
        call["id"] = piece.get("id") or call["id"]
        call["name"] = function.get("name") or call["name"]
        call["arguments"] += function.get("arguments") or ""


def _sent(message: Message) -> Iterator[Mapping[str, Any]]:
    """A message as this API has it: tool results are messages of their own and come first."""
    blocks = message["content"]
    text = "\n\n".join(block["text"] for block in blocks if block["type"] == "text" and block["text"])
    for block in blocks:
        if block["type"] == "tool_result":
            shown = f"error: {block['content']}" if block.get("is_error") else block["content"]
            yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": shown}
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
        }
        for block in blocks
        if block["type"] == "tool_use"
    ]
    if calls:
        yield {"role": "assistant", "content": text or None, "tool_calls": calls}
    elif text or message["role"] == "assistant":
        yield {"role": message["role"], "content": text}
