"""A workspace and a home to write config into, and events fired at it with real hook processes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hookline.dialects import dialect as dialect_named
from hookline.engine.fire import Engine
from hookline.engine.hookset import HookSet
from hookline.engine.loading import load_hooks, places_for
from hookline.engine.services import Services
from hookline.model.errors import Problem
from hookline.model.events import Event, event_from_payload
from hookline.model.results import Decision, HookResult


class Workbench:
    """One dialect's view of a throw-away workspace; `~/` in paths is the throw-away home."""

    def __init__(self, folder: Path, dialect: str) -> None:
        self.dialect = dialect
        self.workspace = folder / "ws"
        self.home = folder / "home"
        for place in (self.workspace, self.home):
            place.mkdir(exist_ok=True)
        self.variables = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "TMPDIR": os.environ.get("TMPDIR", "/tmp"),
        }

    def path(self, name: str) -> Path:
        return self.home / name[2:] if name.startswith("~/") else self.workspace / name

    def write(self, name: str, content: object) -> Path:
        """Writes a text, or anything else as JSON."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
        return path

    def read(self, name: str) -> str:
        return self.path(name).read_text()

    def hooks(self) -> HookSet:
        return load_hooks(places_for(str(self.workspace), self.variables), [self.dialect])

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.hooks().problems

    def codes(self) -> list[tuple[str, str]]:
        return [(problem.code, problem.path) for problem in self.problems]

    def event(self, native: str, payload: dict[str, Any] | None = None, **common: Any) -> Event:
        kind = dialect_named(self.dialect).kind_of(native)
        assert kind is not None, native
        workspace = str(self.workspace)
        known = {"session_id": "s1", "cwd": workspace, "workspace": workspace, "at": 1763765000.25}
        return event_from_payload(kind, payload or {}, **{**known, **common})

    def engine(self, **settings: Any) -> Engine:
        return Engine(self.hooks(), Services(environment=self.variables, **settings))

    def fire(self, native: str, payload: dict[str, Any] | None = None, **common: Any) -> Decision:
        return self.engine().fire_now(self.event(native, payload, **common))


def only(decision: Decision) -> HookResult:
    """The one hook that ran."""
    (result,) = decision.ran
    return result


def stdout_json(decision: Decision) -> Any:
    """What the one hook that ran printed, as JSON (a hook that runs `cat` shows its input)."""
    result = only(decision)
    assert result.raw is not None
    return json.loads(result.raw.stdout)
