"""What an event was about: the tool and its command, file or prompt, in one line."""

from __future__ import annotations

from hookline.model.events import Commit, FilesChanged, IssueRun, Iteration, ToolCall
from hookline.model.short_json import write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.model.events import Event

LETTERS = 200
_LOOKED_AT = 4096
_SUBJECTS = (
    "command", "cmd", "file_path", "path", "notebook_path", "pattern", "url", "query", "prompt",
    "description", "skill", "name", "input",
)  # fmt: skip
_WORDS = (
    "prompt", "message", "task_content", "error", "reason", "source", "trigger", "query", "name",
    "notification_type",
)  # fmt: skip

_CALLS = ("PreToolUse", "PostToolUse", "PermissionRequest")
_PLAIN = ("Bash", "Edit", "Write", "Read", "WebFetch", "WebSearch")  # one text says what is asked


def asked_of(event: Event) -> tuple[str | None, str]:
    """The tool of an event, None for an event without one, and what it was about; at most 4,096 characters."""
    body = event.body
    if isinstance(body, ToolCall):
        return body.tool_name, subject_of(body.tool_input)
    return None, _flat(_about(event))


def subject_of(tool_input: Mapping[str, Any]) -> str:
    """What a tool call is about: its command, its file, its prompt, else its whole input."""
    for key in _SUBJECTS:
        value = tool_input.get(key)
        if value and isinstance(value, str | list):
            return _flat(value if isinstance(value, str) else " ".join(map(str, value)))
    return _flat(write_json(dict(tool_input), default=str)) if tool_input else ""


def shortened(text: str, limit: int = LETTERS) -> str:
    """At most `limit` characters, with a mark where some were left out."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def asked_again(shown: Mapping[str, Any]) -> str:
    """The command that asks today's hooks what a decision of the history was asked, and runs none of them.

    Empty where the history does not have all that it was about: cut off, redacted, or no such event.
    """
    asked = shown.get("asked") or {}
    text, event = asked.get("summary") or "", shown["event"]
    whole = text and not text.endswith("…") and "[redacted" not in text
    if not whole or not (event == "UserPromptSubmit" or (event in _CALLS and asked.get("tool") in _PLAIN)):
        return ""
    from shlex import quote

    words = "" if event == "PreToolUse" else f"{event} "
    return f"hookline explain {words}{asked['tool'] + ' ' if asked.get('tool') else ''}{quote(text)}"


def _about(event: Event) -> str:
    body = event.body
    match body:
        case FilesChanged():
            deleted = [f"{name} (deleted)" for name in body.deleted_files]
            return ", ".join([*body.files, *deleted])
        case Commit():
            return body.message or ", ".join(body.files)
        case Iteration():
            return "" if body.iteration is None else f"iteration {body.iteration}"
        case IssueRun():
            return f"#{body.issue_number} {body.issue_title}".rstrip()
    found = (event.get(word) for word in _WORDS)
    return next((value for value in found if value and isinstance(value, str)), "")


def _flat(text: str) -> str:
    text = text[:_LOOKED_AT]
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
