"""A real HTTP server on loopback that answers as a model provider would, or fails as one does."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Step = Mapping[str, Any]


class WireServer:
    """Answers one step per request, the last one again and again; `requests` are what it was sent.

    A step: `status` (200), `headers`, `body` (a whole body), `pieces` (bytes sent one by one), `hang` (says
    nothing until the server ends), `cut` (drops the connection after the pieces), `keep` (leaves it open for
    the next request, or `silently` closes it). `connections` is how many were made.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = list(steps)
        self.requests: list[dict[str, Any]] = []
        self.connections = 0
        self.gone = threading.Event()
        self.dropped = threading.Event()
        self.ended = threading.Semaphore(0)
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                server.connections += 1

            def finish(self) -> None:
                super().finish()
                server.ended.release()

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                place = len(server.requests)
                server.requests.append(
                    {"path": self.path, "headers": dict(self.headers.items()), "body": json.loads(body)}
                )
                server.play(self, server.steps[min(place, len(server.steps) - 1)])

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    def play(self, handler: BaseHTTPRequestHandler, step: Step) -> None:
        handler.send_response(step.get("status", 200))
        for name, value in step.get("headers", {}).items():
            handler.send_header(name, value)
        keep, chunked = step.get("keep"), "cut" in step or "keep" in step
        if not keep:
            handler.send_header("connection", "close")
        handler.close_connection = keep in (None, "silently")
        pieces = [step["body"].encode()] if "body" in step else step.get("pieces", ())
        if chunked:
            handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        try:
            for piece in pieces:
                framed = b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece
                handler.wfile.write(framed)
                handler.wfile.flush()
            if keep:
                handler.wfile.write(b"0\r\n\r\n")
            if step.get("hang"):
                self._watch(handler.connection)
            if "cut" in step:
                handler.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            self.dropped.set()

    def _watch(self, connection: socket.socket) -> None:
        """Waits until the client goes away, or the test ends."""
        connection.settimeout(0.05)
        while not self.gone.is_set():
            try:
                if connection.recv(1) == b"":
                    self.dropped.set()
                    return
            except TimeoutError:
                time.sleep(0.01)
            except OSError:
                self.dropped.set()
                return

    def close(self) -> None:
        self.gone.set()
        self._http.shutdown()
        self._http.server_close()


@contextmanager
def serving(*steps: Step) -> Iterator[WireServer]:
    server = WireServer(steps)
    try:
        yield server
    finally:
        server.close()


def sse(*events: Mapping[str, Any] | str) -> bytes:
    """Events as a stream; each that has a `type` is also named so, as Anthropic does."""
    parts = []
    for event in events:
        data = event if isinstance(event, str) else json.dumps(event)
        name = f"event: {event['type']}\n" if isinstance(event, Mapping) and "type" in event else ""
        parts.append(f"{name}data: {data}\n\n")
    return "".join(parts).encode()


def anthropic_answer(text: str = "", *calls: tuple[str, str], stop: str = "end_turn") -> bytes:
    """A whole answer: a text, and tool calls as pairs of name and JSON text."""
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"usage": {"input_tokens": 12, "output_tokens": 1}}},
        {"type": "ping"},
    ]
    if text:
        events.append(
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        )
        for part in (text[:3], text[3:]):
            delta = {"type": "text_delta", "text": part}
            events.append({"type": "content_block_delta", "index": 0, "delta": delta})
        events.append({"type": "content_block_stop", "index": 0})
    for index, (name, given) in enumerate(calls, 1):
        block = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        for part in (given[:4], given[4:]):
            delta = {"type": "input_json_delta", "partial_json": part}
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    reason = "tool_use" if calls else stop
    events.append({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 34}})
    events.append({"type": "message_stop"})
    return sse(*events)


def openai_answer(text: str = "", *calls: tuple[str, str]) -> bytes:
    """The same in the other format."""
    chunks: list[dict[str, Any] | str] = []

    def chunk(delta: Mapping[str, Any], reason: str | None = None) -> None:
        chunks.append({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})

    for part in (text[:3], text[3:]):
        chunk({"content": part})
    for index, (name, given) in enumerate(calls):
        head = {"index": index, "id": f"call_{index}", "function": {"name": name, "arguments": given[:4]}}
        chunk({"tool_calls": [head]})
        chunk({"tool_calls": [{"index": index, "function": {"arguments": given[4:]}}]})
    chunk({}, "tool_calls" if calls else "stop")
    chunks.append({"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 34}})
    chunks.append("[DONE]")
    return sse(*chunks)
