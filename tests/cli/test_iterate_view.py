"""The live view in a real terminal (tmux)."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from tests.cli.test_iterate import call, hooks
from tests.program import Program
from tests.waiting import DEADLINE_S

from hookline.cli.render import cells

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Terminal:
    """A program in a tmux window of its own server."""

    def __init__(self, program: Program, width: int, height: int, *arguments: str) -> None:
        self._socket = str(program.home / "tmux.sock")
        self._environment = {**program.environment, "TERM": "xterm-256color"}
        command = shlex.join([sys.executable, "-m", "hookline", *arguments])
        size = ("-x", str(width), "-y", str(height))
        # The shell stays, so that what is left on the screen can be read.
        self("-f", "/dev/null", "new-session", "-d", *size, "-c", str(program.workspace),
             f"sh -c {shlex.quote('trap : INT; ' + command + '; echo exit $?; sleep 60')}")  # fmt: skip

    def __call__(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", self._socket, *arguments],
            env=self._environment,
            capture_output=True,
            timeout=DEADLINE_S,
        )
        return done.stdout.decode()

    def keys(self, *keys: str) -> None:
        self("send-keys", *keys)

    def text(self) -> str:
        return self("capture-pane", "-p")

    def wait_for(self, *words: str) -> str:
        deadline = time.monotonic() + DEADLINE_S
        while True:
            text = self.text()
            if all(word in text for word in words):
                return text
            assert time.monotonic() < deadline, f"{words} never came:\n{text}"
            time.sleep(0.05)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal("kill-server")


def begin(program: Program, terminals: list[Terminal], width: int, height: int, *turns: Any) -> Terminal:
    hooks(
        program,
        pre_iteration=["for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $n; done; echo 日本語 >&2"],
        post_iteration=["printf '\\033[2J\\033[31mred\\r'; while [ ! -e go ]; do sleep 0.05; done"],
        session_end=["echo e >> ended"],
    )
    program.write("turns.yml", yaml.safe_dump({"turns": list(turns)}))
    arguments = ("iterate", "--name", "shop", "--model", "scripted:turns.yml", "--iterations", "2")
    terminals.append(Terminal(program, width, height, *arguments))
    return terminals[-1]


TURNS: tuple[Any, ...] = (
    {"tool_calls": [call("task-add", tasks=[{"content": "Write the parser", "priority": 0}])]},
    {"text": "First words. 日本語 " + "and more " * 30},
    {"text": "Second words."},
)


@pytest.mark.parametrize(("width", "height"), [(80, 24), (200, 60)])
def test_the_view_is_readable_at_every_size(
    program: Program, terminals: list[Terminal], width: int, height: int
) -> None:
    """Hooks never write over it; the sidebar comes with room."""
    terminal = begin(program, terminals, width, height, *TURNS)
    text = terminal.wait_for("● Post Iteration", "First words.", "iteration 1 · running")
    lines = text.splitlines()
    assert max(map(cells, lines)) <= width
    assert "└ 4 more lines" in text
    assert ("│ Tasks" in text) == (width == 200)
    if width == 200:
        assert "TAS-1 [remaining] P0 Write the parser" in text
    terminal.keys("Enter")
    terminal.wait_for("line 12")
    (program.workspace / "go").touch()
    text = terminal.wait_for("exit 0", "the limit is reached after 2 iterations", "iteration 2: complete in ")
    assert "Post Iteration" not in text
    assert (program.workspace / "ended").read_text() == "e\n"


def test_keys_open_logs_add_tasks_and_notes_pause_and_send_messages(
    program: Program, terminals: list[Terminal]
) -> None:
    terminal = begin(program, terminals, 120, 30, *TURNS[:2], {"text": "I heard you.", "expect": "Be quick"})
    terminal.wait_for("● Post Iteration")
    terminal.keys("C-x")
    terminal.wait_for("n note  t task  p pause  r restart")
    terminal.keys("t")
    terminal.wait_for("task> █")
    terminal.keys("-l", "Print it")
    terminal.keys("Enter")
    terminal.wait_for("TAS-2 [remaining] P2 Print it")
    terminal.keys("C-x", "n")
    terminal.keys("-l", "Hot")
    terminal.keys("Enter")
    terminal.wait_for("NOT-1 [tip] Hot")
    terminal.keys("C-x", "b")
    terminal.keys("i")
    terminal.keys("-l", "Be quick")
    terminal.keys("Enter")
    text = terminal.wait_for("you: Be quick")
    assert "NOT-1" not in text
    terminal.keys("C-x", "p")
    terminal.wait_for("· running, pauses after it ·")
    (program.workspace / "go").touch()
    text = terminal.wait_for("I heard you.")
    assert "iteration 2" not in text
    terminal.wait_for("· paused ·")
    terminal.keys("C-x", "l")
    terminal.wait_for("nothing has been logged")
    terminal.keys("C-x", "l")
    terminal.keys("C-x", "p")
    terminal.wait_for("exit 0")


def test_control_c_ends_the_session_and_gives_the_terminal_back(
    program: Program, terminals: list[Terminal]
) -> None:
    terminal = begin(program, terminals, 80, 24, *TURNS)
    terminal.wait_for("● Post Iteration")
    terminal.keys("C-c")
    terminal.wait_for("exit 130")
    assert (program.workspace / "ended").read_text() == "e\n"
