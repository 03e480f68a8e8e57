"""Streams as whoever shares them may have left them: they do not wait."""

from __future__ import annotations

import fcntl
import os
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.waiting import DEADLINE_S

SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ
SIZE = 4096  # so small that the other end is too slow again and again


def hasty_pipe() -> tuple[int, int]:
    reader, writer = os.pipe()
    fcntl.fcntl(writer, SET_PIPE_SIZE, SIZE)
    return reader, writer


def through_hasty_pipes(start: Callable[..., subprocess.Popen[Any]], given: bytes) -> tuple[int, bytes]:
    """The exit code of what `start` starts with its streams, and what it wrote: all three do not wait."""
    (our_in, their_out), (their_in, our_out) = hasty_pipe(), hasty_pipe()
    os.set_blocking(their_in, False)
    os.set_blocking(their_out, False)
    with (
        start(stdin=their_in, stdout=their_out, stderr=subprocess.DEVNULL) as process,
        ThreadPoolExecutor(1) as pool,
    ):
        os.close(their_in)
        os.close(their_out)
        with open(our_in, "rb") as reading:
            written = pool.submit(reading.read)
            try:
                with open(our_out, "wb") as writing:
                    writing.write(given)
            except BrokenPipeError:
                pass  # it did not read all of it
            return process.wait(DEADLINE_S), written.result(DEADLINE_S)
