"""Runs one agent against a model that is a script, both in a network of their own: argv is a JSON task file.

Started inside a fresh network namespace. Writes what the agent asked the model to `requests.json` beside the
task, the seconds at which each call was handed to it to `delivered.json`, and leaves with the agent's exit code.
A task may say `shell`, the line that is asked for, and `calls`, how often.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

# What the model asks for, and how often; `{n}` is the number of the call.
ASKED = {"shell": "touch ran", "calls": 1}
MODEL_PORT, AGENT_PORT = 18080, 18081


def main(task_file: Path) -> int:
    """Serves the model, runs the agent, keeps the requests."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    task = json.loads(task_file.read_text())
    ASKED.update({name: task[name] for name in ASKED if name in task})
    requests: list[Any] = []
    delivered: list[float] = []
    server = ThreadingHTTPServer(("127.0.0.1", MODEL_PORT), handler(requests, delivered))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    command, beside = task["command"], task.get("beside", ())
    with open(task_file.with_name("agent.log"), "wb") as log:
        started: dict[str, Any] = {
            "cwd": task["workspace"], "env": task["environment"],
            "stdin": subprocess.DEVNULL, "stdout": log, "stderr": log,
        }  # fmt: skip
        for first in task.get("first", ()):
            subprocess.run(first, **started, timeout=60, check=True)
        server_of_agent = subprocess.Popen(beside, **started) if beside else None
        try:
            wait_for(AGENT_PORT, bool(beside))
            done = subprocess.run(command, **started, timeout=200, check=False)
            quiet(requests, bool(beside))
        finally:
            if server_of_agent is not None:
                server_of_agent.kill()
                server_of_agent.wait()
    task_file.with_name("delivered.json").write_text(json.dumps(delivered))
    task_file.with_name("requests.json").write_text(json.dumps(requests))
    return done.returncode


def wait_for(port: int, wanted: bool) -> None:
    """Until something listens there."""
    until = time.monotonic() + 60
    while wanted and time.monotonic() < until:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)


def quiet(requests: list[Any], wanted: bool) -> None:
    """Until a server that goes on after its client has not asked the model for three seconds."""
    before = -1
    while wanted and before != len(requests):
        before = len(requests)
        time.sleep(3)


