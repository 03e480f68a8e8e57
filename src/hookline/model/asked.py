"""What an event was about: the tool and its command, file or prompt, in one line.

A line's end is written as `⏎`, and no letter is dropped or moved: what is a comment must not swallow what stands below
it, and the columns by which a guard says what it met stay those of the command itself.
"""

from __future__ import annotations

from hookline.model.events import Commit, Event, FilesChanged, IssueRun, Iteration, ToolCall
from hookline.model.short_json import write_json
from hookline.model.typing import Any, Mapping

LETTERS = 200
LINE_END = "⏎"
_LOOKED_AT = 4096
_PROGRAMS = ("command", "cmd", "commandline", "program", "executable")
_ARGUMENTS = ("args", "arguments", "argv")
_SUBJECTS = (
    *_PROGRAMS, "commands", "shellcommand", "script", "file_path", "path", "notebook_path", "pattern", "url", "query",
    "prompt", "description", "skill", "name", "input",
)  # fmt: skip
_WORDS = (
    "prompt", "message", "task_content", "error", "reason", "source", "trigger", "query", "name",
    "notification_type",
)  # fmt: skip

_CALLS = ("PreToolUse", "PostToolUse", "PermissionRequest")
_PLAIN = ("Bash", "Edit", "Write", "Read", "WebFetch", "WebSearch")  # one text says what is asked


def asked_of(event: Event) -> tuple[str | None, str]:
    """The tool of an event, None for an event without one, and what it was about, in one line."""
    tool, about = about_of(event)
    return tool, in_one_line(about)


def about_of(event: Event) -> tuple[str | None, str]:
    """As `asked_of`, in as many lines as it has; at most 4,096 characters."""
    body = event.body
    if isinstance(body, ToolCall):
        return body.tool_name, _subject(body.tool_input)[:_LOOKED_AT]
    return None, _about(event)[:_LOOKED_AT]


def subject_of(tool_input: Mapping[str, Any]) -> str:
    """What a tool call is about, in one line: its command, its file, its prompt, else its whole input."""
    return in_one_line(_subject(tool_input)[:_LOOKED_AT])


def _subject(tool_input: Mapping[str, Any]) -> str:
    found = _subject_of(tool_input)
    if not found and tool_input:
        # other agents write `Command`, `shell_command`
        found = _subject_of({str(key).replace("_", "").lower(): tool_input[key] for key in tool_input})
    return found or (write_json(dict(tool_input), default=str) if tool_input else "")


def _subject_of(tool_input: Mapping[str, Any]) -> str:
    for key in _SUBJECTS:
        value = tool_input.get(key)
        if value and isinstance(value, str | list):
            more = next((tool_input[each] for each in _ARGUMENTS if tool_input.get(each)), "")
            words = _words(value, "\n" if key == "commands" else " ")
            return f"{words} {_words(more)}" if more and key in _PROGRAMS else words
    return ""


def _words(value: object, between: str = " ") -> str:
    """A text, or the words of a list; what is neither as it is written."""
    if isinstance(value, str):
        return value
    each = value if isinstance(value, list) else [value]
    return between.join(part if isinstance(part, str) else write_json(part, default=str) for part in each)


def in_one_line(text: str) -> str:
    """The text with every line's end seen, and every other letter where it was."""
    text = text.rstrip()
    if text.isprintable():
        return text
    return "".join(LINE_END if letter == "\n" else letter if letter.isprintable() else " " for letter in text)


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
    words = "" if event == "PreToolUse" else f"{event} "
    return f"hookline explain {words}{asked['tool'] + ' ' if asked.get('tool') else ''}{_quoted(text)}"


def _quoted(text: str) -> str:
    """A word for a shell; several lines as bash, zsh and ksh take them in one."""
    from shlex import quote

    if LINE_END not in text:
        return quote(text)
    return "$'" + text.replace("\\", "\\\\").replace("'", "\\'").replace(LINE_END, "\\n") + "'"


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
