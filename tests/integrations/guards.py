"""A workspace with Claude Code's own hooks in it, as their user wrote them; the agents in front are others."""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from hookline import Engine, context, deny, open_engine, rewrite

# Reads Claude Code's payload and answers by Claude Code's rules: exit code 2, or JSON on standard output.
GUARD = """#!/bin/sh
say() { printf '{"hookSpecificOutput": {"hookEventName": "%s", %s}}' "$1" "$2"; }
case $(cat) in
  *PostToolUse*secret*) say PostToolUse '"updatedToolOutput": "***"' ;;
  *PostToolUse*) say PostToolUse '"additionalContext": "checked by a guard"' ;;
  *'rm -rf'*) echo 'use git clean' >&2; exit 2 ;;
  *'stop all'*) echo '{"continue": false, "stopReason": "not today"}' ;;
  *push*) say PreToolUse '"permissionDecision": "ask", "permissionDecisionReason": "pushing is for people"' ;;
  *'curl http:'*) say PreToolUse '"updatedInput": {"command": "curl https://x"}' ;;
esac
"""
MOMENTS = ["SessionStart", "UserPromptSubmit", "Stop", "Stop", "SessionEnd"]


def claude_workspace(folder: Path, **more: str) -> Engine:
    """An engine over a folder whose `.claude/settings.json` runs GUARD around `Bash`, and `more`, lines by event."""
    place = folder / ".claude"
    place.mkdir(parents=True)
    (folder / "home").mkdir()
    (place / "guard.sh").write_text(GUARD)
    (place / "guard.sh").chmod(0o755)
    guard = [_entry('"$CLAUDE_PROJECT_DIR"/.claude/guard.sh', "Bash")]
    hooks: dict[str, Any] = {"PreToolUse": guard, "PostToolUse": guard}
    for event, line in more.items():
        hooks.setdefault(event, []).append(_entry(line))
    (place / "settings.json").write_text(json.dumps({"hooks": hooks}))
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "HOOKLINE_TRUST": "workspace"}
    return open_engine(str(folder), environment=environment, history=False).engine


def _entry(line: str, matcher: str = "") -> dict[str, Any]:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": line}]}


def moments() -> tuple[Engine, list[str]]:
    """An engine with a hook at each moment of a run but the tools, and what it was fired for, in order."""
    engine, heard, once = Engine(), list[str](), iter([deny("run the tests")])
    hooks: dict[str, Callable[[Any], Any]] = {
        "SessionStart": lambda event: context("It is Monday."),
        "UserPromptSubmit": lambda event: rewrite({"prompt": "Be quick."}),
        "Stop": lambda event: next(once, None),
        "SessionEnd": lambda event: None,
    }
    for name, hook in hooks.items():
        engine.on(name, thread=False)(
            lambda event, hook=hook: (heard.append(event.kind.value), hook(event))[1]
        )
    return engine, heard


def ran_example(library: str) -> str:
    """What the example of a library prints, run as it stands, by a user who has no hooks of their own."""
    path = Path(__file__).parent.parent.parent / "examples" / f"guard_{library}.py"
    variables = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    with (
        tempfile.TemporaryDirectory() as home,
        mock.patch.dict(os.environ, {**variables, "HOME": home}, clear=True),
        contextlib.redirect_stdout(io.StringIO()) as printed,
    ):
        runpy.run_path(str(path), run_name="__main__")
    return printed.getvalue()
