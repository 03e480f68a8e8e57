"""The task tools as an MCP server, judged by the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program

from hookline.hosts.iterations.mcp_server import McpHttp, McpServer
from hookline.hosts.iterations.tasks import TaskStore
from hookline.state.eventlog import SqliteEventLog

NAMES = [
    "task-add", "task-update", "task-list", "task-next", "note-add", "note-list", "iteration-summary",
    "session-complete",
]  # fmt: skip


@asynccontextmanager
async def serving(tmp_path: Path) -> AsyncIterator[str]:
    log = SqliteEventLog(str(tmp_path / "events.db"))
    http = McpHttp(McpServer(TaskStore(log, "s", by_agent=True)))
    await http.start()
    try:
        yield http.url
    finally:
        await http.stop()
        await log.close()


async def use(session: Any) -> list[str]:
    """What the tools answer to a client that does the usual round."""
    listed = await session.list_tools()
    assert [tool.name for tool in listed.tools] == NAMES
    answers = []
    for name, given in (
        ("task-next", {}),
        ("task-add", {"tasks": [{"content": "one", "priority": 0}, {"content": "two"}]}),
        ("task-update", {"id": "TAS-2", "status": "in_progress", "depends_on": ["TAS-1"]}),
        ("task-update", {"id": "TAS-1", "status": "in_progress"}),
        ("task-add", {"tasks": [{"content": "three"}, {"content": "ONE "}]}),
        ("task-list", {}),
        ("session-complete", {}),
        ("task-next", {}),
        ("note-add", {"notes": [{"content": "hot", "type": "tip"}]}),
        ("note-list", {"type": "tip"}),
        ("note-add", {"notes": [{"content": "x", "type": "rumour"}]}),
        ("task-update", {"status": "completed"}),
    ):
        result = await session.call_tool(name, given)
        answers.append(result.content[0].text)
    return answers


EXPECTED = [
    "No ready tasks",
    "Added TAS-1 [remaining] P0 one\nAdded TAS-2 [remaining] P2 two",
    "Updated TAS-2 [in_progress] P2 two (after TAS-1)",
    "error: TAS-2 is in progress; finish it first",
    "error: TAS-1 says the same already",
    "TAS-1 [remaining] P0 one\nTAS-2 [in_progress] P2 two (after TAS-1)",
    "error: not all tasks are done: TAS-1, TAS-2",
    "TAS-1 [remaining] P0 one",
    "Added NOT-1 [tip] hot",
    "NOT-1 [tip] hot",
    "error: `type` must be one of learning, stuck, tip, decision, found 'rumour'",
    "error: task-update needs `id`",
]


def test_the_sdk_client_uses_every_tool_over_http(tmp_path: Path) -> None:
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async def work() -> list[str]:
        async with (
            serving(tmp_path) as url,
            streamable_http_client(url) as (read, write, *_),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            return await use(session)

    assert asyncio.run(work()) == EXPECTED


def test_the_sdk_client_uses_every_tool_over_stdio(program: Program) -> None:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def work() -> list[str]:
        given = StdioServerParameters(
            command=sys.executable,
            args=["-m", "hookline", "task", "mcp", "--name", "s"],
            env=program.environment,
            cwd=str(program.workspace),
        )
        async with stdio_client(given) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            return await use(session)

    assert asyncio.run(work()) == EXPECTED
    assert program("note", "list").stdout == "NOT-1 [tip] hot\n"


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        ("POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 2\r\n\r\n{}", "403"),
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nContent-Length: 2\r\n\r\n{}", "403"),
        ("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", "405"),
        ("POST /other HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", "404"),
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n", "413"),
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n{", "400"),
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", "400"),
    ],
)  # fmt: skip
def test_what_is_no_request_of_a_local_client_is_refused(
    tmp_path: Path, request_text: str, status: str
) -> None:
    async def work() -> str:
        async with serving(tmp_path) as url:
            port = int(url.split(":")[2].split("/")[0])
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request_text.encode())
            line = (await reader.readline()).decode()
            writer.close()
            await writer.wait_closed()
            return line.split()[1]

    assert asyncio.run(work()) == status


def test_a_connection_serves_one_request_after_the_other(tmp_path: Path) -> None:
    async def work() -> list[Any]:
        async with serving(tmp_path) as url:
            port = int(url.split(":")[2].split("/")[0])
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            found = []
            for number in (1, 2):
                body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"})
                writer.write(
                    f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
                )
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = int(head.split("Content-Length: ")[1].split("\r\n")[0])
                found.append(json.loads(await reader.readexactly(length)))
            writer.close()
            await writer.wait_closed()
            return found

    assert asyncio.run(work()) == [{"jsonrpc": "2.0", "id": number, "result": {}} for number in (1, 2)]
