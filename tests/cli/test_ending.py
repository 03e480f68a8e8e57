"""Commands that go on for a while, and the signals that end them: ^C, TERM, and HUP of a terminal that is closed."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S, wait_for

ENDS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
WAITS = "turns: [{tool_calls: [{name: Bash, input: {command: 'touch here; until test -e go; do sleep 0.05; done'}}]}]\n"


@pytest.mark.parametrize(("number", "code"), ENDS)
@pytest.mark.parametrize("command", ["tail", "history export --format jsonl --follow"])
def test_whoever_waits_for_decisions_ends_by_a_signal_with_its_code(
    program: Program, command: str, number: int, code: int
) -> None:
    program("fire", "Stop", stdin="{}")
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with program.start(*command.split(), **streams) as process:
        for stream, told in ((process.stderr, "tail"), (process.stdout, "history")):
            if command.startswith(told):
                assert stream is not None and stream.readline()
        process.send_signal(number)
        said = process.communicate(timeout=DEADLINE_S)[1].decode()
    assert process.returncode == code and "Traceback" not in said


@pytest.mark.parametrize(("number", "code"), ENDS)
def test_the_demo_takes_its_hooks_and_its_folder_with_it(program: Program, number: int, code: int) -> None:
    program.environment["TMPDIR"] = str(program.home)
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with program.start("demo", **streams) as process:
        assert process.stdout is not None and process.stdout.readline()
        process.send_signal(number)
        said = process.communicate(timeout=DEADLINE_S)[1].decode()
    assert process.returncode == code and "Traceback" not in said
    assert list(program.home.iterdir()) == []


@pytest.mark.parametrize("command", ["run go", "iterate --name s --iterations 1", "issues run"])
def test_work_started_by_nohup_goes_on_when_the_terminal_is_closed(program: Program, command: str) -> None:
    program.write("turns.yml", WAITS + "after: Done.\n")
    if command == "issues run":
        assert program("issues", "create", "-t", "one", "-d", "text").returncode == 0
    words = [*command.split(), "--model", "scripted:turns.yml"]
    with subprocess.Popen(
        ["nohup", sys.executable, "-m", "hookline", *words], cwd=program.workspace, env=program.environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        wait_for(program.workspace / "here")
        process.send_signal(signal.SIGHUP)
        (program.workspace / "go").touch()
        said = process.communicate(timeout=DEADLINE_S)[1].decode()
    assert process.returncode == 0, said
