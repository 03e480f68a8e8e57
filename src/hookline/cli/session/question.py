"""What a permission question shows: all that would run or be written, and what `always` would allow."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from hookline.agents.base import ToolUse
from hookline.cli.render import counted, painted, visible
from hookline.hosts.tool_loop.permissions import Rule
from hookline.system.files import read_text
from hookline.system.workspace.differences import unified

MOST_LINES = 400
MOST_LETTERS = 40_000
SHORT = 100
_FILE_KEYS = ("file_path", "notebook_path")
_COLOURS = {"+": "32", "-": "31", "@": "36"}


def question_text(call: ToolUse, reason: str, workspace: str, colour: bool) -> str:
    """The reason, the whole command or the difference an edit makes, and the rule that `always` would add."""
    head = reason if call.name in reason else f"{reason}: {call.name}"
    lines = [
        painted(head, "1", colour),
        *(f"    {line}" for line in _bounded(_body(call, workspace, colour))),
    ]
    return "\n".join([*lines, f"  always allows {_rule_words(rule_for(call, workspace), workspace)}"])


def rule_for(call: ToolUse, workspace: str) -> Rule:
    """What `always` allows: exactly this command, this tool on this file, or this tool where it has neither."""
    command = call.input.get("command")
    if isinstance(command, str):
        return Rule(call.name, command, exact=True)
    file = _file_of(call.input)
    return (
        Rule(call.name, os.path.realpath(os.path.join(workspace, file)), exact=True)
        if file
        else Rule(call.name)
    )


def _rule_words(rule: Rule, workspace: str) -> str:
    if not rule.pattern:
        return f"every call of {rule.tool}"
    if os.path.isabs(rule.pattern) and "\n" not in rule.pattern and rule.tool != "Bash":
        inside = rule.pattern.startswith(os.path.realpath(workspace) + os.sep)
        shown = os.path.relpath(rule.pattern, os.path.realpath(workspace)) if inside else rule.pattern
        return f"every {rule.tool} of {_visible(shown)}"
    if len(rule.pattern) > SHORT or "\n" in rule.pattern:
        return f"exactly this {rule.tool} command"
    return f"exactly this: {_visible(rule.text)}"


def _body(call: ToolUse, workspace: str, colour: bool) -> Iterator[str]:
    given, file = call.input, _file_of(call.input)
    command = given.get("command")
    if isinstance(command, str):
        yield from map(_visible, command.split("\n"))
    elif file:
        yield _visible(file)
        for line in _changes(given, os.path.join(workspace, file)):
            yield painted(_visible(line), _COLOURS.get(line[:1], ""), colour and line[:1] in _COLOURS)
    elif given:
        yield from map(_visible, json.dumps(given, ensure_ascii=False, indent=2, default=str).split("\n"))


def _changes(given: Mapping[str, Any], path: str) -> Iterator[str]:
    """What would be taken out and put in, as lines that begin with `-` and `+`."""
    edits = given.get("edits")
    for edit in edits if isinstance(edits, list) else (given,):
        if isinstance(edit, dict) and isinstance(edit.get("old_string"), str):
            if edit.get("replace_all"):
                yield "@ everywhere in the file"
            yield from (f"-{line}" for line in edit["old_string"].split("\n"))
            yield from (f"+{line}" for line in str(edit.get("new_string", "")).split("\n"))
    content = given.get("content", given.get("new_source"))
    if isinstance(content, str):
        yield from list(unified(read_text(path).text, content, "", "", 2))[2:]


def _bounded(lines: Iterator[str]) -> Iterator[str]:
    """All lines; of very many the first and the last, and how many are not shown."""
    every = list(lines)
    if len(every) <= MOST_LINES and sum(map(len, every)) <= MOST_LETTERS:
        yield from every
        return
    each = MOST_LETTERS // MOST_LINES
    half = MOST_LINES // 2
    first, last = every[:half], every[max(half, len(every) - half) :]
    yield from (_cut(line, each if len(every) > 1 else MOST_LETTERS) for line in first)
    if left := len(every) - len(first) - len(last):
        yield f"[{counted(left, 'line')} not shown]"
    yield from (_cut(line, each) for line in last)


def _cut(line: str, limit: int) -> str:
    left = len(line) - limit
    return (
        line if left <= 0 else f"{line[: limit // 2]} [{left} characters are not shown] {line[-limit // 2 :]}"
    )


def _file_of(given: Mapping[str, Any]) -> str:
    return next((given[key] for key in _FILE_KEYS if isinstance(given.get(key), str)), "")


def _visible(text: str) -> str:
    return visible(text, "\t")
