"""Tasks, notes, iterations and undelivered texts of an iteration session: a replay of its events.

The replay itself decides: an event that breaks a rule changes nothing and its refusal is remembered. So
ids and rules hold for any number of writers, whatever each of them saw when it wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from hookline.model.record import Record, replace
from hookline.state.eventlog import LoggedEvent

Change = tuple[str, str, Mapping[str, Any]]
_Item = TypeVar("_Item")

STATUSES = ("remaining", "in_progress", "completed", "blocked", "cancelled")
CLOSED = ("completed", "blocked", "cancelled")
NOTE_TYPES = ("learning", "stuck", "tip", "decision")
PRIORITIES = range(5)
DEFAULT_PRIORITY = 2
SHORTEST_PREFIX = 3
USER = "user"


class Task(Record):
    """One task. `priority` 0 is the most urgent; times are seconds since the epoch."""

    id: str
    content: str
    status: str = "remaining"
    priority: int = DEFAULT_PRIORITY
    depends_on: tuple[str, ...] = ()
    created_at: float = 0.0
    updated_at: float = 0.0
    iteration: int = 0

    @property
    def number(self) -> int:
        return int(self.id.partition("-")[2])


class Note(Record):
    """Something worth knowing in later iterations; `type` is one of `NOTE_TYPES`."""

    id: str
    content: str
    type: str = "learning"
    created_at: float = 0.0
    iteration: int = 0


class Completion(Record):
    """A task became completed; `seq` is the number of the event that did it."""

    seq: int
    task_id: str
    content: str


class Pending(Record):
    """A text that waits for the agent; `seq` is the number of its event, `origin` the hook type."""

    seq: int
    text: str
    origin: str = ""


class Refusal(Exception):
    """The rule an event breaks, in words for whoever wrote it."""


class SessionState:
    """All that is known of one session; `apply` its events in order, each once.

    `created` maps an event's id to the task or note it made, `refused` to why it changed nothing.
    """

    def __init__(self) -> None:
        self.seen = 0
        self.created: dict[str, str] = {}
        self.refused: dict[str, str] = {}
        self.forget()

    def forget(self) -> None:
        """Begins anew, as a reset does."""
        self.tasks: dict[str, Task] = {}
        self.notes: dict[str, Note] = {}
        self.completions: dict[int, Completion] = {}
        self.claimed: dict[int, str] = {}
        self.handled: set[str] = set()
        self.waiting: dict[int, Pending] = {}
        self.iterations: dict[int, str] = {}
        self.started: dict[int, str] = {}
        self.summaries: dict[int, str] = {}
        self.complete = False
        self.running = False
        self.model = ""
        self._counts = {"TAS": 0, "NOT": 0}

    # -- questions ----------------------------------------------------------------------------------

    @property
    def iteration(self) -> int:
        """The number of the newest iteration, 0 before the first."""
        return max(self.iterations, default=0)

    @property
    def pending(self) -> tuple[Pending, ...]:
        """What has not reached the agent, oldest first."""
        return tuple(self.waiting[seq] for seq in sorted(self.waiting))

    @property
    def hook_texts(self) -> tuple[Pending, ...]:
        """What waits for the next prompt's first block."""
        return tuple(each for each in self.pending if each.origin != USER)

    @property
    def messages(self) -> tuple[Pending, ...]:
        """What the user said and the agent has not heard."""
        return tuple(each for each in self.pending if each.origin == USER)

    @property
    def unclaimed(self) -> tuple[Completion, ...]:
        """Completions whose hooks nobody has started, in their order."""
        return tuple(each for seq, each in sorted(self.completions.items()) if seq not in self.claimed)

    @property
    def interrupted(self) -> tuple[Completion, ...]:
        """Completions whose hooks were started and never came to an end."""
        begun = sorted(set(self.claimed) & set(self.completions))
        return tuple(self.completions[seq] for seq in begun if f"task:{seq}" not in self.handled)

    def next_task(self) -> Task | None:
        """The most urgent task that can be begun; the lowest number decides between equals."""
        ready = [task for task in self.tasks.values() if task.status == "remaining" and self._is_free(task)]
        return min(ready, key=lambda task: (task.priority, task.number), default=None)

    def find(self, given: object) -> Task:
        """The task of that id, or of an unambiguous beginning of it. Raises Refusal."""
        return _named("task", given, self.tasks)

    def note(self, given: object) -> Note:
        """The note with that id or unique beginning of one. Raises Refusal for none or several."""
        return _named("note", given, self.notes)

    # -- events -------------------------------------------------------------------------------------

    def apply(self, entry: LoggedEvent) -> None:
        """Takes one event in; what breaks a rule, or is no event of ours, only leaves its refusal."""
        if entry.seq <= self.seen:
            return
        self.seen = entry.seq
        event = entry.event
        try:
            self._change(entry)
        except Refusal as refusal:
            self.refused[str(event.get("id"))] = str(refusal)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self.refused[str(event.get("id"))] = f"malformed event: {error}"

    def problem(self, changes: Sequence[Change], by_agent: bool) -> str | None:
        """Why one of these changes, made one after the other, would be refused now; None if all go."""
        trial = self._copy()
        meta = {"by": "agent"} if by_agent else {}
        for place, (type, action, data) in enumerate(changes, 1):
            event = {"id": "trial", "type": type, "action": action, "meta": meta, "data": data}
            trial.apply(LoggedEvent(self.seen + place, "", event))
            if "trial" in trial.refused:
                return trial.refused["trial"]
        return None

    def _change(self, entry: LoggedEvent) -> None:
        event = entry.event
        change = _CHANGES.get((event["type"], event["action"]))
        if change is None:
            raise Refusal(f"unknown event {event['type']}.{event['action']}")
        change(self, entry, event.get("data") or {}, event.get("meta") or {})

    def _copy(self) -> SessionState:
        copy = SessionState()
        for name, value in vars(self).items():
            setattr(copy, name, value.copy() if isinstance(value, dict | set) else value)
        copy.created, copy.refused = {}, {}
        return copy

    def _is_free(self, task: Task) -> bool:
        return all(self.tasks[name].status == "completed" for name in task.depends_on if name in self.tasks)

    def _next_id(self, prefix: str) -> str:
        self._counts[prefix] += 1
        return f"{prefix}-{self._counts[prefix]}"

    # -- tasks --------------------------------------------------------------------------------------

    def _add_task(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        content = _text(given, "content")
        same = content.casefold()
        for task in self.tasks.values():
            if task.content.strip().casefold() == same:
                raise Refusal(f"{task.id} says the same already")
        status = _one_of(given.get("status") or "remaining", STATUSES, "status")
        priority = _priority(DEFAULT_PRIORITY if given.get("priority") is None else given["priority"])
        self._check_start(status, "", meta)
        task = Task(self._next_id("TAS"), content, status, priority, (), entry.at, entry.at, self.iteration)
        self.tasks[task.id] = task
        self.created[str(entry.event["id"])] = task.id
        self._moved(entry, task, "")

    def _set_status(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        task = self.find(given["id"])
        status = _one_of(given["status"], STATUSES, "status")
        self._check_start(status, task.id, meta)
        changed = replace(task, status=status, updated_at=entry.at, iteration=self.iteration)
        self.tasks[task.id] = changed
        self._moved(entry, changed, task.status)

    def _moved(self, entry: LoggedEvent, task: Task, before: str) -> None:
        if task.status == "completed" != before:
            self.completions[entry.seq] = Completion(entry.seq, task.id, task.content)
        if task.status == "in_progress" and self.iteration:
            self.started.setdefault(self.iteration, task.id)

    def _check_start(self, status: str, task_id: str, meta: Mapping[str, Any]) -> None:
        """An agent has one task at a time, and begins one in each iteration."""
        if status != "in_progress" or meta.get("by") != "agent":
            return
        for task in self.tasks.values():
            if task.status == "in_progress" and task.id != task_id:
                raise Refusal(f"{task.id} is in progress; finish it first")
        begun = self.started.get(self.iteration)
        if self.iteration and begun and begun != task_id:
            raise Refusal(f"{begun} was started in this iteration; leave the next task to the next one")

    def _set_priority(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        task = self.find(given["id"])
        self.tasks[task.id] = replace(task, priority=_priority(given["priority"]), updated_at=entry.at)

    def _depend(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        task, other = self.find(given["id"]), self.find(given["depends_on"])
        if other.id == task.id:
            raise Refusal(f"{task.id} cannot depend on itself")
        if task.id in self._needs(other):
            raise Refusal(f"{other.id} already waits for {task.id}")
        wanted = tuple(dict.fromkeys((*task.depends_on, other.id)))
        self.tasks[task.id] = replace(task, depends_on=wanted, updated_at=entry.at)

    def _needs(self, task: Task) -> set[str]:
        found: set[str] = set()
        ahead = list(task.depends_on)
        while ahead:
            name = ahead.pop()
            if name not in found and name in self.tasks:
                found.add(name)
                ahead += self.tasks[name].depends_on
        return found

    def _reword_task(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        task = self.find(given["id"])
        self.tasks[task.id] = replace(task, content=_text(given, "content"), updated_at=entry.at)

    def _delete_task(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        del self.tasks[self.find(given["id"]).id]

    # -- notes --------------------------------------------------------------------------------------

    def _add_note(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        kind = _one_of(given.get("type") or "learning", NOTE_TYPES, "type")
        content = _text(given, "content")
        note = Note(self._next_id("NOT"), content, kind, entry.at, self.iteration)
        self.notes[note.id] = note
        self.created[str(entry.event["id"])] = note.id

    def _change_note(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        note = self.note(given["id"])
        content = _text(given, "content") if "content" in given else note.content
        kind = _one_of(given.get("type") or note.type, NOTE_TYPES, "type")
        self.notes[note.id] = replace(note, content=content, type=kind)

    def _delete_note(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        del self.notes[self.note(given["id"]).id]

    # -- iterations and control -----------------------------------------------------------------------

    def _iterate(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        self.iterations[int(given["number"])] = str(entry.event["action"])

    def _summarise(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        number = self.iteration
        if meta.get("by") == "agent" and number in self.summaries:
            raise Refusal("this iteration has its summary already")
        self.summaries[number] = _text(given, "summary")

    def _complete(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        left = [task for task in self.tasks.values() if task.status not in CLOSED]
        if left:
            raise Refusal(f"not all tasks are done: {', '.join(task.id for task in left)}")
        self.complete = True

    def _restart(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        self.complete = False

    def _run(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        self.running = entry.event["action"] == "run_started"

    def _set_model(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        self.model = str(given["model"])

    def _reset(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        self.forget()

    # -- texts for the agent --------------------------------------------------------------------------

    def _hold(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        if given.get("key"):
            self.handled.add(str(given["key"]))
        if given["text"]:
            self.waiting[entry.seq] = Pending(entry.seq, str(given["text"]), str(given.get("origin") or ""))

    def _deliver(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        for seq in given["items"]:
            self.waiting.pop(int(seq), None)

    def _claim(self, entry: LoggedEvent, given: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        self.claimed.setdefault(int(given["completion"]), str(entry.event["id"]))


def _named(what: str, given: object, known: Mapping[str, _Item]) -> _Item:
    wanted = str(given).strip().upper()
    if wanted in known:
        return known[wanted]
    found = [name for name in known if name.startswith(wanted)]
    if len(wanted) < SHORTEST_PREFIX or not found:
        raise Refusal(f"no {what} `{given}`")
    if len(found) > 1:
        raise Refusal(f"`{given}` could be {', '.join(found)}")
    return known[found[0]]


def _text(given: Mapping[str, Any], name: str) -> str:
    text = given.get(name)
    if not isinstance(text, str) or not text.strip():
        raise Refusal(f"`{name}` must be a text")
    return text.strip()


def _one_of(value: object, known: tuple[str, ...], name: str) -> str:
    if value not in known:
        raise Refusal(f"`{name}` must be one of {', '.join(known)}, found {value!r}")
    return str(value)


def _priority(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value not in PRIORITIES:
        raise Refusal(f"`priority` must be a number from 0 (most urgent) to 4, found {value!r}")
    return value


Apply = Callable[[SessionState, LoggedEvent, Mapping[str, Any], Mapping[str, Any]], None]

# The first three rows of types are iteratr's own; `pending` keeps what it only had in memory.
_CHANGES: Mapping[tuple[str, str], Apply] = {
    ("task", "add"): SessionState._add_task,
    ("task", "status"): SessionState._set_status,
    ("task", "priority"): SessionState._set_priority,
    ("task", "depends"): SessionState._depend,
    ("task", "content"): SessionState._reword_task,
    ("task", "delete"): SessionState._delete_task,
    ("note", "add"): SessionState._add_note,
    ("note", "content"): SessionState._change_note,
    ("note", "type"): SessionState._change_note,
    ("note", "delete"): SessionState._delete_note,
    ("iteration", "start"): SessionState._iterate,
    ("iteration", "complete"): SessionState._iterate,
    ("iteration", "failed"): SessionState._iterate,
    ("iteration", "summary"): SessionState._summarise,
    ("control", "session_complete"): SessionState._complete,
    ("control", "session_restart"): SessionState._restart,
    ("control", "set_model"): SessionState._set_model,
    ("control", "run_started"): SessionState._run,
    ("control", "run_ended"): SessionState._run,
    ("control", "reset"): SessionState._reset,
    ("pending", "add"): SessionState._hold,
    ("pending", "delivered"): SessionState._deliver,
    ("pending", "claim"): SessionState._claim,
}
