"""A real HTTP server on this machine that answers as a test tells it."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.waiting import DEADLINE_S


class Server(ThreadingHTTPServer):
    """Answers every request as told and keeps what it was sent."""

    daemon_threads = True
    status = 200
    body = b""
    headers: tuple[tuple[str, str], ...] = ()
    silent: threading.Event | None = None

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.seen: list[dict[str, Any]] = []

    def handle_error(self, *_: object) -> None:
        """A client that hangs up early, or refuses our certificate, is what some tests are about."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Answering(BaseHTTPRequestHandler):
    server: Server

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        seen = {"method": self.command, "path": self.path, "headers": dict(self.headers), "body": body}
        self.server.seen.append(seen)
        if self.server.silent is not None:
            self.server.silent.wait(DEADLINE_S)
        self.send_response(self.server.status)
        for name, value in self.server.headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.server.body)

    do_POST = do_PUT = answer

    def log_message(self, *_: object) -> None:
        pass
