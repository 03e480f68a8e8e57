"""The tool loop as a host of AGENT-HOOKS-0.1: interceptors stand around its model, its tools, its prompts and answers.

They come inside of the hooks: what a PreToolUse hook rewrote is what they judge, and what they discard no
PostToolUse hook gets to see.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from hookline.agents.base import (
    Message,
    Model,
    ModelError,
    ModelReply,
    ModelRequest,
    OnDelta,
    OnEvent,
    ToolUse,
)
from hookline.engine import Engine
from hookline.hosts.tool_loop.host import ToolLoop, TurnResult
from hookline.hosts.tool_loop.side_effects import as_text
from hookline.hosts.tool_loop.toolbox import Toolbox
from hookline.hosts.tool_loop.tools import Tool, ToolContext, ToolOutput
from hookline.integrations.agent_hooks.composing import Emission
from hookline.integrations.agent_hooks.host import Host
from hookline.model.errors import unheard
from hookline.model.record import replace

FINISH: Mapping[str, str] = {
    "end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"
}  # fmt: skip
_STOP = {word: reason for reason, word in FINISH.items()}
ENDS: Mapping[str, str] = {"interrupted": "cancelled", "error": "error"}


class Blocked(ModelError):
    """An interceptor denied a request to the model, or its answer."""


class MediatedModel:
    """A model that is asked, and heard, only as far as the host permits; nothing streams before the verdict."""

    def __init__(self, model: Model, host: Host) -> None:
        self._model = model
        self._host = host
        self.denied = ""  # why a request or its answer was denied last

    @property
    def name(self) -> str:
        return self._model.name

    async def request(self, request: ModelRequest, on_delta: OnDelta | None = None) -> ModelReply:
        try:
            return await self._mediated(request)
        except Blocked as error:
            self.denied = error.message
            raise

    async def _mediated(self, request: ModelRequest) -> ModelReply:
        model = {"id": self.name}
        messages = _messages(request)
        tools = [
            {"name": each.name, "description": each.description, "schema": dict(each.parameters)}
            for each in request.tools
        ]
        before = await self._host.emit("pre_model_call", model=model, messages=messages, tools=tools)
        _stop_unless(before)
        if before.context["messages"] != messages:
            request = _with_messages(request, before.context["messages"])
        reply = await self._model.request(request)
        after = await self._host.emit(
            "post_model_call", model=model, response=_response(reply), usage=_usage(reply)
        )
        _stop_unless(after)
        return _reply(reply, after.context["response"])


class MediatedTools(Toolbox):
    """Tools that run, and whose results arrive, only as far as the host permits."""

    def __init__(self, tools: Toolbox, host: Host) -> None:
        super().__init__(found for name in tools.names if (found := tools.get(name)))
        self._host = host

    def plus(self, *tools: Tool) -> Toolbox:
        return MediatedTools(super().plus(*tools), self._host)

    async def call(self, name: str, given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
        call: dict[str, Any] = {"id": context.tool_use_id or str(uuid4()), "name": name, "args": dict(given)}
        before = await self._host.emit("pre_tool_call", tool_call=call)
        if not before.proceeds:
            return _refusal(before)
        call = {**call, "args": before.context["tool_call"]["args"]}
        if problem := self.problem(name, call["args"]):
            return ToolOutput(f"an interceptor rewrote the input: {problem}", is_error=True)
        output = await super().call(name, call["args"], context)
        result = {"value": output.shown, "is_error": output.is_error}
        after = await self._host.emit("post_tool_call", tool_call=call, tool_result=result)
        if not after.proceeds:
            return _refusal(after)
        value = after.context["tool_result"]["value"]
        return output if value == output.shown else replace(output, content=as_text(value), response=value)


class MediatedLoop:
    """A `ToolLoop` with the eight points of the standard around it; `options` are those of `ToolLoop`.

    `start`, then `submit` for each prompt, then `end`. What the model says reaches `on_event` only after the
    verdict at `output`, in the words that were judged.
    """

    def __init__(
        self,
        engine: Engine,
        model: Model,
        host: Host,
        *,
        workspace: str,
        toolbox: Toolbox | None = None,
        on_event: OnEvent = unheard,
        **options: Any,
    ) -> None:
        self.host = host
        self._on_event = on_event
        self._held: list[Mapping[str, Any]] = []
        self._refused = ""  # why the session may not go on at all
        self._failed = False
        self._model = MediatedModel(model, host)
        self.loop = ToolLoop(
            engine, self._model, workspace=workspace, session_id=host.session.session_id,
            toolbox=MediatedTools(toolbox or Toolbox.standard(), host), on_event=self._heard, **options,
        )  # fmt: skip

    async def start(self, source: str = "startup") -> None:
        """Emits `agent_startup`, then fires SessionStart; a denied session takes no prompt."""
        names = sorted(self.loop.toolbox.names)
        emission = await self.host.emit("agent_startup", agent_init={"tools_registered": names})
        if emission.proceeds:
            await self.loop.start(source)
        else:
            self._refused = emission.why
            self._failed = True

    async def submit(self, prompt: str) -> TurnResult:
        """One turn; `blocked` where an interceptor denied the prompt, a request to the model, or the answer."""
        if self._refused:
            return TurnResult("blocked", reason=self._refused)
        emission = await self.host.emit("input", input={"content": prompt, "role": "user"})
        if not emission.proceeds:
            return self._blocked(emission.why)
        try:
            result = await self.loop.submit(as_text(emission.context["input"]["content"]))
        finally:
            held, self._held = self._held, []
        if result.status == "failed" and result.reason == self._model.denied:
            return self._blocked(result.reason)
        if not result.text:
            self._failed = self._failed or result.status == "failed"
            return result
        emission = await self.host.emit("output", output={"content": result.text})
        if not emission.proceeds:
            return self._blocked(emission.why)
        said = as_text(emission.context["output"]["content"])
        self._release(held, result.text, said)
        return replace(result, text=said)

    async def end(self, reason: str = "other", *, for_good: bool = True) -> None:
        """Fires SessionEnd, then emits `agent_shutdown`."""
        if not self._refused:
            await self.loop.end(reason, for_good=for_good)
        word = ENDS.get(reason, "error" if self._failed else "completed")
        await self.host.emit("agent_shutdown", summary={"reason": word})

    def _blocked(self, why: str) -> TurnResult:
        self._failed = True
        return TurnResult("blocked", reason=why, requests=self.loop.shared.requests)

    def _heard(self, event: Mapping[str, Any]) -> None:
        if event["type"] == "message" and event.get("role") == "assistant":
            self._held.append(event)
        else:
            self._on_event(event)

    def _release(self, held: list[Mapping[str, Any]], meant: str, said: str) -> None:
        for event in held:
            self._on_event({**event, "text": said} if event["text"] == meant else event)


def _stop_unless(emission: Emission) -> None:
    if not emission.proceeds:
        raise Blocked(f"denied by an interceptor: {emission.why}", "invalid_request")


def _refusal(emission: Emission) -> ToolOutput:
    return ToolOutput(f"Blocked by an interceptor: {emission.why}", is_error=True)


def _messages(request: ModelRequest) -> list[dict[str, Any]]:
    """The instructions first; a message that is one text has it as its content."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    return [
        *system,
        *({"role": each["role"], "content": _flat(each["content"])} for each in request.messages),
    ]


