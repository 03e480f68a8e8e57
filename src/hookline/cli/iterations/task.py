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
from hookline.cli.render import visible
from hookline.hosts.iterations.mcp_server import McpServer
from hookline.hosts.iterations.state import NOTE_TYPES, PRIORITIES, STATUSES, Note, Task
from hookline.hosts.iterations.tasks import NO_TASK, TaskStore, note_lines, task_line, task_lines
from hookline.model.errors import UsageError
from hookline.model.record import fields_of
from hookline.state.logs import open_log
from hookline.system.loops.standard_input import standard_lines

Act = Callable[[TaskStore, Namespace], Awaitable[tuple[str, Any]]]


Option = tuple[str, Mapping[str, Any]]

TASK_EXAMPLE = 'hookline task add --name shop --content "Write the parser" --priority 0'
NOTE_EXAMPLE = 'hookline note add --name shop --content "The tests need Redis" --type tip'
DATA_DIR = ".iteratr"


def run_task(arguments: list[str]) -> int:
    """`hookline task …`; data on stdout, refusals on stderr with exit code 1."""
    return _run("task", "The tasks of an iteration session.", TASK_EXAMPLE, TASK, arguments)


def run_note(arguments: list[str]) -> int:
    """`hookline note …`."""
    return _run("note", "The notes of an iteration session.", NOTE_EXAMPLE, NOTE, arguments)


def add_store_options(parser: ArgumentParser, default: str = "the only one, or `default`") -> None:
    """The options that say which session of which log is meant."""
    parser.add_argument("--name", metavar="S", help=f"the session (default: {default})")
    parser.add_argument("--data-dir", default=DATA_DIR, metavar="DIR", help=f"default: {DATA_DIR}")
    flags.add_bus(parser, "a NATS server instead of the folder")


def data_dir_of(options: Namespace) -> str:
    """The absolute data folder; a relative one is meant from the workspace."""
    return os.path.join(common.place_of(options.workspace), options.data_dir)


def _run(
    command: str,
    summary: str,
    example: str,
    actions: Mapping[str, tuple[str, Act, tuple[Option, ...]]],
    arguments: list[str],
) -> int:
    parser = common.parser(command, summary, example)
    shown = "\n".join(f"  {name:<10} {words}" for name, (words, _, _) in actions.items())
    parser.epilog = f"actions:\n{shown}\n\n{parser.epilog}"
    parser.add_argument("action", choices=tuple(actions))
    add_store_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    known: dict[str, Mapping[str, Any]] = {}
    for _, _, options in actions.values():
        known.update(options)
    for flag, settings in known.items():
        parser.add_argument(flag, **{key: value for key, value in settings.items() if key != "required"})
    given = parser.parse_args(arguments)
    _, act, options = actions[given.action]
    _check(command, given, options, known)
    return asyncio.run(_act(given, act))


def _check(command: str, given: Namespace, wanted: tuple[Option, ...], known: Mapping[str, Any]) -> None:
    """Which options an action takes and needs."""
    takes = dict(wanted)
    for flag in known:
        value = getattr(given, flag.lstrip("-").replace("-", "_"))
        if value is not None and flag not in takes:
            raise UsageError(f"{command} {given.action}: takes no `{flag}`")
        if value is None and takes.get(flag, {}).get("required"):
            raise UsageError(f"{command} {given.action}: needs `{flag}`")


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
_NEW_STATUS: Option = ("--status", {"choices": STATUSES, "help": "default: remaining"})
_PRIORITY: Option = (
    "--priority",
    {"type": int, "choices": PRIORITIES, "metavar": "N", "help": "0 (most urgent) to 4; default 2"},
)
_AFTER: Option = ("--depends-on", {"metavar": "ID", "help": "the task to wait for", "required": True})
_TYPE: Option = ("--type", {"choices": NOTE_TYPES})


def _needed(option: Option) -> Option:
    return (option[0], {**option[1], "required": True})


TASK: Mapping[str, tuple[str, Act, tuple[Option, ...]]] = {
    "add": ("adds a task and prints its id", _add, (_CONTENT, _NEW_STATUS, _PRIORITY)),
    "list": ("all tasks", _list, ()),
    "next": ("the task to do next", _next, ()),
    "status": ("changes a task's status", _status, (_ID, _needed(_NEW_STATUS))),
    "priority": ("changes a task's priority", _priority, (_ID, _needed(_PRIORITY))),
    "depends": ("makes a task wait for another", _depends, (_ID, _AFTER)),
    "content": ("rewords a task", _content, (_ID, _CONTENT)),
    "delete": ("removes a task", _delete, (_ID,)),
    "mcp": ("serves the agent's task tools (MCP on stdio)", _serve, ()),
}
NOTE: Mapping[str, tuple[str, Act, tuple[Option, ...]]] = {
    "add": ("adds a note and prints its id", _add_note, (_CONTENT, _needed(_TYPE))),
    "list": ("all notes, or those of one type", _list_notes, (_TYPE,)),
    "delete": ("removes a note", _delete_note, (_ID,)),
}
