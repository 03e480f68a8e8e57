"""Hooks in front of an agent of pydantic-ai: `Agent(model, capabilities=[Hooks()])`. Needs the extra `pydantic-ai`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pydantic_ai import UserPromptNode
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry, SkipToolExecution, ToolFailed
from pydantic_ai.messages import ToolReturn

from hookline.engine.fire import Engine
from hookline.integrations.gate import Gate, Halted, halt_unless


class Hooks(AbstractCapability[Any]):
    """`hooks` and `options` as of `hookline.integrations.gate.Gate`. Each run is a session of its conversation.

    A denied call is told to the model as a failed tool; a denied prompt and `halt` raise `Halted`. A Stop hook that
    wants more gives the agent its next prompt.
    """

    def __init__(self, hooks: Engine | str | Gate = ".", **options: Any) -> None:
        self._gate = hooks if isinstance(hooks, Gate) else Gate(hooks, **options)

    async def for_run(self, ctx: Any) -> Hooks:
        return Hooks(self._gate.session(ctx.conversation_id or ctx.run_id or ""))

    async def wrap_run(self, ctx: Any, *, handler: Callable[[], Any]) -> Any:
        reason = "error"
        halt_unless(await self._gate.start("resume" if ctx.messages else "startup"))
        try:
            result = await handler()
            reason = "other"
            return result
        finally:
            await self._gate.end(reason)

    async def before_node_run(self, ctx: Any, *, node: Any) -> Any:
        if not isinstance(node, UserPromptNode) or node.user_prompt is None:
            return node
        given = node.user_prompt
        parts = [given] if isinstance(given, str) else [*given]
        text = "\n".join(part for part in parts if isinstance(part, str))
        ruling = await self._gate.prompt(text)
        halt_unless(ruling)
        if isinstance(given, str):
            return replace(node, user_prompt=ruling.text)
        if ruling.value != text:
            raise Halted("a hook rewrote a prompt that is not one text")
        return replace(node, user_prompt=[*parts, *ruling.notes])

    async def wrap_tool_execute(
        self, ctx: Any, *, call: Any, tool_def: Any, args: dict[str, Any], handler: Callable[..., Any]
    ) -> Any:
        about = (call.tool_name, call.tool_call_id)
        ruling = await self._gate.before(about[0], args, about[1])
        if ruling.word == "halt":
            raise Halted(ruling.reason)
        if not ruling.allowed:
            raise ToolFailed(ruling.refusal)
        try:
            result = await handler(ruling.value)
        except (ApprovalRequired, CallDeferred, SkipToolExecution):
            raise  # no tool has failed
        except Exception as error:
            after = await self._gate.after(about[0], ruling.value, error, about[1], failed=True)
            halt_unless(after)
            raise _with_notes(error, after.notes) from error
        after = await self._gate.after(about[0], ruling.value, result, about[1])
        halt_unless(after)
        if not after.notes or isinstance(after.value, str):
            return after.text if after.notes else after.value
        return ToolReturn(after.value, content="\n\n".join(after.notes))

    async def after_output_process(self, ctx: Any, *, output_context: Any, output: Any) -> Any:
        if not ctx.partial_output:
            ruling = await self._gate.stop(output if isinstance(output, str) else str(output))
            if not ruling.allowed:
                ctx.enqueue("\n\n".join((ruling.reason, *ruling.notes)))
        return output


def _with_notes(error: Exception, notes: tuple[str, ...]) -> Exception:
    """The same failure, with what the model is to know besides where it hears of it."""
    if notes and isinstance(error, ModelRetry | ToolFailed):
        more: Exception = type(error)("\n\n".join((error.message, *notes)))
        return more
    return error
