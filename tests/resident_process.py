"""The resident process of a test's user, and the calls that its clients make."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.program import SOURCE, Program

from hookline.hosts.resident.frames import Request, encode_request, encode_variables
from hookline.state.paths import Paths

CLIENT = SOURCE / "hookline" / "system" / "bridge_client.py"


class Resident:
    """The resident process of a test's user."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.folder = Path(Paths.from_environment({}, str(program.home)).resident)
        self.client = [sys.executable, "-IS", str(CLIENT)]

    def start(self, *options: str) -> dict[str, Any]:
        done = self.program("resident", "start", "--json", *options)
        assert done.returncode == 0, done.stderr
        return dict(json.loads(done.stdout))

    def status(self) -> dict[str, Any] | None:
        done = self.program("resident", "status", "--json")
        found: dict[str, Any] | None = json.loads(done.stdout)
        assert done.returncode == (0 if found else 1)
        return found

    def payload(self, call_id: str = "t1", **more: Any) -> str:
        """A tool call as Claude Code reports it."""
        given = {
            "session_id": "s1", "cwd": str(self.program.workspace), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": call_id, **more,
        }  # fmt: skip
        return json.dumps(given)

    def request(self, call_id: str = "t1") -> bytes:
        """The same as a client sends it."""
        folder, variables = str(self.program.workspace), encode_variables(self.program.environment)
        payload = self.payload(call_id).encode()
        return encode_request(Request("0.1.0", "claude", "PreToolUse", "", folder, variables, payload))

    def call(self, call_id: str = "t1", **more: Any) -> subprocess.CompletedProcess[str]:
        """The same by a client of its own."""
        return subprocess.run(
            [*self.client, "claude", "--event", "PreToolUse"],
            input=self.payload(call_id, **more), capture_output=True, text=True, timeout=60,
            env=self.program.environment, cwd=self.program.workspace, check=False,
        )  # fmt: skip


def guard(program: Program, command: str = "echo no >&2; exit 2") -> None:
    entry = {"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}
    program.write(".gen/settings.json", json.dumps({"hooks": {"PreToolUse": [entry]}}))
