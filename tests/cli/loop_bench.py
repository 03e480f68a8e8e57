"""Builders for tests of the tool loop: hooks that note what they were given, scripts, and what was recorded."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

import yaml
from tests.program import Program

NOTED = ".git/noted"
RECORD = ".git/record"


def call(name: str, **given: object) -> dict[str, object]:
    """A model's turn with one tool call."""
    return calls((name, given))


def calls(*wanted: tuple[str, Mapping[str, object]]) -> dict[str, object]:
    return {"text": "", "tool_calls": [{"name": name, "input": dict(given)} for name, given in wanted]}


def note(more: str = "") -> str:
    """A command hook that appends its input as one line, in a single write, and then does `more`."""
    return f"line=$(tr -d '\\n'); printf '%s\\n' \"$line\" >> \"$PWD/{NOTED}\"; {more or 'exit 0'}"


def gencode(program: Program, **events: str | Sequence[Mapping[str, Any]]) -> None:
    """`.gen/settings.json` with one command for each event, or with groups as they stand."""
    hooks = {
        event: [{"hooks": [{"type": "command", "command": given}]}] if isinstance(given, str) else list(given)
        for event, given in events.items()
    }
    program.write(".gen/settings.json", json.dumps({"hooks": hooks}))


def cocode(program: Program, *hooks: tuple[str, str], more: str = "") -> None:
    """`~/.config/cocode/hooks.toml` with a shell hook for each pair of event and command."""
    file = program.home / ".config/cocode/hooks.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    parts = [
        f'[[hooks]]\nevent = "{event}"\nname = "{event}-{place}"\n{more}\n[hooks.shell]\n'
        f"command = '''{command}'''\npass_context = true\nparse_result = true\n"
        for place, (event, command) in enumerate(hooks, 1)
    ]
    file.write_text("\n".join(parts))


def noted(program: Program, event: str = "") -> list[dict[str, Any]]:
    """What hooks noted, optionally of one native event only."""
    file = program.workspace / NOTED
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return [line for line in lines if event in ("", line.get("hook_event_name"), line.get("event"))]


def run(
    program: Program, turns: Sequence[Mapping[str, Any]], *options: str, prompt: str = "go", **more: Any
) -> subprocess.CompletedProcess[str]:
    """`hookline run` with a script of these turns; requests are recorded."""
    script = program.workspace / ".git" / "turns.yml"
    script.write_text(yaml.safe_dump({"turns": list(turns), **more.pop("script", {})}))
    return program("run", prompt, "--model", f"scripted:{script}", "--record", RECORD, *options, **more)


def stream(done: subprocess.CompletedProcess[str], kind: str = "") -> list[dict[str, Any]]:
    """The lines of a `--json` run."""
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [line for line in lines if kind in ("", line["type"])]


def requests(program: Program) -> list[list[dict[str, Any]]]:
    """The messages of each recorded request."""
    lines = (program.workspace / RECORD).read_text().splitlines()
    return [json.loads(line)["messages"] for line in lines]


def results(program: Program, request: int = -1) -> list[dict[str, Any]]:
    """The tool results in the newest message of a request."""
    return [block for block in requests(program)[request][-1]["content"] if block["type"] == "tool_result"]


def texts(program: Program, request: int = -1) -> list[str]:
    """The texts in the newest message of a request."""
    return [block["text"] for block in requests(program)[request][-1]["content"] if block["type"] == "text"]
