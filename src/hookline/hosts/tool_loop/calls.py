"""One tool call from the model's wish to its result: hooks, permission, the tool, hooks again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hookline.agents.base import ToolUse
from hookline.dialects import dialect
from hookline.dialects.json_output import EXIT_2_REASON, JSON_REASON
from hookline.engine import Engine
from hookline.hosts.telling import Tell
from hookline.hosts.tool_loop.permissions import Shared
from hookline.hosts.tool_loop.side_effects import further_call, replaced, with_updates
from hookline.hosts.tool_loop.toolbox import Toolbox
from hookline.hosts.tool_loop.tools import Tool, ToolContext, ToolOutput
from hookline.model.events import EventKind, Notice, ToolCall, ToolDenied, ToolDone, ToolFailed
from hookline.model.record import Record, replace
from hookline.model.results import Decision, Status, Verdict
from hookline.system.clock import monotonic

Ask = Callable[[ToolUse, str], Awaitable[bool]]


class CallResult(Record):
    """What the model gets for one call.

    `halts` ends the turn, `stops` keeps the rest of the batch from running; each is its reason. `then` is a
    call that a hook wants made at once, to answer in place of this one.
    """

    call: ToolUse
    content: str
    is_error: bool = False
    contexts: tuple[str, ...] = ()
    halts: str = ""
    stops: str = ""
    then: ToolUse | None = None


class _Rewrites:
    """What hooks made of a call: the events behind it have the input of before, and who changed it."""

    def __init__(self, original: Mapping[str, Any], decision: Decision) -> None:
        self._original = original
        self._by: list[str] = []
        self.took(decision)

    def took(self, decision: Decision) -> None:
        rewrote = (each for each in decision.results if each.outcome.updated_input is not None)
        self._by += (each.spec.id for each in rewrote if each.spec.id not in self._by)

    def of(self, call: ToolUse) -> dict[str, Any]:
        if call.input == self._original:
            return {}
        return {"tool_input_original": self._original, "tool_input_changed_by": tuple(self._by)}


@dataclass(eq=False)
class ToolCaller:
    """The choke point: no tool runs by any other way, in the main agent or a subagent.

    `fire(kind, body)` fires an event of the session; `ask` puts a permission question to the user (None:
    nobody is there); `tell` hears what happens; `shared` has the permissions, which hooks may change.
    """

    engine: Engine
    toolbox: Toolbox
    shared: Shared
    fire: Callable[[EventKind, Record], Awaitable[Decision]]
    context: Callable[[ToolUse], ToolContext]
    tell: Tell
    ask: Ask | None = None
    _chained: set[str] = field(default_factory=set, init=False)

    async def call_all(self, calls: Sequence[ToolUse]) -> list[CallResult]:
        """A batch side by side; one after another where a hook may object to going on (GenCode)."""
        if len(calls) > 1 and self._may_stop_a_batch():
            return await self._one_by_one(calls)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self.call(call)) for call in calls]
        return [task.result() for task in tasks]

    async def call(self, call: ToolUse) -> CallResult:
        """Carries out one call; never raises for what hooks or the tool did."""
        problem = call.problem or self.toolbox.problem(call.name, call.input)
        if problem is not None:
            return CallResult(call, problem, is_error=True)
        original = dict(call.input)
        self.tell("tool.asked", id=call.id, name=call.name, input=original)
        decision = await self.fire(EventKind.PreToolUse, ToolCall(call.name, original, call.id))
        if decision.blocked:
            return CallResult(call, block_words(decision), True, decision.contexts, halt_reason(decision))
        if changed := self._changed_guards(decision):
            words = f"the guard {changed} was changed during this session; `hookline trust` reviews it"
            self.tell("message", role="notice", text=f"{call.name} is not run: {words}")
            return CallResult(call, f"Blocked: {words}", is_error=True)
        rewrites = _Rewrites(original, decision)
        wanted = self._rewritten(call, decision)
        if isinstance(wanted, ToolUse):
            wanted = await self._permitted(wanted, decision.verdict, rewrites)
        if isinstance(wanted, CallResult):
            return replace(wanted, contexts=(*decision.contexts, *wanted.contexts))
        result = await self._run(wanted, rewrites)
        result = replace(result, contexts=(*decision.contexts, *result.contexts))
        return result if result.then is None or result.halts else await self._instead(result, result.then)

    async def _instead(self, first: CallResult, then: ToolUse) -> CallResult:
        """The answer of the call a hook wanted behind another one, guarded like any; it has none behind it."""
        self._chained.add(then.id)
        try:
            second = await self.call(then)
        finally:
            self._chained.discard(then.id)
        return replace(second, call=first.call, contexts=(*first.contexts, *second.contexts), then=None)

    def _changed_guards(self, decision: Decision) -> str:
        """Guards that were trusted when the session began and are not what they were: an agent must not get
        rid of a guard by editing it.
        """
        return ", ".join(
            f"`{result.spec.name or result.spec.id}`"
            for result in decision.results
            if result.status == Status.untrusted and self.engine.trust.state(result.spec) == "trusted"
        )

    async def _one_by_one(self, calls: Sequence[ToolUse]) -> list[CallResult]:
        results: list[CallResult] = []
        stopped = ""
        for call in calls:
            if stopped:
                results.append(CallResult(call, f"not run: {stopped}", is_error=True))
                continue
            results.append(await self.call(call))
            stopped = results[-1].stops or results[-1].halts
        return results

    def _may_stop_a_batch(self) -> bool:
        return any(
            spec.kind == EventKind.PostToolUse and dialect(spec.dialect).ends_batches and not spec.background
            for spec in self.engine.hooks.specs
        )

    def _rewritten(self, call: ToolUse, decision: Decision) -> ToolUse | CallResult:
        """The call with the input hooks gave it, checked like the model's own."""
        if decision.updated_input is None:
            return call
        given = dict(decision.updated_input)
        problem = self.toolbox.problem(call.name, given)
        if problem is not None:
            return CallResult(call, f"a hook rewrote the input: {problem}", is_error=True)
        return ToolUse(call.id, call.name, given)

    # -- permission -------------------------------------------------------------------------------

    async def _permitted(self, call: ToolUse, opinion: Verdict, rewrites: _Rewrites) -> ToolUse | CallResult:
        """The call as it may be made, or the refusal. What a hook rewrites is judged again."""
        tool = self.toolbox.get(call.name)
        assert tool is not None
        word, reason = self._answer(tool, call, opinion)
        if word == "allow":
            return call
        if word == "deny":
            body = ToolDenied(call.name, call.input, call.id, reason)
            decision = await self.fire(EventKind.PermissionDenied, body)
            again = "; a hook says that you may try again" if decision.products.get("retry") is True else ""
            return await self._denied(call, reason + again, rewrites)
        decision = await self.fire(EventKind.PermissionRequest, ToolCall(call.name, call.input, call.id))
        if decision.blocked:
            words = decision.reason or "denied by a PermissionRequest hook"
            denied = await self._denied(call, words, rewrites)
            return replace(denied, halts=words) if decision.products.get("interrupt") else denied
        self._take_permissions(decision)
        rewrites.took(decision)
        wanted = self._rewritten(call, decision)
        if isinstance(wanted, CallResult):
            return wanted
        if wanted is not call and self._answer(tool, wanted, Verdict.ALLOW)[0] == "deny":
            return await self._permitted(wanted, Verdict.NONE, rewrites)
        if decision.verdict == Verdict.ALLOW or await self._asked(wanted, reason):
            return wanted
        words = "the user said no" if self.ask is not None else f"{reason}, and nobody is there to ask"
        return await self._denied(wanted, words, rewrites)

    def _take_permissions(self, decision: Decision) -> None:
        if "updated_permissions" not in decision.products:
            return
        wished = decision.products["updated_permissions"]
        self.shared.permissions, left = with_updates(self.shared.permissions, wished)
        for words in left:
            self.tell("message", role="notice", text=words)

    def _answer(self, tool: Tool, call: ToolUse, opinion: Verdict) -> tuple[str, str]:
        workspace = self.context(call).workspace
        answer = self.shared.permissions.answer(tool, call.input, opinion, workspace)
        return answer.word, answer.reason

    async def _asked(self, call: ToolUse, reason: str) -> bool:
        notice = Notice(f"{call.name} needs permission", "Permission", "permission_prompt")
        await self.fire(EventKind.Notification, notice)
        return self.ask is not None and await self.ask(call, reason)

    async def _denied(self, call: ToolUse, reason: str, rewrites: _Rewrites) -> CallResult:
        words = f"Permission denied: {reason}"
        body = ToolFailed(call.name, call.input, call.id, words, **rewrites.of(call))
        await self.fire(EventKind.PostToolUseFailure, body)
        return CallResult(call, words, is_error=True)

    # -- running ------------------------------------------------------------------------------------

    async def _run(self, call: ToolUse, rewrites: _Rewrites) -> CallResult:
        self.tell("tool.started", id=call.id, name=call.name, input=dict(call.input))
        started = monotonic()
        output = await self.toolbox.call(call.name, call.input, self.context(call))
        took = round((monotonic() - started) * 1000, 3)
        self.tell(
            "tool.finished", id=call.id, name=call.name, is_error=output.is_error, content=output.content,
            duration_ms=took,
        )  # fmt: skip
        return await self._after(call, output, took, rewrites.of(call))

    async def _after(
        self, call: ToolUse, output: ToolOutput, took: float, rewritten: Mapping[str, Any]
    ) -> CallResult:
        if output.is_error:
            body: Record = ToolFailed(
                call.name, call.input, call.id, output.content, duration_ms=took, **rewritten
            )
            decision = await self.fire(EventKind.PostToolUseFailure, body)
        else:
            body = ToolDone(call.name, call.input, call.id, output.shown, took, **rewritten)
            decision = await self.fire(EventKind.PostToolUse, body)
        output = self._as_changed(call, output, decision)
        note = decision.reprompt or ((decision.reason or "a hook objects") if decision.blocked else "")
        if note:
            self.tell("message", role="notice", text=f"Hook blocked further execution: {note}")
        content = f"{output.content}\n\n[hook] {note}".strip() if note else output.content
        return CallResult(
            call,
            content,
            output.is_error or bool(note),
            decision.contexts,
            halt_reason(decision),
            f"a {decision.kind.value} hook blocked further execution: {note}" if note else "",
            self._wanted_behind(call, decision),
        )

    def _as_changed(self, call: ToolUse, output: ToolOutput, decision: Decision) -> ToolOutput:
        changed, why_not = replaced(call.name, output, decision.products)
        if why_not:
            self.tell("message", role="notice", text=why_not)
        return changed

    def _wanted_behind(self, call: ToolUse, decision: Decision) -> ToolUse | None:
        then = further_call(call, decision)
        if then is not None and call.id in self._chained:
            self.tell(
                "message", role="notice", text=f"{then.name} is not run: one call behind another is the most"
            )
            return None
        return then


def halt_reason(decision: Decision) -> str:
    """Why the whole turn ends; empty when it goes on."""
    return (decision.reason or "stopped by a hook") if decision.verdict == Verdict.HALT else ""


def block_words(decision: Decision) -> str:
    """What the model is told of a denied call: the hook's reason, by the words of the hook's dialect."""
    reason = decision.reason or "no reason given"
    for result in decision.results:
        if result.raw is not None and result.outcome.verdict == decision.verdict:
            if dialect(result.spec.dialect).verbatim:
                return reason
            break
    head = f"Blocked by {decision.kind.value} hook"
    if reason in (head, JSON_REASON, EXIT_2_REASON):  # our own words, which would say the head twice
        reason = "exit 2, nothing on stderr" if reason == EXIT_2_REASON else "no reason given"
    return f"{head}: {reason}"
