"""What every integration has in common: an event is fired, and its decision becomes what the agent may do."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import fields, is_dataclass
from typing import Any, Literal
from uuid import uuid4

from hookline.engine.callbacks import make_event
from hookline.engine.fire import Engine
from hookline.engine.opening import open_engine
from hookline.hosts.tool_loop.host import STOP_CAP
from hookline.hosts.tool_loop.side_effects import replaced
from hookline.hosts.tool_loop.tools import ToolOutput
from hookline.integrations.calling import called
from hookline.model.errors import HooklineError
from hookline.model.event_names import EventName
from hookline.model.record import Record
from hookline.model.results import Decision, Verdict

Word = Literal["allow", "ask", "deny", "halt"]
Names = Mapping[str, "str | tuple[str, Mapping[str, str]]"]
APPLIED = frozenset(
    {
        "updated_tool_output",
        "updated_mcp_tool_output",
        "modified_result",
        "suppress_original_prompt",
        "llm_request",
    }
)
PLAIN_DEPTH = 20  # of a value that is shown to hooks; a value may hold itself
SESSIONS_KEPT = 1024  # more are only those of which nobody tells the end
_LOG = logging.getLogger("hookline")


class Halted(HooklineError):
    """A hook ended the whole run, or refused the prompt it would have begun with."""


class Question(Record):
    """What a person is asked: may this call be made? `reason` is the hook's."""

    tool_name: str
    tool_input: Mapping[str, Any]
    reason: str


Ask = Callable[[Question], Any]  # True for yes; may be async


class Ruling(Record):
    """What came of a moment. `value` is the tool's input, its result, or the prompt, as hooks left it; `notes` are
    texts for the model. `deny`: not this; `halt`: the whole run ends. Each with its `reason`. `ask` comes from
    `consider` alone.
    """

    word: Word
    value: Any = None
    reason: str = ""
    notes: tuple[str, ...] = ()

    @property
    def allowed(self) -> bool:
        return self.word == "allow"

    @property
    def refusal(self) -> str:
        """What the model, or whoever began it, is told in place of what was denied."""
        return "\n\n".join((f"Blocked by a hook: {self.reason}", *self.notes))

    @property
    def text(self) -> str:
        """The value and the notes as one text."""
        return "\n\n".join((str(self.value), *self.notes))


class _State:
    """What a session has to remember from one moment to the next."""

    def __init__(self) -> None:
        self.owed: list[str] = []  # context that had no place yet
        self.stops = 0


