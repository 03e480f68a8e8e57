"""The task and note store of an iteration session, over an event log: a file of its own, or one on a bus."""

from __future__ import annotations

import asyncio
import os
import os.path
import re
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from hookline.hosts.iterations.state import Change, Note, Refusal, SessionState, Task
from hookline.model.errors import HooklineError, UsageError, Warn, unheard
from hookline.model.rendering import iso_time
from hookline.model.short_json import on_one_line
from hookline.state.eventlog import EventLog, SqliteEventLog
from hookline.state.eventlog_nats import NatsEventLog
from hookline.system import files
from hookline.system.modules import text_beside

SUBJECT = "iteratr"
NO_TASK = "No ready tasks"
LONGEST_NAME = 64
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
HISTORY = 5
# Names as in iteratr's templates; a value is never expanded again.
_PLACEHOLDER = re.compile(r"\{\{(session|iteration|spec|notes|tasks|history|extra)\}\}")

TEMPLATE = text_beside(__name__, "prompt.txt").removesuffix("\n")


class Refused(HooklineError):
    """A change that breaks a rule of the store; nothing was changed."""


class TaskStore:
    """One session of a log. Every change is one event; what others wrote is read before each.

    `by_agent` puts the agent's own rules on top: one task in progress, one begun in each iteration, one
    summary. Raises Refused for a change that breaks a rule and StateError when the log cannot be used.
    """

    def __init__(self, log: EventLog, session: str, *, by_agent: bool = False) -> None:
        self.log = log
        self.session = checked_name(session)
        self.by_agent = by_agent
        self.state = SessionState()
        self._reading = asyncio.Lock()

    @property
    def pattern(self) -> str:
        """The subjects of this session's events."""
        return f"{SUBJECT}.{self.session}.>"

    async def refresh(self) -> SessionState:
        """Reads what was written since the last time, by anybody."""
        async with self._reading:
            async for entry in self.log.replay(self.pattern, self.state.seen):
                self.state.apply(entry)
        return self.state

    async def write(
        self, type: str, action: str, data: Mapping[str, Any], message_id: str | None = None
    ) -> str:
        """Adds one event and returns its id. Raises Refused."""
        return (await self.write_all([(type, action, data)], message_id))[0]

    async def write_all(self, changes: Sequence[Change], message_id: str | None = None) -> list[str]:
        """Adds one event for each change, or none when one of them breaks a rule. Raises Refused."""
        await self.refresh()
        problem = self.state.problem(changes, self.by_agent)
        if problem is not None:
            raise Refused(problem)
        written = [await self._append(*change, message_id) for change in changes]
        await self.refresh()
        for event_id in written:
            if event_id in self.state.refused:  # another writer was quicker
                raise Refused(self.state.refused[event_id])
        return written

    async def _append(self, type: str, action: str, data: Mapping[str, Any], message_id: str | None) -> str:
        event_id = uuid4().hex
        meta = {"iteration": self.state.iteration, **({"by": "agent"} if self.by_agent else {})}
        event = {
            "id": event_id,
            "timestamp": iso_time(),
            "session": self.session,
            "type": type,
            "action": action,
            "meta": meta,
            "data": dict(data),
        }
        await self.log.append(f"{SUBJECT}.{self.session}.{type}", event, message_id or event_id)
        return event_id

    # -- tasks --------------------------------------------------------------------------------------

    async def add_task(self, content: str, status: str | None = None, priority: int | None = None) -> Task:
        """A new task; its content must differ from every other's."""
        return (await self.add_tasks([{"content": content, "status": status, "priority": priority}]))[0]

    async def add_tasks(self, given: Sequence[Mapping[str, Any]]) -> list[Task]:
        """Several new tasks, or none when one of them is refused."""
        written = await self.write_all([("task", "add", each) for each in given])
        return [self.state.tasks[self.state.created[event_id]] for event_id in written]

    async def change_task(
        self,
        task_id: str,
        *,
        status: str | None = None,
        priority: int | None = None,
        depends_on: Sequence[str] = (),
    ) -> Task:
        """Changes a task; dependencies are added to those it has. The status comes last."""
        wanted: list[Change] = [
            ("task", "depends", {"id": task_id, "depends_on": name}) for name in depends_on
        ]
        if priority is not None:
            wanted.append(("task", "priority", {"id": task_id, "priority": priority}))
        if status is not None:
            wanted.append(("task", "status", {"id": task_id, "status": status}))
        await self.write_all(wanted)
        return self.task(task_id)

    def task(self, task_id: str) -> Task:
        """The task with this id as far as it was read. Raises Refused."""
        try:
            return self.state.find(task_id)
        except Refusal as refusal:
            raise Refused(str(refusal)) from refusal

    # -- notes and the session ------------------------------------------------------------------------

    async def add_notes(self, given: Sequence[Mapping[str, Any]]) -> list[Note]:
        """Several notes, or none when one of them is refused."""
        written = await self.write_all([("note", "add", each) for each in given])
        return [self.state.notes[self.state.created[event_id]] for event_id in written]

    async def hold(self, origin: str, text: str, key: str = "") -> None:
        """Keeps a text until the agent has it; `key` marks what need not be done again, also without text."""
        if text or key:
            await self.write("pending", "add", {"origin": origin, "key": key, "text": text})

    async def summarise(self, summary: str) -> None:
        """The words later iterations get to read about this one."""
        await self.write("iteration", "summary", {"summary": summary})

    async def complete_session(self) -> None:
        """Refused while a task is neither completed, blocked nor cancelled."""
        await self.write("control", "session_complete", {})


