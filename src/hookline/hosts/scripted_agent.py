"""An ACP agent that plays a script: for trying hooks and iterations without a model."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from typing import Any

from hookline import __version__
from hookline.agents.base import ToolUse
from hookline.agents.jsonrpc import FINISH_S, INVALID_PARAMS, METHOD_NOT_FOUND, Peer, RpcError
from hookline.agents.mcp_client import McpClient
from hookline.agents.scripted import Script, ScriptedModel, newest_text
from hookline.hosts.tool_loop.toolbox import Toolbox
from hookline.hosts.tool_loop.tools import ToolContext
from hookline.model.errors import HooklineError
from hookline.model.record import Record
from hookline.system import files
from hookline.system.loops.standard_input import standard_lines

LONGEST_LINE = 64 << 20
KINDS = {
    "Bash": "execute",
    "Edit": "edit",
    "Write": "edit",
    "Read": "read",
    "Grep": "search",
    "Glob": "search",
}
_OPTIONS = [
    {"optionId": "always", "name": "Always allow", "kind": "allow_always"},
    {"optionId": "once", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


class ScriptedSession(Record):
    """One session of the agent; its MCP servers by name."""

    id: str
    cwd: str
    servers: Mapping[str, Mapping[str, Any]]


class ScriptedAgent:
    """Serves one client on standard input and output until its input ends.

    A turn with `tool_calls` goes on with the next entry within the same prompt. Tools ask for permission
    as real agents do. `record` gets one line for each prompt, before its answer starts.
    """

    def __init__(self, script: Script, environment: Mapping[str, str], record: str | None = None) -> None:
        self._player = ScriptedModel(script)
        self._environment = environment
        self._record = record
        self._toolbox = Toolbox.standard()
        self._sessions: dict[str, ScriptedSession] = {}
        self._clients: dict[tuple[str, str], McpClient] = {}
        self._prompts: dict[str, asyncio.Task[str]] = {}
        self._count = 0
        self._calls = 0
        self._peer: Peer | None = None

    async def serve(self) -> None:
        read_line = await standard_lines(LONGEST_LINE)
        self._peer = Peer(read_line, _write, self._answer, self._hear, finish_s=FINISH_S)
        try:
            await self._peer.serve()
        finally:
            for task in self._prompts.values():
                task.cancel()
            for client in self._clients.values():
                await client.close()

    async def _answer(self, method: str, params: Mapping[str, Any]) -> Any:
        match method:
            case "initialize":
                return {
                    "protocolVersion": 1,
                    "agentInfo": {"name": "hookline-scripted", "title": "Scripted", "version": __version__},
                    "agentCapabilities": {
                        "loadSession": False,
                        "mcpCapabilities": {"http": True, "sse": False},
                    },
                    "authMethods": [],
                }
            case "session/new":
                return self._new_session(params)
            case "session/set_model":
                return {}
            case "session/prompt":
                return await self._prompt(params)
        raise RpcError(f"unknown method `{method}`", METHOD_NOT_FOUND)

    async def _hear(self, method: str, params: Mapping[str, Any]) -> None:
        task = self._prompts.get(str(params.get("sessionId")))
        if method == "session/cancel" and task is not None:
            task.cancel()

    def _new_session(self, params: Mapping[str, Any]) -> Any:
        number = f"session-{len(self._sessions) + 1}"
        servers = {str(each["name"]): each for each in params.get("mcpServers") or ()}
        self._sessions[number] = ScriptedSession(number, str(params["cwd"]), servers)
        return {"sessionId": number}

    # -- a prompt -------------------------------------------------------------------------------------

    async def _prompt(self, params: Mapping[str, Any]) -> Any:
        session = self._sessions.get(str(params.get("sessionId")))
        blocks = params.get("prompt")
        if session is None or not isinstance(blocks, list):
            raise RpcError("prompt needs a known `sessionId` and `prompt`", INVALID_PARAMS)
        self._count += 1
        if self._record is not None:
            line = {"n": self._count, "session": session.id, "prompt": blocks}
            files.append_line(self._record, json.dumps(line, ensure_ascii=False))
        task = self._prompts[session.id] = asyncio.ensure_future(self._play(session, blocks))
        try:
            return {"stopReason": await task}
        except asyncio.CancelledError:
            return {"stopReason": "cancelled"}

    async def _play(self, session: ScriptedSession, blocks: list[Any]) -> str:
        newest = newest_text([{"role": "user", "content": blocks}])
        while True:
            turn = self._player.take(newest)
            await asyncio.sleep(turn.delay)
            if turn.error:
                raise RpcError(turn.error)
            if turn.text:
                await self._update(
                    session, "agent_message_chunk", content={"type": "text", "text": turn.text}
                )
            if not turn.tool_calls:
                return "end_turn"
            results = [await self._use(session, call) for call in turn.tool_calls]
            newest = "\n".join(results)

    async def _use(self, session: ScriptedSession, call: Mapping[str, Any]) -> str:
        self._calls += 1
        use = ToolUse(f"call-{self._calls}", call["name"], call.get("input") or {})
        seen = {
            "toolCallId": use.id,
            "title": use.name,
            "kind": KINDS.get(use.name, "other"),
            "status": "pending",
            "rawInput": dict(use.input),
        }
        await self._update(session, "tool_call", **seen)
        try:
            text, failed = await self._result(session, use, seen)
        except HooklineError as error:
            text, failed = error.message, True
        content = [{"type": "content", "content": {"type": "text", "text": text}}]
        status = "failed" if failed else "completed"
        await self._update(session, "tool_call_update", toolCallId=use.id, status=status, content=content)
        return text

    async def _result(
        self, session: ScriptedSession, use: ToolUse, seen: Mapping[str, Any]
    ) -> tuple[str, bool]:
        if use.name.startswith("mcp__"):
            _, server, tool = use.name.split("__", 2)
            return await (await self._client(session, server)).call(tool, use.input)
        problem = self._toolbox.problem(use.name, use.input)
        if problem is not None:
            return problem, True
        if not await self._permitted(session, seen):
            return "Permission denied", True
        context = ToolContext(session.cwd, session.cwd, session.id, use.id, environment=self._environment)
        output = await self._toolbox.call(use.name, use.input, context)
        return output.content, output.is_error

    async def _permitted(self, session: ScriptedSession, seen: Mapping[str, Any]) -> bool:
        assert self._peer is not None
        given = {"sessionId": session.id, "toolCall": seen, "options": _OPTIONS}
        answer = await self._peer.request("session/request_permission", given)
        return answer["outcome"].get("optionId") in ("always", "once")

    async def _client(self, session: ScriptedSession, server: str) -> McpClient:
        known = self._clients.get((session.id, server))
        if known is None:
            if server not in session.servers:
                raise HooklineError(f"no MCP server `{server}` in this session")
            known = McpClient(session.servers[server], session.cwd, self._environment)
            await known.begin()
            self._clients[session.id, server] = known
        return known

    async def _update(self, session: ScriptedSession, what: str, **fields: Any) -> None:
        assert self._peer is not None
        update = {"sessionUpdate": what, **fields}
        await self._peer.notify("session/update", {"sessionId": session.id, "update": update})


async def _write(content: bytes) -> None:
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()
