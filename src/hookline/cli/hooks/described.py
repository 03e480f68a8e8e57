"""An event in a person's words: `Bash 'git push'`, `PostToolUse Edit src/a.ts`, `UserPromptSubmit 'mend it'`."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from hookline.dialects import is_known, names, readable
from hookline.dialects.spelling import suggestion
from hookline.dialects.tools import CANONICAL
from hookline.engine.callbacks import kind_of
from hookline.model.errors import UsageError
from hookline.model.events import BODIES, EventKind, FilesChanged, Prompt, ToolCall, find_kind
from hookline.model.record import Record
from hookline.model.typing import Any

_FIELDS = {
    "Bash": "command", "PowerShell": "command", "Glob": "pattern", "Grep": "pattern", "WebFetch": "url",
    "WebSearch": "query", "Agent": "prompt", "Task": "prompt", "Skill": "skill",
    "NotebookEdit": "notebook_path", "LS": "path", "SlashCommand": "command",
}  # fmt: skip
_USAGE = "name an event (`PreToolUse`) or a tool and what it is given (`Bash 'git push'`)"
_FILE_TOOLS = ("Edit", "Write", "Read", "MultiEdit", "NotebookEdit", "LS", "Delete")


class Described(Record):
    """The event's name, its payload (None: what stdin or `--input` has), and a note on how it was understood."""

    event: str
    payload: dict[str, Any] | None = None
    note: str = ""


def described(words: Sequence[str]) -> Described:
    """What these words of a command line mean. Raises UsageError."""
    event, note, rest = _event(words)
    kind = kind_of(event)
    if not rest:
        return Described(event, None, note)
    body = BODIES.get(kind)
    if body is not None and issubclass(body, ToolCall):
        return Described(event, _call(rest[0], rest[1:]), note)
    if body is Prompt:
        return Described(event, {"prompt": " ".join(rest)}, note)
    if body is FilesChanged:
        return Described(event, {"files": list(rest)}, note)
    raise UsageError(
        f"`{event}` has nothing that could be said in words",
        "give its payload as JSON on stdin, or `--input`",
    )


def _event(words: Sequence[str]) -> tuple[str, str, Sequence[str]]:
    first = words[0]
    if find_kind(first) not in (None, EventKind.NoSuchEvent) or is_known(first.partition(":")[0]):
        return first, "", words[1:]
    if tool := canonical_tool(first):
        return EventKind.PreToolUse.value, "", (tool, *words[1:])
    speakers = [
        each for each in readable(names()) if each.kind_of(first) not in (None, EventKind.NoSuchEvent)
    ]
    kinds = {each.kind_of(first) for each in speakers}
    if len(kinds) == 1:
        found = f"{speakers[0].name}:{first}"
        return found, f"`{first}` is taken for `{found}`, that is {kind_of(found).value}", words[1:]
    if speakers:
        meant = ", ".join(f"`{each.name}:{first}`" for each in speakers)
        raise UsageError(f"`{first}` is several events", f"write one of {meant}")
    known = (*(kind.value for kind in EventKind if kind is not EventKind.NoSuchEvent), *CANONICAL)
    raise UsageError(f"no event and no tool `{first}`", suggestion(first, known, _USAGE))


def canonical_tool(name: str) -> str:
    """The canonical name of a tool, whichever agent calls it so; empty when none does."""
    if name in CANONICAL or name.startswith("mcp__"):
        return name
    for speaker in readable(names()):
        found = speaker.tools.canonical(name)
        if found != name and found in CANONICAL:
            return found
    return ""


def _call(tool: str, words: Sequence[str]) -> dict[str, Any]:
    tool = canonical_tool(tool) or tool
    return {"tool_name": tool, "tool_input": _input(tool, " ".join(words)) if words else {}}


def _input(tool: str, text: str) -> dict[str, Any]:
    if text.startswith("{"):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"the input of `{tool}`: not JSON: {error}") from error
        return dict(found)
    if tool in _FILE_TOOLS:
        return {_FIELDS.get(tool, "file_path"): os.path.abspath(text)}
    return {_FIELDS.get(tool, "input"): text}