def handler(requests: list[Any], delivered: list[float]) -> type[BaseHTTPRequestHandler]:
    """Answers in the words of whichever API is called: first one tool call, then a last text."""

    class Model(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send("application/json", b"{}")

        do_HEAD = do_GET

        def do_POST(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            given = json.loads(self.rfile.read(size) or b"{}")
            requests.append({"path": self.path, "body": given})
            for part, speak in SPEAKERS.items():
                if part in self.path:
                    body = speak(given)
                    streamed = body.startswith((b"event:", b"data:"))
                    self._send("text/event-stream" if streamed else "application/json", body)
                    if shell_line(given)[:9].encode() in body:
                        delivered.append(time.time())
                    return
            self._send("application/json", b"{}")

        def _send(self, kind: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    return Model


RESULT = re.compile(r'"(?:type": "tool_result|functionResponse|type": "function_call_output|role": "tool)"')


def calls_answered(given: dict[str, Any]) -> int:
    """How many results of calls the conversation holds, in whichever words."""
    said = {name: given[name] for name in ("messages", "contents", "input") if name in given}
    return len(RESULT.findall(json.dumps(said)))


def is_done(given: dict[str, Any]) -> bool:
    return calls_answered(given) >= ASKED["calls"]


def shell_line(given: dict[str, Any]) -> str:
    return str(ASKED["shell"]).replace("{n}", str(calls_answered(given)))


def events(items: list[tuple[str, dict[str, Any]]]) -> bytes:
    return "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in items).encode()


def anthropic(given: dict[str, Any]) -> bytes:
    """A Bash call where tools are offered and none was answered yet; else a text."""
    answered = is_done(given)
    named = [tool.get("name") for tool in given.get("tools", [])]
    offered = next((name for name in named if name in ("Bash", "bash")), None)
    if offered and not answered:
        block = {"type": "tool_use", "id": f"toolu_{calls_answered(given)}", "name": offered, "input": {}}
        words = json.dumps({"command": shell_line(given), "description": "make a file"})
        delta, stop = {"type": "input_json_delta", "partial_json": words}, "tool_use"
    else:
        block = {"type": "text", "text": ""}
        delta, stop = {"type": "text_delta", "text": "Done."}, "end_turn"
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": given.get("model", "m"),
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    if not given.get("stream"):
        text = [{"type": "text", "text": "Done."}]
        return json.dumps({**message, "content": text, "stop_reason": "end_turn"}).encode()
    return events(
        [
            ("message_start", {"type": "message_start", "message": message}),
            ("content_block_start", {"type": "content_block_start", "index": 0, "content_block": block}),
            ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}),
            ("content_block_stop", {"type": "content_block_stop", "index": 0}),
            ("message_delta", {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
                               "usage": usage}),
            ("message_stop", {"type": "message_stop"}),
        ]
    )  # fmt: skip


def google(given: dict[str, Any]) -> bytes:
    """The same for Gemini's API."""
    answered = is_done(given)
    offered = "run_shell_command" in json.dumps(given.get("tools", []))
    part: dict[str, Any] = {"text": "Done."}
    if offered and not answered:
        part = {"functionCall": {"name": "run_shell_command", "args": {"command": shell_line(given)}}}
    answer = {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    }
    return f"data: {json.dumps(answer)}\n\n".encode()


def google_whole(given: dict[str, Any]) -> bytes:
    return google({**given, "tools": []}).removeprefix(b"data: ").strip()


def openai(given: dict[str, Any]) -> bytes:
    """The same for OpenAI's responses API."""
    answered = is_done(given)
    names = [tool.get("name") for tool in given.get("tools", [])]
    text = [{"type": "output_text", "text": "Done.", "annotations": []}]
    item: dict[str, Any] = {"type": "message", "role": "assistant", "id": "m1", "content": text}
    if "exec_command" in names and not answered:
        words = json.dumps({"cmd": shell_line(given)})
        item = {
            "type": "function_call",
            "id": "f1",
            "call_id": f"c{calls_answered(given)}",
            "name": "exec_command",
            "arguments": words,
        }
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    return events(
        [
            ("response.created", {"type": "response.created", "response": {"id": "r1"}}),
            (
                "response.output_item.done",
                {"type": "response.output_item.done", "output_index": 0, "item": item},
            ),
            ("response.completed", {"type": "response.completed", "response": {"id": "r1", "usage": usage}}),
        ]
    )


SHELLS = {"bash", "execute", "Execute", "run_shell_command", "run_commands", "terminal"}


def arguments(schema: dict[str, Any], line: str) -> dict[str, Any]:
    """Those of a shell tool: its command, and a word for each other one that it requires."""
    properties = schema.get("properties", {})
    needed = [name for name in schema.get("required", ()) if name not in ("command", "commands")]
    words = {name: word_for(properties[name]) for name in needed}
    return {**words, **({"commands": [line]} if "commands" in properties else {"command": line})}


def word_for(schema: dict[str, Any]) -> Any:
    plain = {"boolean": False, "integer": 1, "number": 1, "array": [], "object": {}}
    return (schema.get("enum") or [plain.get(schema.get("type", ""), "a file")])[0]


def chat(given: dict[str, Any]) -> bytes:
    """The same for OpenAI's older API, which agents for any model speak."""
    answered = is_done(given)
    tools = [tool.get("function", {}) for tool in given.get("tools", [])]
    shell = next((tool for tool in tools if tool.get("name") in SHELLS), None)
    message: dict[str, Any] = {"role": "assistant", "content": "Done."}
    if shell and not answered:
        words = arguments(shell.get("parameters", {}), shell_line(given))
        call = {"name": shell["name"], "arguments": json.dumps(words)}
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"index": 0, "id": f"call_{calls_answered(given)}", "type": "function", "function": call}
            ],
        }
    why = "tool_calls" if "tool_calls" in message else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    whole = {"id": "c1", "model": given.get("model", "m"), "created": 1}
    if not given.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": why}
        return json.dumps(
            {**whole, "object": "chat.completion", "choices": [choice], "usage": usage}
        ).encode()
    pieces: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": why}]},
        {"choices": [], "usage": usage},
    ]
    sent = [json.dumps({**whole, "object": "chat.completion.chunk", **piece}) for piece in pieces]
    return "".join(f"data: {each}\n\n" for each in (*sent, "[DONE]")).encode()


SPEAKERS = {
    "/chat/completions": chat,
    "count_tokens": lambda given: b'{"input_tokens": 1}',
    "countTokens": lambda given: b'{"totalTokens": 1}',
    "/v1/messages": anthropic,
    "/responses": openai,
    "streamGenerateContent": google,
    "generateContent": google_whole,
}

if __name__ == "__main__":
    os.chdir(Path(sys.argv[1]).parent)
    sys.exit(main(Path(sys.argv[1])))
