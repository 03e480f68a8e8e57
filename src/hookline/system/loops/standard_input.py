"""Standard input line by line, whatever it is: a pipe, a terminal, a file, or nothing at all."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import Awaitable, Callable
from threading import Thread

from hookline.model.errors import HooklineError

_AT_ONCE = 1 << 16


async def standard_lines(limit: int) -> Callable[[], Awaitable[bytes]]:
    """What gives the next line that is said to us, empty at the end.

    Raises HooklineError at a line of more than `limit` bytes. A file and `/dev/null`, for which no loop can wait,
    are read by a thread.
    """
    reader = await _reader(limit)

    async def read_line() -> bytes:
        try:
            return await reader.readline()
        except ValueError:
            raise HooklineError(f"standard input: a line is longer than {limit} bytes") from None

    return read_line


async def _reader(limit: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit)
    number = sys.stdin.fileno()
    mode = os.fstat(number).st_mode
    loop = asyncio.get_running_loop()
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(number):
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    else:
        Thread(target=_feed, args=(reader, number, loop), daemon=True).start()
    return reader


def _feed(reader: asyncio.StreamReader, number: int, loop: asyncio.AbstractEventLoop) -> None:
    try:
        while content := os.read(number, _AT_ONCE):
            loop.call_soon_threadsafe(reader.feed_data, content)
        loop.call_soon_threadsafe(reader.feed_eof)
    except (OSError, RuntimeError):  # it cannot be read, as a folder cannot; or nobody listens any more
        if not loop.is_closed():
            loop.call_soon_threadsafe(reader.feed_eof)
