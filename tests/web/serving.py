"""`hookline serve` as a real process with a scripted model, and a client that speaks plain HTTP to it."""

from __future__ import annotations

import contextlib
import http.client
import json
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.nats_server import PORTS
from tests.program import Program
from tests.waiting import DEADLINE_S


def lasting_port() -> str:
    """A port to start on again: of these the kernel gives none to somebody else while nobody listens there."""
    while True:
        port = secrets.choice(PORTS)
        with socket.socket() as tried, contextlib.suppress(OSError):
            tried.bind(("127.0.0.1", port))
            return str(port)


class Reply:
    """One answer of the server."""

    def __init__(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        self.status = status
        self.headers = headers
        self.content = content

    @property
    def json(self) -> Any:
        return json.loads(self.content)


class Connection(http.client.HTTPConnection):
    """Sends the token of the server's second line along, as a client that has read it does."""

    token = ""

    def endheaders(self, *arguments: Any, **named: Any) -> None:
        if self.token:
            self.putheader("Authorization", f"Bearer {self.token}")
        super().endheaders(*arguments, **named)


class Serving:
    """A workspace with a server; `start` again after `kill`. `token` is the one it made up itself, if it did."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.root = program.workspace
        self.process: subprocess.Popen[str] | None = None
        self.port = 0
        self.token = ""
        self.lines: list[str] = []

    def start(self, *turns: Mapping[str, Any], options: tuple[str, ...] = (), **environment: str) -> None:
        """Starts the server on a script of `turns`; ready when it returns."""
        if turns:
            (self.program.home / "turns.yml").write_text(yaml.safe_dump({"turns": list(turns)}))
        model = f"scripted:{self.program.home / 'turns.yml'}"
        record = str(self.program.home / "record.jsonl")
        self.launch("serve", "--model", model, "--port", "0", "--record", record, *options, **environment)

    def launch(self, *command: str, **environment: str) -> None:
        """Starts a command that serves; ready when it returns."""
        self.errors = (self.program.home / "server.err").open("a")
        self.process = self.program.start(
            *command,
            cwd=self.root,
            environment=environment,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.startswith("listening on http://"):
            raise AssertionError(line + (self.program.home / "server.err").read_text())
        self.port = int(line.rpartition(":")[2])
        is_given = {"--token", "--token-file", "--no-token"} & {*command} or environment.get("HOOKLINE_TOKEN")
        self.token = "" if is_given else self._made_up()

    def _made_up(self) -> str:
        assert self.process is not None and self.process.stdout is not None
        line = self.process.stdout.readline()
        way, _, token = line.strip().partition("/?token=")
        assert way == f"open http://127.0.0.1:{self.port}" and len(token) > 40, line
        return token

    @property
    def address(self) -> str:
        """What a browser opens."""
        return f"http://127.0.0.1:{self.port}/" + (f"?token={self.token}" if self.token else "")

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Signals the server and waits for its end; the exit code."""
        assert self.process is not None and self.process.stdout is not None
        self.process.send_signal(number)
        code = self.process.wait(DEADLINE_S)
        self.process.stdout.close()
        self.errors.close()
        self.process = None
        return code

    def end(self) -> None:
        """As a user ends it, so that it ends its services too; one that does not end is killed, and a defect."""
        if self.process is None:
            return
        try:
            self.stop()
        except subprocess.TimeoutExpired:
            self.stop(signal.SIGKILL)
            raise AssertionError(f"the server did not end\n{self.talk}") from None

    @property
    def talk(self) -> str:
        return (self.program.home / "server.err").read_text()

    @property
    def record(self) -> list[dict[str, Any]]:
        path = self.program.home / "record.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def folder(self) -> Path:
        return self.program.home / ".discobot/default/hooks"

    @property
    def status(self) -> dict[str, Any]:
        """status.json as it is; an empty one before there is any."""
        path = self.folder / "status.json"
        content: dict[str, Any] = {"hooks": {}, "pendingHooks": []}
        return {**content, **json.loads(path.read_text())} if path.exists() else content

    # -- HTTP -----------------------------------------------------------------------------------------

    def connect(self) -> http.client.HTTPConnection:
        connection = Connection("127.0.0.1", self.port, timeout=DEADLINE_S)
        connection.token = self.token
        return connection

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        """One request; a body that is no bytes is sent as JSON. `_` in header names stands for `-`."""
        given = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = self.connect()
        try:
            connection.request(method, path, given, sent)
            answer = connection.getresponse()
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Any:
        """The JSON of a GET that must succeed."""
        reply = self.ask("GET", path, **headers)
        assert reply.status == 200, reply.content
        return reply.json

    def say(self, text: str, path: str = "/default/chat", **fields: Any) -> Reply:
        message = {"id": "m", "role": "user", "parts": [{"type": "text", "text": text}]}
        return self.ask("POST", path, {"messages": [message], **fields})

    def stream(self, path: str, **headers: str) -> Iterator[tuple[str, str, Any]]:
        """Events as (id, name, data); `[DONE]` comes as it is."""
        connection = self.connect()
        sent = {"Accept": "text/event-stream", **{k.replace("_", "-"): v for k, v in headers.items()}}
        try:
            connection.request("GET", path, headers=sent)
            answer = connection.getresponse()
            if answer.status != 200:
                return
            found = {"id": "", "event": "", "data": ""}
            while line := answer.readline().decode().rstrip("\n"):
                while line:
                    key, _, value = line.partition(": ")
                    found[key] = value
                    line = answer.readline().decode().rstrip("\n")
                data = found["data"]
                if data or found["event"]:
                    yield found["id"], found["event"], data if data == "[DONE]" else json.loads(data)
                found = {"id": "", "event": "", "data": ""}
        finally:
            connection.close()

    # -- waiting --------------------------------------------------------------------------------------

    def until(self, test: Any, what: str = "it") -> Any:
        """The first true value of `test()`."""
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:
            found = test()
            if found:
                return found
            time.sleep(0.02)
        raise AssertionError(f"{what} did not happen\n{self.talk}")

    def idle(self, path: str = "/default/chat") -> None:
        """Waits until neither a completion nor an evaluation is under way."""

        def is_idle() -> bool:
            state = self.get(f"{path}/status")
            return not state["isRunning"] and not state["evaluating"]

        self.until(is_idle, "idleness")

    def texts(self, role: str, path: str = "/default/chat") -> list[str]:
        """The text of each message of one side."""
        messages = self.get(path)["messages"]
        return [
            "".join(part.get("text", "") for part in message["parts"])
            for message in messages
            if message["role"] == role
        ]

    # -- hooks ----------------------------------------------------------------------------------------

    def hook(self, name: str, *fields: str, body: str = "exit 0") -> None:
        front = "\n".join(f"# {field}" for field in (fields or ("type: file", "pattern: '*.go'")))
        self.program.write(f".discobot/hooks/{name}", f"#!/bin/sh\n#---\n{front}\n#---\n{body}\n", 0o755)


@pytest.fixture
def serving(program: Program) -> Iterator[Serving]:
    served = Serving(program)
    (served.root / ".gitignore").write_text("*.ran\n")
    yield served
    served.end()


def write(name: str, content: str, **more: Any) -> dict[str, Any]:
    """A scripted turn that writes a file."""
    return {
        "text": "",
        "tool_calls": [{"name": "Write", "input": {"file_path": name, "content": content}}],
        **more,
    }
