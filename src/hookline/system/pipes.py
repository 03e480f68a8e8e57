"""Named pipes that a user gives us in place of a file (`--input <(…)`)."""

from __future__ import annotations

import os
import stat
from select import POLLIN, poll

from hookline.model.errors import StateError
from hookline.system.files import FilePath

WRITER_S = 10.0  # how long it may stay without a writer


def is_pipe(path: FilePath) -> bool:
    """Whether there is a named pipe, or a descriptor of one (`/dev/fd/63`)."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def read_pipe(path: FilePath) -> bytes:
    """All that comes out of a pipe that the user names. Raises StateError when nobody opens it to write for a while."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as pipe:
        first = _first_of(pipe.fileno())
        os.set_blocking(pipe.fileno(), True)
        return first + pipe.read()


def _first_of(handle: int) -> bytes:
    """What is in the pipe as soon as it has a writer, or has had one."""
    waiting = poll()
    waiting.register(handle, POLLIN)
    for limit_ms in (0, WRITER_S * 1000):
        told = waiting.poll(limit_ms)
        try:
            first = os.read(handle, 1 << 16)
        except BlockingIOError:  # there is a writer, who has not written yet
            return b""
        if first or told:
            return first
    raise StateError(f"nobody wrote into the pipe within {WRITER_S:g} s")
