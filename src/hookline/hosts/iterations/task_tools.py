"""The task tools an agent is given: eight names, their inputs, and what they answer.

Names and inputs are iteratr's. A refused call answers with a text that starts with `error:`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from hookline.hosts.iterations.state import NOTE_TYPES, STATUSES
from hookline.hosts.iterations.tasks import NO_TASK, TaskStore, note_line, note_lines, task_line, task_lines
from hookline.hosts.tool_loop.tools import Run, Tool, ToolContext, ToolOutput, tool
from hookline.model.errors import HooklineError

Act = Callable[[TaskStore, Mapping[str, Any]], Awaitable[str]]

SERVER = "iteratr-tools"
IN_LOOP = f"mcp__{SERVER}__"  # so the tool loop calls what comes from that server

_TEXT = {"type": "string", "minLength": 1}
_STATUS = {"type": "string", "enum": list(STATUSES)}
_PRIORITY = {"type": "integer", "minimum": 0, "maximum": 4, "description": "0 is the most urgent; default 2"}
_NOTE_TYPE = {"type": "string", "enum": list(NOTE_TYPES)}


def task_tools(store: TaskStore, lead: str = "") -> tuple[Tool, ...]:
    """The tools over one store, their names behind `lead`."""
    rows: tuple[tuple[str, str, Act, Mapping[str, Any], tuple[str, ...]], ...] = (
        ("task-add", "Adds tasks.", _add_tasks, {"tasks": _NEW_TASKS}, ("tasks",)),
        ("task-update", "Changes a task.", _update_task, _CHANGE, ("id",)),
        ("task-list", "Lists all tasks.", _list_tasks, {}, ()),
        ("task-next", "Names the task to do next.", _next_task, {}, ()),
        ("note-add", "Adds notes for later iterations.", _add_notes, {"notes": _NEW_NOTES}, ("notes",)),
        ("note-list", "Lists notes.", _list_notes, {"type": _NOTE_TYPE}, ()),
        ("iteration-summary", "Says what this iteration did.", _summarise, {"summary": _TEXT}, ("summary",)),
        ("session-complete", "Ends the session once all tasks are done.", _complete, {}, ()),
    )
    return tuple(
        tool(lead + name, words, _run_by(run, store), properties, required, read_only=True)
        for name, words, run, properties, required in rows
    )


def _run_by(run: Act, store: TaskStore) -> Run:
    async def answer(given: Mapping[str, Any], _: ToolContext) -> ToolOutput:
        try:
            return ToolOutput(await run(store, given))
        except HooklineError as error:
            return ToolOutput(f"error: {error.message}", is_error=True)

    return answer


async def _add_tasks(store: TaskStore, given: Mapping[str, Any]) -> str:
    tasks = await store.add_tasks(_objects(given, "tasks", ("content", "status", "priority")))
    return "\n".join(f"Added {task_line(task)}" for task in tasks)


async def _update_task(store: TaskStore, given: Mapping[str, Any]) -> str:
    depends_on = given.get("depends_on") or []
    names = depends_on if isinstance(depends_on, list) else [depends_on]
    changes = (given.get("status"), given.get("priority"))
    if changes == (None, None) and not names:
        raise HooklineError("nothing to change: give `status`, `priority` or `depends_on`")
    task = await store.change_task(given["id"], status=changes[0], priority=changes[1], depends_on=names)
    return f"Updated {task_line(task)}"


async def _list_tasks(store: TaskStore, given: Mapping[str, Any]) -> str:
    return task_lines(await store.refresh())


async def _next_task(store: TaskStore, given: Mapping[str, Any]) -> str:
    task = (await store.refresh()).next_task()
    return task_line(task) if task is not None else NO_TASK


async def _add_notes(store: TaskStore, given: Mapping[str, Any]) -> str:
    notes = await store.add_notes(_objects(given, "notes", ("content", "type")))
    return "\n".join(f"Added {note_line(note)}" for note in notes)


async def _list_notes(store: TaskStore, given: Mapping[str, Any]) -> str:
    return note_lines(await store.refresh(), given.get("type"))


async def _summarise(store: TaskStore, given: Mapping[str, Any]) -> str:
    await store.summarise(given["summary"])
    return "Summary saved"


async def _complete(store: TaskStore, given: Mapping[str, Any]) -> str:
    await store.complete_session()
    return "Session complete"


def _objects(given: Mapping[str, Any], name: str, known: Sequence[str]) -> list[Mapping[str, Any]]:
    found = given[name]
    if not found or not all(isinstance(each, dict) for each in found):
        raise HooklineError(f"`{name}` must be a list of objects, and not empty")
    for each in found:
        unknown = [key for key in each if key not in known]
        if unknown:
            raise HooklineError(f"`{name}`: unknown `{unknown[0]}`; it takes {', '.join(known)}")
    return list(found)


def _list_of(required: tuple[str, ...], properties: Mapping[str, Any]) -> Mapping[str, Any]:
    item = {"type": "object", "properties": dict(properties), "required": list(required)}
    return {"type": "array", "items": item, "minItems": 1}


_NEW_TASKS = _list_of(("content",), {"content": _TEXT, "status": _STATUS, "priority": _PRIORITY})
_NEW_NOTES = _list_of(("content", "type"), {"content": _TEXT, "type": _NOTE_TYPE})
_CHANGE = {
    "id": _TEXT,
    "status": _STATUS,
    "priority": _PRIORITY,
    "depends_on": {
        "anyOf": [{"type": "array", "items": _TEXT}, _TEXT],
        "description": "ids of tasks to wait for",
    },
}
