"""Our side of an ACP agent: its requests for permission and files are put to the hooks first."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from hookline.agents.acp import AcpAgent
from hookline.agents.base import AgentReply, AgentUpdate, OnEvent, OnUpdate, ToolSchema
from hookline.agents.jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError
from hookline.engine import Engine
from hookline.hosts.telling import Telling
from hookline.hosts.tool_loop.permissions import Permissions
from hookline.hosts.tool_loop.toolbox import Toolbox, inside
from hookline.hosts.tool_loop.tools import Tool, ToolContext, ToolOutput
from hookline.model.errors import unheard
from hookline.model.events import EventKind, ToolCall, ToolDone, ToolFailed
from hookline.model.record import Record
from hookline.model.results import Verdict
from hookline.system import files

GUARDS = (EventKind.PreToolUse, EventKind.PermissionRequest)

# ACP's kinds of tools, in the canonical names hooks match on.
TOOL_NAMES = {
    "execute": "Bash",
    "edit": "Edit",
    "read": "Read",
    "search": "Grep",
    "fetch": "WebFetch",
    "delete": "Delete",
    "move": "Move",
    "think": "Think",
}
_PATH_KEYS = ("file_path", "filePath", "path", "absolute_path", "filename")
_COMMAND_KEYS = ("command", "cmd", "script")
_EDIT_KEYS = ("old_string", "new_string", "edits")
_CHANGES_FILES = frozenset({"Edit", "Write", "Delete", "Move"})


class AcpClient(Telling):
    """Answers an agent's requests and tells what it does.

    A call is allowed unless a hook denies it, or wants to ask: nobody is there. While hooks guard tools, a
    permission is given once only, so that the agent asks again.
    """

    def __init__(
        self,
        engine: Engine,
        workspace: str,
        session_id: str,
        on_event: OnEvent = unheard,
        hold: Callable[[str, str], Awaitable[None]] | None = None,
        permissions: Permissions | None = None,
    ) -> None:
        super().__init__(engine, workspace, session_id, on_event)
        self._context = ToolContext(workspace, workspace, session_id)
        self._approved: dict[str, ToolCall] = {}
        self._calls = KnownCalls()
        self.permissions = permissions or Permissions("bypassPermissions")
        self._hold = hold
        self._tools = Toolbox.standard()
        self._running: set[str] = set()
        self._after: list[asyncio.Task[None]] = []
        self._said = ""

    async def answer(self, method: str, params: Mapping[str, Any]) -> Any:
        """The result of one of the agent's requests. Raises RpcError."""
        known = {
            "session/request_permission": self._permission,
            "fs/read_text_file": self._read,
            "fs/write_text_file": self._write,
        }
        if method not in known:
            raise RpcError(f"unknown method `{method}`", METHOD_NOT_FOUND)
        return await known[method](params)

    async def update(self, update: AgentUpdate) -> None:
        """Passes on what the agent reports as the objects of the `--json` stream."""
        if update.type == "text":
            self._said += update.text
            self.tell("delta", text=update.text)
        elif update.type == "thought":
            self.tell("delta", role="thought", text=update.text)
        elif update.type in ("tool_call", "tool_call_update"):
            self._tool_moved(update)

    def end_of_speech(self) -> None:
        """What the agent said so far is one message; a tool or the end of the turn comes next."""
        said, self._said = self._said, ""
        if said:
            self.tell("message", role="assistant", text=said)

    async def settle(self) -> None:
        """Returns once the hooks behind every tool call have ended."""
        after, self._after = self._after, []
        await asyncio.gather(*after)

    def forget(self) -> None:
        """Stops the hooks behind tool calls; the turn was given up."""
        for task in self._after:
            task.cancel()
        self._after.clear()

    # -- permission -----------------------------------------------------------------------------------

    async def _permission(self, params: Mapping[str, Any]) -> Any:
        given, options = params.get("toolCall"), params.get("options")
        if not isinstance(given, dict) or not isinstance(options, list):
            raise RpcError("request_permission needs `toolCall` and `options`", INVALID_PARAMS)
        calls = tool_calls(self._calls.told(given))
        refused = await self._refusal_of_any(calls)
        if refused is None:
            for call in calls:
                self._approved[os.path.join(self.workspace, str(call.tool_input.get("file_path")))] = call
            guarded = any(spec.kind in GUARDS for spec in self.engine.hooks.specs)
            wanted = ("allow_once", "allow_always") if guarded else ("allow_always", "allow_once")
        else:
            wanted = ("reject_once", "reject_always")
        chosen = _option(options, wanted)
        if chosen is None and refused is None and options:
            chosen = str(options[0].get("optionId"))
        if chosen is None:
            return {"outcome": {"outcome": "cancelled"}}
        return {"outcome": {"outcome": "selected", "optionId": chosen}}

    async def _refusal_of_any(self, calls: Sequence[ToolCall]) -> str | None:
        for call in calls:
            if (refused := await self._refusal(call)) is not None:
                return refused
        return None

    async def _refusal(self, call: ToolCall) -> str | None:
        """Why hooks or permission rules do not allow a call; None when they do."""
        decision = await self.fire(EventKind.PreToolUse, call)
        if decision.blocked:
            return decision.reason or "denied by a hook"
        known = self._tools.get(call.tool_name) or _unknown_tool(call.tool_name)
        answer = self.permissions.answer(known, call.tool_input, decision.verdict, self.workspace)
        if answer.word == "deny" or (answer.word == "allow" and decision.verdict == Verdict.ALLOW):
            return answer.reason if answer.word == "deny" else None
        asked = await self.fire(EventKind.PermissionRequest, call)
        if asked.blocked:
            return asked.reason or "denied by a hook"
        if answer.word == "ask" and asked.verdict != Verdict.ALLOW:
            return f"{answer.reason}, and nobody is there to ask"
        return None

    # -- files ----------------------------------------------------------------------------------------

    async def _read(self, params: Mapping[str, Any]) -> Any:
        path = inside(str(params.get("path")), self._context)
        found = files.read_text(path)
        if found.state not in ("text", "empty"):
            raise RpcError(f"{path} is {found.state}: {found.reason}")
        lines = found.text.splitlines(keepends=True)
        first = max(1, int(params.get("line") or 1)) - 1
        limit = params.get("limit")
        return {"content": "".join(lines[first : first + int(limit) if limit else None])}

    async def _write(self, params: Mapping[str, Any]) -> Any:
        path = inside(str(params.get("path")), self._context)
        content = str(params.get("content") or "")
        call = ToolCall("Write", {"file_path": path, "content": content})
        approved = self._approved.pop(path, None)
        if approved is not None and gives(approved, files.read_text(path).text, content):
            pass  # it was asked about as it comes now
        elif (refused := await self._refusal(call)) is not None:
            raise RpcError(f"Permission denied: {refused}")
        files.ensure_dir(os.path.dirname(path))
        files.write_atomic(path, content)
        done = ToolDone("Write", call.tool_input, tool_response={"filePath": path})
        await self._follow_up(EventKind.PostToolUse, done)
        return {}

    # -- events ---------------------------------------------------------------------------------------

    def _tool_moved(self, update: AgentUpdate) -> None:
        self.end_of_speech()
        calls = tool_calls(self._calls.told(update.fields))
        if update.tool_id not in self._running:
            self._running.add(update.tool_id)
            self.tell(
                "tool.started", id=update.tool_id, name=calls[0].tool_name, input=dict(calls[0].tool_input)
            )
        if update.status in ("completed", "failed"):
            self._running.discard(update.tool_id)
            self._calls.forget(update.tool_id)
            failed = update.status == "failed"
            self.tell(
                "tool.finished",
                id=update.tool_id,
                name=calls[0].tool_name,
                is_error=failed,
                content=update.text,
            )
            # The agent goes on meanwhile, as it would in its own program.
            self._after += [asyncio.create_task(self._used(call, update.text, failed)) for call in calls]

    async def _used(self, call: ToolCall, text: str, failed: bool) -> None:
        given = (call.tool_name, call.tool_input, call.tool_use_id)
        if failed:
            await self._follow_up(EventKind.PostToolUseFailure, ToolFailed(*given, text))
        else:
            await self._follow_up(EventKind.PostToolUse, ToolDone(*given, text))

    async def _follow_up(self, kind: EventKind, body: Record) -> None:
        """What hooks say after a tool waits for the next prompt: there is no way into a turn under way."""
        decision = await self.fire(kind, body)
        objection = (decision.reason,) if decision.blocked and decision.reason else ()
        for text in (*objection, decision.reprompt, *decision.contexts):
            if text and self._hold is not None:
                await self._hold(kind.value, text)


