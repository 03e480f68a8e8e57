"""Every hook of a workspace, of every dialect, as one interceptor of AGENT-HOOKS-0.1."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from hookline.engine.fire import Engine
from hookline.hosts.tool_loop.side_effects import as_text
from hookline.integrations.agent_hooks.contexts import Context, value_at
from hookline.integrations.agent_hooks.verdicts import HOST, Verdict
from hookline.integrations.gate import Gate, Names, Ruling, Sessions
from hookline.model.errors import PayloadError

REASON_CHARACTERS = 256
PROMPT = ("input", "content")
ENDS: Mapping[str, str] = {"completed": "other", "error": "error", "cancelled": "interrupted"}


class Moment(NamedTuple):
    """`judge` fires the event of a point. `path` and `place`: what hooks may rewrite, as the standard writes it and
    where it stands in the context. `notes`: texts for the model can be added there, if it is a text.
    """

    judge: Callable[[Gate, Context], Awaitable[Ruling | None]]
    path: str = ""
    place: tuple[str, ...] = ()
    notes: bool = False


MOMENTS: Mapping[str, Moment] = {
    "agent_startup": Moment(lambda gate, at: gate.start()),
    "input": Moment(
        lambda gate, at: gate.prompt(as_text(at["input"]["content"])),
        "$target.content", PROMPT, notes=True,
    ),
    "pre_model_call": Moment(
        lambda gate, at: gate.request(at["model"]["id"], at["messages"], at["model"].get("params")),
        "$target", ("messages",),
    ),
    "post_model_call": Moment(
        lambda gate, at: gate.response(at["model"]["id"], _words(at["response"]), at["response"]["finish_reason"]),
    ),
    "pre_tool_call": Moment(
        lambda gate, at: gate.consider(at["tool_call"]["name"], at["tool_call"]["args"], at["tool_call"]["id"]),
        "$target", ("tool_call", "args"),
    ),
    "post_tool_call": Moment(
        lambda gate, at: gate.after(
            at["tool_call"]["name"], at["tool_call"]["args"], at["tool_result"]["value"], at["tool_call"]["id"],
            failed=at["tool_result"]["is_error"],
        ),
        "$target", ("tool_result", "value"), notes=True,
    ),
    "output": Moment(lambda gate, at: gate.stop(_words(at["output"]))),
    "agent_shutdown": Moment(lambda gate, at: gate.end(ENDS[at["summary"]["reason"]])),
}  # fmt: skip
_ACTIONS = frozenset({"pre_model_call", "pre_tool_call"})


class Hooks:
    """Register it with any host of the standard. `hooks`: a folder, whose hooks of all dialects are read, or an
    engine; `tools` as of `Gate`.

    A hook that asks for a person gives a deny that an approval can lift. After a hook halted the run, nothing more
    is done until the next `input`. What hooks say to the user are warnings.
    """

    name = "hookline"

    def __init__(self, hooks: Engine | str = ".", *, tools: Names | None = None) -> None:
        self._sessions = Sessions(Gate(hooks, tools=tools))
        self._halted: dict[str, str] = {}

    async def intercept(self, context: Context) -> Verdict:
        """The verdict on one context. Raises PayloadError for what is no context of the standard."""
        moment = MOMENTS.get(str(context.get("interception_point")))
        if moment is None:
            raise PayloadError(f"`interception_point`: expected one of {', '.join(MOMENTS)}")
        point, session = context["interception_point"], context["session"]["id"]
        if point == "input":
            self._halted.pop(session, None)
        elif point in _ACTIONS and session in self._halted:
            return _denied(self._halted[session])
        told: list[str] = []
        gate = self._sessions.of(session).telling(told.append)
        ruling = await moment.judge(gate, context)
        if point == "agent_shutdown":
            self._sessions.forget(session)
            self._halted.pop(session, None)
        if ruling is None:
            return _with_warnings({"decision": "allow"}, told)
        if ruling.word == "halt":
            self._halted[session] = ruling.reason
        return verdict(ruling, moment, context, told)


def verdict(ruling: Ruling, moment: Moment, context: Context, told: list[str]) -> Verdict:
    """What a host of the standard is told of a ruling."""
    if not ruling.allowed:
        denied = _denied(ruling.reason, ruling.notes)
        return _with_warnings({**denied, "approval": {}} if ruling.word == "ask" else denied, told)
    before = value_at(context, moment.place)
    value, notes = ruling.value, ruling.notes
    if moment.place == PROMPT and not isinstance(before, str):
        if value != as_text(before):
            return _with_warnings(_denied("a hook rewrote a prompt that is no text"), told)
        value = before
    if notes and moment.notes and isinstance(before, str):
        value, notes = ruling.text, ()
    told = [*told, *(f"for the model: {note}" for note in notes)]
    if not moment.place or value == before:
        return _with_warnings({"decision": "allow"}, told)
    return _with_warnings({"decision": "transform", "transform": {"path": moment.path, "value": value}}, told)


def _denied(reason: str, notes: tuple[str, ...] = ()) -> Verdict:
    """Both members say why: what reaches the model is the `reason` with some hosts, the `message` with others."""
    short = reason if len(reason) <= REASON_CHARACTERS else f"{reason[: REASON_CHARACTERS - 1]}…"
    safe = f"hook: {short}" if short.startswith(HOST) else short
    return {"decision": "deny", "reason": safe, "message": "\n\n".join((reason, *notes))}


def _with_warnings(given: Verdict, told: list[str]) -> Verdict:
    warnings = [{"reason": "hookline", "message": words} for words in told]
    return {**given, "warnings": warnings} if warnings else given


def _words(holder: Mapping[str, Any]) -> str:
    return "" if holder["content"] is None else as_text(holder["content"])
