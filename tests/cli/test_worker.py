"""Guards over a bus: workers of a group answer for hosts that do not have the hooks themselves."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from tests.nats_server import NatsServer, nats_server
from tests.program import Program
from tests.waiting import DEADLINE_S

GUARD = "echo asked >> asked; grep -q secret && echo no secrets >&2 && exit 2; exit 0"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with nats_server(tmp_path / "jetstream") as started:
        yield started


@contextmanager
def worker(program: Program, server: NatsServer, folder: Path, command: str) -> Iterator[Path]:
    """A worker in a workspace of its own with one guard of the Bash tool."""
    (folder / ".gen").mkdir(parents=True)
    hook = {"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}
    (folder / ".gen/settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [hook]}}))
    arguments = ("worker", "--bus", server.url, "--group", "fleet", "--workspace", str(folder))
    process = program.start(*arguments, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"answering for `fleet`")
    try:
        yield folder
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=DEADLINE_S) == 143
        process.stdout.close()


def iterate(
    program: Program, server: NatsServer, *more: str, expect: str = ""
) -> subprocess.CompletedProcess[str]:
    turns = [
        {"tool_calls": [{"name": "Bash", "input": {"command": "echo secret > out"}}]},
        {"tool_calls": [{"name": "Bash", "input": {"command": "true"}}], "expect": expect},
        {"text": "ok"},
    ]
    program.write("turns.yml", yaml.safe_dump({"turns": turns}))
    arguments = ("--model", "scripted:turns.yml", "--iterations", "1", "--bus", server.url)
    return program("iterate", "--name", "s", *arguments, "--guards", "fleet", *more)


def test_a_fleet_shares_one_set_of_guards(program: Program, server: NatsServer, tmp_path: Path) -> None:
    """Each request is answered by one of the two workers of the group."""
    with (
        worker(program, server, tmp_path / "one", GUARD) as one,
        worker(program, server, tmp_path / "two", GUARD) as two,
    ):
        done = iterate(program, server, expect="Blocked by PreToolUse hook: no secrets")
    assert done.returncode == 0, done.stderr
    assert not (program.workspace / "out").exists()
    asked = [(each / "asked").read_text().count("asked") for each in (one, two) if (each / "asked").exists()]
    assert sum(asked) == 2


@pytest.mark.parametrize(
    ("direction", "expect", "ran"),
    [("block", "gave no verdict", False), ("ask", "nobody is there to ask", False), ("allow", "", True)],
)
def test_without_a_worker_the_configured_direction_decides(
    program: Program, server: NatsServer, direction: str, expect: str, ran: bool
) -> None:
    done = iterate(program, server, "--guards-failure", direction, expect=expect)
    # A prompt is guarded as well: blocked, the iteration itself fails.
    assert done.returncode == (1 if direction == "block" else 0), done.stderr
    assert "gave no verdict" in done.stderr
    assert (program.workspace / "out").exists() == ran


def test_a_worker_that_is_late_counts_as_none(program: Program, server: NatsServer, tmp_path: Path) -> None:
    with worker(program, server, tmp_path / "slow", "sleep 60"):
        done = iterate(program, server, "--guards-timeout", "1", "--guards-failure", "allow", expect="")
    assert (done.returncode, (program.workspace / "out").exists()) == (0, True), done.stderr


def test_guards_need_a_bus(program: Program) -> None:
    done = program("iterate", "--model", "scripted:x", "--guards", "fleet")
    assert (done.returncode, "`--guards` needs `--bus`" in done.stderr) == (64, True)
