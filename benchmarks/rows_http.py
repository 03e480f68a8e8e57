"""What HTTP costs: an event in, and one event out to many readers, against a bare asyncio.Protocol.

Rows as in rows_process.py. The client is one thread of this process in all variants, so its own time is in
every number; servers take turns, round by round. Run `python benchmarks/rows_http.py`.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

Row = dict[str, Any]
BODY = b'{"toolUseID": "call-1", "answers": {"note": "' + b"x" * 960 + b'"}}'
READERS = 100
NAMES = ("raw", "starlette", "hookline")


class Server:
    """A process of http_servers.py."""

    def __init__(self, name: str, temporary: str) -> None:
        program = str(Path(__file__).with_name("http_servers.py"))
        pipe = subprocess.PIPE
        environment = {**os.environ, "TMPDIR": temporary}  # it ends at once, and tidies nothing
        self.process = subprocess.Popen(
            [sys.executable, program, name], stdin=pipe, stdout=pipe, env=environment
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self._tell, self._said = self.process.stdin, self.process.stdout
        self.port = int(self._said.readline())

    def connect(self) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def tell(self) -> None:
        """One event to all readers."""
        self._tell.write(b"\n")
        self._tell.flush()

    def close(self) -> None:
        self._tell.close()
        self.process.wait(10)
        self._said.close()


@contextlib.contextmanager
def servers() -> Iterator[dict[str, Server]]:
    with tempfile.TemporaryDirectory() as temporary:
        started = {name: Server(name, temporary) for name in NAMES}
        try:
            yield started
        finally:
            for server in started.values():
                server.close()


def quick_third(times: list[float]) -> float:
    """The median of the quickest third: what is left of a measurement while others use the machine."""
    return median(sorted(times)[: max(1, len(times) // 3)])


# -- an event in --------------------------------------------------------------------------------------------


def event_in(connection: socket.socket, times: int) -> float:
    """The median seconds from sending an event to having its whole answer, on one open connection."""
    request = (
        b"POST /default/chat/answer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
    )
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        connection.sendall(request)
        answer = b""
        while b"No pending question" not in answer or not answer.endswith(b"}"):
            part = connection.recv(65536)
            assert part, answer
            answer += part
        taken.append(time.perf_counter() - began)
    return median(taken)


def row12_event(rounds: int = 15, times: int = 200) -> Row:
    """An event in by the real routes, gate and all: goal 6.5 times the raw protocol."""
    taken: dict[str, list[float]] = {name: [] for name in NAMES}
    with servers() as started:
        for turn in range(rounds + 1):
            for name, server in started.items():
                with contextlib.closing(server.connect()) as connection:
                    seconds = event_in(connection, times)
                if turn:
                    taken[name].append(seconds)
    ratios = {name: median(a / b for a, b in zip(taken[name], taken["raw"], strict=True)) for name in NAMES}
    return {
        "name": "12 HTTP event in, p50",
        "ratio": round(ratios["hookline"], 2),
        "goal": 6.5,
        "met": ratios["hookline"] <= 6.5,
        "quick_ratio": round(quick_third(taken["hookline"]) / quick_third(taken["raw"]), 2),
        "limit_ms": round(median(taken["raw"]) * 1000, 3),
        "ours_ms": round(median(taken["hookline"]) * 1000, 3),
        "load": round(os.getloadavg()[0], 1),
        "peers": {"bare starlette on uvicorn": round(ratios["starlette"], 2)},
        "note": "1 KiB of JSON, one open connection",
    }


# -- an event out -------------------------------------------------------------------------------------------


class Readers:
    """Many open streams; `last` is when the last of them had the next event."""

    def __init__(self, server: Server, number: int) -> None:
        self.server = server
        self._selector = selectors.DefaultSelector()
        self._connections = [server.connect() for _ in range(number)]
        for connection in self._connections:
            connection.sendall(b"GET /default/chat/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for connection in self._connections:
            content = b""
            while b"hello" not in content and b"history-end" not in content:
                content += connection.recv(65536)
            self._selector.register(connection, selectors.EVENT_READ)

    def last(self) -> float:
        """Seconds from the event's own time stamp to its arrival at the last reader."""
        self.server.tell()
        waiting = {connection.fileno(): b"" for connection in self._connections}
        stamp = 0
        while waiting:
            for key, _ in self._selector.select(30):
                content = waiting.get(key.fd, b"") + key.fileobj.recv(65536)  # type: ignore[union-attr]
                if key.fd in waiting and b'{"text": "' in content and content.rstrip(b"\r").endswith(b"\n"):
                    stamp = int(content.rpartition(b'{"text": "')[2].partition(b'"')[0])
                    del waiting[key.fd]
                elif key.fd in waiting:
                    waiting[key.fd] = content
        return (time.monotonic_ns() - stamp) / 1e9

    def close(self) -> None:
        self._selector.close()
        for connection in self._connections:
            connection.close()


def row12_stream(rounds: int = 60) -> Row:
    """One event to 100 readers: the last has it after at most 10 ms."""
    taken: dict[str, list[float]] = {name: [] for name in NAMES}
    with servers() as started, contextlib.ExitStack() as stack:
        readers = {
            name: stack.enter_context(contextlib.closing(Readers(server, READERS)))
            for name, server in started.items()
        }
        for turn in range(rounds + 5):
            for name, each in readers.items():
                seconds = each.last()
                if turn >= 5:
                    taken[name].append(seconds)
    ours = median(taken["hookline"])
    ratios = {name: median(a / b for a, b in zip(taken[name], taken["raw"], strict=True)) for name in NAMES}
    return {
        "name": f"12 one event to {READERS} readers, last has it",
        "ratio": round(ratios["hookline"], 2),
        "goal": "10 ms",
        "met": ours <= 0.010,
        "limit_ms": round(median(taken["raw"]) * 1000, 3),
        "ours_ms": round(ours * 1000, 3),
        "quick_ms": round(sorted(taken["hookline"])[len(taken["hookline"]) // 10] * 1000, 3),
        "load": round(os.getloadavg()[0], 1),
        "peers": {"bare starlette on uvicorn": round(ratios["starlette"], 2)},
        "note": "the time of one client thread that reads all the streams is in it",
    }


def row12() -> list[Row]:
    if find_spec("uvicorn") is None or find_spec("starlette") is None:
        return [
            {"name": "12 HTTP", "ratio": None, "goal": 6.5, "note": "skipped: hookline[serve] is not here"}
        ]
    return [row12_event(), row12_stream()]


def main() -> None:
    for row in row12():
        print(row, flush=True)


if __name__ == "__main__":
    main()
