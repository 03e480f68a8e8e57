"""Hooks in front of agents of the OpenAI Agents SDK: `await Hooks().run(agent, "…")`; the extra `openai-agents`."""

from __future__ import annotations

import json
from copy import copy
from dataclasses import replace
from typing import Any
from uuid import uuid4

from agents import Agent, FunctionTool, Handoff, Runner
from hookline.engine.fire import Engine
from hookline.integrations.gate import Gate, Halted, halt_unless
from hookline.model.errors import UsageError
from hookline.model.short_json import json_or

# They run here and not by a function, so that nothing could be put in front of them.
UNGUARDED = frozenset({"LocalShellTool", "ShellTool", "ComputerTool", "ApplyPatchTool", "CustomTool"})


class Hooks:
    """`hooks` and `options` as of `hookline.integrations.gate.Gate`. Each `run` is a session.

    A denied call is answered to the model with the reason; a denied prompt and `halt` raise `Halted`. A Stop hook
    that wants more gives the agent its next prompt.
    """

    def __init__(self, hooks: Engine | str | Gate = ".", **options: Any) -> None:
        self._gate = hooks if isinstance(hooks, Gate) else Gate(hooks, **options)

    async def run(self, agent: Agent[Any], input: Any, **options: Any) -> Any:
        """`Runner.run` with all hooks; takes and returns what that does."""
        gate = self._gate.session(options.get("conversation_id") or str(uuid4()))
        reason = "error"
        halt_unless(await gate.start())
        try:
            given = await _prompted(gate, input)
            result = await _run(gate, agent, given, options)
            while not result.interruptions:
                ruling = await gate.stop(str(result.final_output))
                if ruling.allowed:
                    break
                wish = "\n\n".join((ruling.reason, *ruling.notes))
                given, options = _continued(result, wish, options)
                result = await _run(gate, result.last_agent, given, options)
            reason = "other"
            return result
        finally:
            await gate.end(reason)

    def guarded(self, agent: Agent[Any]) -> Agent[Any]:
        """The agent with its tools, and those of agents it hands off to, behind the tool hooks alone; for
        `Runner.run_streamed`, and for an agent that is a tool of another.
        """
        return guarded(agent, self._gate)


def guarded(agent: Agent[Any], gate: Gate, known: dict[int, Agent[Any]] | None = None) -> Agent[Any]:
    """A copy of the agent whose every tool, those of MCP servers too, goes through the gate."""
    known = {} if known is None else known
    if getattr(agent, "hookline_gate", None) is gate:
        return agent
    if id(agent) not in known:
        made = known[id(agent)] = copy(agent)
        made.__class__ = _guarded_class(type(agent), gate)
        made.handoffs = [_handoff(each, gate, known) for each in agent.handoffs]
    return known[id(agent)]


def _guarded_class(own: type[Agent[Any]], gate: Gate) -> type[Agent[Any]]:
    """The agent's own class, but for the one place where the SDK asks for its tools."""

    async def get_all_tools(agent: Any, run_context: Any) -> list[Any]:
        return [_tool(each, gate) for each in await own.get_all_tools(agent, run_context)]

    return type(own.__name__, (own,), {"get_all_tools": get_all_tools, "hookline_gate": gate})


def _tool(tool: Any, gate: Gate) -> Any:
    if isinstance(tool, FunctionTool):
        return replace(tool, on_invoke_tool=_guarded_call(tool, gate))
    if type(tool).__name__ in UNGUARDED:
        raise UsageError(
            f"no hook can stop the tool `{tool.name}`", "make it a function tool, or run without hooks"
        )
    return tool  # runs at the provider


def _guarded_call(tool: FunctionTool, gate: Gate) -> Any:
    async def call(context: Any, arguments: str) -> Any:
        given = _arguments(arguments)
        if given is None:
            return await tool.on_invoke_tool(context, arguments)  # the SDK's own words for what is no JSON
        ruling = await gate.before(tool.name, given, context.tool_call_id)
        if ruling.word == "halt":
            raise Halted(ruling.reason)
        if not ruling.allowed:
            return ruling.refusal
        changed = arguments if ruling.value == given else json.dumps(ruling.value)
        try:
            result = await tool.on_invoke_tool(context, changed)
        except Exception as error:
            halt_unless(await gate.after(tool.name, ruling.value, error, context.tool_call_id, failed=True))
            raise
        after = await gate.after(tool.name, ruling.value, result, context.tool_call_id)
        halt_unless(after)
        return after.text if after.notes else after.value

    return call


def _arguments(text: str) -> dict[str, Any] | None:
    found = json_or(text or "{}")
    return found if isinstance(found, dict) else None


def _handoff(target: Any, gate: Gate, known: dict[int, Agent[Any]]) -> Any:
    if not isinstance(target, Handoff):
        return guarded(target, gate, known)

    async def invoke(context: Any, arguments: str) -> Any:
        return guarded(await target.on_invoke_handoff(context, arguments), gate, known)

    return replace(target, on_invoke_handoff=invoke)


async def _prompted(gate: Gate, given: Any) -> Any:
    """The input with what hooks make of the newest words of the user; a run that is taken up again has none."""
    if isinstance(given, str):
        ruling = await gate.prompt(given)
        halt_unless(ruling)
        return ruling.text
    newest = given[-1] if isinstance(given, list) and given else None
    if isinstance(newest, dict) and newest.get("role") == "user" and isinstance(newest.get("content"), str):
        return [*given[:-1], {**newest, "content": await _prompted(gate, newest["content"])}]
    return given


async def _run(gate: Gate, agent: Agent[Any], given: Any, options: dict[str, Any]) -> Any:
    try:
        return await Runner.run(guarded(agent, gate), given, **options)
    except Exception as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, Halted):
            cause = cause.__cause__
        if cause is None or cause is error:
            raise
        raise cause from None  # the SDK wraps what a tool raises


def _continued(result: Any, wish: str, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """What the next run is given: the whole conversation, unless a session or the provider keeps it."""
    if options.get("session") is not None or options.get("conversation_id"):
        return wish, options
    if options.get("previous_response_id") or options.get("auto_previous_response_id"):
        return wish, {**options, "previous_response_id": result.last_response_id}
    return [*result.to_input_list(), {"role": "user", "content": wish}], options
