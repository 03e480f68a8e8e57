"""Decisions and tables as text a person likes to read; plain without a terminal."""

from __future__ import annotations

import os
import sys

from hookline.model.results import HookResult, Status, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from io import TextIOBase
    from typing import TextIO

    from hookline.model.events import Event
    from hookline.model.results import Decision

_MARKS = {
    Status.ran: "✓",
    Status.timed_out: "⏱",
    Status.launch_failed: "✗",
    Status.bad_output: "✗",
    Status.cancelled: "✗",
    Status.untrusted: "!",
    Status.invalid: "!",
    Status.no_such_event: "!",
    Status.would_run: "▶",
}
_COLOURS = {"✓": "32", "✗": "31", "⏱": "33", "!": "33", "▶": "36", "·": "2"}


def wants_colour(stream: TextIO | TextIOBase) -> bool:
    """True on a terminal, unless NO_COLOR is set or the terminal is dumb."""
    from hookline.system.files import environment

    variables = environment()
    return stream.isatty() and "NO_COLOR" not in variables and variables.get("TERM") != "dumb"


def width_of(stream: TextIO | TextIOBase) -> int:
    """Columns of the terminal; plenty without one, so that nothing is cut for a program that reads."""
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return 1000


def painted(text: str, code: str, colour: bool) -> str:
    return f"\033[{code}m{text}\033[0m" if colour and text else text


def mark_of(result: HookResult) -> str:
    """One character for what became of a hook."""
    if result.status == Status.ran and (result.failed or result.outcome.verdict >= Verdict.DENY):
        return "✗"
    return _MARKS.get(result.status, "·")


def decision_text(event: Event, decision: Decision, workspace: str) -> str:
    """A decision in full: the verdict, then every hook with its fate."""
    colour = wants_colour(sys.stdout)
    head = f"{event.kind.value}: {decision.verdict.word}"
    if decision.reason:
        head += f" — {one_line(decision.reason, 200)}"
    lines = [painted(head, "1", colour)]
    lines += [f"  context: {one_line(text, 160)}" for text in decision.contexts]
    lines += [f"  message: {one_line(text, 160)}" for text in decision.messages]
    if decision.updated_input is not None:
        lines.append(f"  rewritten input: {one_line(str(dict(decision.updated_input)), 160)}")
    if decision.reprompt:
        lines.append(f"  re-prompt: {one_line(decision.reprompt, 160)}")
    if not decision.results:
        lines.append(f"  no hooks are configured in {workspace}")
    lines += [line for result in decision.results for line in _result_lines(result, colour)]
    return "\n".join(lines) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], limit: int | None = None) -> str:
    """Columns aligned by their widest cell; the last one is cut to the terminal's width."""
    every = [[visible(str(cell)) for cell in row] for row in rows]
    widths = [max(cells(row[n]) for row in [list(head), *every]) for n in range(len(head))]
    room = (limit or width_of(sys.stdout)) - sum(widths[:-1]) - 2 * (len(head) - 1)
    lines = [_row(head, widths, room), _row(["─" * min(w, 120) for w in widths], widths, room)]
    return "\n".join([*lines, *(_row(row, widths, room) for row in every)]) + "\n"


def visible(text: str) -> str:
    """The text with control characters written out: what a workspace holds must not steer the terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def one_line(text: str, limit: int) -> str:
    """The text without line breaks and control characters, cut at `limit` characters."""
    flat = " ".join("".join(ch if ch.isprintable() else " " for ch in text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def cells(text: str) -> int:
    """How many terminal cells a text takes; wide characters take two."""
    from unicodedata import combining, east_asian_width

    if text.isascii():
        return len(text)
    return sum(0 if combining(ch) else 2 if east_asian_width(ch) in "WF" else 1 for ch in text)


def duration(seconds: float) -> str:
    """`12 ms`, `1.2 s`, `3m 4s`."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds // 60)}m {int(seconds % 60)}s"


def counted(count: int, one: str, many: str = "") -> str:
    """`1 hook`, `2 hooks`; `many` where an `s` does not make the plural."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def _result_lines(result: HookResult, colour: bool) -> Iterable[str]:
    spec = result.spec
    mark = mark_of(result)
    place = f"{spec.source}:{spec.line}" if spec.line else spec.source
    words = result.status.value.replace("_", " ")
    took = f" {duration(result.raw.timings.total)}" if result.raw is not None else ""
    shown = painted(mark, _COLOURS.get(mark, "2"), colour)
    why = f" — {visible(result.why)}" if result.why else ""
    yield f"  {shown} {visible(spec.id)}  {painted(visible(place), '2', colour)}  {words}{took}{why}"
    if result.outcome.verdict != Verdict.NONE:
        yield f"      {result.outcome.verdict.word}: {one_line(result.outcome.reason, 160)}"
    if result.raw is not None:
        first = (result.raw.stderr if result.failed else result.raw.stdout).strip()
        if first:
            yield f"      {one_line(first.splitlines()[0], 160)}"


def _row(row: Sequence[str], widths: Sequence[int], room: int) -> str:
    padded = [cell + " " * (width - cells(cell)) for cell, width in zip(row, widths, strict=True)]
    last = row[-1]
    if room > 8 and cells(last) > room:
        last = one_line(last, room)
    return "  ".join([*padded[:-1], last]).rstrip()
