"""The live view of an iteration run: draws on the terminal's second screen, reads keys, hears everything."""

from __future__ import annotations

import asyncio
import os
import sys
import termios
import tty
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

from hookline.cli import common
from hookline.cli.render import cells, duration, one_line
from hookline.dialects.plain_text import plain_text
from hookline.hosts.iterations.host import Iterations
from hookline.hosts.iterations.state import USER, SessionState
from hookline.hosts.iterations.tasks import TaskStore, note_line, task_line
from hookline.model.results import HookResult, HookStarted
from hookline.system.clock import monotonic

FRAME_S = 0.1
ENTER_SCREEN, LEAVE_SCREEN = "\033[?1049h\033[?25l\033[2J", "\033[?25h\033[?1049l"
PREFIX, ESCAPE, ENTER, BACKSPACE, TAB = "\x18", "\x1b", ("\r", "\n"), ("\x7f", "\b"), "\t"
ASKED = {"n": "note", "t": "task", "i": "message"}
FOLDED = 10
SIDEBAR = 38
NARROW, LOW = 100, 25
KEPT = 2000
HELP = "^X: l logs  b sidebar  n note  t task  p pause  r restart · i message  j/k scroll  ⏎ unfold  ^C quit"
SHORT_HELP = "^X more keys · i message · j/k scroll · ⏎ unfold · ^C quit"
COMMANDS = "^X: l logs  b sidebar  n note  t task  p pause  r restart"
LABELS = {"on_task_complete": "Task Complete", "on_error": "On Error"}
MARKS = {"running": "●", "ok": "✓", "error": "×"}


