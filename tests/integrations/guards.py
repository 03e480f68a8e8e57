"""A workspace with Claude Code's own hooks in it, as their user wrote them; the agents in front are others."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hookline import Engine, open_engine

# Reads Claude Code's payload and answers by Claude Code's rules: exit code 2, or JSON on standard output.
GUARD = """#!/usr/bin/env python3
import json, sys
call = json.load(sys.stdin)
command = call["tool_input"].get("command", "")
if call["hook_event_name"] == "PreToolUse":
    if "rm -rf" in command:
        print("use git clean", file=sys.stderr)
        sys.exit(2)
    answer = {"permissionDecision": "ask", "permissionDecisionReason": "pushing is for people"}
    if "stop all" in command:
        print(json.dumps({"continue": False, "stopReason": "not today"}))
    elif "push" in command:
        print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **answer}}))
    elif "curl http:" in command:
        changed = {"updatedInput": {**call["tool_input"], "command": command.replace("http:", "https:")}}
        print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **changed}}))
if call["hook_event_name"] == "PostToolUse":
    if "secret" in str(call["tool_response"]):
        print(json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": "***"}}))
    else:
        told = {"hookEventName": "PostToolUse", "additionalContext": "checked by a guard"}
        print(json.dumps({"hookSpecificOutput": told}))
"""


def claude_workspace(folder: Path, **more: str) -> Engine:
    """An engine over a folder whose `.claude/settings.json` runs GUARD around `Bash`, and `more`, lines by event."""
    place = folder / ".claude"
    place.mkdir(parents=True)
    (place / "guard.py").write_text(GUARD)
    (place / "guard.py").chmod(0o755)
    guard = [_entry('"$CLAUDE_PROJECT_DIR"/.claude/guard.py', "Bash")]
    hooks: dict[str, Any] = {"PreToolUse": guard, "PostToolUse": guard}
    for event, line in more.items():
        hooks.setdefault(event, []).append(_entry(line))
    (place / "settings.json").write_text(json.dumps({"hooks": hooks}))
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "HOOKLINE_TRUST": "workspace"}
    return open_engine(str(folder), environment=environment, history=False).engine


def _entry(line: str, matcher: str = "") -> dict[str, Any]:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": line}]}
