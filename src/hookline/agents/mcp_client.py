"""Calls the tools of an MCP server as an ACP session names it: by URL or as a program."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

from hookline import __version__
from hookline.agents.jsonrpc import Peer, RpcError
from hookline.model.short_json import whole
from hookline.system.processes.line_process import Conversation

VERSION = "2025-06-18"
CALL_S = 60.0
_HELLO = {
    "protocolVersion": VERSION,
    "capabilities": {},
    "clientInfo": {"name": "hookline", "version": __version__},
}


class McpClient:
    """One server, from `begin` to `close`. `server` is an entry of ACP's `mcpServers`. Raises HooklineError."""

    def __init__(self, server: Mapping[str, Any], cwd: str, environment: Mapping[str, str]) -> None:
        self._server = server
        self._cwd = cwd
        self._environment = environment
        self._process: Conversation | None = None
        self._peer: Peer | None = None
        self._serving: asyncio.Task[None] | None = None
        self._headers: dict[str, str] = {}

    async def begin(self) -> None:
        if "command" in self._server:
            given = {str(each["name"]): str(each["value"]) for each in self._server.get("env") or ()}
            argv = (str(self._server["command"]), *map(str, self._server.get("args") or ()))
            self._process = await Conversation.begin(argv, self._cwd, {**self._environment, **given})
            self._peer = Peer(self._process.read_line, self._process.write)
            self._serving = asyncio.create_task(self._peer.serve())
        await self._ask("initialize", _HELLO)
        await self._tell("notifications/initialized")

    async def call(self, tool: str, given: Mapping[str, Any]) -> tuple[str, bool]:
        """The text a tool answers, and whether it is an error."""
        result = await self._ask("tools/call", {"name": tool, "arguments": dict(given)})
        texts = [str(block.get("text") or "") for block in result.get("content") or ()]
        return "\n".join(texts), bool(result.get("isError"))

    async def close(self) -> None:
        if self._process is not None:
            await self._process.stop()
        if self._serving is not None:
            await self._serving

    async def _ask(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        async with asyncio.timeout(CALL_S):
            if self._peer is not None:
                result = await self._peer.request(method, params)
            else:
                message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params)}
                result = await asyncio.to_thread(self._post, message)
        return result if isinstance(result, dict) else {}

    async def _tell(self, method: str) -> None:
        if self._peer is not None:
            await self._peer.notify(method, {})
        else:
            await asyncio.to_thread(self._post, {"jsonrpc": "2.0", "method": method})

    def _post(self, message: Mapping[str, Any]) -> Any:

        own = {str(each["name"]): str(each["value"]) for each in self._server.get("headers") or ()}
        kinds = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        request = Request(
            str(self._server["url"]), json.dumps(message).encode(), {**kinds, **own}, method="POST"
        )
        try:
            # No proxy: the server is on this machine.
            with build_opener(ProxyHandler({})).open(request, timeout=CALL_S) as response:
                body = response.read()
        except OSError as error:
            raise RpcError(f"the MCP server `{self._server['name']}` does not answer: {error}") from error
        if not body:
            return {}
        try:
            answer = whole(json.loads(body))
        except (ValueError, RecursionError) as error:
            raise RpcError(f"the MCP server `{self._server['name']}` answers no JSON: {error}") from error
        if "error" in answer:
            raise RpcError(str(answer["error"].get("message")))
        return answer.get("result")
