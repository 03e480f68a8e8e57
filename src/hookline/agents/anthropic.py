"""Anthropic's Messages API on the wire: request bodies and streamed answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hookline.agents.base import Message, ModelError, ModelReply, ModelRequest, ToolUse, Usage
from hookline.agents.llm import tool_use

BASE_URL = "https://api.anthropic.com"
VERSION = "2023-06-01"
_ERRORS: Mapping[str, tuple[str, bool]] = {
    "overloaded_error": ("overloaded", True),
    "rate_limit_error": ("rate_limit", True),
    "api_error": ("server_error", True),
    "timeout_error": ("server_error", True),
    "authentication_error": ("authentication_failed", False),
    "permission_error": ("authentication_failed", False),
    "billing_error": ("billing_error", False),
    "not_found_error": ("model_not_found", False),
    "invalid_request_error": ("invalid_request", False),
}
_STOPS = {"tool_use": "tool_use", "max_tokens": "max_tokens", "refusal": "refusal"}


class Anthropic:
    """The wire of `POST /v1/messages`."""

    provider = "anthropic"
    path = "/v1/messages"

    def headers(self, key: str) -> Mapping[str, str]:
        return {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})}

    def body(self, name: str, request: ModelRequest) -> Mapping[str, Any]:
        tools = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in request.tools
        ]
        return {
            "model": name,
            "max_tokens": request.max_tokens,
            "stream": True,
            "messages": [message for message in map(_sent, request.messages) if message["content"]],
            **({"system": request.system} if request.system else {}),
            **({"tools": tools} if tools else {}),
        }

    def answer(self) -> AnthropicAnswer:
        return AnthropicAnswer()


class AnthropicAnswer:
    """Blocks as they grow: texts, and the JSON of tool calls in pieces."""

    def __init__(self) -> None:
        self._blocks: dict[int, dict[str, Any]] = {}
        self._stop = ""
        self._tokens = [0, 0]
        self.complete = False

    def take(self, event: str, content: Any) -> str:
        """The text one event adds; unknown events are for later versions of the protocol."""
        kind = content.get("type", event) if isinstance(content, dict) else ""
        if kind == "error":
            raise _failure(content)
        if kind == "message_start":
            self._count(content.get("message", {}).get("usage"))
        elif kind == "content_block_start":
            self._blocks[content["index"]] = {"json": "", "text": "", **content["content_block"]}
        elif kind == "content_block_delta":
            return self._grow(content)
        elif kind == "message_delta":
            self._stop = content.get("delta", {}).get("stop_reason") or self._stop
            self._count(content.get("usage"))
        elif kind == "message_stop":
            self.complete = True
        return ""

    def reply(self) -> ModelReply:
        calls = tuple(self._calls())
        stop = _STOPS.get(self._stop, "end_turn")
        text = "".join(block["text"] for block in self._blocks.values() if block["type"] == "text")
        return ModelReply(text, calls, stop, Usage(*self._tokens))

    def _calls(self) -> Iterator[ToolUse]:
        for block in self._blocks.values():
            if block["type"] == "tool_use":
                yield tool_use(str(block.get("id", "")), str(block.get("name", "")), block["json"])

    def _grow(self, content: Mapping[str, Any]) -> str:
        block, delta = self._blocks.get(content.get("index", -1)), content.get("delta", {})
        if block is None:
            return ""
        block["json"] += delta.get("partial_json") or ""
        added = str(delta.get("text") or "")
        block["text"] += added
        return added if block["type"] == "text" else ""

    def _count(self, usage: Any) -> None:
        if isinstance(usage, dict):
            cached = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
            self._tokens[0] = sum(usage.get(key) or 0 for key in cached) or self._tokens[0]
            self._tokens[1] = usage.get("output_tokens") or self._tokens[1]


def _failure(content: Mapping[str, Any]) -> ModelError:
    error = content.get("error") or {}
    kind, retryable = _ERRORS.get(error.get("type", ""), ("server_error", True))
    return ModelError(str(error.get("message") or error.get("type") or "failed"), kind, retryable=retryable)


def _sent(message: Message) -> Mapping[str, Any]:
    """The message without what the API refuses: empty texts."""
    blocks = [block for block in message["content"] if block["type"] != "text" or block["text"].strip()]
    return {"role": message["role"], "content": blocks}
