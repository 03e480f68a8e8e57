"""A program we talk to by lines: its standard input and output stay open while it lives."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import Process
from collections.abc import Mapping, Sequence
from contextlib import suppress

from hookline.model.errors import HandlerError

LONGEST_LINE = 64 << 20
STDERR_KEPT = 4096
GRACE_S = 2.0


class Conversation:
    """One living program, in a session of its own; what it prints to stderr is kept for error messages.

    `begin` raises HandlerError when it cannot be started. `stop` ends it and everything in its group.
    """

    def __init__(self, process: Process) -> None:
        self._process = process
        self._stderr = b""
        self._draining = asyncio.create_task(self._drain())

    @classmethod
    async def begin(cls, argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> Conversation:
        try:
            process = await asyncio.create_subprocess_exec(
                *argv,
                cwd=cwd,
                env=dict(env),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
                limit=LONGEST_LINE,
            )
        except OSError as error:
            words = f"`{argv[0]}` cannot be started: {error.strerror or error}"
            raise HandlerError(words, "is it installed, and on PATH?") from error
        return cls(process)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def read_line(self) -> bytes:
        """The next line, or nothing at the end of its output."""
        assert self._process.stdout is not None
        try:
            return await self._process.stdout.readline()
        except (ValueError, ConnectionError):  # a line without end, or a pipe that broke
            return b""

    async def write(self, content: bytes) -> None:
        """Raises ConnectionError when nobody reads any more."""
        assert self._process.stdin is not None
        self._process.stdin.write(content)
        await self._process.stdin.drain()

    async def last_words(self) -> str:
        """How it ended and the end of what it said on stderr, for people."""
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await self._process.wait()
                await asyncio.shield(self._draining)
        code = self._process.returncode
        how = (
            "closed its output" if code is None else f"ended with {code}" if code >= 0 else f"signal {-code}"
        )
        said = self._stderr.decode("utf-8", "replace").strip()
        return f"{how}: {said}" if said else how

    async def stop(self) -> None:
        """Closes its input, then ends it: TERM, and KILL after two seconds."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        for number in (signal.SIGTERM, signal.SIGKILL):
            self._signal(number)
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE_S):
                    await self._process.wait()
                    break
        self._signal(signal.SIGKILL)  # what it started may have outlived it
        self._draining.cancel()
        with suppress(asyncio.CancelledError):
            await self._draining

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    async def _drain(self) -> None:
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(65536):
            self._stderr = (self._stderr + chunk)[-STDERR_KEPT:]