class Gate:
    """The hooks of a workspace in front of one session of an agent.

    `hooks`: a folder, whose hooks of all dialects are read, or an engine. `ask` is called for what a person has to
    permit; without one that is denied. `tools` says by which name hooks know a tool of the agent, and by which its
    inputs: `{"shell": ("Bash", {"cmd": "command"})}`. `tell` hears what hooks say to the user, and what was
    let through by a failure; by default the logger `hookline` does.
    """

    def __init__(
        self,
        hooks: Engine | str = ".",
        *,
        session_id: str = "",
        ask: Ask | None = None,
        tools: Names | None = None,
        tell: Callable[[str], object] | None = None,
    ) -> None:
        self.engine = hooks if isinstance(hooks, Engine) else open_engine(hooks).engine
        self.session_id = session_id or f"session-{uuid4()}"
        self._ask = ask
        self._tools = tools or {}
        self.tell = tell or _LOG.warning
        self._state = _State()

    @property
    def can_ask(self) -> bool:
        """Whether there is somebody to ask."""
        return self._ask is not None

    def session(self, session_id: str, engine: Engine | None = None) -> Gate:
        """The same gate for another session, or in front of another engine too."""
        return Gate(
            engine or self.engine, session_id=session_id, ask=self._ask, tools=self._tools, tell=self.tell
        )

    def telling(self, tell: Callable[[str], object]) -> Gate:
        """The same session, for moments of which somebody else is told."""
        other = copy(self)
        other.tell = tell
        return other

    # -- the moments ----------------------------------------------------------------------------------

    async def start(self, source: str = "startup") -> Ruling:
        """SessionStart. Its context goes to the model with the next prompt."""
        decision = await self.fire("SessionStart", source=source)
        self._state.owed.extend(decision.contexts)
        return self._ruling(decision)

    async def prompt(self, text: str) -> Ruling:
        """UserPromptSubmit; `text` of the ruling is the prompt with all the model is to know."""
        self._state.stops = 0
        decision = await self.fire("UserPromptSubmit", prompt=text)
        given = (decision.updated_input or {}).get("prompt", text)
        return self._ruling(decision, str(given), (*self._taken(), *decision.contexts))

    async def before(self, name: str, given: Mapping[str, Any], call_id: str = "") -> Ruling:
        """PreToolUse, and what a person says where one has to; the value is the input to call the tool with."""
        ruling = await self.consider(name, given, call_id)
        return await self._asked(name, ruling, call_id) if ruling.word == "ask" else ruling

    async def consider(self, name: str, given: Mapping[str, Any], call_id: str = "") -> Ruling:
        """PreToolUse alone: `ask` where a person has to permit the call."""
        decision = await self.fire("PreToolUse", **self._call(name, given, call_id))
        value = self._rewritten(name, given, decision)
        if decision.needs_person:
            return Ruling(
                "ask", value, decision.reason or "a hook wants a person to decide", decision.contexts
            )
        if not decision.blocked:
            self._state.owed.extend(decision.contexts)
            return Ruling("allow", value)
        return self._ruling(decision, value, decision.contexts)

    async def after(
        self, name: str, given: Mapping[str, Any], result: Any, call_id: str = "", *, failed: bool = False
    ) -> Ruling:
        """PostToolUse, or PostToolUseFailure with `result` as the error. The value is the result as hooks left it;
        what they object is a note, since the tool has run. `halt` is the only other word.
        """
        about = self._call(name, given, call_id)
        if failed:
            decision = await self.fire("PostToolUseFailure", **about, error=str(result))
        else:
            decision = await self.fire("PostToolUse", **about, tool_response=plain(result))
        value = self._changed(name, result, decision)
        objections = (decision.reprompt, decision.reason) if decision.blocked else (decision.reprompt,)
        notes = (
            *self._taken(),
            *decision.contexts,
            *(f"[hook] {text}" for text in dict.fromkeys(objections) if text),
        )
        word: Word = "halt" if decision.verdict is Verdict.HALT else "allow"
        return Ruling(word, value, decision.why if word == "halt" else "", notes)

    async def stop(self, text: str) -> Ruling:
        """Stop: `deny` means that the agent has to go on, with the reason as its next prompt.

        After three times in one turn it may stop all the same.
        """
        self._state.stops += 1
        decision = await self.fire(
            "Stop",
            last_assistant_message=text,
            stop_hook_active=self._state.stops > 1,
            attempt=self._state.stops,
        )
        wish = decision.reprompt or (decision.reason if decision.blocked else "")
        if decision.verdict is Verdict.HALT or not (wish or decision.blocked):
            self._state.owed.extend(decision.contexts)
            return Ruling("allow", text)
        if self._state.stops > STOP_CAP:
            self.tell(f"stopped after {STOP_CAP} continuations: {wish}")
            return Ruling("allow", text)
        return Ruling("deny", text, wish or "A hook wants you to go on.", decision.contexts)

    async def request(
        self, model: str, messages: Sequence[Any], params: Mapping[str, Any] | None = None
    ) -> Ruling:
        """PreModelRequest, before the model is asked; the value is the messages as hooks left them."""
        asked = {"model": model, "messages": list(messages), "config": dict(params or {})}
        decision = await self.fire("PreModelRequest", llm_request=asked)
        changed = decision.products.get("llm_request")
        given = changed.get("messages") if isinstance(changed, dict) else None
        return self._ruling(decision, given if isinstance(given, list) else list(messages))

    async def response(self, model: str, text: str, finish_reason: str = "stop") -> Ruling:
        """PostModelResponse, after the model answered."""
        candidate = {"content": {"role": "model", "parts": [text]}, "finishReason": finish_reason.upper()}
        answer = {"text": text, "candidates": [candidate]}
        decision = await self.fire("PostModelResponse", llm_request={"model": model}, llm_response=answer)
        return self._ruling(decision, text)

    async def end(self, reason: str = "other") -> None:
        """SessionEnd."""
        await self.fire("SessionEnd", reason=reason)

    async def fire(self, event: EventName, **fields: Any) -> Decision:
        """The decision of an event of this session; what it says to the user is told."""
        made = make_event(event, workspace=self.engine.workspace, session_id=self.session_id, **fields)
        decision = await self.engine.fire(made)
        for words in (*decision.messages, *decision.degraded):
            self.tell(words)
        for name in decision.products.keys() - APPLIED:
            self.tell(f"a hook asked for `{name}` at {decision.kind.value}, which has no effect here")
        return decision

    # -- names ----------------------------------------------------------------------------------------

    def _call(self, name: str, given: Mapping[str, Any], call_id: str) -> dict[str, Any]:
        shown, inputs = self._names(name)
        renamed = {inputs.get(key, key): plain(value) for key, value in given.items()}
        return {"tool_name": shown, "tool_input": renamed, "tool_use_id": call_id}

    def _rewritten(self, name: str, given: Mapping[str, Any], decision: Decision) -> dict[str, Any]:
        if decision.updated_input is None:
            return dict(given)
        back = {shown: own for own, shown in self._names(name)[1].items()}
        renamed = {back.get(key, key): value for key, value in decision.updated_input.items()}
        kept = {key for key in renamed if key in given and plain(given[key]) == renamed[key]}
        return {key: given[key] if key in kept else value for key, value in renamed.items()}

    def _names(self, name: str) -> tuple[str, Mapping[str, str]]:
        known = self._tools.get(name, name)
        return (known, {}) if isinstance(known, str) else known

    # -- decisions ----------------------------------------------------------------------------------

    def _ruling(self, decision: Decision, value: Any = None, notes: tuple[str, ...] = ()) -> Ruling:
        if not decision.blocked:
            return Ruling("allow", value, "", notes)
        return Ruling("halt" if decision.verdict is Verdict.HALT else "deny", value, decision.why, notes)

    async def _asked(self, name: str, ruling: Ruling, call_id: str) -> Ruling:
        """PermissionRequest hooks first, then the person."""
        request = await self.fire("PermissionRequest", **self._call(name, ruling.value, call_id))
        notes = (*ruling.notes, *request.contexts)
        if request.blocked:
            return self._ruling(request, ruling.value, notes)
        value = self._rewritten(name, ruling.value, request)
        if request.verdict is not Verdict.ALLOW and (
            refusal := await self.refused(name, value, ruling.reason)
        ):
            return Ruling("deny", value, refusal, notes)
        self._state.owed.extend(notes)
        return Ruling("allow", value)

    async def refused(self, name: str, given: Mapping[str, Any], reason: str) -> str:
        """Why a call that a person has to permit may not be made; empty after a yes."""
        if self._ask is None:
            return f"{reason}; a person has to permit it, and nobody is there to ask"
        ended = await called(self._ask, Question(name, given, reason))
        if ended.error is not None:
            return f"{reason}; the person could not be asked: {type(ended.error).__name__}: {ended.error}"
        return "" if ended.value is True else f"{reason}; the person said no"

    def _changed(self, name: str, result: Any, decision: Decision) -> Any:
        if not isinstance(result, str):
            return decision.products.get("updated_tool_output", result)
        changed, why_not = replaced(name, ToolOutput(result), decision.products)
        if why_not:
            self.tell(why_not)
        return changed.content

    def _taken(self) -> tuple[str, ...]:
        taken = tuple(self._state.owed)
        self._state.owed.clear()
        return taken


class Sessions:
    """The gates of sessions that go on side by side, by their ids."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._known: dict[str, Gate] = {}

    def of(self, session_id: str) -> Gate:
        if session_id not in self._known:
            while len(self._known) >= SESSIONS_KEPT:
                del self._known[next(iter(self._known))]
            self._known[session_id] = self._gate.session(session_id)
        return self._known[session_id]

    def forget(self, session_id: str) -> None:
        self._known.pop(session_id, None)


def halt_unless(ruling: Ruling) -> None:
    """Raises Halted for a moment after which the run cannot go on unless it is allowed."""
    if not ruling.allowed:
        raise Halted(ruling.reason)


def plain(value: Any, depth: int = PLAIN_DEPTH) -> Any:
    """The value as JSON for hooks; what is none is told by its fields, or as text."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if depth == 0:
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(each, depth - 1) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(each, depth - 1) for each in value]
    if hasattr(value, "model_dump") and not isinstance(value, type):
        return plain(value.model_dump(mode="json"), depth - 1)
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name), depth - 1) for each in fields(value)}
    return str(value)
