"""The tool loop: a model, tools and every hook of a session, turn by turn."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from hookline.agents.base import Message, Model, ModelError, ModelReply, ModelRequest, OnEvent, ToolUse
from hookline.engine import Engine
from hookline.hosts.telling import Telling
from hookline.hosts.tool_loop.calls import Ask, ToolCaller, halt_reason
from hookline.hosts.tool_loop.conversation import Conversation
from hookline.hosts.tool_loop.inbox import Inbox
from hookline.hosts.tool_loop.permissions import Permissions, Shared
from hookline.hosts.tool_loop.side_effects import opening_of, variables_of
from hookline.hosts.tool_loop.toolbox import Toolbox
from hookline.hosts.tool_loop.tools import Tool, ToolContext, ToolOutput, tool
from hookline.model.errors import unheard
from hookline.model.events import (
    Compact,
    Event,
    EventKind,
    Notice,
    Plain,
    Prompt,
    Query,
    SessionEnded,
    SessionStarted,
    TurnEnd,
    TurnFailed,
)
from hookline.model.record import Record, replace
from hookline.model.results import Decision, Verdict
from hookline.state.transcripts import Transcript

STOP_CAP = 3
DEFAULT_MAX_TURNS = 50
CONTEXT_TOKENS = 150_000
SUBAGENT_DEPTH = 2
END_BUDGET_S = 5.0
SYSTEM = "You are a coding agent. Use the tools to work in the workspace; be brief."
SUMMARY_PROMPT = "Summarise this conversation so that work can go on from the summary alone."


class TurnResult(Record):
    """How a user turn ended.

    `status`: completed, capped (hooks kept it going three times), blocked, failed, max_turns, halted, or
    unresolved (file hooks still fail). `requests` counts those to the model over the whole session.
    """

    status: str
    text: str = ""
    reason: str = ""
    requests: int = 0

    @property
    def ok(self) -> bool:
        return self.status == "completed"

    @property
    def ended(self) -> bool:
        """The model came to its end, whatever its Stop hooks still say."""
        return self.status in ("completed", "capped")


class ToolLoop(Telling):
    """One session. `start`, then `submit` for each user prompt, then `end`.

    `on_event` hears what happens as the objects of the `--json` stream (without `at`). `ask` puts
    permission questions to a person; without one nothing is ever asked. `max_turns` bounds the requests
    to the model over the whole loop; beyond `context_tokens` the conversation is compacted. `messages` are
    those of a resumed session; `journal` keeps them. Hook failures never raise; cancelling `submit` ends
    the turn.
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
        on_event: OnEvent = unheard,
        ask: Ask | None = None,
        max_turns: int = DEFAULT_MAX_TURNS,
        context_tokens: int = CONTEXT_TOKENS,
        system: str = SYSTEM,
        messages: Sequence[Message] = (),
        journal: Transcript | None = None,
        transcript_path: str = "",
        agent_id: str = "",
        agent_type: str = "",
        depth: int = 0,
        shared: Shared | None = None,
    ) -> None:
        super().__init__(engine, workspace, session_id, on_event)
        self.model = model
        self.shared = shared or Shared(max_turns, permissions or Permissions("bypassPermissions"))
        self._tools = toolbox or Toolbox.standard()
        self.toolbox = self._tools.plus(self._agent_tool()) if depth < SUBAGENT_DEPTH else self._tools
        self.system = system
        self.conversation = Conversation(messages, journal)
        self._context_tokens = context_tokens
        self._filled = 0
        self._transcript_path = transcript_path
        self._agent_id = agent_id
        self._agent_type = agent_type
        self._depth = depth
        self._ask = ask
        self.inbox = Inbox(engine, session_id, self.tell)
        self._opening: tuple[str, ...] = ()
        self._continuations = 0  # by Stop hooks, since the user last spoke
        self.variables: Mapping[str, str] = {}  # what hooks of the session's start gave to what runs later
        self._caller = ToolCaller(engine, self.toolbox, self.shared, self.fire, self._context, self.tell, ask)

    @property
    def messages(self) -> list[Message]:
        return self.conversation.messages

    def use_mode(self, mode: str) -> None:
        """Changes the permission mode from the next call on."""
        self.shared.permissions = replace(self.shared.permissions, mode=mode)

    # -- the session ------------------------------------------------------------------------------

    async def start(self, source: str = "startup") -> Decision:
        """Fires SessionStart; its context goes to the model with the next request."""
        decision = await self.fire(EventKind.SessionStart, SessionStarted(source))
        self.inbox.add(decision.contexts)
        self._opening = opening_of(decision)
        self.variables = {**self.variables, **variables_of(decision)}
        known = self.engine.added.get(self.session_id, {})
        self.engine.added[self.session_id] = {**known, **self.variables}
        return decision

    async def end(self, reason: str = "other", *, for_good: bool = True) -> None:
        """Fires SessionEnd within its own budget; `for_good` also ends background hooks.

        They may finish what they began, for as long as SessionEnd might have taken, unless the user is
        waiting to get out.
        """
        event = self.event(EventKind.SessionEnd, SessionEnded(reason))
        await self.engine.fire(event, budget_s=END_BUDGET_S)
        if for_good:
            await self.engine.close(0.0 if reason == "interrupted" else END_BUDGET_S)

    async def submit(self, prompt: str, *, origin: str = "user", first: Sequence[str] = ()) -> TurnResult:
        """One user turn, from the prompt to the accepted stop.

        `origin` is `hook` for a re-prompt, which no user submitted; `first` are texts before the prompt.
        """
        contexts: Sequence[str] = ()
        if origin == "user":
            self._continuations = 0
            self.inbox.user_spoke()
            decision = await self.fire(EventKind.UserPromptSubmit, Prompt(prompt))
            if decision.blocked:
                return TurnResult("blocked", reason=decision.reason or "a hook rejected the prompt")
            if decision.updated_input is not None:
                prompt = str(decision.updated_input.get("prompt", prompt))
            contexts = decision.contexts
            first, self._opening = (*self._opening, *first), ()
        self._add_user(prompt, contexts, first)
        await self.fire(EventKind.UserMessage, Prompt(prompt))
        return await self._whole_turn(EventKind.Stop)

    async def compact(self, trigger: str = "manual", instructions: str | None = None) -> str | None:
        """Replaces the conversation by a summary; returns it, or None when a hook forbade it.

        When the context is full (`trigger` auto) a hook's veto is noted and not followed.
        """
        decision = await self.fire(EventKind.PreCompact, Compact(trigger, instructions))
        if decision.blocked:
            words = "not followed, the context is full" if trigger == "auto" else "compaction stopped"
            self.tell("message", role="hook", text=f"{words}: {decision.reason}")
            if trigger != "auto":
                return None
        wanted = "\n".join((instructions or SUMMARY_PROMPT, *decision.contexts))
        asking = {"role": "user", "content": [{"type": "text", "text": wanted}]}
        reply = await self.model.request(ModelRequest(self.system, [*self.messages, asking]))
        self.conversation.replace_by(reply.text)
        self._filled = 0
        await self.fire(EventKind.PostCompact, Compact(trigger, instructions, reply.text))
        await self.start("compact")
        return reply.text

    async def status_line(self) -> str:
        """What StatusLine hooks show: the last one that has something; empty without any."""
        decision = await self.fire(EventKind.StatusLine, Plain())
        return str(decision.products.get("status_line", ""))

    async def suggestions(self, query: str) -> tuple[str, ...]:
        """Files that FileSuggestion hooks offer for what was typed, in their order."""
        decision = await self.fire(EventKind.FileSuggestion, Query(query))
        return tuple(decision.products.get("suggestions", ()))

    async def idle(self) -> None:
        """Fires Notification: the agent waits for the user."""
        await self.fire(EventKind.Notification, Notice("waiting for your input", "Idle", "idle_prompt"))

    # -- a turn ---------------------------------------------------------------------------------------

    async def _whole_turn(self, stop_kind: EventKind) -> TurnResult:
        try:
            return await self._work(stop_kind)
        except ModelError as error:
            return await self._failed(error.kind, error.message)
        except asyncio.CancelledError:
            # An interrupt is never followed by Stop: no hook may restart what the user ended.
            self.conversation.close_calls()
            event = self.event(EventKind.StopFailure, TurnFailed("interrupted", "interrupted by the user"))
            await self.engine.fire(event, budget_s=END_BUDGET_S)
            raise
        finally:
            self.conversation.keep()

    async def _work(self, stop_kind: EventKind) -> TurnResult:
        while True:
            if self.shared.requests >= self.shared.max_turns:
                most = self.shared.max_turns
                words = (
                    "1 request to the model was not enough"
                    if most == 1
                    else f"{most} requests to the model were not enough"
                )
                return await self._failed("max_turns", words)
            reply = await self._request()
            if reply.tool_calls:
                halted = await self._use_tools(reply.tool_calls)
                if halted:
                    return TurnResult("halted", reply.text, halted, self.shared.requests)
                continue
            decision = await self._stop(stop_kind, reply.text)
            wish = decision.reprompt or (decision.reason or "A hook wants you to go on.")
            if decision.products.get("clear_context") is True:
                self.conversation.clear()
            if decision.verdict == Verdict.HALT or not (decision.blocked or decision.reprompt):
                self.inbox.add(decision.contexts)
                text = decision.products.get("modified_response", reply.text)
                return TurnResult("completed", str(text), halt_reason(decision), self.shared.requests)
            if self._continuations >= STOP_CAP:
                words = f"stopped after {STOP_CAP} continuations: {wish}"
                self.tell("message", role="notice", text=words)
                return TurnResult("capped", reply.text, words, self.shared.requests)
            self._continuations += 1
            self._add_user(wish, decision.contexts)

    async def _request(self) -> ModelReply:
        if self._filled > self._context_tokens:
            await self.compact("auto")
        self.conversation.add_contexts(self.inbox.take())
        self.conversation.keep()
        self.shared.requests += 1
        request = ModelRequest(self.system, list(self.messages), self.toolbox.schemas())
        reply = await self.model.request(request, self._delta)
        self._filled = reply.usage.input_tokens + reply.usage.output_tokens
        self.shared.usage[0] += reply.usage.input_tokens
        self.shared.usage[1] += reply.usage.output_tokens
        self.conversation.add_reply(reply)
        if reply.text:
            self.tell("message", role="assistant", text=reply.text)
        return reply

    async def _use_tools(self, calls: Sequence[ToolUse]) -> str:
        """Runs a batch; the reason to halt the turn, or an empty text."""
        results = await self._caller.call_all(calls)
        self.conversation.add_results(results)
        return next((result.halts for result in results if result.halts), "")

    async def _stop(self, kind: EventKind, text: str) -> Decision:
        body = TurnEnd(self._continuations > 0, text, self._continuations + 1, STOP_CAP + 1)
        return await self.fire(kind, body)

    async def _failed(self, kind: str, words: str) -> TurnResult:
        last = self.conversation.last_text
        await self.fire(EventKind.StopFailure, TurnFailed(kind, words, last))
        self.tell("message", role="error", text=words)
        return TurnResult("max_turns" if kind == "max_turns" else "failed", last, words, self.shared.requests)

    # -- subagents --------------------------------------------------------------------------------------

    def _agent_tool(self) -> Tool:
        text = {"type": "string"}
        properties = {"description": text, "prompt": text, "subagent_type": text}
        words = "Hands a task to a subagent and returns its answer."
        return tool("Agent", words, self._run_subagent, properties, ("prompt",), read_only=True)

    async def _run_subagent(self, given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
        self.shared.agents += 1
        child = ToolLoop(
            self.engine,
            self.model,
            workspace=self.workspace,
            session_id=self.session_id,
            toolbox=self._tools,
            on_event=self.on_event,
            ask=self._ask,
            context_tokens=self._context_tokens,
            system=self.system,
            agent_id=f"agent-{self.shared.agents}",
            agent_type=str(given.get("subagent_type") or "general-purpose"),
            depth=self._depth + 1,
            shared=self.shared,
        )
        started = await child.fire(EventKind.SubagentStart, Plain())
        child._add_user(str(given["prompt"]), started.contexts)
        return await child._answer_as_subagent()

    async def _answer_as_subagent(self) -> ToolOutput:
        """Works until done. SubagentStop comes at every end; only at a good one can it ask for more."""
        try:
            result = await self._work(EventKind.SubagentStop)
        except ModelError as error:
            await self.fire(EventKind.SubagentStop, TurnEnd(last_assistant_message=error.message))
            return ToolOutput(f"the subagent failed: {error.message}", is_error=True)
        except asyncio.CancelledError:
            ended = self.event(EventKind.SubagentStop, TurnEnd(last_assistant_message="interrupted"))
            await self.engine.fire(ended, budget_s=END_BUDGET_S)
            raise
        return ToolOutput(result.text or result.reason, is_error=not result.ended)

    # -- events -----------------------------------------------------------------------------------------

    def event(self, kind: EventKind, body: Record, **more: Any) -> Event:
        return super().event(
            kind, body, agent_id=self._agent_id, agent_type=self._agent_type,
            transcript_path=self._transcript_path, permission_mode=self.shared.permissions.mode, **more,
        )  # fmt: skip

    def tell(self, type: str, **fields: Any) -> None:
        agent = {"agent_id": self._agent_id} if self._agent_id else {}
        super().tell(type, **agent, **fields)

    def _add_user(self, text: str, contexts: Sequence[str] = (), first: Sequence[str] = ()) -> None:
        self.conversation.add_user(text, contexts, first)
        self.tell("message", role="user", text=text)

    def _delta(self, text: str) -> None:
        self.tell("delta", text=text)

    def _context(self, call: ToolUse) -> ToolContext:
        return ToolContext(
            self.workspace,
            self.workspace,
            self.session_id,
            call.id,
            self._agent_id,
            self.engine.environment_of(self.session_id),
        )
