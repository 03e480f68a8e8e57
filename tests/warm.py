"""`python -m hookline` as a new process each time, forked from one that has imported it, as importing takes long."""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import pkgutil
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

SOURCE = Path(__file__).parent.parent / "src"
# What an interpreter reads of its environment before it runs anything, so that it cannot be changed by then.
AT_START = ("PYTHON", "LANG", "LC_")
STARTED_WITH = {
    "LANG": "C.UTF-8",
    "PYTHONPATH": str(SOURCE),
    "PYTHONDONTWRITEBYTECODE": os.environ.get("PYTHONDONTWRITEBYTECODE", ""),
}
CHUNK = 65_536
NEEDS_EXTRAS = "hookline.integrations."


def can_start(environment: Mapping[str, str]) -> bool:
    """Whether a process with these variables is what the server forks; elsewhere than on Linux none is."""
    at_start = {name: value for name, value in environment.items() if name.startswith(AT_START)}
    return at_start == STARTED_WITH and hasattr(os, "pidfd_open")


def run(
    arguments: Sequence[str], given: bytes, cwd: Path, environment: Mapping[str, str], timeout: float
) -> subprocess.CompletedProcess[bytes]:
    """As `subprocess.run` with the output captured."""
    with contextlib.ExitStack() as ours:
        talk, theirs = socket.socketpair()
        ours.enter_context(talk)
        pipes = [os.pipe() for _ in range(3)]
        stdin, *outputs = (
            ours.enter_context(open(fd, mode, 0))
            for fd, mode in ((pipes[0][1], "wb"), (pipes[1][0], "rb"), (pipes[2][0], "rb"))
        )
        passed = [theirs.detach(), pipes[0][0], pipes[1][1], pipes[2][1]]
        socket.send_fds(_server(), [b"x"], passed)
        for fd in passed:
            os.close(fd)
        talk.sendall(json.dumps([list(arguments), str(cwd), dict(environment)]).encode())
        talk.shutdown(socket.SHUT_WR)
        said = _communicate(stdin, [*outputs, talk.makefile("rb", 0)], given, time.monotonic() + timeout)
    out, err, (_, code) = said[0], said[1], said[2].split()
    return subprocess.CompletedProcess(arguments, int(code), out, err)


def _communicate(stdin: Any, outputs: list[Any], given: bytes, deadline: float) -> list[bytes]:
    """Feeds the one and reads the others to their ends; past the deadline the process is killed."""
    said = {stream: bytearray() for stream in outputs}
    with selectors.DefaultSelector() as waiting:
        for stream in outputs:
            waiting.register(stream, selectors.EVENT_READ)
        os.set_blocking(stdin.fileno(), False)
        waiting.register(stdin, selectors.EVENT_WRITE)
        while waiting.get_map():
            ready = waiting.select(max(deadline - time.monotonic(), 0))
            if not ready and time.monotonic() >= deadline:
                os.kill(int(said[outputs[-1]].split()[0]), signal.SIGKILL)
                raise subprocess.TimeoutExpired("hookline", 0, *map(bytes, said.values()))
            for key, _ in ready:
                stream = key.fileobj
                if stream is stdin:
                    with contextlib.suppress(BrokenPipeError):
                        given = given[stdin.write(given[:CHUNK]) if given else 0 :]
                        if given:
                            continue
                elif chunk := stream.read(CHUNK):
                    said[stream] += chunk
                    continue
                waiting.unregister(stream)
                stream.close()
    return [bytes(text) for text in said.values()]


@functools.cache
def _server() -> socket.socket:
    """Asks for processes; when this end is closed, with the tests, the server ends."""
    ours, theirs = socket.socketpair()
    with theirs:
        server = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd="/",
            env=STARTED_WITH,
        )  # fmt: skip
    atexit.register(_end, ours, server)
    return ours


def _end(ours: socket.socket, server: subprocess.Popen[bytes]) -> None:
    ours.close()
    server.wait()


def serve(control: socket.socket) -> int:
    """Until the tests end. A process that it forks becomes the program, and does not come back."""
    _import_all()
    gc.freeze()  # a collection in a child would copy all of it
    waiting = selectors.DefaultSelector()
    waiting.register(control, selectors.EVENT_READ)
    while True:
        for key, _ in waiting.select():
            if key.data:
                pid, reply = key.data
                _tell(reply, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
                waiting.unregister(key.fileobj)
                os.close(key.fd)
                os.close(reply)
                continue
            word, (*fds,), _, _ = socket.recv_fds(control, 1, 4)
            if not word:
                return 0
            pid = os.fork()
            if not pid:
                waiting.close()
                control.close()
                _become(*fds)
            _tell(fds[0], pid)
            waiting.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, fds[0]))
            for fd in fds[1:]:
                os.close(fd)


def _tell(reply: int, number: int) -> None:
    with contextlib.suppress(BrokenPipeError):
        os.write(reply, b"%d\n" % number)


def _become(request: int, *standard: int) -> NoReturn:
    with open(request, "rb") as asked:
        arguments, cwd, environment = json.load(asked)
    for number, fd in enumerate(standard):
        os.dup2(fd, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    os.chdir(cwd)
    import hookline.__main__ as program
    from hookline.cli.main import entry

    sys.path[0] = cwd  # where `-m` looks first
    sys.argv = [str(program.__file__), *arguments]
    _leave(entry())


def _leave(code: int) -> NoReturn:
    """Ends as an interpreter does, but for taking apart what was imported: that would copy all of it first."""
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = 120  # as the interpreter ends then
    os._exit(code)


def _import_all() -> None:
    import hookline

    for found in pkgutil.walk_packages(hookline.__path__, "hookline."):
        if not found.name.startswith(NEEDS_EXTRAS):
            importlib.import_module(found.name)


if __name__ == "__main__":
    sys.exit(serve(socket.socket(fileno=int(sys.argv[1]))))
