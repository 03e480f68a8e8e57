"""`python -m hookline` and `python -c CODE` as new processes, forked from one that has imported hookline already."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import gc
import importlib
import io
import json
import os
import pkgutil
import re
import select
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
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
MAIN = "import sys; from hookline.cli.main import entry; sys.exit(entry())"
NEEDS_EXTRAS = "hookline.integrations."
HOOKS = """[[hooks]]
event = "PreToolUse"
run = "jq -r .tool_input.command | grep -q 'rm -rf' && exit 2; exit 0"
"""
AT_WORK = ("anyio._backends._asyncio", "uvicorn.lifespan.off")  # what a server loads when it is asked


def can_start(environment: Mapping[str, str]) -> bool:
    """Whether a process with these variables is what the server forks; elsewhere than on Linux none is."""
    at_start = {name: value for name, value in environment.items() if name.startswith(AT_START)}
    return at_start == STARTED_WITH and hasattr(os, "pidfd_open")


def start(arguments: Sequence[str], env: Mapping[str, str], **options: Any) -> subprocess.Popen[Any]:
    """`python` with `-m hookline` or `-c CODE`, and arguments: forked where that makes no difference."""
    kind = Forked if can_start(env) else subprocess.Popen
    return kind([sys.executable, *arguments], env=env, **options)


def code(what: str, *arguments: str, **options: Any) -> subprocess.Popen[Any]:
    """`python -c`, without anything in its environment."""
    return start(["-c", what, *arguments], {"PATH": os.environ["PATH"], **STARTED_WITH}, **options)


class Forked(subprocess.Popen[Any]):
    """Where it runs and its streams can be chosen, nothing else."""

    def _execute_child(self, args: Any, *rest: Any) -> None:
        cwd, env, streams = rest[4], rest[5], rest[9:15]
        self._talk, theirs = socket.socketpair()
        passed = [
            each if each >= 0 else number for number, each in enumerate(streams[at] for at in (0, 3, 5))
        ]
        with theirs:
            socket.send_fds(_server(), [b"x"], [theirs.fileno(), *passed])
        self._close_pipe_fds(*streams)
        self._talk.sendall(json.dumps([args[1:], str(cwd or Path.cwd()), dict(env)]).encode())
        self._talk.shutdown(socket.SHUT_WR)
        self._told = self._talk.makefile("rb", 0)
        self.pid = int(self._told.readline())
        self._child_created = True

    def _wait(self, timeout: float | None) -> int:
        if self.returncode is None:
            if not select.select([self._talk], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            self.returncode = int(self._told.readline())
            self._told.close()
            self._talk.close()
        return self.returncode

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._wait(0)
        return self.returncode


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
    _make_once()
    gc.freeze()  # a collection in a child would copy all of it
    _join_pages()
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
        (way, what, *arguments), cwd, environment = json.load(asked)
    for number, fd in enumerate(standard):
        os.dup2(fd, number)
    kept = {"encoding": sys.stdout.encoding, "errors": sys.stdout.errors}
    sys.stdout = open(1, "w", closefd=False, **kept)  # noqa: SIM115  # ours was a file, this one may not seek
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    os.chdir(cwd)
    is_program = way == "-m"
    sys.path[0] = cwd if is_program else ""
    sys.argv = [str(SOURCE / what / "__main__.py") if is_program else way, *arguments]
    try:
        exec(MAIN if is_program else what, {"__name__": "__main__"})
    except SystemExit as end:
        _leave(end.code if isinstance(end.code, int) else int(end.code is not None))
    _leave(0)


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
    for name in AT_WORK:
        importlib.import_module(name)


def _make_once() -> None:
    """What a process makes when it is first asked, as patterns and tables: each of ours would make it anew."""
    from hookline.cli.main import main
    from hookline.system.patterns.late import _Late

    names = [name for name in dir(re.Pattern) if not name.startswith("_")]
    for module in [found for name, found in sys.modules.items() if name.startswith("hookline.")]:
        for pattern in [value for value in vars(module).values() if isinstance(value, _Late)]:
            for name in names:
                getattr(pattern, name)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        os.environ["HOME"] = folder
        Path(".hookline").mkdir()
        Path(".hookline/hooks.toml").write_text(HOOKS)
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            assert [main([command]) for command in ("check", "list")] == [0, 0]
    assert threading.active_count() == 1, "what is forked has one thread"


def _join_pages() -> None:
    """Asks the kernel for large pages: a fork copies the table of pages, whose length is a sixth of a short process."""
    collapse, size = 25, 1 << 21  # MADV_COLLAPSE; a kernel without it refuses, and all is as before
    madvise = ctypes.CDLL(None).madvise
    for line in Path("/proc/self/maps").read_text().splitlines():
        place, rights, _, _, inode = line.split(maxsplit=5)[:5]
        first, end = (int(number, 16) for number in place.split("-"))
        if rights == "rw-p" and inode == "0":
            for start in range(-(-first // size) * size, end - size + 1, size):
                madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), collapse)


if __name__ == "__main__":
    sys.exit(serve(socket.socket(fileno=int(sys.argv[1]))))
