"""A real nats-server with JetStream on a loopback port of its own."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.waiting import DEADLINE_S

# Below the ports the kernel hands out by itself, so that nobody gets one by chance, not even between two starts.
PORTS = range(10_000, 30_000)


class NatsServer:
    """Started and stopped at will; its port and its files stay."""

    def __init__(self, folder: Path) -> None:
        self.port = 0
        self._name = secrets.token_hex(8)
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Returns once this very server answers. The first start looks for a port, later ones keep it."""
        deadline, again = time.monotonic() + DEADLINE_S, self.port != 0
        while True:
            if not again:
                self.port = secrets.choice(PORTS)
            self._process = self._launch()
            while self._process.poll() is None and time.monotonic() < deadline:
                if self._greeting() == self._name:
                    return
                time.sleep(0.02)
            self.stop()  # the port belongs to somebody else
            assert time.monotonic() < deadline, "nats-server does not listen"

    def _launch(self) -> subprocess.Popen[bytes]:
        where = ("-a", "127.0.0.1", "-p", str(self.port), "-n", self._name)
        return subprocess.Popen(
            ["nats-server", "-js", *where, "-sd", str(self._folder)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _greeting(self) -> str:
        """The name by which whoever listens introduces itself; empty for no nats-server."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as probe:
                word, _, facts = probe.makefile("rb").readline().partition(b" ")
            return str(json.loads(facts).get("server_name", "")) if word == b"INFO" else ""
        except (OSError, ValueError):
            return ""

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """Returns once no thread of the server runs any more; the signal alone says nothing about that."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        _, status = os.waitpid(self._process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), "nats-server ended by itself"

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)


@contextmanager
def nats_server(folder: Path) -> Iterator[NatsServer]:
    """A running server; the test is skipped where none is installed."""
    if shutil.which("nats-server") is None:
        pytest.skip("nats-server is not installed")
    server = NatsServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()
