"""A workspace with file hooks and everything an evaluation needs, on real git and real processes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from tests.repositories import Repository

from hookline.engine.evaluation import FileHookVerdict
from hookline.engine.filehooks import FileHooks
from hookline.engine.opening import Opened, open_engine, reopen_hooks
from hookline.system.loops import loop


class Bench:
    """`script` writes a hook, `evaluate` ends a turn."""

    def __init__(self, tmp_path: Path, *, commit: bool = True) -> None:
        self.home = tmp_path / "home"
        self.home.mkdir()
        self.repository = Repository(tmp_path / "work", commit=commit)
        self.root = self.repository.path
        self.warnings: list[str] = []
        self.environment = {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "HOOKLINE_TRUST": "workspace"}
        (self.root / ".gitignore").write_text("*.ran\nran\n")
        self._hooks: FileHooks | None = None

    def open(self, **environment: str) -> Opened:
        return open_engine(str(self.root), environment={**self.environment, **environment})

    def reopened(self, **environment: str) -> FileHooks:
        """As after a restart."""
        opened = self.open(**environment)
        self._hooks = FileHooks(
            opened.engine,
            opened.paths,
            warn=self.warnings.append,
            reload=lambda: reopen_hooks(opened, {**self.environment, **environment}),
        )
        return self._hooks

    @property
    def hooks(self) -> FileHooks:
        return self._hooks or self.reopened()

    def script(self, name: str, *fields: str, body: str = "exit 0") -> Path:
        """A hook that adds its files to `NAME.ran` and then does `body`."""
        path = self.root / ".discobot/hooks" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        front = "\n".join(f"# {field}" for field in ("type: file", *fields))
        ran = f'echo "$DISCOBOT_CHANGED_FILES" >> {name}.ran\n'
        path.write_text(f"#!/bin/sh\n#---\n{front}\n#---\n{ran}{body}\n")
        path.chmod(0o755)
        return path

    def ran(self, name: str) -> list[str]:
        """The list of files of each run of a hook."""
        path = self.root / f"{name}.ran"
        return path.read_text().splitlines() if path.exists() else []

    def evaluate(self, user_turn: bool = True, phase: str = "", session: str = "s") -> FileHookVerdict:
        return loop.run(self.hooks.evaluate(session, user_turn=user_turn, phase=phase))

    def evaluate_on_asyncio(self, user_turn: bool = True) -> FileHookVerdict:
        return asyncio.run(self.hooks.evaluate("s", user_turn=user_turn))

    def write(self, name: str, text: str = "x\n") -> None:
        self.repository.write(name, text)

    @property
    def folder(self) -> Path:
        return self.home / ".discobot/s/hooks"

    @property
    def status(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.folder / "status.json").read_text())
        return content
