"""Starts another hookline, or a program that goes on when we end: own session, no terminal, nothing held open."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from hookline.system.processes.spawn import encode_argv, encode_environment, spawn

_started: list[int] = []


def own_command(*arguments: str) -> tuple[str, ...]:
    """The command line of another hookline of this very version.

    Found as this one was, but never in the folder it starts in: a workspace may have a `hookline` or a `json.py`.
    """
    return (sys.executable, "-I" if sys.flags.isolated else "-P", "-m", "hookline", *arguments)


def start_detached(argv: Sequence[str], stdin: bytes, environment: Mapping[str, str], cwd: str) -> int:
    """The pid of the program, which reads `stdin` and whose output nobody sees. Raises OSError."""
    given = os.memfd_create("stdin")
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        _fill(given, stdin)
        streams = (given, nowhere, nowhere)
        path = environment.get("PATH", os.defpath)
        encoded, _ = encode_environment(environment, "HOOKLINE_DETACHED=1")
        _started.append(spawn(encode_argv(argv), encoded, path, cwd, streams))
        return _started[-1]
    finally:
        os.close(given)
        os.close(nowhere)


def _fill(handle: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]
    os.lseek(handle, 0, os.SEEK_SET)


def reap_detached() -> None:
    """Lets go of those that ended meanwhile, for a process that lives long itself."""
    for pid in tuple(_started):
        try:
            ended, _ = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            ended = pid
        if ended:
            _started.remove(pid)
