"""What a model is, and what an agent is: the two things a host can put a turn to.

A `Model` answers one request and leaves the tools to us. An `Agent` is a program of its own that runs a whole
turn and reports what it does.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from hookline.model.errors import HooklineError, Warn, unheard
from hookline.model.record import Record

Message = Mapping[str, Any]


OnDelta = Callable[[str], None]


OnEvent = Callable[[Mapping[str, Any]], None]  # hears what happens, as the objects of a `--json` stream


OnUpdate = Callable[["AgentUpdate"], Awaitable[None]]


class ToolUse(Record):
    """A tool call the model asks for. `problem` is set when its JSON could not be read."""

    id: str
    name: str
    input: Mapping[str, Any]
    problem: str = ""


class ToolSchema(Record):
    """A tool as the model sees it; `parameters` is a JSON Schema object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


class ModelRequest(Record):
    """One request. Messages are `{"role", "content": [blocks]}` with blocks `text`, `tool_use {id, name,
    input}` and `tool_result {tool_use_id, content, is_error}`. `on_failure` is told in words of each attempt
    that failed, for whoever may not wait for the last one.
    """

    system: str
    messages: Sequence[Message]
    tools: Sequence[ToolSchema] = ()
    max_tokens: int = 8192
    on_failure: Warn = unheard


class Usage(Record):
    """Tokens of one request."""

    input_tokens: int = 0
    output_tokens: int = 0


class ModelReply(Record):
    """One answer. `stop_reason`: end_turn, tool_use, max_tokens, refusal."""

    text: str = ""
    tool_calls: tuple[ToolUse, ...] = ()
    stop_reason: str = "end_turn"
    usage: Usage = Usage()


class ModelError(HooklineError):
    """A request that failed. `kind` as in Claude's StopFailure: rate_limit, overloaded, server_error,
    authentication_failed, invalid_request, model_not_found, billing_error, unknown. `retry_after` seconds.
    """

    def __init__(
        self,
        message: str,
        kind: str = "unknown",
        *,
        retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable
        self.retry_after = retry_after


class AgentDied(ModelError):
    """The agent's process ended, and its sessions with it; the next prompt needs a new session."""


class AgentUpdate(Record):
    """Something an agent reports while it works.

    `type`: text, thought, tool_call, tool_call_update, plan, note. `text` for the first two; for tools
    `tool_id`, `title`, `status` (pending, in_progress, completed, failed) and the raw `fields`.
    """

    type: str
    text: str = ""
    tool_id: str = ""
    title: str = ""
    status: str = ""
    fields: Mapping[str, Any] = {}


class AgentReply(Record):
    """How a turn of an agent ended. `stop_reason`: end_turn, max_tokens, refusal, cancelled, …"""

    text: str = ""
    stop_reason: str = "end_turn"


class Model(Protocol):
    """Answers requests. Raises ModelError; cancellation stops the request."""

    @property
    def name(self) -> str: ...

    async def request(self, request: ModelRequest, on_delta: OnDelta | None = None) -> ModelReply: ...


class Agent(Protocol):
    """Runs turns. One `session` is one conversation; `prompt` takes text blocks in order.

    Raises ModelError when the turn failed. Cancelling the awaiting task cancels the turn.
    """

    @property
    def name(self) -> str: ...

    async def new_session(self, cwd: str, mcp_servers: Sequence[Mapping[str, Any]] = ()) -> str: ...

    async def prompt(
        self, session: str, texts: Sequence[str], on_update: OnUpdate | None = None
    ) -> AgentReply: ...

    async def close(self) -> None: ...