def _flat(blocks: Any) -> Any:
    return blocks[0]["text"] if len(blocks) == 1 and blocks[0].get("type") == "text" else list(blocks)


def _with_messages(request: ModelRequest, wire: list[Any]) -> ModelRequest:
    messages: list[Message] = []
    system = ""
    for each in wire:
        if not isinstance(each, dict) or not isinstance(each.get("content"), str | list):
            raise Blocked("an interceptor made a message that is none", "invalid_request")
        if each.get("role") == "system":
            system = as_text(each["content"])
            continue
        content = each["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        messages.append({"role": each.get("role", "user"), "content": blocks})
    return replace(request, system=system, messages=messages)


def _response(reply: ModelReply) -> dict[str, Any]:
    calls = [{"id": call.id, "name": call.name, "args": dict(call.input)} for call in reply.tool_calls]
    return {
        "content": reply.text or None, "tool_calls": calls,
        "finish_reason": FINISH.get(reply.stop_reason, reply.stop_reason),
    }  # fmt: skip


def _usage(reply: ModelReply) -> dict[str, int]:
    return {"prompt_tokens": reply.usage.input_tokens, "completion_tokens": reply.usage.output_tokens}


def _reply(reply: ModelReply, wire: Mapping[str, Any]) -> ModelReply:
    """The reply as it was permitted."""
    if wire == _response(reply):
        return reply
    try:
        calls = tuple(ToolUse(each["id"], each["name"], dict(each["args"])) for each in wire["tool_calls"])
    except (LookupError, TypeError, ValueError) as error:
        raise Blocked("an interceptor made a tool call that is none", "invalid_request") from error
    text = "" if wire["content"] is None else as_text(wire["content"])
    return replace(
        reply, text=text, tool_calls=calls, stop_reason=_STOP.get(wire["finish_reason"], "end_turn")
    )
