"""Lines that appear while hooks run: what started, how it ended, how long it took."""

from __future__ import annotations

from io import TextIOBase

from hookline.cli.render import (
    COLOURS,
    can_move,
    duration,
    laid_out,
    mark_of,
    one_line,
    painted,
    wants_colour,
    width_of,
)
from hookline.dialects.plain_text import plain_text, telling_line
from hookline.model.asked import asked_of
from hookline.model.events import Event
from hookline.model.hooks import HookSpec
from hookline.model.results import HookFinished, HookResult, HookStarted, Status, Verdict
from hookline.model.typing import Callable, TextIO
from hookline.system.clock import monotonic

TELLING_S = 0.3
TICK_S = 0.1
HOW_TO_END = " (^C ends)"
CALL_WIDTH = 60
TIME_WIDTH = 14  # the mark, the colon, and the longest time


class LiveLines:
    """A listener for an engine. Each hook has a line when it starts and one when it ends.

    On a terminal the newest hook still running has the last line to itself, with the time it has taken so
    far (`tick` moves it on), and its end takes that line's place; when `passing`, nothing does.
    """

    def __init__(
        self,
        stream: TextIO | TextIOBase,
        indent: str = "  ",
        words: Callable[[HookResult], str] | None = None,
        passing: bool = False,
    ) -> None:
        self._words = words or first_words
        self._stream = stream
        self._indent = indent
        self._passing = passing
        self._live = stream.isatty() and can_move()
        self._colour = wants_colour(stream)
        self._open: tuple[HookSpec, Event, float] | None = None
        self._awaited: tuple[str, float] | None = None
        self._shows_awaited = False

    def __call__(self, news: HookStarted | HookFinished) -> None:
        self._wipe()
        if isinstance(news, HookStarted):
            if self._passing:
                self._erase()
            self.settle()
            self._open = (news.spec, news.event, monotonic()) if self._live else None
            self._write(self._started(news.spec), end="" if self._live else "\n")
            return
        spec = news.result.spec
        if self._open is not None and self._open[0] is spec and self._open[1] is news.event:
            self._erase()
        if not self._passing:
            self.settle()
            self._write(self._finished(news.result, news.event))

    def _erase(self) -> None:
        if self._open is not None:
            self._open = None
            self._stream.write("\r\033[K")
            self._stream.flush()

    def wait_for(self, words: str) -> None:
        """Names what is waited for from now on: the last line, with a clock, while nothing else is written."""
        self._wipe()
        self._awaited = (words, monotonic()) if self._live else None

    def rest(self) -> None:
        """Nothing is waited for any more."""
        self.settle()
        self._awaited = None

    def _wipe(self) -> None:
        if self._shows_awaited:
            self._shows_awaited = False
            self._stream.write("\r\033[K")

    def tick(self) -> None:
        """Shows how long the newest running hook has taken so far, once that is worth telling; else what is awaited."""
        if self._open is not None and monotonic() - self._open[2] >= TELLING_S:
            spec, _, since = self._open
            self._stream.write("\r\033[K")
            clock = f" {duration(monotonic() - since)}"
            if width_of(self._stream) < len(self._indent) + len(spec.kind.value) + 14 + len(clock):
                clock = ""  # no row would hold both
            self._write(f"{self._started(spec)}{clock}", end="")
        elif self._open is None and self._awaited is not None:
            words, since = self._awaited
            if monotonic() - since >= TELLING_S:
                self._wipe()
                self._shows_awaited = True
                room = width_of(self._stream) - len(self._indent) - TIME_WIDTH - len(HOW_TO_END)
                shown = f"⋯ {one_line(words, max(10, room))} {duration(monotonic() - since)}{HOW_TO_END}"
                self._write(painted(shown, "2", self._colour), end="")

    async def keep_ticking(self) -> None:
        """Ticks until cancelled."""
        from asyncio import sleep

        while self._live:
            await sleep(TICK_S)
            self.tick()

    def settle(self) -> None:
        """Leaves the running hook's line as it is, so that others can write."""
        self._wipe()
        if self._open is not None:
            self._open = None
            self._stream.write("\n")

    def _write(self, line: str, end: str = "\n") -> None:
        text = self._indent + line
        self._stream.write((laid_out(text, self._stream) if end == "\n" else text) + end)
        self._stream.flush()

    def _started(self, spec: HookSpec) -> str:
        return f"{painted('▶', '36', self._colour)} {spec.kind.value}: {self._label(spec, 80)}"

    def _label(self, spec: HookSpec, limit: int) -> str:
        """On a terminal short enough for one row with the time, because what follows takes its place."""
        room = width_of(self._stream) - len(self._indent) - len(spec.kind.value) - TIME_WIDTH
        return label_of(spec, max(10, min(limit, room)) if self._live else limit)

    def _finished(self, result: HookResult, event: Event) -> str:
        mark = mark_of(result)
        took = duration(result.raw.timings.total) if result.raw is not None else ""
        about = ", ".join(filter(None, (took, _call_words(event))))
        words = f" — {told}" if (told := self._words(result)) else ""
        spec = result.spec
        shown = painted(mark, COLOURS.get(mark, "2"), self._colour)
        return f"{shown} {spec.kind.value}: {self._label(spec, 60)} ({about}){words}"


def _call_words(event: Event) -> str:
    """The tool call a hook judged, because several may run side by side; empty for other events."""
    tool, subject = asked_of(event)
    return "" if tool is None else one_line(f"{tool}: {subject}" if subject else tool, CALL_WIDTH)


def label_of(spec: HookSpec, limit: int) -> str:
    """What people know a hook by: its own status message, its name, or what it runs."""
    return one_line(spec.status_message or spec.name or spec.command or spec.id, limit)


def first_words(result: HookResult) -> str:
    """The most telling line of a result: its denial, its failure, or its first line of output."""
    if result.outcome.verdict >= Verdict.ASK:
        return f"{result.outcome.verdict.word}: {reason_words(result)}"
    return reason_words(result)


def reason_words(result: HookResult) -> str:
    """Why a hook decided as it did, or what it said, in one line."""
    if result.outcome.verdict >= Verdict.ASK:
        return one_line(result.outcome.reason, 120)
    if result.status != Status.ran:
        return one_line(result.why, 120)
    raw = result.raw
    if raw is None:
        return ""
    if raw.failed:
        return one_line(telling_line(raw.stdout, raw.stderr), 100) or f"{raw.ending}, without a word"
    return one_line(plain_text(raw.stdout).strip().partition("\n")[0], 100)