def checked_name(name: str, of: str = "session") -> str:
    """The name itself, of a session or whatever else `of` says. Raises UsageError."""
    if not _NAME.match(name):
        raise UsageError(
            f"`{name}` is no {of} name",
            f"use 1 to {LONGEST_NAME} letters, digits, `-` and `_`",
        )
    return name


def name_from(path: str) -> str:
    """The session name a file gives: its name without the ending, dots and blanks as hyphens."""
    stem = os.path.splitext(os.path.basename(path))[0]
    return re.sub(r"[^A-Za-z0-9_-]", "-", stem)[:LONGEST_NAME] or "default"


def task_line(task: Task) -> str:
    """One task in one line, as agents and people see it."""
    after = f" (after {', '.join(task.depends_on)})" if task.depends_on else ""
    return f"{task.id} [{task.status}] P{task.priority} {on_one_line(task.content)}{after}"


def task_lines(state: SessionState) -> str:
    """All tasks, whatever their status, in the order of their numbers."""
    return "\n".join(task_line(task) for task in state.tasks.values()) or "No tasks"


def note_line(note: Note) -> str:
    return f"{note.id} [{note.type}] {on_one_line(note.content)}"


def note_lines(state: SessionState, type: str | None = None) -> str:
    """All notes, or those of one type, oldest first."""
    chosen = [note_line(note) for note in state.notes.values() if type in (None, note.type)]
    return "\n".join(chosen) or "No notes"


def iteration_prompt(template: str, session: str, spec: str, extra: str, state: SessionState) -> str:
    """The prompt of the iteration that was started last."""
    recent = list(state.summaries.items())[-HISTORY:]
    values = {
        "session": session,
        "iteration": str(state.iteration),
        "spec": spec.strip() or "(none)",
        "notes": note_lines(state),
        "tasks": task_lines(state),
        "history": "\n".join(f"- iteration {number}: {text}" for number, text in recent) or "None",
        "extra": extra,
    }
    return _PLACEHOLDER.sub(lambda found: values[found[1]], template)


FILE = "events.db"
SCHEMES = ("nats://", "tls://")


def open_log(data_dir: str, bus: str | None = None, warn: Warn = unheard) -> EventLog:
    """The log on the server `bus`, or else the file in `data_dir`. Raises UsageError for another URL."""
    if bus is None:
        _keep_out_of_git(data_dir)
        return SqliteEventLog(os.path.join(data_dir, FILE), warn=warn)
    if not bus.startswith(SCHEMES):
        raise UsageError(f"--bus: expected a URL such as `nats://127.0.0.1:4222`, found `{bus}`")

    return NatsEventLog(bus, warn=warn)


def _keep_out_of_git(data_dir: str) -> None:
    """A session's log is no part of the project: the folder ignores itself."""
    files.ensure_dir(data_dir)
    ignore = os.path.join(data_dir, ".gitignore")
    if not os.path.exists(ignore):
        files.write_atomic(ignore, "*\n", fsync=False)
