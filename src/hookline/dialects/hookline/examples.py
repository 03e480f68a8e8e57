"""What a rule makes of a command or a tool call that nobody made: its examples, and those of a pack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookline.dialects.hookline.commands import found_in
from hookline.model.events import Event, EventKind, ToolCall


def came_to(
    example: str | Mapping[str, Any],
    predicates: Mapping[str, Any],
    rows: Mapping[str, Any],
    workspace: str,
    allows: bool = False,
) -> tuple[str, str]:
    """`met`, `unmet` or `unsure`, and by what; of a rule that `allows` as such a rule is taken."""
    tool, given = (
        ("Bash", {"command": example}) if isinstance(example, str) else (example["tool"], example["input"])
    )
    event = Event(EventKind.PreToolUse, cwd=workspace, workspace=workspace, body=ToolCall(tool, given))
    finding = found_in(predicates, event, rows.get("programs", ""), rows.get("tools"), allows)
    if finding.doubt:
        return "unsure", finding.doubt
    if finding.unmet:
        return "unmet", finding.unmet
    return "met", ", ".join(f"`{each['command']}`" for each in finding.derivation) or "the call itself"
