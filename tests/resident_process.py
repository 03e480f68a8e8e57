"""The resident process of a test's user, and the calls that its clients make."""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S
from tests.warm import SOURCE

from hookline.hosts.resident.frames import Request, encode_request
from hookline.state.paths import Paths

CLIENT = SOURCE / "hookline" / "system" / "bridge_client.py"
C_CLIENT = SOURCE.parent / "client" / "hookline-bridge.c"
PATIENCE_S = 60  # of the clients here: as they are shipped they do a call themselves whose resident is late
WITHOUT_LIBC = ("-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector", "-DWITHOUT_LIBC")


class Resident:
    """The resident process of a test's user."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.folder = Path(Paths.from_environment({}, str(program.home)).resident)
        self.hasty = [sys.executable, "-IS", str(CLIENT)]
        self.client = [
            sys.executable,
            "-IS",
            str(changed(program.home.parent / "client", "TAKE_S", PATIENCE_S)),
        ]

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
        folder = str(self.program.workspace)
        pairs = (f"{name}={value}\0" for name, value in self.program.environment.items())
        variables = "".join(pairs).encode("utf-8", "surrogateescape")
        payload = self.payload(call_id).encode()
        return encode_request(Request("0.1.0", "claude", "PreToolUse", "", folder, variables, payload))

    def call(self, call_id: str = "t1", **more: Any) -> subprocess.CompletedProcess[str]:
        """The same by a client of its own."""
        return subprocess.run(
            [*self.client, "claude", "--event", "PreToolUse"],
            input=self.payload(call_id, **more), capture_output=True, text=True, timeout=DEADLINE_S,
            env=self.program.environment, cwd=self.program.workspace, check=False,
        )  # fmt: skip


def changed(package: Path, limit: str, seconds: int) -> Path:
    """The client's script with another limit; it knows its version by where it is."""
    script = package / "system" / CLIENT.name
    if not script.exists():
        script.parent.mkdir(parents=True)
        (package / "__init__.py").symlink_to(SOURCE / "hookline" / "__init__.py")
        text, found = re.subn(rf"(?m)^{limit} = [\d.]+", f"{limit} = {seconds}", CLIENT.read_text())
        assert found == 1
        script.write_text(text)
    return script


def guard(program: Program, command: str = "echo no >&2; exit 2") -> None:
    entry = {"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}
    program.write(".gen/settings.json", json.dumps({"hooks": {"PreToolUse": [entry]}}))


@pytest.fixture
def resident(program: Program) -> Iterator[Resident]:
    found = Resident(program)
    yield found
    program("resident", "stop")


@pytest.fixture(scope="session", params=[(), WITHOUT_LIBC], ids=["libc", "bare"])
def c_client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small client, compiled in each way."""
    return compiled(tmp_path_factory.mktemp("bin"), request.param)


@pytest.fixture(scope="session")
def small_client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small client as most people have it."""
    return compiled(tmp_path_factory.mktemp("bin"), WITHOUT_LIBC)


@pytest.fixture(scope="session")
def hasty_client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, as it is shipped: it gives a resident one second to say something; and silent input as much."""
    return compiled(tmp_path_factory.mktemp("bin"), (*WITHOUT_LIBC, "-DSILENT_S=1"), take_ms=1000)


def compiled(folder: Path, options: Sequence[str], take_ms: int = PATIENCE_S * 1000) -> Path:
    """The small client in `folder`; `hookline` stands beside it as in an installation."""
    if options and platform.machine() not in ("x86_64", "aarch64"):
        pytest.skip("this processor needs its C library")
    made = folder / "hookline-bridge"
    command = [
        "cc",
        "-O2",
        "-Wall",
        "-Wextra",
        "-Werror",
        '-DHOOKLINE_VERSION="0.1.0"',
        f"-DTAKE_MS={take_ms}",
        *options,
    ]
    try:
        subprocess.run([*command, "-o", str(made), str(C_CLIENT)], check=True)
    except FileNotFoundError:
        pytest.skip("no C compiler")
    beside = folder / "hookline"
    beside.write_text(f'#!/bin/sh\nexec {sys.executable} -m hookline "$@"\n')
    beside.chmod(0o755)
    return made
