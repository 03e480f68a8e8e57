"""Row 5: what a bridged tool call costs, 20 hooks configured and one of them run, with and without a resident.

Row 16: what an agent waits for before a tool, through the resident and where it starts the same guards itself.

python -m benchmarks.rows_bridge
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hookline import __version__
from hookline.system import bridge_client

from .rows_process import Measure, Row, row

SOURCE = Path(__file__).parents[1] / "client" / "hookline-bridge.c"
HOOKS = 20
DENIAL = '{"decision": "deny", "reason": "no shell today"}'
HOOK = f"echo '{DENIAL}'"
NUMBERS = itertools.count()
GUARD = "#!/bin/sh\nif grep -q 'rm -rf'; then echo 'use git clean' >&2; exit 2; fi\n"
SETTLED_S = 0.1  # what was written a moment ago is not relied on
DISPATCH_GOALS = {1: 1.2, 5: 1.0, 10: 1.0}  # by the number of guards


class Place:
    """A workspace with 20 hooks of which one fits, a home, and a resident process."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="bridge-"))
        self.work, home = self.folder / "work", self.folder / "home"
        (self.work / ".git").mkdir(parents=True)
        (self.work / ".gemini").mkdir()
        home.mkdir()
        self.environment = {
            "HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOOKLINE_TRUST": "workspace",
        }  # fmt: skip
        self.configure(
            [(f"mcp_server{number}_.*" if number else "run_shell_command", HOOK) for number in range(HOOKS)]
        )

    def configure(self, hooks: list[tuple[str, str]]) -> None:
        """Matchers and command lines."""
        groups = [
            {"matcher": matcher, "hooks": [{"type": "command", "command": line}]} for matcher, line in hooks
        ]
        (self.work / ".gemini/settings.json").write_text(json.dumps({"hooks": {"BeforeTool": groups}}))

    def guards(self, count: int) -> list[str]:
        """The lines of so many reviewed guards, each a script of the workspace that has nothing to say."""
        lines = [f'"$GEMINI_PROJECT_DIR"/guard.sh {number}' for number in range(count)]
        (self.work / "guard.sh").write_text(GUARD)
        (self.work / "guard.sh").chmod(0o755)
        self.configure([("run_shell_command", line) for line in lines])
        del self.environment["HOOKLINE_TRUST"]
        self.environment["GEMINI_PROJECT_DIR"] = str(self.work)
        self.hookline("trust", "--yes")
        return lines

    def run(self, *command: str, payload: bytes = b"") -> bytes:
        return subprocess.run(
            command, input=payload, env=self.environment, cwd=self.work, check=True, capture_output=True
        ).stdout

    def hookline(self, *arguments: str) -> bytes:
        return self.run(sys.executable, "-I", "-m", "hookline", *arguments)

    def timed(self, *command: str) -> Measure:
        def measure() -> float:
            began = time.perf_counter()
            self.run(*command, payload=b"{}")
            return time.perf_counter() - began

        return measure

    def dispatched(self, lines: list[str]) -> Measure:
        """All lines at once, each by a shell, as agents start their hooks; the call on their standard input."""

        def measure() -> float:
            payload = self.payload()
            began = time.perf_counter()
            started = [
                subprocess.Popen(
                    ["sh", "-c", line], env=self.environment, cwd=self.work,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                )
                for line in lines
            ]  # fmt: skip
            for each in started:
                assert each.stdin is not None
                each.stdin.write(payload)
                each.stdin.close()
            for each in started:
                assert each.stdout is not None
                assert each.stderr is not None
                assert (each.stdout.read(), each.stderr.read(), each.wait()) == (b"", b"", 0), each.args
            return time.perf_counter() - began

        return measure

    def payload(self) -> bytes:
        """A call with an id of its own."""
        given = {
            "session_id": "s", "cwd": str(self.work), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": "ls"}, "tool_use_id": f"t{next(NUMBERS)}",
        }  # fmt: skip
        return json.dumps(given).encode()

    def call(self, *command: str) -> Measure:
        """A call whose answer must be the denial."""

        def measure() -> float:
            text = self.payload()
            began = time.perf_counter()
            found = self.run(*command, "claude", "--event", "PreToolUse", payload=text)
            spent = time.perf_counter() - began
            assert b"no shell today" in found, found
            return spent

        return measure


def small_client(folder: Path) -> str | None:
    """The one that is installed, else built now; None where there is neither it nor a compiler."""
    installed = Path(sys.executable).with_name("hookline-bridge")
    if installed.exists():
        return str(installed)
    compiler, made, source = shutil.which("cc"), folder / "hookline-bridge", str(SOURCE)
    if compiler is None or not SOURCE.exists():
        return None
    flags = ("-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector", "-DWITHOUT_LIBC")
    version = f'-DHOOKLINE_VERSION="{__version__}"'
    subprocess.run([compiler, "-O2", "-s", *flags, version, "-o", str(made), source], check=True)
    beside = folder / "hookline"  # takes the calls that the resident does not
    beside.write_text(f'#!/bin/sh\nexec {sys.executable} -I -m hookline "$@"\n')
    beside.chmod(0o755)
    return str(made)


def row5(rounds: int = 30) -> list[Row]:
    """The client and the hook together against the hook's process alone; and all of it without a resident."""
    place = Place()
    python = (sys.executable, "-IS", bridge_client.__file__)
    cold = (sys.executable, "-I", "-m", "hookline", "bridge")
    client = small_client(place.folder)
    place.hookline("resident", "start")
    try:
        variants = {
            "limit": place.timed("bash", "-c", HOOK),
            "hookline": place.call(*((client,) if client else python)),
            "python -IS client": place.call(*python),
        }
        resident = row("bridge, resident: client + hook / hook alone", 2.0, variants, rounds)
    finally:
        place.hookline("resident", "stop")
    variants = {"limit": place.timed(sys.executable, "-I", "-c", "pass"), "hookline": place.call(*cold)}
    alone = row("bridge, no resident, 20 hooks, 1 run / python -I -c pass", 5.0, variants, rounds)
    shutil.rmtree(place.folder)
    return [resident, alone]


def row16(rounds: int = 30) -> list[Row]:
    """One bridged call, started by a shell as well, against the same guards started at once by the agent itself."""
    return [_before_a_tool(count, goal, rounds) for count, goal in DISPATCH_GOALS.items()]


def _before_a_tool(count: int, goal: float, rounds: int) -> Row:
    place = Place()
    lines = place.guards(count)
    client = small_client(place.folder) or f"{sys.executable} -IS {bridge_client.__file__}"
    place.hookline("resident", "start")
    try:
        time.sleep(SETTLED_S)
        variants = {
            "limit": place.dispatched(lines),
            "hookline": place.dispatched([f"{client} claude --event PreToolUse"]),
        }
        calls = json.loads(place.hookline("resident", "status", "--json"))["calls"]
        name = f"before a tool, {count} guards: bridge with a resident / started by the agent"
        found = row(
            name, goal, variants, rounds, "an agent's own work between its model and its tool comes to both"
        )
        taken = json.loads(place.hookline("resident", "status", "--json"))["calls"] - calls
        assert taken > rounds, f"the resident answered {taken} calls"
        return found
    finally:
        place.hookline("resident", "stop")
        shutil.rmtree(place.folder, ignore_errors=True)


if __name__ == "__main__":
    for found in (*row5(), *row16()):
        print(found, flush=True)
