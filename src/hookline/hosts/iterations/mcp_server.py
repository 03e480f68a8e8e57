"""The task tools as an MCP server: over HTTP on loopback, or on standard input and output.

Source: Model Context Protocol, revisions 2024-11-05 to 2025-11-25 (streamable HTTP, plain JSON answers).
"""

from __future__ import annotations

import asyncio
import json
from asyncio import Server, StreamReader, StreamWriter
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from hookline import __version__
from hookline.agents.base import ToolSchema
from hookline.agents.jsonrpc import FINISH_S, INVALID_PARAMS, METHOD_NOT_FOUND, Peer, ReadLine, RpcError
from hookline.hosts.iterations.task_tools import SERVER, task_tools
from hookline.hosts.iterations.tasks import TaskStore
from hookline.hosts.tool_loop.toolbox import Toolbox
from hookline.hosts.tool_loop.tools import ToolContext, ToolOutput
from hookline.model.errors import HooklineError
from hookline.model.short_json import whole

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
PATH = "/mcp"
LONGEST_BODY = 4 << 20
LONGEST_HEAD = 16 << 10
READ_S = 30.0
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


class McpServer:
    """Answers MCP requests with the tools of one store."""

    def __init__(self, store: TaskStore) -> None:
        self._tools = Toolbox(task_tools(store))

    async def answer(self, method: str, params: Mapping[str, Any]) -> Any:
        """The result of one request. Raises RpcError."""
        match method:
            case "initialize":
                wanted = params.get("protocolVersion")
                return {
                    "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": SERVER, "version": __version__},
                }
            case "ping":
                return {}
            case "tools/list":
                return {"tools": [_shown(schema) for schema in self._tools.schemas()]}
            case "tools/call":
                return await self._call(params)
        raise RpcError(f"unknown method `{method}`", METHOD_NOT_FOUND)

    async def _call(self, params: Mapping[str, Any]) -> Any:
        name, given = str(params.get("name")), params.get("arguments") or {}
        if self._tools.get(name) is None or not isinstance(given, dict):
            raise RpcError(f"unknown tool {params.get('name')!r}", INVALID_PARAMS)
        problem = self._tools.problem(name, given)
        if problem is not None:
            output = ToolOutput(f"error: {problem}", is_error=True)
        else:
            output = await self._tools.call(name, given, ToolContext("", ""))
        return {"content": [{"type": "text", "text": output.content}], "isError": output.is_error}

    async def serve_lines(self, read_line: ReadLine, write: Any) -> None:
        """Serves one client by lines until its input ends, and answers what it asked until then."""
        await Peer(read_line, write, self.answer, finish_s=FINISH_S).serve()


class McpHttp:
    """The same over HTTP at `url`, on a free loopback port, from `start` to `stop`.

    Foreign `Host` and `Origin` headers are refused: a web page must not reach it through the browser.
    """

    def __init__(self, server: McpServer) -> None:
        self._mcp = server
        self._http: Server | None = None
        self._clients: set[asyncio.Task[Any]] = set()

    @property
    def url(self) -> str:
        assert self._http is not None
        return f"http://127.0.0.1:{self._http.sockets[0].getsockname()[1]}{PATH}"

    async def start(self) -> None:
        self._http = await asyncio.start_server(self._client, "127.0.0.1", 0, limit=LONGEST_HEAD)

    async def stop(self) -> None:
        if self._http is not None:
            self._http.close()
        for task in tuple(self._clients):
            task.cancel()
        if self._clients:
            await asyncio.wait(self._clients)

    async def _client(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ValueError):
            pass  # the client went away, or does not speak HTTP
        except asyncio.CancelledError:
            pass  # `stop`
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
            self._clients.discard(task)

    async def _exchange(self, reader: StreamReader, writer: StreamWriter) -> bool:
        """One request and its answer; False when the client is done."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        request, *lines = head.split("\r\n")
        method, path, _ = request.split(" ", 2)
        headers = {
            name.strip().lower(): value.strip() for name, _, value in (each.partition(":") for each in lines)
        }
        async with asyncio.timeout(READ_S):
            body = await _body(reader, headers)
        status, content = await self._response(method, path, headers, body)
        kept = headers.get("connection", "").lower() != "close"
        writer.write(_http(status, content, kept))
        await writer.drain()
        return kept

    async def _response(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[str, bytes]:
        if not _is_local(headers):
            return "403 Forbidden", b""
        if path.partition("?")[0] != PATH:
            return "404 Not Found", b""
        if method == "DELETE":
            return "200 OK", b""
        if method != "POST":
            return "405 Method Not Allowed", b""
        if body is None:
            return "413 Content Too Large", b""
        return await self._rpc(body)

    async def _rpc(self, body: bytes) -> tuple[str, bytes]:
        try:
            message = whole(json.loads(body))
        except (ValueError, RecursionError):
            return "400 Bad Request", _error(None, -32700, "not JSON")
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            is_answer = isinstance(message, dict) and "id" in message
            return (
                ("202 Accepted", b"")
                if is_answer
                else ("400 Bad Request", _error(None, -32600, "no request"))
            )
        number = message.get("id")
        if number is None:
            return "202 Accepted", b""
        params = message.get("params")
        try:
            result = await self._mcp.answer(message["method"], params if isinstance(params, dict) else {})
        except RpcError as error:
            return "200 OK", _error(number, error.code, error.message)
        except HooklineError as error:
            return "200 OK", _error(number, -32603, error.message)
        return "200 OK", json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode()


async def _body(reader: StreamReader, headers: Mapping[str, str]) -> bytes | None:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return await _chunks(reader)
    length = int(headers.get("content-length") or 0)
    if length > LONGEST_BODY:
        return None
    return await reader.readexactly(length)


async def _chunks(reader: StreamReader) -> bytes | None:
    body = b""
    while size := int((await reader.readline()).split(b";")[0], 16):
        if len(body) + size > LONGEST_BODY:
            return None
        body += await reader.readexactly(size)
        await reader.readline()
    while (await reader.readline()).strip():
        pass
    return body


def _is_local(headers: Mapping[str, str]) -> bool:
    host = headers.get("host", "").rpartition(":")[0] or headers.get("host", "")
    origin = headers.get("origin", "")
    site = origin.partition("://")[2]
    return host in _LOCAL and (not origin or (site.rpartition(":")[0] or site) in _LOCAL)


def _http(status: str, content: bytes, kept: bool) -> bytes:
    kind = "Content-Type: application/json\r\n" if content else ""
    life = "keep-alive" if kept else "close"
    head = f"HTTP/1.1 {status}\r\n{kind}Content-Length: {len(content)}\r\nConnection: {life}\r\n\r\n"
    return head.encode() + content


def _error(number: Any, code: int, words: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": words}}).encode()


def _shown(schema: ToolSchema) -> Mapping[str, Any]:
    return {"name": schema.name, "description": schema.description, "inputSchema": schema.parameters}