class LiveView:
    """A printer for a run, between `open` and `close`; nothing else writes to the terminal meanwhile."""

    def __init__(self, store: TaskStore) -> None:
        self.store = store
        self.board = Board(store.session, store.state, monotonic())
        self._items: dict[int, HookItem] = {}
        self._run: Iterations | None = None
        self._size = (0, 0)
        self._saved: Any = None
        self._drawing: asyncio.Task[None] | None = None
        self._acts: set[asyncio.Task[None]] = set()

    # -- what it hears ----------------------------------------------------------------------------------

    def hook(self, news: Any) -> None:
        if isinstance(news, HookStarted):
            item = HookItem(news.spec.native_event, news.spec.command, monotonic())
            self._items[id(news.spec)] = item
            self.board.entries.append(item)
            return
        found = self._items.pop(id(news.result.spec), None)
        if found is not None:
            found.finish(news.result)

    def event(self, fields: Mapping[str, Any]) -> None:
        kind, board = fields["type"], self.board
        if kind == "message" and fields["role"] == "assistant":
            board.say(fields["text"])
        elif kind == "message" and fields["role"] in ("hook", "notice", "error"):
            board.log(fields["text"])
        elif kind == "tool.started":
            board.say(f"[{fields['name']}] {_short(fields['input'])}")
        elif kind == "iteration.started":
            board.status = "running"
            board.say(f"── iteration {fields['iteration']} ──")
        elif kind == "iteration.finished" and fields["error"]:
            board.say(f"iteration {fields['iteration']} failed: {fields['error']}")

    def warn(self, text: str) -> None:
        """Warnings go to the logs and, as a line, where people look."""
        self.board.log(f"warning: {text}")
        self.board.say(f"! {text}")

    # -- its life ---------------------------------------------------------------------------------------

    def open(self, run: Iterations) -> None:
        self._run = run
        self._saved = termios.tcgetattr(sys.stdin.fileno())
        tty.setcbreak(sys.stdin.fileno())
        sys.stdout.write(ENTER_SCREEN)
        loop = asyncio.get_running_loop()
        loop.add_reader(sys.stdin.fileno(), self._read)
        self._drawing = loop.create_task(self._draw())

    async def close(self) -> None:
        """Gives the terminal back as it was."""
        if self._drawing is None:
            return
        ending = (self._drawing, *self._acts)
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        self._drawing = None
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        try:
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._saved)
            sys.stdout.write(LEAVE_SCREEN)
            sys.stdout.flush()
        except (OSError, termios.error):
            return  # the terminal itself is gone
        for text in self.board.logs:
            common.say(text)

    async def _draw(self) -> None:
        shown: list[str] = []
        while True:
            size = os.get_terminal_size(sys.stdout.fileno())
            self.board.waits = self._run is not None and self._run.waits
            lines = screen(self.board, size.columns, size.lines, monotonic())
            if size != self._size:
                self._size, shown = (size.columns, size.lines), []
                sys.stdout.write("\033[2J")
            changed = [
                f"\033[{place};1H{_styled(line, place, size.lines)}"
                for place, line in enumerate(lines, 1)
                if place > len(shown) or shown[place - 1] != line
            ]
            if changed:
                sys.stdout.write("".join(changed))
                sys.stdout.flush()
            shown = lines
            await asyncio.sleep(FRAME_S)

    # -- keys -------------------------------------------------------------------------------------------

    def _read(self) -> None:
        try:
            typed = os.read(sys.stdin.fileno(), 1024).decode("utf-8", "ignore")
        except OSError:
            typed = ""
        if not typed:  # nobody is there any more
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            return
        if not self.board.asking and typed.startswith(ESCAPE) and len(typed) > 1:
            typed = {"\x1b[A": "k", "\x1b[B": "j"}.get(typed, "")
        for key in typed:
            self._key(key)

    def _key(self, key: str) -> None:
        board = self.board
        if board.asking:
            self._type(key)
        elif board.is_prefixed:
            board.is_prefixed = False
            self._command(key.lower())
        elif key == PREFIX:
            board.is_prefixed = True
        elif key == "i":
            board.asking = ASKED["i"]
        elif key in "jk":
            board.scroll = max(0, board.scroll + (1 if key == "k" else -1))
        elif key in ENTER:
            board.unfolded = not board.unfolded
        elif key in (TAB, ESCAPE):
            board.logs_open = key == TAB and not board.logs_open
            board.scroll = 0

    def _command(self, key: str) -> None:
        board, run = self.board, self._run
        if key == "l":
            board.logs_open, board.scroll = not board.logs_open, 0
        elif key == "b":
            board.sidebar = not board.sidebar
        elif key in ("n", "t"):
            board.asking = ASKED[key]
        elif key == "p" and run is not None:
            board.paused = not board.paused
            (run.paused.clear if board.paused else run.paused.set)()
        elif key == "r":
            self._start(lambda: self.store.write("control", "session_restart", {}))

    def _type(self, key: str) -> None:
        board = self.board
        if key in ENTER:
            self._submit(board.asking, board.typed.strip())
            board.asking = board.typed = ""
        elif key == ESCAPE:
            board.asking = board.typed = ""
        elif key in BACKSPACE:
            board.typed = board.typed[:-1]
        elif key.isprintable():
            board.typed += key

    def _submit(self, asked: str, text: str) -> None:
        if not text:
            return
        if asked == "note":
            self._start(lambda: self.store.add_notes([{"content": text, "type": "tip"}]))
        elif asked == "task":
            self._start(lambda: self.store.add_task(text))
        else:
            self._start(lambda: self.store.hold(USER, text))
            self.board.say(f"you: {text}")

    def _start(self, act: Callable[[], Awaitable[Any]]) -> None:
        async def done() -> None:
            try:
                await act()
            except Exception as error:  # a wrong key must not end the run
                self.warn(str(error))

        task = asyncio.ensure_future(done())
        self._acts.add(task)
        task.add_done_callback(self._acts.discard)


def _styled(line: str, place: int, height: int) -> str:
    """The first line and the last stand out."""
    return f"\033[7m{line}\033[0m" if place in (1, height) else line


def _short(given: Mapping[str, Any]) -> str:
    value = given.get("command") or given.get("file_path") or given.get("pattern") or given.get("prompt")
    return str(value or "")[:200]


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
