"""JSON-RPC 2.0 between two programs, one JSON object per line: what ACP and MCP over stdio speak."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from hookline.model.errors import HooklineError
from hookline.model.short_json import json_or

ReadLine = Callable[[], Awaitable[bytes]]


Write = Callable[[bytes], Awaitable[None]]


Answer = Callable[[str, Mapping[str, Any]], Awaitable[Any]]


Hear = Callable[[str, Mapping[str, Any]], Awaitable[None]]

FINISH_S = 2.0
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603


class RpcError(HooklineError):
    """The other side answered with an error, or shall be answered with one."""

    def __init__(self, message: str, code: int = INTERNAL_ERROR) -> None:
        super().__init__(message)
        self.code = code


class RpcClosed(HooklineError):
    """The other side is gone; no answer will come."""


class Peer:
    """One side of a connection. `serve` must run for anything to arrive; it returns when the other side ends.

    `answer` gives the result of a request and may raise RpcError; requests are answered side by side.
    `hear` takes notifications, one after the other and before the answer that follows them. When the other side
    ends, answers under way have `finish_s` left: who asks and closes its input may still read.
    """

    def __init__(
        self,
        read_line: ReadLine,
        write: Write,
        answer: Answer | None = None,
        hear: Hear | None = None,
        finish_s: float = 0.0,
    ) -> None:
        self._read_line = read_line
        self._write = write
        self._answer = answer or _unknown
        self._hear = hear or _deaf
        self._finish_s = finish_s
        self._open: dict[int, asyncio.Future[Any]] = {}
        self._answering: set[asyncio.Task[None]] = set()
        self._count = 0
        self._closed = False

    async def serve(self) -> None:
        """Takes lines until there are no more; what is no JSON object is passed over, and answered if meant as one."""
        ended = False
        try:
            while line := await self._read_line():
                message = _parsed(line)
                if message is not None:
                    await self._take(message)
                elif line.lstrip().startswith((b"{", b"[")):
                    await self._send(_UNREAD)
            ended = True
        finally:
            self._closed = True
            for waiting in self._open.values():
                if not waiting.done():
                    waiting.set_exception(RpcClosed("the other side ended"))
                    waiting.exception()  # whoever asked may have gone, which is no news for anybody
            if ended and self._finish_s and self._answering:
                await asyncio.wait(tuple(self._answering), timeout=self._finish_s)
            for task in tuple(self._answering):
                task.cancel()

    async def request(self, method: str, params: Mapping[str, Any]) -> Any:
        """The result of a call. Raises RpcError for an error answer, RpcClosed when the other side ends."""
        if self._closed:
            raise RpcClosed("the other side ended")
        self._count += 1
        number = self._count
        self._open[number] = waiting = asyncio.get_running_loop().create_future()
        try:
            await self._send({"id": number, "method": method, "params": dict(params)})
            return await waiting
        finally:
            self._open.pop(number, None)

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        await self._send({"method": method, "params": dict(params)})

    async def _take(self, message: Mapping[str, Any]) -> None:
        method, number = message.get("method"), message.get("id")
        params = message.get("params")
        given = params if isinstance(params, dict) else {}
        if isinstance(method, str) and number is not None:
            task = asyncio.create_task(self._reply(method, given, number))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        elif isinstance(method, str):
            await self._hear(method, given)
        else:
            self._settle(message)

    def _settle(self, message: Mapping[str, Any]) -> None:
        number = message.get("id")
        waiting = self._open.get(number) if isinstance(number, int) else None
        if waiting is None or waiting.done():
            return
        error = message.get("error")
        if isinstance(error, dict):
            waiting.set_exception(RpcError(_error_words(error), _code(error)))
        else:
            waiting.set_result(message.get("result"))

    async def _reply(self, method: str, params: Mapping[str, Any], number: Any) -> None:
        try:
            answer: dict[str, Any] = {"id": number, "result": await self._answer(method, params)}
        except HooklineError as error:
            code = error.code if isinstance(error, RpcError) else INTERNAL_ERROR
            answer = {"id": number, "error": {"code": code, "message": error.message}}
        except Exception as error:  # the other side must not wait for ever for an answer
            words = f"{type(error).__name__}: {error}"
            answer = {"id": number, "error": {"code": INTERNAL_ERROR, "message": words}}
        try:
            await self._send(answer)
        except RpcClosed:
            pass

    async def _send(self, message: Mapping[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, default=str) + "\n"
        try:
            await self._write(line.encode("utf-8", "replace"))
        except (ConnectionError, RuntimeError) as error:
            raise RpcClosed("the other side ended") from error


_UNREAD = {"id": None, "error": {"code": -32700, "message": "this line is no JSON object that can be read"}}


def _parsed(line: bytes) -> Mapping[str, Any] | None:
    message = json_or(line)
    return message if isinstance(message, dict) else None


def _error_words(error: Mapping[str, Any]) -> str:
    words = str(error.get("message") or "unknown error")
    data = error.get("data")
    details = data.get("details") if isinstance(data, dict) else data
    return f"{words}: {details}" if details else words


def _code(error: Mapping[str, Any]) -> int:
    code = error.get("code")
    return code if isinstance(code, int) else INTERNAL_ERROR


async def _unknown(method: str, params: Mapping[str, Any]) -> Any:
    raise RpcError(f"unknown method `{method}`", METHOD_NOT_FOUND)


async def _deaf(method: str, params: Mapping[str, Any]) -> None:
    return None
