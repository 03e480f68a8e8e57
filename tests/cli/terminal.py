"""A terminal with a person in front of it: tmux, what is typed, and what is seen."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S


class Terminal:
    """One tmux pane, 50 rows high."""

    def __init__(self, socket: str) -> None:
        self._socket = socket

    def tmux(self, *arguments: str) -> str:
        command = ("tmux", "-S", self._socket, *arguments)
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def type(self, text: str) -> None:
        """The text, then Enter."""
        self.tmux("send-keys", "-l", text)
        self.tmux("send-keys", "Enter")

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p", "-S", "-200")

    def wait(self, *texts: str) -> str:
        """Waits until all the texts are to be seen."""
        deadline = time.monotonic() + DEADLINE_S
        while True:
            shown = self.screen()
            if all(text in shown for text in texts):
                return shown
            assert time.monotonic() < deadline, f"{texts} did not appear in:\n{shown}"
            time.sleep(0.05)


@contextmanager
def session(program: Program, *options: str, columns: int = 120) -> Iterator[Terminal]:
    """`hookline run` without a prompt, in a terminal; `[exit N]` is seen when it has ended."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    variables = {**program.environment, "TERM": "screen-256color", "SHELL": "/bin/sh"}
    given = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items() if value)
    command = shlex.join([sys.executable, "-m", "hookline", "run", *options])
    line = f'env -i {given} {command}; echo "[exit $?]"; sleep 600'
    start = ("new-session", "-d", "-x", str(columns), "-y", "50", "-c", str(program.workspace), line)
    with tempfile.TemporaryDirectory() as folder:  # a test's own folder has too long a name for a socket
        terminal = Terminal(f"{folder}/tmux")
        terminal.tmux("-f", "/dev/null", *start)
        try:
            yield terminal
        finally:
            subprocess.run(("tmux", "-S", f"{folder}/tmux", "kill-server"), capture_output=True, check=False)
