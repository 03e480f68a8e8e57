"""Standard streams that whoever started us closed (`>&-`), and named pipes in place of a file (`--input <(…)`)."""

from __future__ import annotations

import os
import stat
import sys
from select import POLLIN, poll

from hookline.model.errors import StateError
from hookline.system.files import FilePath


def hold_standard_streams() -> None:
    """Fills the places of closed streams, so that no file opened later is taken for one of them.

    What is written as text to such a stream goes nowhere. Descriptor 1 itself takes no bytes: whoever has an
    answer to give, and not only talk, shall notice that nobody can get it.
    """
    for number, name, flags in (
        (0, "stdin", os.O_RDONLY),
        (1, "stdout", os.O_RDONLY),
        (2, "stderr", os.O_WRONLY),
    ):
        if getattr(sys, name) is None:
            _fill(number, flags)
            stream = open(os.devnull, "w" if number else "r", encoding="utf-8")  # noqa: SIM115 - stays open
            setattr(sys, name, stream)


def _fill(number: int, flags: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        null = os.open(os.devnull, flags)
        if null != number:
            os.dup2(null, number)
            os.close(null)
        os.set_inheritable(number, True)


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
