"""What `hookline serve` does under load: many readers of a stream, many sessions at once, many silent connections.

The server, the model, the readers and whoever asks for `/health` are processes of their own, on the same machine: their
time is in every number. Rows as in rows_process.py. Run `python benchmarks/rows_load.py`.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Row = dict[str, Any]
READERS, EVENTS, SESSIONS, SILENT = 100, 4000, 50, 300
MODEL_S = 2.0
PAUSE_S = 0.02
DEADLINE_S = 120.0

FILE_HOOK = "#!/bin/sh\n#---\n# name: Check\n# type: file\n# pattern: '*.py'\n#---\nexit 1\n"
AUTHOR = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")

MODEL = """
import asyncio, json, sys
events, wait = int(sys.argv[1]), float(sys.argv[2])
def chunk(delta, finish=None):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + json.dumps({"id": "x", "choices": [choice]}).encode() + b"\\n\\n"
async def answer(reader, writer):
    head = await reader.readuntil(b"\\r\\n\\r\\n")
    size = next((int(l.split(b":")[1]) for l in head.split(b"\\r\\n") if l.lower().startswith(b"content-length")), 0)
    await reader.readexactly(size)
    await asyncio.sleep(wait)
    writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/event-stream\\r\\nConnection: close\\r\\n\\r\\n")
    for number in range(events):
        writer.write(chunk({"role": "assistant", "content": f"word{number} "}))
        if number % 20 == 19:
            await writer.drain()
    writer.write(chunk({}, "stop") + b"data: [DONE]\\n\\n")
    await writer.drain()
    writer.close()
async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""

HEALTH = """
import json, sys, time
from http.client import HTTPConnection
taken = []
connection = HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
connection.connect()
print("ready", flush=True)
import threading
done = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), done.set()), daemon=True).start()
while not done.is_set():
    began = time.perf_counter()
    connection.request("GET", "/health")
    connection.getresponse().read()
    taken.append(time.perf_counter() - began)
    time.sleep(float(sys.argv[2]))
print(json.dumps(taken), flush=True)
"""


class Serving:
    """`hookline serve` on a repository of its own, with a model that streams `events` words after `wait_s`."""

    def __init__(self, folder: Path, events: int, wait_s: float, hook: str = "") -> None:
        work, home = folder / "work", folder / "home"
        for each in (work, home):
            each.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(work)], check=True)
        if hook:
            _write_hook(work / ".discobot" / "hooks" / "check.sh", hook)
            subprocess.run(["git", "-C", str(work), "add", "."], check=True)
            subprocess.run(["git", "-C", str(work), *AUTHOR, "commit", "-qm", "hook"], check=True)
        self._model = _started([sys.executable, "-c", MODEL, str(events), str(wait_s)])
        base = f"http://127.0.0.1:{int(_line(self._model))}/v1"
        environment = {
            "HOME": str(home), "PATH": os.environ["PATH"], "OPENAI_API_KEY": "x",
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""), "HOOKLINE_TRUST": "workspace",
        }  # fmt: skip
        words = ["serve", "--port", "0", "--no-token", "--model", "openai:x", "--base-url", base]
        self._server = _started([sys.executable, "-m", "hookline", *words], cwd=work, env=environment)
        self.port = int(_line(self._server).rstrip().rpartition(":")[2])

    def request(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        with contextlib.closing(connection):
            given = None if body is None else json.dumps(body)
            connection.request(method, path, given, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read()

    def begin(self, path: str) -> None:
        message = {"role": "user", "parts": [{"type": "text", "text": "go"}]}
        status, answer = self.request("POST", f"{path}/chat", {"messages": [message]})
        assert status == 202, answer

    def wait(self, *paths: str) -> None:
        """Until the turns of these sessions are over, and judged."""
        end = time.monotonic() + DEADLINE_S
        with contextlib.closing(HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)) as connection:
            for path in paths:
                while not self._is_over(connection, path):
                    if time.monotonic() > end:
                        raise TimeoutError(path)
                    time.sleep(0.02)

    def _is_over(self, connection: HTTPConnection, path: str) -> bool:
        connection.request("GET", f"{path}/chat/status")
        state = json.loads(connection.getresponse().read())
        return not state["isRunning"] and not state["evaluating"]

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE_S)

    @property
    def memory_mb(self) -> float:
        fields = Path(f"/proc/{self._server.pid}/status").read_text()
        return int(fields.partition("VmRSS:")[2].split()[0]) / 1024

    def close(self) -> None:
        for process in (self._server, self._model):
            process.terminate()
            process.wait(20)
            for pipe in (process.stdin, process.stdout):
                assert pipe is not None
                pipe.close()


@contextlib.contextmanager
def serving(events: int = 20, wait_s: float = 0.0, hook: str = "") -> Iterator[Serving]:
    with tempfile.TemporaryDirectory(prefix="hookline-load-") as folder:
        server = Serving(Path(folder), events, wait_s, hook)
        try:
            yield server
        finally:
            server.close()


