"""What the live view of an iteration run shows, as plain lines for any size of terminal."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from hookline.cli.render import cells, duration, one_line
from hookline.dialects.plain_text import plain_text
from hookline.hosts.iterations.state import SessionState
from hookline.hosts.iterations.tasks import note_line, task_line
from hookline.model.results import HookResult

FOLDED = 10
SIDEBAR = 38
NARROW, LOW = 100, 25
KEPT = 2000
HELP = "^X: l logs  b sidebar  n note  t task  p pause  r restart · i message  j/k scroll  ⏎ unfold  ^C quit"
SHORT_HELP = "^X more keys · i message · j/k scroll · ⏎ unfold · ^C quit"
COMMANDS = "^X: l logs  b sidebar  n note  t task  p pause  r restart"
LABELS = {"on_task_complete": "Task Complete", "on_error": "On Error"}
MARKS = {"running": "●", "ok": "✓", "error": "×"}


class HookItem:
    """One run of a hook: running, ok or error; `seconds` is how long it took so far."""

    def __init__(self, native: str, command: str, started: float) -> None:
        self.label = LABELS.get(native) or native.replace("_", " ").title()
        self.command = command
        self.started = started
        self.state = "running"
        self.seconds = 0.0
        self.output = ""

    def finish(self, result: HookResult) -> None:
        raw = result.raw
        self.state = "error" if result.failed or result.status != "ran" else "ok"
        if raw is not None:
            self.seconds = raw.timings.total
            self.command = raw.command or self.command
            self.output = plain_text(raw.stdout + (f"[stderr]\n{raw.stderr}" if raw.stderr else ""))
        else:
            self.output = result.why


class Board:
    """Everything the view knows. `entries` are texts of the agent and hook items in the order they came."""

    def __init__(self, session: str, state: SessionState, started: float) -> None:
        self.session = session
        self.state = state
        self.started = started
        self.entries: deque[str | HookItem] = deque(maxlen=KEPT)
        self.logs: deque[str] = deque(maxlen=KEPT)
        self.status = "starting"
        self.paused = False  # after the round that runs
        self.waits = False  # that round is over
        self.is_prefixed = False  # the next key is one of a command
        self.sidebar = True
        self.logs_open = False
        self.unfolded = False
        self.scroll = 0
        self.pane = 0
        self.asking = ""
        self.typed = ""

    def say(self, text: str) -> None:
        """Adds words of the agent; those of one breath become one entry."""
        self.entries.append(plain_text(text))

    def log(self, text: str) -> None:
        self.logs.append(text)


def screen(board: Board, width: int, height: int, now: float) -> list[str]:
    """Exactly `height` lines, none wider than `width` cells; below 100×25 there is no sidebar."""
    compact = width < NARROW or height < LOW
    room = max(1, height - 2)
    if board.logs_open:
        logs = board.logs or ("nothing has been logged",)
        body = _tail([line for text in logs for line in _wrapped(text, width)], room, board.scroll)
    elif board.sidebar and not compact:
        left = width - SIDEBAR - 3
        main = _tail(list(_main(board, left, now)), room, board.scroll)
        side = _side(board, room)
        body = [f"{_fit(a, left)} │ {_fit(b, SIDEBAR)}" for a, b in zip(main, side, strict=True)]
    else:
        body = _tail(list(_main(board, width, now)), room, board.scroll)
    return [_fit(line, width) for line in (_title(board, now), *body, _foot(board, width))][:height]


def _title(board: Board, now: float) -> str:
    tasks = board.state.tasks.values()
    done = sum(task.status == "completed" for task in tasks)
    parts = [
        f"hookline · {board.session}",
        f"iteration {board.state.iteration}",
        _doing(board),
        f"tasks {done}/{len(tasks)}",
        duration(now - board.started),
    ]
    return " · ".join([*parts, "logs"] if board.logs_open else parts)


def _doing(board: Board) -> str:
    if not board.paused:
        return board.status
    return "paused" if board.waits else f"{board.status}, pauses after it"


def _foot(board: Board, width: int) -> str:
    if board.asking:
        return f"{board.asking}> {board.typed}█"
    if board.is_prefixed:
        return COMMANDS
    if board.scroll:
        return f"↑ {board.scroll} lines back · j/k"
    return HELP if cells(HELP) <= width else SHORT_HELP


def _main(board: Board, width: int, now: float) -> Iterator[str]:
    for entry in board.entries:
        if isinstance(entry, str):
            yield from _wrapped(entry, width)
        else:
            yield from _item(entry, width, now, board.unfolded)


def _item(item: HookItem, width: int, now: float, unfolded: bool) -> Iterator[str]:
    took = duration(now - item.started if item.state == "running" else item.seconds)
    head, tail = f"{MARKS[item.state]} {item.label}  ", f"  {took}"
    room = max(4, width - cells(head) - cells(tail))
    yield head + cut(one_line(item.command, 4 * room), room) + tail
    lines = [line for line in _wrapped(item.output.rstrip(), width - 4) if item.output.strip()]
    shown = lines if unfolded else lines[:FOLDED]
    yield from (f"  │ {line}" for line in shown)
    if len(shown) < len(lines):
        yield f"  └ {len(lines) - len(shown)} more lines (⏎)"


def _side(board: Board, room: int) -> list[str]:
    state = board.state
    tasks = [task_line(task) for task in state.tasks.values()]
    notes = [note_line(note) for note in state.notes.values()]
    for_tasks = max(2, room - 1 - min(len(notes) + 2, room // 3))
    lines = ["Tasks", *(tasks[-for_tasks:] or ["none"]), "", "Notes", *(notes or ["none"])]
    lines = [one_line(line, 4 * SIDEBAR) for line in lines][:room]
    return [*lines, *[""] * (room - len(lines))]


def _tail(lines: Sequence[str], room: int, scroll: int) -> list[str]:
    end = max(min(len(lines), room), len(lines) - scroll)
    shown = list(lines[max(0, end - room) : end])
    return [*shown, *[""] * (room - len(shown))]


def _wrapped(text: str, width: int) -> Iterator[str]:
    """The lines of a text, broken where they get too wide; control characters become blanks."""
    for line in text.replace("\r\n", "\n").expandtabs(4).split("\n"):
        clean = "".join(ch if ch.isprintable() else " " for ch in line)
        while cells(clean) > width:
            head = _head(clean, width)
            blank = head.rfind(" ")
            head = head[: blank + 1] if blank > len(head) // 2 else head
            yield head.rstrip()
            clean = clean[len(head) :]
        yield clean


def cut(text: str, width: int) -> str:
    """The text in at most `width` cells; an ellipsis stands for what is missing. Never half a character."""
    return text if cells(text) <= width else _head(text, max(0, width - 1)) + "…"


def _head(text: str, width: int) -> str:
    taken = used = 0
    for ch in text:
        used += cells(ch)
        if used > width:
            break
        taken += 1
    return text[: max(1, taken)] if width > 0 else ""


def _fit(text: str, width: int) -> str:
    shown = cut(text, width)
    return shown + " " * max(0, width - cells(shown))
