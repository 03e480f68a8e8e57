"""A workspace whose hooks really run: files in, the decision out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hookline.engine.fire import Engine
from hookline.engine.hookset import HookSet
from hookline.engine.loading import load_hooks, places_for
from hookline.engine.services import Services
from hookline.model.events import EventKind, event_from_payload
from hookline.model.results import Decision, HookResult


class Workspace:
    """One folder with hooks of one dialect; every event is fired by a fresh engine."""

    def __init__(self, root: Path, dialect: str) -> None:
        self.root = root / "ws"
        self.root.mkdir()
        self.dialect = dialect
        self.env = {"HOME": str(root), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}

    def write(self, name: str, text: str, mode: int = 0o644) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def script(self, name: str, *fields: str, body: str, shell: str = "/bin/bash") -> Path:
        front = "".join(f"# {field}\n" for field in fields)
        return self.write(f".discobot/hooks/{name}", f"#!{shell}\n#---\n{front}#---\n{body}\n", 0o755)

    def hooks(self) -> HookSet:
        return load_hooks(places_for(str(self.root), self.env), [self.dialect])

    def engine(self, **more: Any) -> Engine:
        return Engine(self.hooks(), Services(workspace=str(self.root), environment=self.env, **more))

    def fire(self, kind: EventKind, *, engine: Engine | None = None, **payload: Any) -> Decision:
        common = {"workspace": str(self.root), "cwd": str(self.root), "session_id": "s1"}
        return (engine or self.engine()).fire_now(event_from_payload(kind, payload, **common))

    def changed(self, *files: str, engine: Engine | None = None, **payload: Any) -> Decision:
        return self.fire(EventKind.FilesChanged, engine=engine, files=list(files), **payload)


def by_id(decision: Decision) -> dict[str, HookResult]:
    return {result.spec.id: result for result in decision.results}
