"""Builders for the tests of the agents' dialects: a parsed config, a hook, and what a process came to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hookline.dialects.base import Dialect, Loaded, Places, Source, SourceText
from hookline.model.events import Event
from hookline.model.hooks import HookSpec
from hookline.model.results import Decision, Outcome, RawResult, Response

CAPTURES = Path(__file__).parent.parent / "data" / "captures"


def grouped(event: str, command: str, matcher: str | None = None, **more: Any) -> str:
    """A config in the shape of Claude Code."""
    group = {} if matcher is None else {"matcher": matcher}
    return json.dumps(
        {"hooks": {event: [{**group, "hooks": [{"type": "command", "command": command, **more}]}]}}
    )


def captured(agent: str) -> list[Any]:
    """`(event name, payload)` of everything that was recorded from a real agent."""
    events = json.loads((CAPTURES / f"{agent}.json").read_text())["events"]
    return [(name, record["stdin"]) for name, records in events.items() for record in records]


def parsed(
    dialect: Dialect, config: object, scope: str = "project", label: str | None = None, language: str = "json"
) -> Loaded:
    label = dialect.profile.read_as[1] if label is None else label
    text = config if isinstance(config, str) else json.dumps(config)
    source = Source("/w/config", scope, language, "config", label)
    return dialect.parse(SourceText(source, "text", text, "", "/w/config", "config"))


def hook(dialect: Dialect, native: str, handler: dict[str, Any] | None = None, matcher: str = "") -> HookSpec:
    """One hook of a config in Claude Code's shape."""
    entry = {"type": "command", "command": "true", **(handler or {})}
    group = {"hooks": [entry], **({"matcher": matcher} if matcher else {})}
    language, label = dialect.profile.read_as
    return parsed(dialect, {"hooks": {native: [group]}}, label=label, language=language).specs[0]


def ended(code: int | None = 0, stdout: object = "", stderr: str = "", **more: Any) -> RawResult:
    text = stdout if isinstance(stdout, str) else json.dumps(stdout)
    return RawResult(exit_code=code, stdout=text, stderr=stderr, **more)


def outcome(dialect: Dialect, event: Event, spec: HookSpec, raw: RawResult) -> Outcome:
    return dialect.read_output(event, spec, raw)


def answer(dialect: Dialect, event: Event, **decided: Any) -> Any:
    """What the host reads on stdout, decoded; None for silence. The exit code must be 0."""
    response: Response = dialect.respond(event, Decision(event.kind, **decided))
    assert response.exit_code == 0 and response.stderr == ""
    return json.loads(response.stdout) if response.stdout else None


def places(root: Path, **variables: str) -> Places:
    home = root / "home"
    return Places(str(root / "w"), str(home), str(home / ".config"), variables=variables)
