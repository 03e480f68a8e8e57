"""A real service for the tests: an HTTP server of a few lines that says what it was asked."""

from __future__ import annotations

import socket
import sys
import textwrap
from typing import Any

from tests.web.serving import DEADLINE_S, Reply, Serving

PROGRAM = """
import base64, hashlib, http.server, json, sys, time

class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in [*headers, ("Content-Length", str(len(body)))]:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def any(self):
        path = self.path.partition("?")[0]
        if path == "/events":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for number in range(10000):
                self.wfile.write(f"data: {number}\\n\\n".encode())
                self.wfile.flush()
                self.server.gate.acquire()
        elif path == "/next":
            self.server.gate.release()
            self.answer(204, [], b"")
        elif path == "/away":
            self.answer(302, [("Location", self.headers.get("x-to"))], b"")
        elif path == "/page":
            text = self.server.page.encode()
            self.answer(200, [("Content-Type", "text/html"), ("Set-Cookie", "mine=1; Domain=localhost; Path=/"),
                              ("Set-Cookie", "hookline_token=stolen"), ("X-Mine", "1"),
                              ("Access-Control-Allow-Origin", "*"), ("Clear-Site-Data", "*")], text)
        elif path == "/cut":
            self.wfile.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 100\\r\\n\\r\\nabc")
            self.close_connection = True
        elif path == "/twice":
            self.wfile.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 1\\r\\nContent-Length: 2\\r\\n\\r\\nab")
            self.close_connection = True
        elif path == "/silent":
            self.server.gate.acquire()
        elif path == "/socket":
            key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
            accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
            self.wfile.write(("HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n"
                              f"Sec-WebSocket-Accept: {accept}\\r\\n\\r\\n").encode() + b"\\x81\\x05hello")
            head = self.rfile.read(2)
            mask, size = self.rfile.read(4), head[1] & 127
            text = bytes(byte ^ mask[at % 4] for at, byte in enumerate(self.rfile.read(size)))
            self.wfile.write(b"\\x81" + bytes([len(text)]) + text[::-1])
            self.close_connection = True
        else:
            size = int(self.headers.get("Content-Length") or 0)
            if self.headers.get("Transfer-Encoding") == "chunked":
                parts = []
                while length := int(self.rfile.readline(), 16):
                    parts.append(self.rfile.read(length))
                    self.rfile.readline()
                self.rfile.readline()
                body = b"".join(parts)
            else:
                body = self.rfile.read(size)
            headers = [[name.lower(), value] for name, value in self.headers.items()]
            heard = {"method": self.command, "target": self.path, "headers": headers,
                     "size": len(body), "body": body[:200].decode("latin-1")}
            self.answer(200, [("Content-Type", "application/json")], json.dumps(heard).encode())

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = any

    def log_message(self, *given):
        pass

import threading
class Server(http.server.ThreadingHTTPServer):
    allow_reuse_port = True

server = Server(("127.0.0.1", int(sys.argv[1])), Service)
server.gate = threading.Semaphore(0)
server.page = open(sys.argv[2]).read()
print("up", flush=True)
server.serve_forever()
"""


def held_port() -> socket.socket:
    """A port that nobody else gets as long as the socket lives, and the service, which shares it, may listen on."""
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    holder.bind(("127.0.0.1", 0))
    return holder


class WebService:
    """`.discobot/services/web.sh` in the workspace of a server."""

    def __init__(self, serving: Serving, page: str = "<title>mine</title>", path: str = "/") -> None:
        self.serving = serving
        self.held = held_port()
        self.port = self.held.getsockname()[1]
        program = serving.program
        program.write("service.py", textwrap.dedent(PROGRAM))
        program.write("page.html", page)
        front = f"#---\n# name: Web\n# http: {self.port}\n# path: {path}\n#---\n"
        line = f'exec "{sys.executable}" service.py {self.port} page.html\n'
        program.write(".discobot/services/web.sh", f"#!/bin/sh\n{front}{line}", 0o755)

    def ask(self, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Reply:
        """Through the main address, below the service's path."""
        return self.serving.ask(method, f"/services/web/http{path}", body, **headers)

    def own(self, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Reply:
        """Through the service's own origin."""
        host = f"web.localhost:{self.serving.port}"
        return self.serving.ask(method, path, body, Host=host, **headers)

    def raw(self, head: str) -> bytes:
        """Bytes as they are to the server, and all it says."""
        with socket.create_connection(("127.0.0.1", self.serving.port), timeout=DEADLINE_S) as link:
            link.sendall(head.replace("\n", "\r\n").encode())
            found = b""
            while part := link.recv(65536):
                found += part
            return found


def heard(reply: Reply) -> tuple[dict[str, Any], dict[str, str]]:
    """What the service says it was asked, and the headers of that."""
    assert reply.status == 200, reply.content
    return reply.json, dict(reply.json["headers"])
