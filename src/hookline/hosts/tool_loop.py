"""The tool loop: a model, tools and every hook of a session, turn by turn."""

from __future__ import annotations

import asyncio

from hookline.agents.base import ModelError, ModelReply, ModelRequest, ToolUse
from hookline.hosts.permissions import Permissions
from hookline.hosts.tool_calls import CallResult, ToolCaller
from hookline.hosts.toolbox import Toolbox
from hookline.hosts.tools import Tool, ToolContext, ToolOutput, tool
from hookline.model.events import (
    Compact,
    Event,
    EventKind,
    Plain,
    Prompt,
    SessionEnded,
    SessionStarted,
    TurnEnd,
    TurnFailed,
)
from hookline.model.record import Record, replace
from hookline.model.results import Verdict
from hookline.system.clock import now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookline.agents.base import Model
    from hookline.engine import Engine
    from hookline.hosts.tool_calls import Ask
    from hookline.model.results import Decision

    OnEvent = Callable[[Mapping[str, Any]], None]

STOP_CAP = 3
DEFAULT_MAX_TURNS = 50
SESSION_END_BUDGET_S = 5.0
SYSTEM = "You are a coding agent. Use the tools to work in the workspace; be brief."
SUMMARY_PROMPT = "Summarise this conversation so that work can go on from the summary alone."


class TurnResult(Record):
    """How a user turn ended. `status`: completed, blocked, failed, max_turns, halted, interrupted, capped."""

    status: str
    text: str = ""
    reason: str = ""
    requests: int = 0

    @property
    def ok(self) -> bool:
        return self.status in ("completed", "capped")


