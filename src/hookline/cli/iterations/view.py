"""The live view of an iteration run: draws on the terminal's second screen, reads keys, hears everything."""

from __future__ import annotations

import asyncio
import os
import sys
import termios
import tty
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from hookline.cli import common
from hookline.cli.iterations.screen import Board, HookItem, screen
from hookline.hosts.iterations.host import Iterations
from hookline.hosts.iterations.state import USER
from hookline.hosts.iterations.tasks import TaskStore
from hookline.model.results import HookStarted
from hookline.system.clock import monotonic

FRAME_S = 0.1
ENTER_SCREEN, LEAVE_SCREEN = "\033[?1049h\033[?25l\033[2J", "\033[?25h\033[?1049l"
PREFIX, ESCAPE, ENTER, BACKSPACE, TAB = "\x18", "\x1b", ("\r", "\n"), ("\x7f", "\b"), "\t"
ASKED = {"n": "note", "t": "task", "i": "message"}


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
