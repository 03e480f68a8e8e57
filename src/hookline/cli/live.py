"""Lines that appear while hooks run: what started, how it ended, how long it took."""

from __future__ import annotations

from hookline.cli.render import duration, mark_of, one_line, painted, wants_colour
from hookline.model.results import HookFinished, HookResult, HookStarted, Status, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

_COLOURS = {"✓": "32", "✗": "31", "⏱": "33", "!": "33"}


class LiveLines:
    """A listener for an engine. Each hook has a line when it starts and one when it ends."""

    def __init__(self, stream: TextIO, indent: str = "  ") -> None:
        self._stream = stream
        self._indent = indent
        self._colour = wants_colour(stream)

    def __call__(self, news: HookStarted | HookFinished) -> None:
        line = self._started(news) if isinstance(news, HookStarted) else self._finished(news.result)
        self._stream.write(self._indent + line + "\n")
        self._stream.flush()

    def _started(self, news: HookStarted) -> str:
        spec = news.spec
        shown = spec.status_message or spec.name or spec.id
        return painted("▶", "36", self._colour) + f" {spec.kind.value}: {one_line(shown, 90)}"

    def _finished(self, result: HookResult) -> str:
        mark = mark_of(result)
        name = one_line(result.spec.name or result.spec.id, 60)
        took = duration(result.raw.timings.total) if result.raw is not None else ""
        words = f" — {told}" if (told := first_words(result)) else ""
        return f"{painted(mark, _COLOURS.get(mark, '2'), self._colour)} {name} ({took}){words}"


def first_words(result: HookResult) -> str:
    """The most telling line of a result: its denial, its failure, or its first line of output."""
    if result.outcome.verdict >= Verdict.ASK:
        return f"{result.outcome.verdict.word}: {one_line(result.outcome.reason, 100)}"
    if result.status != Status.ran:
        return one_line(result.why, 120)
    raw = result.raw
    if raw is None:
        return ""
    text = raw.stdout.strip() or (raw.stderr.strip() if raw.failed else "")
    return one_line(text.splitlines()[0], 100) if text else ""
