"""A git workspace with issues, AutoAgent hooks that write down what they get, and a scripted model."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.program import PIPES, Program

RECORD = 'cat >> "$HOME/events.jsonl"; echo >> "$HOME/events.jsonl"'
EVENTS = ("PreExecutionStart", "PostExecutionStart", "PreExecutionEnd", "PostExecutionEnd", "Stop")


class Project(Program):
    """`hookline issues` in a workspace of its own."""

    def __init__(self, home: Path, workspace: Path) -> None:
        super().__init__(home, workspace)
        self.environment["GIT_CONFIG_NOSYSTEM"] = "1"
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Tester")
        self.git("config", "user.email", "tester@localhost")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.workspace, capture_output=True, text=True, check=True,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1"},
        )  # fmt: skip
        return done.stdout.strip()

    def create(self, *titles: str) -> None:
        """Issues with these titles, made by the program."""
        for title in titles:
            done = self("issues", "create", "-t", title, "-d", f"About {title}.")
            assert done.returncode == 0, done.stderr

    def begin(self, *arguments: str) -> subprocess.Popen[str]:
        """The program, left running."""
        return self.start(*arguments, **{**PIPES, "stdin": subprocess.DEVNULL}, text=True)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "first")

    def configure(self, hooks: dict[str, list[dict[str, Any]]] | None = None, **settings: Any) -> None:
        """The workspace's config: a recording hook at each event, then the given ones."""
        every = {event: [{"type": "command", "command": RECORD}] for event in EVENTS}
        for event, entries in (hooks or {}).items():
            every[event] = [*every.get(event, []), *entries]
        self.write(".autoagent/config.json", json.dumps({**settings, "hooks": every}, indent=2))

    def script(self, *turns: dict[str, Any], after: str = "Done.") -> str:
        """A script outside of the workspace, as `--model` takes it."""
        path = self.home / "turns.yml"
        path.write_text(yaml.safe_dump({"turns": list(turns), "after": after}))
        return f"scripted:{path}"

    @property
    def events(self) -> list[dict[str, Any]]:
        """What the recording hooks got, in order."""
        path = self.home / "events.jsonl"
        if not path.exists():
            return []
        return [json.loads(line) for line in path.read_text().splitlines() if line]

    @property
    def names(self) -> list[tuple[str, int | None]]:
        return [(event["eventName"], event.get("issueNumber")) for event in self.events]

    @property
    def sessions(self) -> list[dict[str, Any]]:
        """All session files, oldest first."""
        folder = self.home / ".autoagent" / "sessions"
        return [json.loads(path.read_text()) for path in sorted(folder.glob("session-*.json"))]

    def read(self, path: str) -> str:
        return (self.workspace / path).read_bytes().decode()


def shell(line: str, **fields: Any) -> dict[str, Any]:
    """A command hook that takes its input."""
    return {"type": "command", "command": f"cat >/dev/null; {line}", **fields}


def write(path: str, content: str = "x\n") -> dict[str, Any]:
    """A turn in which the model writes a file."""
    return {"tool_calls": [{"name": "Write", "input": {"file_path": path, "content": content}}]}


def lines(text: str) -> Sequence[dict[str, Any]]:
    """The objects of a `--json` stream."""
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """An empty home and a git workspace that is trusted."""
    home, workspace = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    workspace.mkdir()
    yield Project(home, workspace)
