"""Hooks in front of an agent of LangChain: `create_agent(…, middleware=[Hooks()])`. Needs the extra `langchain`."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired
from uuid import uuid4

from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from hookline.engine.fire import Engine
from hookline.integrations.calling import Apart
from hookline.integrations.gate import Gate, Halted, Ruling, Sessions, halt_unless


class HookedState(AgentState):
    """What the agent's state has besides: the session of the run."""

    hookline_session: NotRequired[Annotated[str, PrivateStateAttr]]  # type: ignore[valid-type]  # it is a TypedDict


class Hooks(AgentMiddleware):
    """`hooks` and `options` as of `hookline.integrations.gate.Gate`. Each run is a session, by `invoke` or `ainvoke`.

    A denied call is answered to the model with the reason; a denied prompt and `halt` raise `Halted`. A Stop hook
    that wants more gives the agent its next prompt.
    """

    state_schema = HookedState

    def __init__(self, hooks: Engine | str | Gate = ".", **options: Any) -> None:
        super().__init__()
        self._sessions = Sessions(hooks if isinstance(hooks, Gate) else Gate(hooks, **options))
        self._apart = Apart()

    # -- the run ----------------------------------------------------------------------------------

    async def abefore_agent(self, state: Any, runtime: Any) -> dict[str, Any]:
        session = str(uuid4())
        gate = self._sessions.of(session)
        halt_unless(await gate.start())
        newest = state["messages"][-1] if state["messages"] else None
        changed = await _prompted(gate, newest) if isinstance(newest, HumanMessage) else []
        return {"hookline_session": session, "messages": changed}

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any]:
        return self._apart.run(self.abefore_agent(state, runtime))

    @hook_config(can_jump_to=["model"])  # type: ignore[untyped-decorator]  # of the library
    async def aafter_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        newest = state["messages"][-1]
        if not isinstance(newest, AIMessage) or newest.tool_calls:
            return None
        ruling = await self._of(state).stop(str(newest.text))
        if ruling.allowed:
            return None
        wish = "\n\n".join((ruling.reason, *ruling.notes))
        return {"messages": [HumanMessage(wish)], "jump_to": "model"}

    @hook_config(can_jump_to=["model"])  # type: ignore[untyped-decorator]  # of the library
    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        changed: dict[str, Any] | None = self._apart.run(self.aafter_model(state, runtime))
        return changed

    async def aafter_agent(self, state: Any, runtime: Any) -> None:
        await self._of(state).end()
        self._sessions.forget(state.get("hookline_session", ""))

    def after_agent(self, state: Any, runtime: Any) -> None:
        self._apart.run(self.aafter_agent(state, runtime))

    # -- a tool -----------------------------------------------------------------------------------

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        gate, call = self._of(request.state), request.tool_call
        ruling = await gate.before(call["name"], call["args"], call["id"] or "")
        if (refusal := _refused(call, ruling)) is not None:
            return refusal
        try:
            result = await handler(_as_ruled(request, ruling))
        except Exception as error:
            await self._failed(gate, call, ruling, error)
            raise
        return await self._after(gate, call, ruling, result)

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        gate, call = self._of(request.state), request.tool_call
        ruling = self._apart.run(gate.before(call["name"], call["args"], call["id"] or ""))
        if (refusal := _refused(call, ruling)) is not None:
            return refusal
        try:
            result = handler(_as_ruled(request, ruling))
        except Exception as error:
            self._apart.run(self._failed(gate, call, ruling, error))
            raise
        return self._apart.run(self._after(gate, call, ruling, result))

    async def _failed(self, gate: Gate, call: Any, ruling: Ruling, error: Exception) -> None:
        halt_unless(await gate.after(call["name"], ruling.value, error, call["id"] or "", failed=True))

    async def _after(self, gate: Gate, call: Any, ruling: Ruling, result: Any) -> Any:
        is_message = isinstance(result, ToolMessage)  # else a command to the graph
        given = result.content if is_message else str(getattr(result, "update", result))
        failed = is_message and result.status == "error"
        after = await gate.after(call["name"], ruling.value, given, call["id"] or "", failed=failed)
        halt_unless(after)
        if after.value == given and not after.notes:
            return result
        if is_message:
            return result.model_copy(update={"content": _content(after)})
        gate.tell(f"what hooks said of {call['name']} has no effect, its result is no message: {after.text}")
        return result

    def _of(self, state: Any) -> Gate:
        return self._sessions.of(state.get("hookline_session", "") if isinstance(state, dict) else "")


async def _prompted(gate: Gate, message: Any) -> list[Any]:
    """The message to put in place of the user's newest; its id says which."""
    text = str(message.text)
    ruling = await gate.prompt(text)
    halt_unless(ruling)
    if isinstance(message.content, str):
        content: Any = ruling.text if ruling.notes else ruling.value
    elif ruling.value != text:
        raise Halted("a hook rewrote a prompt that is not one text")
    else:
        content = [*message.content, *({"type": "text", "text": note} for note in ruling.notes)]
    return [] if content == message.content else [message.model_copy(update={"content": content})]


def _as_ruled(request: Any, ruling: Ruling) -> Any:
    return request.override(tool_call={**request.tool_call, "args": ruling.value})


def _refused(call: Any, ruling: Ruling) -> Any:
    if ruling.word == "halt":
        raise Halted(ruling.reason)
    if ruling.allowed:
        return None
    return ToolMessage(ruling.refusal, tool_call_id=call["id"], name=call["name"], status="error")


def _content(after: Ruling) -> Any:
    if isinstance(after.value, list):
        return [*after.value, *({"type": "text", "text": note} for note in after.notes)]
    return after.text if after.notes else str(after.value)