def row15_readers() -> Row:
    """`/health` from another process while 100 readers get 4,000 events each: at most 50 ms at p99."""
    with serving(EVENTS) as server:
        server.begin("/default/sessions/first")
        server.wait("/default/sessions/first")  # what only the first turn pays
        with contextlib.closing(_Readers(server)) as readers:
            time.sleep(1)  # all have the past
            asking = _started([sys.executable, "-c", HEALTH, str(server.port), str(PAUSE_S)])
            assert _line(asking).strip() == "ready"
            began = time.perf_counter()
            server.begin("/default")
            complete = readers.until_done()
            took = time.perf_counter() - began
        assert asking.stdin is not None
        asking.stdin.close()
        taken = sorted(json.loads(_line(asking)))
        asking.wait(20)
    worst = taken[min(len(taken) - 1, int(len(taken) * 0.99))] * 1000
    return _row(
        f"15 /health beside {READERS} readers of {EVENTS} events, p99", worst, "50 ms", worst <= 50,
        f"p50 {taken[len(taken) // 2] * 1000:.1f} ms, worst {taken[-1] * 1000:.1f} ms of {len(taken)}; "
        f"{complete} readers had all after {took:.1f} s",
    )  # fmt: skip


def row15_sessions() -> Row:
    """50 sessions at once, each with a turn whose model takes 2 s: all end within 1.2 times that."""
    took, memory_mb = _sessions("")
    ratio = took / MODEL_S
    note = (
        f"{memory_mb:.0f} MB afterwards; {_sessions(FILE_HOOK)[0] / MODEL_S:.2f}x where there is a file hook"
    )
    return {
        **_row(f"15 {SESSIONS} sessions at once", took * 1000, 1.2, ratio <= 1.2, note),
        "ratio": round(ratio, 2),
    }


def _sessions(hook: str) -> tuple[float, float]:
    """Seconds until all turns were over and judged, and the server's memory in megabytes."""
    with serving(20, MODEL_S, hook) as server:
        server.begin("/default")
        server.wait("/default")  # what only the first turn pays
        paths = [f"/default/sessions/s{number}" for number in range(SESSIONS)]
        began = time.perf_counter()
        with ThreadPoolExecutor(SESSIONS) as pool:
            list(pool.map(server.begin, paths))
        server.wait(*paths)
        return time.perf_counter() - began, server.memory_mb


def row15_silent() -> Row:
    """300 connections that say nothing, or half a head, are let go, and others are answered meanwhile."""
    with serving() as server:
        held = [server.connect() for _ in range(SILENT)]
        for connection in held[::2]:
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: x")
        began = time.perf_counter()
        assert server.request("GET", "/health")[0] == 200
        answered = (time.perf_counter() - began) * 1000
        left = SILENT
        for connection in held:
            connection.settimeout(max(0.1, 60 - (time.perf_counter() - began)))
            with contextlib.suppress(TimeoutError):
                left -= not connection.recv(1)
            connection.close()
        took = time.perf_counter() - began
    note = f"{left} left; /health beside them {answered:.1f} ms"
    return _row(f"15 {SILENT} silent connections let go", took * 1000, "15 s", not left and took <= 15, note)


class _Readers:
    """Streams of the default session; each counts what it gets."""

    def __init__(self, server: Serving) -> None:
        self._selector = selectors.DefaultSelector()
        self._open = [server.connect() for _ in range(READERS)]
        for connection in self._open:
            connection.sendall(b"GET /default/chat/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self._selector.register(connection, selectors.EVENT_READ)

    def until_done(self) -> int:
        """How many had the last word; returns when all have, or at the deadline."""
        last = f"word{EVENTS - 1} ".encode()
        ends: dict[int, bytes] = {}
        done: set[int] = set()
        end = time.monotonic() + DEADLINE_S
        while len(done) < READERS and time.monotonic() < end:
            for key, _ in self._selector.select(1):
                content = ends.get(key.fd, b"") + key.fileobj.recv(1 << 18)  # type: ignore[union-attr]
                if last in content:
                    done.add(key.fd)
                ends[key.fd] = content[-len(last) :]
        return len(done)

    def close(self) -> None:
        self._selector.close()
        for connection in self._open:
            connection.close()


def _write_hook(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text)
    path.chmod(0o755)


def _started(words: list[str], **more: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **more)


def _line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode()


def _row(name: str, milliseconds: float, goal: float | str, met: bool, note: str) -> Row:
    load = round(os.getloadavg()[0], 1)
    return {
        "name": name, "ratio": None, "goal": goal, "met": met, "ours_ms": round(milliseconds, 1), "load": load,
        "note": note,
    }  # fmt: skip


def row15() -> list[Row]:
    if find_spec("uvicorn") is None or find_spec("httpx2") is None:
        return [
            {
                "name": "15 load",
                "ratio": None,
                "goal": "50 ms",
                "note": "skipped: hookline[serve] is not here",
            }
        ]
    return [row15_readers(), row15_sessions(), row15_silent()]


def main() -> None:
    for row in row15():
        print(row, flush=True)


if __name__ == "__main__":
    main()