class HostedAgent(AcpAgent):
    """An ACP agent whose requests our hooks judge and whose work we tell; `record` gets a line per prompt."""

    def __init__(
        self,
        argv: Sequence[str],
        client: AcpClient,
        model: str,
        record: str | None,
        warn: Callable[[str], None],
    ) -> None:
        super().__init__(argv, client.engine.environment, client.answer, model=model, warn=warn)
        self._client = client
        self._record = record
        self._count = 0

    async def prompt(
        self, session: str, texts: Sequence[str], on_update: OnUpdate | None = None
    ) -> AgentReply:
        self._count += 1
        blocks = [{"type": "text", "text": text} for text in texts]
        if self._record is not None:
            line = {"n": self._count, "session": session, "prompt": blocks}
            files.append_line(self._record, json.dumps(line, ensure_ascii=False))
        self._client.tell("message", role="user", text=texts[-1])
        try:
            return await super().prompt(session, texts, on_update or self._client.update)
        except asyncio.CancelledError:
            self._client.forget()
            raise
        finally:
            self._client.end_of_speech()
            await self._client.settle()


def _unknown_tool(name: str) -> Tool:
    """A tool only the agent has, for rules that name it."""

    async def run(given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
        raise NotImplementedError(name)

    return Tool(ToolSchema(name, "", {}), run)


def _option(options: Sequence[Any], wanted: Sequence[str]) -> str | None:
    for kind in wanted:
        found = next((each for each in options if isinstance(each, dict) and each.get("kind") == kind), None)
        if found is not None:
            return str(found.get("optionId"))
    return None


class KnownCalls:
    """What was told of each call so far: a request for permission may name no more than a call's id and input."""

    def __init__(self) -> None:
        self._told: dict[str, dict[str, Any]] = {}

    def told(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Everything known of a call, these fields included; what is null or empty says nothing."""
        name = str(given.get("toolCallId") or "")
        known = {} if given.get("sessionUpdate") == "tool_call" else self._told.get(name, {})
        fresh = {key: value for key, value in given.items() if value not in (None, {}, [])}
        if fresh.get("kind") == "other" and known.get("kind"):
            del fresh["kind"]
        if "content" in fresh and not any(_diffs(fresh)):
            fresh["content"] = [*_diffs(known), *_objects(fresh["content"])]  # a result, behind the change
        found = {**known, **fresh}
        if name:
            self._told[name] = found
        return found

    def forget(self, name: str) -> None:
        """The call is over; an agent may use its id for another one."""
        self._told.pop(name, None)


def tool_calls(given: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """One for each file that an ACP call changes, else just one; from `kind`, `rawInput`, `locations`, diffs."""
    raw = given.get("rawInput")
    wanted: dict[str, Any] = dict(raw) if isinstance(raw, dict) else {}
    found = [_of_diff(given, wanted, diff) for diff in _diffs(given)]
    call = _of_input(given, wanted)
    places = [str(call.tool_input.get("file_path") or ""), *_locations(given)]
    for path in dict.fromkeys(places) if call.tool_name in _CHANGES_FILES else ():
        if path and not any(_is_same(path, str(each.tool_input.get("file_path"))) for each in found):
            found.append(ToolCall(call.tool_name, {**call.tool_input, "file_path": path}, call.tool_use_id))
    return tuple(found) or (call,)


def gives(call: ToolCall, before: str, after: str) -> bool:
    """Whether a call that was allowed makes the one text of a file out of the other."""
    given = call.tool_input
    if call.tool_name == "Write":
        return bool(given.get("content") == after)
    old, new = given.get("old_string"), given.get("new_string")
    if call.tool_name != "Edit" or not isinstance(old, str) or not isinstance(new, str) or not old:
        return False
    return after in (before.replace(old, new, 1), before.replace(old, new))


def _of_diff(given: Mapping[str, Any], wanted: Mapping[str, Any], diff: Mapping[str, Any]) -> ToolCall:
    old, new = diff.get("oldText"), diff.get("newText")
    name = "Write" if old is None else TOOL_NAMES.get(str(given.get("kind")), "Edit")
    change = {"content": new} if old is None else {"old_string": old, "new_string": new}
    shown = {"file_path": str(diff.get("path") or ""), **change}
    if _is_same(str(wanted.get("file_path") or shown["file_path"]), shown["file_path"]):
        shown = {**shown, **wanted}
    return ToolCall(_whole(name, shown), shown, str(given.get("toolCallId") or ""))


def _of_input(given: Mapping[str, Any], wanted: dict[str, Any]) -> ToolCall:
    name = _name(given, wanted)
    command = next((wanted[key] for key in _COMMAND_KEYS if key in wanted), None)
    if name == "Bash" and "command" not in wanted:
        wanted = {**wanted, "command": command if command is not None else str(given.get("title") or "")}
    if isinstance(wanted.get("command"), list):
        wanted = {**wanted, "command": " ".join(map(str, wanted["command"]))}
    if name != "Bash" and "file_path" not in wanted:
        path = next((wanted[key] for key in _PATH_KEYS if key in wanted), None) or next(_locations(given), "")
        wanted = {**wanted, **({"file_path": path} if path else {})}
    return ToolCall(_whole(name, wanted), wanted, str(given.get("toolCallId") or ""))


def _name(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    kind = given.get("kind")
    if kind is None:  # told by its input alone
        if any(key in wanted for key in _COMMAND_KEYS):
            return "Bash"
        if any(key in wanted for key in (*_EDIT_KEYS, "content")) and any(
            key in wanted for key in _PATH_KEYS
        ):
            return "Edit"
    return TOOL_NAMES.get(str(kind or "")) or str(given.get("title") or "other")


def _whole(name: str, wanted: Mapping[str, Any]) -> str:
    """ACP has one kind for both; a guard of Write must see a whole file being written."""
    return "Write" if name == "Edit" and "content" in wanted and "old_string" not in wanted else name


def _is_same(one: str, other: str) -> bool:
    """Whether two paths name a file as far as they go: one may be relative."""
    shorter, longer = sorted((one.removeprefix("./"), other.removeprefix("./")), key=len)
    return longer == shorter or longer.endswith(f"/{shorter}")


def _locations(given: Mapping[str, Any]) -> Iterator[str]:
    return (str(place["path"]) for place in _objects(given.get("locations")) if place.get("path"))


def _diffs(given: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    return [block for block in _objects(given.get("content")) if block.get("type") == "diff"]


def _objects(items: object) -> list[Mapping[str, Any]]:
    return [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []
