"""The front matter fields of a Discobot hook: one row each, for reading, schema and docs."""

from __future__ import annotations

from hookline.model.events import EventKind
from hookline.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# type: (event, time limit in seconds)
TYPES: Mapping[str, tuple[EventKind, float]] = {
    "session": (EventKind.SessionStart, 300.0),
    "file": (EventKind.FilesChanged, 900.0),
    "pre-commit": (EventKind.PreCommit, 900.0),
}
PHASES = ("review",)


class Field(Record):
    """One front matter field: which hook types read it, what it may hold, and what leaving it out means."""

    types: tuple[str, ...]
    schema: Mapping[str, Any]
    default: str
    words: str


_ALL = tuple(TYPES)
FIELDS: Mapping[str, Field] = {
    "type": Field(_ALL, {"enum": list(TYPES)}, "", "when the hook runs; required"),
    "name": Field(_ALL, {"type": "string"}, "the file name", "what people call the hook"),
    "description": Field(_ALL, {"type": "string"}, "", "what it is for"),
    "timeout": Field(
        _ALL,
        {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0},
                {"type": "string", "pattern": r"^[0-9.]+ ?(ms|s|m|min|h)?$"},
            ]
        },
        "300 for session hooks, else 900",
        "seconds, or a time such as `2s` or `500ms`",
    ),
    "run_as": Field(("session",), {"enum": ["root", "user"]}, "user", "whose rights it has"),
    "blocking": Field(
        ("session",),
        {"type": "boolean"},
        "waited for, tried once",
        "`true` tries it up to ten times before the agent starts, `false` runs it beside the agent",
    ),
    "pattern": Field(
        ("file",), {"type": "string", "minLength": 1}, "", "glob of the files it checks; required"
    ),
    "ignore": Field(("file",), {"type": ["string", "array"]}, "", "globs of files it does not check"),
    "exclude": Field(("file",), {"type": ["string", "array"]}, "", "the same as `ignore`"),
    "notify_llm": Field(
        ("file", "pre-commit"), {"type": "boolean"}, "true", "send a failure back to the agent"
    ),
    "phase": Field(("file",), {"enum": list(PHASES)}, "any", "run only in this phase of a thread"),
    "on_failure": Field(
        ("file",), {"enum": ["stop", "continue"]}, "stop", "`continue` lets later hooks run after a failure"
    ),
    "git_env": Field(("pre-commit",), {"type": "boolean"}, "true", "`false` hides git's own variables"),
    "engine": Field(
        _ALL,
        {"enum": ["script", "ai"]},
        "script",
        "what carries the hook out; `ai`: a model judges by the Markdown below the fields (file hooks)",
    ),
}