class ToolLoop:
    """One session. `start`, then `submit` for each user prompt, then `end`.

    `on_event` hears what happens as the objects of the `--json` stream (without `at`). `ask` puts
    permission questions to a person; without one nothing is ever asked. `max_turns` bounds the requests
    to the model over the whole loop. Hook failures never raise; cancelling `submit` ends the turn.
    """

    def __init__(
        self,
        engine: Engine,
        model: Model,
        *,
        workspace: str,
        session_id: str = "default",
        toolbox: Toolbox | None = None,
        permissions: Permissions | None = None,
        on_event: OnEvent | None = None,
        ask: Ask | None = None,
        max_turns: int = DEFAULT_MAX_TURNS,
        system: str = SYSTEM,
        messages: Sequence[Mapping[str, Any]] = (),
        transcript_path: str = "",
        agent_id: str = "",
        agent_type: str = "",
    ) -> None:
        self.engine = engine
        self.model = model
        self.workspace = workspace
        self.session_id = session_id
        self._tools = toolbox or Toolbox.standard()
        self.toolbox = self._tools if agent_id else self._tools.plus(self._agent_tool())
        self.permissions = permissions or Permissions("bypassPermissions")
        self.on_event = on_event
        self.max_turns = max_turns
        self.system = system
        self.messages: list[Mapping[str, Any]] = list(messages)
        self.requests = 0
        self.usage = [0, 0]
        self._transcript_path = transcript_path
        self._agent_id = agent_id
        self._agent_type = agent_type
        self._ask = ask
        self._pending_contexts: list[str] = []
        self._subagents = 0
        self._caller = ToolCaller(
            engine, self.toolbox, lambda: self.permissions, self.event, self._context, self.tell, ask
        )

    # -- the session ------------------------------------------------------------------------------

    async def start(self, source: str = "startup") -> Decision:
        """Fires SessionStart; its context goes before the first prompt."""
        decision = await self.fire(EventKind.SessionStart, SessionStarted(source))
        self._pending_contexts.extend(decision.contexts)
        return decision

    async def end(self, reason: str = "other") -> None:
        """Fires SessionEnd within its own budget and stops background hooks."""
        event = self.event(EventKind.SessionEnd, SessionEnded(reason))
        await self.engine.fire(event, budget_s=SESSION_END_BUDGET_S)
        await self.engine.close()

    async def submit(self, prompt: str, *, origin: str = "user", first: Sequence[str] = ()) -> TurnResult:
        """One user turn, from the prompt to the accepted stop.

        `origin` is `hook` for a re-prompt, which no user submitted; `first` are texts before the prompt.
        """
        contexts: Sequence[str] = ()
        if origin == "user":
            decision = await self.fire(EventKind.UserPromptSubmit, Prompt(prompt))
            if decision.blocked:
                return TurnResult("blocked", reason=decision.reason or "a hook rejected the prompt")
            if decision.updated_input is not None:
                prompt = str(decision.updated_input.get("prompt", prompt))
            contexts = decision.contexts
        self._add_user(prompt, contexts, first)
        await self.fire(EventKind.UserMessage, Prompt(prompt))
        try:
            return await self._work(EventKind.Stop)
        except ModelError as error:
            return await self._failed(error.kind, error.message)

    async def compact(self, trigger: str = "manual", instructions: str | None = None) -> str | None:
        """Replaces the conversation by a summary; returns it, or None when a hook forbade it."""
        decision = await self.fire(EventKind.PreCompact, Compact(trigger, instructions))
        if decision.blocked and trigger == "manual":
            self.tell("message", role="hook", text=f"compaction stopped: {decision.reason}")
            return None
        request = ModelRequest(self.system, [*self.messages, _user(instructions or SUMMARY_PROMPT)])
        reply = await self.model.request(request)
        self.messages[:] = [_user(f"Summary of the conversation so far:\n{reply.text}")]
        await self.fire(EventKind.PostCompact, Compact(trigger, instructions, reply.text))
        await self.start("compact")
        return reply.text

    # -- a turn ---------------------------------------------------------------------------------------

    async def _work(self, stop_kind: EventKind) -> TurnResult:
        continuations = 0
        while True:
            if self.requests >= self.max_turns:
                return await self._failed(
                    "max_turns", f"{self.max_turns} requests to the model were not enough"
                )
            reply = await self._request()
            if reply.tool_calls:
                halted = await self._use_tools(reply.tool_calls)
                if halted:
                    return TurnResult("halted", reply.text, halted, self.requests)
                continue
            decision = await self._stop(stop_kind, reply.text, continuations)
            if decision.verdict == Verdict.HALT or not decision.blocked:
                self._pending_contexts.extend(decision.contexts)
                return TurnResult("completed", reply.text, requests=self.requests)
            if continuations >= STOP_CAP:
                words = f"stopped after {STOP_CAP} continuations: {decision.reason}"
                self.tell("message", role="notice", text=words)
                return TurnResult("capped", reply.text, words, self.requests)
            continuations += 1
            self._add_user(decision.reason or "A hook wants you to go on.", decision.contexts)

    async def _request(self) -> ModelReply:
        self._deliver_contexts()
        self.requests += 1
        request = ModelRequest(self.system, list(self.messages), self.toolbox.schemas())
        reply = await self.model.request(request, self._delta)
        self.usage[0] += reply.usage.input_tokens
        self.usage[1] += reply.usage.output_tokens
        blocks: list[Mapping[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
        blocks += [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.input)}
            for call in reply.tool_calls
        ]
        self.messages.append({"role": "assistant", "content": blocks or [{"type": "text", "text": ""}]})
        if reply.text:
            self.tell("message", role="assistant", text=reply.text)
        return reply

    async def _use_tools(self, calls: Sequence[ToolUse]) -> str:
        """Runs a batch side by side; the reason to halt the turn, or an empty text."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._caller.call(call)) for call in calls]
        results = [task.result() for task in tasks]
        blocks: list[Mapping[str, Any]] = [_result_block(result) for result in results]
        blocks += [{"type": "text", "text": text} for result in results for text in result.contexts]
        self.messages.append({"role": "user", "content": blocks})
        return next((result.halts for result in results if result.halts), "")

    async def _stop(self, kind: EventKind, text: str, continuations: int) -> Decision:
        body = TurnEnd(continuations > 0, text, continuations + 1, STOP_CAP + 1)
        return await self.fire(kind, body)

    async def _failed(self, kind: str, words: str) -> TurnResult:
        await self.fire(EventKind.StopFailure, TurnFailed(kind, words, self._last_text()))
        self.tell("message", role="error", text=words)
        status = "max_turns" if kind == "max_turns" else "failed"
        return TurnResult(status, self._last_text(), words, self.requests)

    def _agent_tool(self) -> Tool:
        text = {"type": "string"}
        properties = {"description": text, "prompt": text, "subagent_type": text}
        words = "Hands a task to a subagent and returns its answer."
        return tool("Agent", words, self._run_subagent, properties, ("prompt",), read_only=True)

    # -- subagents --------------------------------------------------------------------------------------

    async def _run_subagent(self, given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
        del context
        self._subagents += 1
        kind = str(given.get("subagent_type") or "general-purpose")
        child = ToolLoop(
            self.engine,
            self.model,
            workspace=self.workspace,
            session_id=self.session_id,
            toolbox=self._tools,
            permissions=self.permissions,
            on_event=self.on_event,
            ask=self._ask,
            max_turns=self.max_turns - self.requests,
            system=self.system,
            agent_id=f"agent-{self._subagents}",
            agent_type=kind,
        )
        started = await child.fire(EventKind.SubagentStart, Plain())
        child._add_user(str(given["prompt"]), started.contexts)
        try:
            result = await child._work(EventKind.SubagentStop)
        except ModelError as error:
            await child.fire(EventKind.SubagentStop, TurnEnd(last_assistant_message=error.message))
            return ToolOutput(f"the subagent failed: {error.message}", is_error=True)
        finally:
            self.requests += child.requests
        return ToolOutput(result.text or result.reason, is_error=not result.ok)

    # -- events -----------------------------------------------------------------------------------------

    def event(self, kind: EventKind, body: Record) -> Event:
        """An event of this session, now."""
        return Event(
            kind,
            self.session_id,
            self.workspace,
            body,
            self.workspace,
            agent_id=self._agent_id,
            agent_type=self._agent_type,
            transcript_path=self._transcript_path,
            permission_mode=self.permissions.mode,
            at=now(),
        )

    async def fire(self, kind: EventKind, body: Record, extra: Mapping[str, Any] | None = None) -> Decision:
        """Fires an event and tells its messages; `extra` are payload fields the body does not have."""
        event = self.event(kind, body)
        decision = await self.engine.fire(replace(event, extra=extra) if extra else event)
        if decision.ran or decision.verdict:
            self.tell("decision", event=kind.value, verdict=decision.verdict.word, reason=decision.reason)
        for message in decision.messages:
            self.tell("message", role="hook", text=message)
        return decision

    def tell(self, type: str, **fields: Any) -> None:
        if self.on_event is not None:
            agent = {"agent_id": self._agent_id} if self._agent_id else {}
            self.on_event({"type": type, "session_id": self.session_id, **agent, **fields})

    def use_mode(self, mode: str) -> None:
        """Changes the permission mode from the next call on."""
        self.permissions = replace(self.permissions, mode=mode)

    # -- messages ---------------------------------------------------------------------------------------

    def _add_user(self, text: str, contexts: Sequence[str] = (), first: Sequence[str] = ()) -> None:
        blocks = [{"type": "text", "text": words} for words in (*first, text, *contexts)]
        self.messages.append({"role": "user", "content": blocks})
        self.tell("message", role="user", text=text)

    def _deliver_contexts(self) -> None:
        """Adds what sessions starts and background hooks brought to the newest user message."""
        arrived = [text for result in self.engine.take_background() for text in result.outcome.contexts]
        texts = [*self._pending_contexts, *arrived]
        self._pending_contexts.clear()
        if texts and self.messages:
            last = self.messages[-1]
            blocks = [*last["content"], *({"type": "text", "text": text} for text in texts)]
            self.messages[-1] = {**last, "content": blocks}

    def _delta(self, text: str) -> None:
        self.tell("delta", text=text)

    def _last_text(self) -> str:
        for message in reversed(self.messages):
            if message["role"] == "assistant":
                return "".join(block.get("text", "") for block in message["content"])
        return ""

    def _context(self, call: ToolUse) -> ToolContext:
        return ToolContext(
            self.workspace, self.workspace, self.session_id, call.id, self._agent_id, self.engine.environment
        )


def _user(text: str) -> Mapping[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def _result_block(result: CallResult) -> Mapping[str, Any]:
    return {
        "type": "tool_result",
        "tool_use_id": result.call.id,
        "content": result.content,
        "is_error": result.is_error,
    }
