"""Asks a person on the terminal whether a tool may run: what it shows of the call, and what `always` would allow."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from hookline.agents.base import ToolUse
from hookline.cli.render import counted, one_line, painted, visible, wants_colour
from hookline.hosts.tool_loop.host import ToolLoop
from hookline.hosts.tool_loop.permissions import Rule
from hookline.model.asked import subject_of
from hookline.model.record import replace
from hookline.system.files import read_text
from hookline.system.workspace.differences import unified

YES = ("y", "yes")
ALWAYS = ("a", "always")
SHORT = 40  # letters of a call on the line where the answer is typed
MOST_LINES = 400
MOST_LETTERS = 40_000
SHOWN = 100
_FILE_KEYS = ("file_path", "notebook_path")
_COLOURS = {"+": "32", "-": "31", "@": "36"}


class TerminalAsk:
    """Permission questions, one at a time. `always` adds a rule for the rest of the session.

    `read_line(prompt)` gives what was typed, None at the end of input; default: the plain terminal. `show`
    prints what the question is about above it.
    """

    def __init__(
        self,
        read_line: Callable[[str], Awaitable[str | None]] | None = None,
        show: Callable[[str], None] | None = None,
    ) -> None:
        self.loop: ToolLoop | None = None
        self._read_line = read_line or plain_line
        self._show = show or written
        self._turn = asyncio.Lock()

    async def __call__(self, call: ToolUse, reason: str) -> bool:
        async with self._turn:
            self._show(question_text(call, reason, self._workspace, wants_colour(sys.stderr)))
            # Named again, because what other calls tell meanwhile stands between the question and its answer.
            about = one_line(f"{call.name} {subject_of(call.input)}", SHORT)
            typed = await self._read_line(f"  {about}: [y]es, [a]lways in this session, [n]o? ")
        answer = (typed or "").strip().lower()
        if answer in ALWAYS and self.loop is not None:
            rules = (*self.loop.shared.permissions.allow, rule_for(call, self._workspace))
            self.loop.shared.permissions = replace(self.loop.shared.permissions, allow=rules)
        return answer in (*YES, *ALWAYS)

    @property
    def _workspace(self) -> str:
        return self.loop.workspace if self.loop is not None else ""


def written(text: str) -> None:
    """A question's text, in which nothing steers the terminal, on standard error."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


async def plain_line(prompt: str) -> str | None:
    """One line from the terminal in its ordinary mode; waiting for it can be cancelled."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    number = sys.stdin.fileno()

    def heard() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(number, heard)
    try:
        await ready
    finally:
        loop.remove_reader(number)
    line = os.read(number, 4096).decode("utf-8", "replace")
    return line if line else None


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
    if len(rule.pattern) > SHOWN or "\n" in rule.pattern:
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
