"""`hookline task` and `hookline note`: the store of an iteration session."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from hookline.cli import common, flags
from hookline.cli.actions import Action, run_action
from hookline.cli.render import visible
from hookline.hosts.iterations.mcp_server import McpServer
from hookline.hosts.iterations.state import NOTE_TYPES, PRIORITIES, STATUSES, Note, Task
from hookline.hosts.iterations.tasks import NO_TASK, TaskStore, note_lines, open_log, task_line, task_lines
from hookline.model.errors import UsageError
from hookline.model.record import fields_of
from hookline.system.loops.standard_input import standard_lines

Act = Callable[[TaskStore, Namespace], Awaitable[tuple[str, Any]]]


Option = tuple[str, Mapping[str, Any]]
Row = tuple[str, str, Act, tuple[Option, ...]]  # what it does, the rest of an example, and how

DATA_DIR = ".iteratr"


def run_task(arguments: list[str]) -> int:
    """`hookline task …`; data on stdout, refusals on stderr with exit code 1."""
    return _run("task", TASK, arguments)


def run_note(arguments: list[str]) -> int:
    """`hookline note …`."""
    return _run("note", NOTE, arguments)


def add_store_options(parser: ArgumentParser, default: str = "the only one, or `default`") -> None:
    """The options that say which session of which log is meant."""
    parser.add_argument("--name", metavar="S", help=f"the session (default: {default})")
    parser.add_argument("--data-dir", default=DATA_DIR, metavar="DIR", help=f"default: {DATA_DIR}")
    flags.add_bus(parser, "a NATS server instead of the folder")


def data_dir_of(options: Namespace) -> str:
    """The absolute data folder; a relative one is meant from the workspace."""
    return os.path.join(common.place_of(options.workspace), options.data_dir)


def _run(command: str, rows: Mapping[str, Row], arguments: list[str]) -> int:
    actions = {
        name: Action(words, f"hookline {command} {name} --name shop {rest}".rstrip(), _reading(act, options))
        for name, (words, rest, act, options) in rows.items()
    }
    if not arguments:  # scripts call these, and one whose word is empty has done nothing
        raise UsageError(f"{command}: an action is missing", f"there are {', '.join(rows)}")
    return run_action(command, actions, _action_first(arguments, rows))


def _action_first(arguments: list[str], rows: Mapping[str, Row]) -> list[str]:
    """`--name shop list` as `list --name shop`; what stands behind an option is its value."""
    before = ["", *arguments]
    for place, (earlier, word) in enumerate(zip(before, arguments, strict=False)):
        is_value = earlier.startswith("--") and "=" not in earlier and earlier not in ("--json", "--help")
        if word in rows and not is_value and arguments[0].startswith("-"):
            return [word, *arguments[:place], *arguments[place + 1 :]]
    return arguments


def _reading(act: Act, options: tuple[Option, ...]) -> Callable[[ArgumentParser, list[str]], int]:
    def run(parser: ArgumentParser, arguments: list[str]) -> int:
        add_store_options(parser)
        parser.add_argument("--json", action="store_true", help="print JSON")
        for flag, settings in options:
            parser.add_argument(flag, **settings)
        return asyncio.run(_act(parser.parse_args(arguments), act))

    return run


async def _act(given: Namespace, act: Act) -> int:
    log = open_log(data_dir_of(given), given.bus, common.warn)
    try:
        store = TaskStore(log, given.name or await _only_session(log))
        text, value = await act(store, given)
    finally:
        await log.close()
    if act is not _serve:
        shown = json.dumps(value, ensure_ascii=False) if given.json else visible(text, keep="\n")
        sys.stdout.write(shown + "\n")
    return 0


async def _only_session(log: Any) -> str:
    found = {entry.subject.split(".")[1] async for entry in log.replay("iteratr.*.*")}
    if len(found) > 1:
        raise UsageError(f"there are several sessions: {', '.join(sorted(found))}", "choose one by `--name`")
    return found.pop() if found else "default"


# -- tasks ----------------------------------------------------------------------------------------------


async def _add(store: TaskStore, given: Namespace) -> tuple[str, Any]:
    task = await store.add_task(given.content, given.status, given.priority)
    return task.id, _task_json(task)


async def _list(store: TaskStore, given: Namespace) -> tuple[str, Any]:
    state = await store.refresh()
    return task_lines(state), [_task_json(task) for task in state.tasks.values()]


async def _next(store: TaskStore, given: Namespace) -> tuple[str, Any]:
    task = (await store.refresh()).next_task()
    return (NO_TASK, None) if task is None else (task_line(task), _task_json(task))


async def _status(store: TaskStore, given: Namespace) -> tuple[str, Any]:
    return _changed(await store.change_task(given.id, status=given.status))


async def _priority(store: TaskStore, given: Namespace) -> tuple[str, Any]:
    return _changed(await store.change_task(given.id, priority=given.priority))


async def _depends(store: TaskStore, given: Namespace) -> tuple[str, Any]:
    return _changed(await store.change_task(given.id, depends_on=[given.depends_on]))


async def _content(store: TaskStore, given: Namespace) -> tuple[str, Any]:
    await store.write("task", "content", {"id": given.id, "content": given.content})
    return _changed(store.task(given.id))


async def _delete(store: TaskStore, given: Namespace) -> tuple[str, Any]:
    await store.refresh()
    task = store.task(given.id)
    await store.write("task", "delete", {"id": task.id})
    return f"Deleted {task.id}", _task_json(task)


async def _serve(store: TaskStore, given: Namespace) -> tuple[str, Any]:
    store.by_agent = True
    read_line = await standard_lines(1 << 24)

    async def write(content: bytes) -> None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()

    await McpServer(store).serve_lines(read_line, write)
    return "", None


def _changed(task: Task) -> tuple[str, Any]:
    return task_line(task), _task_json(task)


def _task_json(task: Task) -> Mapping[str, Any]:
    return {**fields_of(task), "depends_on": list(task.depends_on)}


# -- notes ----------------------------------------------------------------------------------------------


async def _add_note(store: TaskStore, given: Namespace) -> tuple[str, Any]:
    [note] = await store.add_notes([{"content": given.content, "type": given.type}])
    return note.id, fields_of(note)


async def _list_notes(store: TaskStore, given: Namespace) -> tuple[str, Any]:
    state = await store.refresh()
    chosen: list[Note] = [note for note in state.notes.values() if given.type in (None, note.type)]
    return note_lines(state, given.type), [fields_of(note) for note in chosen]


async def _delete_note(store: TaskStore, given: Namespace) -> tuple[str, Any]:
    note = (await store.refresh()).note(given.id)
    await store.write("note", "delete", {"id": note.id})
    return f"Deleted {note.id}", {"id": note.id}


_ID: Option = (
    "--id",
    {"metavar": "ID", "help": "an id, or an unambiguous beginning of one", "required": True},
)
_CONTENT: Option = ("--content", {"type": flags.some_text, "metavar": "TEXT", "required": True})
_NEW_STATUS: Option = ("--status", {"choices": STATUSES, "help": "a new task: remaining"})
_PRIORITY: Option = (
    "--priority",
    {"type": int, "choices": PRIORITIES, "metavar": "N", "help": "0 (most urgent) to 4; a new task: 2"},
)
_AFTER: Option = ("--depends-on", {"metavar": "ID", "help": "the task to wait for", "required": True})
_TYPE: Option = ("--type", {"choices": NOTE_TYPES})


def _needed(option: Option) -> Option:
    return (option[0], {**option[1], "required": True})


TASK: Mapping[str, Row] = {
    "add": (
        "add a task and print its id", '--content "Write the parser" --priority 0', _add,
        (_CONTENT, _NEW_STATUS, _PRIORITY),
    ),
    "list": ("all tasks", "", _list, ()),
    "next": ("the task to do next", "", _next, ()),
    "status": ("change a task's status", "--id TAS-1 --status completed", _status, (_ID, _needed(_NEW_STATUS))),
    "priority": ("change a task's priority", "--id TAS-1 --priority 0", _priority, (_ID, _needed(_PRIORITY))),
    "depends": ("make a task wait for another", "--id TAS-2 --depends-on TAS-1", _depends, (_ID, _AFTER)),
    "content": ("reword a task", '--id TAS-1 --content "Write the lexer"', _content, (_ID, _CONTENT)),
    "delete": ("remove a task", "--id TAS-1", _delete, (_ID,)),
    "mcp": ("serve the agent's task tools (MCP on stdio)", "", _serve, ()),
}  # fmt: skip
NOTE: Mapping[str, Row] = {
    "add": (
        "add a note and print its id", '--content "The tests need Redis" --type tip', _add_note,
        (_CONTENT, _needed(_TYPE)),
    ),
    "list": ("all notes, or those of one type", "--type tip", _list_notes, (_TYPE,)),
    "delete": ("remove a note", "--id NOT-1", _delete_note, (_ID,)),
}  # fmt: skip
