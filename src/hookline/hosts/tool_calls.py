"""One tool call from the model's wish to its result: hooks, permission, the tool, hooks again."""

from __future__ import annotations

from hookline.agents.base import ToolUse
from hookline.hosts.tools import Tool, ToolContext, ToolOutput
from hookline.model.events import Event, EventKind, Notice, ToolCall, ToolDenied, ToolDone, ToolFailed
from hookline.model.record import Record
from hookline.model.results import Verdict
from hookline.system.clock import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import Any

    from hookline.engine import Engine
    from hookline.hosts.permissions import Permissions
    from hookline.hosts.toolbox import Toolbox
    from hookline.model.results import Decision

    Ask = Callable[[ToolUse, str], Awaitable[bool]]
    Tell = Callable[..., None]

_VERBATIM = frozenset({"cocode"})


class CallResult(Record):
    """What the model gets for one call. `halts` ends the turn, with its reason."""

    call: ToolUse
    content: str
    is_error: bool = False
    contexts: tuple[str, ...] = ()
    halts: str = ""


class ToolCaller:
    """The choke point: no tool runs by any other way, in the main agent or a subagent.

    `event(kind, body)` builds an event of the session; `ask` puts a permission question to the user (None:
    nobody is there); `tell` hears what happens.
    """

    def __init__(
        self,
        engine: Engine,
        toolbox: Toolbox,
        permissions: Callable[[], Permissions],
        event: Callable[[EventKind, Record], Event],
        context: Callable[[ToolUse], ToolContext],
        tell: Tell,
        ask: Ask | None = None,
    ) -> None:
        self.engine = engine
        self.toolbox = toolbox
        self.permissions = permissions
        self.event = event
        self.context = context
        self.tell = tell
        self.ask = ask

    async def call(self, call: ToolUse) -> CallResult:
        """Carries out one call; never raises for what hooks or the tool did."""
        problem = call.problem or self.toolbox.problem(call.name, call.input)
        if problem is not None:
            return CallResult(call, problem, is_error=True)
        original = dict(call.input)
        self.tell("tool.asked", id=call.id, name=call.name, input=original)
        decision = await self._fire(EventKind.PreToolUse, ToolCall(call.name, original, call.id))
        if decision.blocked:
            return self._blocked(call, decision)
        given = dict(original if decision.updated_input is None else decision.updated_input)
        problem = self.toolbox.problem(call.name, given)
        if problem is not None:
            return CallResult(call, f"a hook rewrote the input: {problem}", is_error=True)
        tool = self.toolbox.get(call.name)
        assert tool is not None
        call = ToolUse(call.id, call.name, given)
        refused = await self._refusal(tool, call, decision)
        if refused is not None:
            return refused
        result = await self._run(call, original)
        return CallResult(
            call, result.content, result.is_error, (*decision.contexts, *result.contexts), result.halts
        )

    # -- permission -------------------------------------------------------------------------------

    async def _refusal(self, tool: Tool, call: ToolUse, decision: Decision) -> CallResult | None:
        workspace = self.context(call).workspace
        answer = self.permissions().answer(tool, call.input, decision.verdict, workspace)
        if answer.word == "ask":
            return await self._asked(call, answer.reason)
        if answer.word == "deny":
            await self._fire(
                EventKind.PermissionDenied, ToolDenied(call.name, call.input, call.id, answer.reason)
            )
            return await self._denied(call, answer.reason)
        return None

    async def _asked(self, call: ToolUse, reason: str) -> CallResult | None:
        decision = await self._fire(EventKind.PermissionRequest, ToolCall(call.name, call.input, call.id))
        if decision.blocked:
            return await self._denied(call, decision.reason or "denied by a PermissionRequest hook")
        if decision.verdict == Verdict.ALLOW:
            return None
        notice = Notice(f"{call.name} needs permission", "Permission", "permission_prompt")
        await self._fire(EventKind.Notification, notice)
        if self.ask is not None and await self.ask(call, reason):
            return None
        words = "the user said no" if self.ask is not None else f"{reason}, and nobody is there to ask"
        return await self._denied(call, words)

    async def _denied(self, call: ToolUse, reason: str) -> CallResult:
        words = f"Permission denied: {reason}"
        await self._fire(EventKind.PostToolUseFailure, ToolFailed(call.name, call.input, call.id, words))
        return CallResult(call, words, is_error=True)

    # -- running ------------------------------------------------------------------------------------

    async def _run(self, call: ToolUse, original: Mapping[str, Any]) -> CallResult:
        self.tell("tool.started", id=call.id, name=call.name, input=dict(call.input))
        started = monotonic()
        output = await self.toolbox.call(call.name, call.input, self.context(call))
        took = round((monotonic() - started) * 1000, 3)
        self.tell(
            "tool.finished", id=call.id, name=call.name, is_error=output.is_error, content=output.content,
            duration_ms=took,
        )  # fmt: skip
        rewritten = original if dict(call.input) != dict(original) else None
        return await self._after(call, output, took, rewritten)

    async def _after(
        self, call: ToolUse, output: ToolOutput, took: float, original: Mapping[str, Any] | None
    ) -> CallResult:
        if output.is_error:
            body: Record = ToolFailed(
                call.name, call.input, call.id, output.content, duration_ms=took, tool_input_original=original
            )
            decision = await self._fire(EventKind.PostToolUseFailure, body)
        else:
            body = ToolDone(call.name, call.input, call.id, output.shown, took, original)
            decision = await self._fire(EventKind.PostToolUse, body)
        content, is_error = output.content, output.is_error
        if decision.blocked or decision.reprompt:
            note = decision.reason or decision.reprompt or "a hook objects"
            content = f"{content}\n\n[hook] {note}".strip()
            is_error = True
        halts = (decision.reason or "stopped by a hook") if decision.verdict == Verdict.HALT else ""
        return CallResult(call, content, is_error, decision.contexts, halts)

    def _blocked(self, call: ToolUse, decision: Decision) -> CallResult:
        halts = (decision.reason or "stopped by a hook") if decision.verdict == Verdict.HALT else ""
        return CallResult(call, block_words(decision), True, decision.contexts, halts)

    async def _fire(self, kind: EventKind, body: Record) -> Decision:
        decision = await self.engine.fire(self.event(kind, body))
        self.tell("decision", event=kind.value, verdict=decision.verdict.word, reason=decision.reason)
        for message in decision.messages:
            self.tell("message", role="hook", text=message)
        return decision


def block_words(decision: Decision) -> str:
    """What the model is told of a denied call: the hook's reason, by the words of the hook's dialect."""
    reason = decision.reason or "no reason given"
    for result in decision.results:
        if result.raw is not None and result.outcome.verdict == decision.verdict:
            if result.spec.dialect in _VERBATIM:
                return reason
            break
    return f"Blocked by {decision.kind.value} hook: {reason}"
