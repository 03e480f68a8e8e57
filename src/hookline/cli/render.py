"""Decisions and tables as text a person likes to read; plain without a terminal."""

from __future__ import annotations

import os
import sys
from io import TextIOBase

from hookline.dialects.plain_text import plain_text
from hookline.model.asked import asked_of
from hookline.model.events import Event
from hookline.model.rendering import in_config_order
from hookline.model.results import MARKS, Decision, HookResult, Verdict, fate
from hookline.model.typing import Any, Iterable, Mapping, Sequence, TextIO
from hookline.system.files import environment

NARROWEST = 10
_READABLE = 16  # cells below which names and places say nothing any more
_PLENTY = 1000
_ALIGNED = 60  # cells of a column that others stand behind, where nothing is cut
COLOURS = {"✓": "32", "✗": "31", "⊘": "31", "⏱": "33", "?": "33", "!": "33", "▶": "36", "·": "2"}
_FORESEEN = {"halt": "would be halted", "deny": "would be denied", "ask": "would be asked for"}


def wants_colour(stream: TextIO | TextIOBase) -> bool:
    """True on a terminal that is not dumb, and where `FORCE_COLOR` or `CLICOLOR_FORCE` asks for it; never with
    `NO_COLOR`."""
    variables = environment()
    if variables.get("NO_COLOR"):
        return False
    if any(variables.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return stream.isatty() and variables.get("TERM") != "dumb"


def can_move() -> bool:
    """False on a dumb terminal, where a line that was written stays."""
    return environment().get("TERM") != "dumb"


def width_of(stream: TextIO | TextIOBase, otherwise: int = _PLENTY) -> int:
    """Columns of the terminal, else `COLUMNS`; without both plenty, so that nothing is cut for a program that reads."""
    try:
        found = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        found = 0
    return found or _wanted_columns() or otherwise


def _wanted_columns() -> int:
    said = environment().get("COLUMNS", "")
    return int(said) if said.isascii() and said.isdecimal() and len(said) < 5 else 0


def painted(text: str, code: str, colour: bool) -> str:
    return f"\033[{code}m{text}\033[0m" if colour and text else text


def mark_of(result: HookResult) -> str:
    """One character for what became of a hook."""
    return MARKS.get(fate(result), "·")


def decision_text(event: Event, decision: Decision, where: str, every: bool = False) -> str:
    """A decision in full: the verdict, the hooks that ran or would, those that nearly did, and how many others.

    `where` names the hooks that were looked for; `every`: the others one by one.
    """
    colour = wants_colour(sys.stdout)
    head = f"{event.kind.value}: {_foreseen(decision.results) or decision.verdict.word}"
    if decision.reason:
        head += f" — {one_line(decision.reason, 200)}"
    lines = [painted(head, "1", colour)]
    if asked := "  ".join(word for word in asked_of(event) if word):
        lines.append(f"  asked: {one_line(asked, 200)}")
    lines += [f"  context: {one_line(text, 160)}" for text in decision.contexts]
    lines += [f"  message: {one_line(text, 160)}" for text in decision.messages]
    if decision.updated_input is not None:
        lines.append(f"  rewritten input: {one_line(str(dict(decision.updated_input)), 160)}")
    if decision.reprompt:
        lines.append(f"  re-prompt: {one_line(decision.reprompt, 160)}")
    if not decision.results:
        lines.append(f"  no hooks are configured in {visible(where)}")
    lines += _hooks_lines(event, in_config_order(decision.results, lambda result: result.spec), every, colour)
    return laid_out("\n".join(lines) + "\n")


def _foreseen(results: Sequence[HookResult]) -> str:
    """What is known beforehand: the strictest of the answers that need no run."""
    for verdict, words in _FORESEEN.items():
        for result in results:
            answer = result.foreseen
            if answer is not None and answer.verdict == verdict:
                return f"{words} by `{result.spec.name or result.spec.id}` — {one_line(answer.text, 200)}"
    return ""


def _hooks_lines(event: Event, results: Sequence[HookResult], every: bool, colour: bool) -> Iterable[str]:
    started = [result for result in results if result.raw is not None or result.status == "would_run"]
    others = [result for result in results if _is_elsewhere(result, event)]
    unmet = [result for result in results if _is_ready_made(result) and result not in others]
    nearly = [result for result in results if not any(result in group for group in (started, others, unmet))]
    for result in (*started, *nearly, *((*unmet, *others) if every else ())):
        yield from _result_lines(result, colour)
    if unmet and not every:
        yield painted(unmet_words([result.spec.source for result in unmet], "--all"), "2", colour)
    if others and not every:
        yield painted(others_words(len(others), "--all"), "2", colour)


def others_words(number: int, option: str) -> str:
    """One line for the hooks of other events; `option` lists them."""
    return f"  {counted(number, 'hook listens', 'hooks listen')} to other events (`{option}`)"


def unmet_words(sources: Sequence[str], option: str) -> str:
    """One line for the rules of packs that were not met, by the source of each; `option` lists them."""
    return f"  {pack_words(sources, 'rule is not met,', 'rules are not met,')} (`{option}`)"


def pack_words(sources: Sequence[str], one: str, many: str) -> str:
    """`28 rules of the packs git, files`, by the source of each rule."""
    packs = list(dict.fromkeys(source.removeprefix("pack ") for source in sources))
    return f"{counted(len(sources), one, many)} of the {'packs' if packs[1:] else 'pack'} {', '.join(packs)}"


def _is_elsewhere(result: HookResult, event: Event) -> bool:
    return result.status == "not_matched" and result.spec.kind != event.kind


def _is_ready_made(result: HookResult) -> bool:
    """A rule of a pack that a call has nothing to do with; there are many of them."""
    return result.status == "not_matched" and result.spec.source.startswith("pack ")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns aligned by their widest cell, the wide ones cut to fit the terminal's width; uncut where there is none.

    Where that would leave too little of them, each row is a few lines, one for each cell.
    """
    return "".join(f"{text}\n" for text in table_rows(head, rows))


def table_rows(head: Sequence[str], rows: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The parts of `table`: the head, left out where rows are a few lines each, then the text of each row."""
    every = [[visible(str(cell)) for cell in row] for row in rows]
    wanted = [max(cells(row[n]) for row in [list(head), *every]) for n in range(len(head))]
    whole = width_of(sys.stdout)
    room = whole - 2 * (len(head) - 1)
    least = [min(width, max(cells(title), _READABLE)) for width, title in zip(wanted, head, strict=True)]
    if sum(least) > room:
        return tuple(_stacked(head, row, whole) for row in every)
    is_whole = whole == _PLENTY  # one long cell must not move all others out of sight
    widths = [min(width, _ALIGNED) for width in wanted] if is_whole else _fitting(wanted, least, room)
    made = _uncut_row if is_whole else _row
    titles = [made(head, widths), made(["─" * min(w, 120) for w in widths], widths)]
    return ("\n".join(titles), *(made(row, widths) for row in every))


def coloured(made: str, colours: Mapping[str, str]) -> str:
    """A table of `table` with the cells that are one of these words in their colours, on a terminal."""
    for word, code in colours.items() if wants_colour(sys.stdout) else ():
        made = made.replace(f"  {word}  ", f"  {painted(word, code, True)}  ")
    return made


def laid_out(text: str, stream: TextIO | TextIOBase | None = None) -> str:
    """The text as it stands; on a terminal its lines are broken at words to fit, each rest a little further in.

    `stream`: where it is going, standard output unless told.
    """
    to = stream or sys.stdout
    if not to.isatty():
        return text
    width = max(width_of(to), 2 * NARROWEST)
    return "\n".join(rest for line in text.split("\n") for rest in _broken(line, width))


def _broken(line: str, width: int) -> Iterable[str]:
    words = line.lstrip(" ").split(" ")
    indent = " " * (len(line) - len(line.lstrip(" ")))
    shown = indent + words[0]
    for word in words[1:]:
        if _columns(shown) + 1 + _columns(word) > width:
            yield shown
            shown = f"{indent}    {word}"
        else:
            shown += f" {word}"
    yield shown


def _columns(text: str) -> int:
    """The cells of a text that may hold colours."""
    head, *coloured = text.split("\033[")
    return cells(head) + sum(cells(part.partition("m")[2]) for part in coloured)


def visible(text: str, keep: str = "") -> str:
    """The text with control characters written out, but those to `keep`.

    What a workspace holds must not steer the terminal, nor write lines of its own.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else ascii(c)[1:-1] for c in text)


def one_line(text: str, limit: int) -> str:
    """The text without colours, line breaks and control characters, cut at `limit` characters."""
    flat = " ".join("".join(ch if ch.isprintable() else " " for ch in plain_text(text)).split())
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
    words = fate(result)
    took = f" {duration(result.raw.timings.total)}" if result.raw is not None else ""
    shown = painted(mark, COLOURS.get(mark, "2"), colour)
    why = f" — {visible(result.why)}" if result.why else ""
    name = "" if spec.name in ("", spec.id, spec.command) else f"  {one_line(spec.name, 60)}"
    yield f"  {shown} {visible(spec.id)}{name}  {painted(visible(spec.where), '2', colour)}  {words}{took}{why}"
    yield from (f"      {one_line(text, 200)}" for text in derivation_lines(result.derivation))
    if result.outcome.verdict != Verdict.NONE:
        yield f"      {result.outcome.verdict.word}: {one_line(result.outcome.reason, 160)}"
    if result.raw is not None:
        first = (result.raw.stderr if result.failed else result.raw.stdout).strip()
        if first:
            yield f"      {one_line(first.splitlines()[0], 160)}"
        yield from (f"      {one_line(note, 200)}" for note in result.raw.remarks)


def derivation_lines(derivation: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """By which commands of a line a rule is met: ``by `git push` (columns 8-16) ← sh -c ← env``."""
    for each in derivation:
        word = "by" if each["certain"] else "perhaps by"
        ways = "".join(f" ← {way}" for way in reversed(each["via"]))
        # what code does stands nowhere in the line
        place = f" (columns {each['start'] + 1}-{each['end']})" if each["end"] else ""
        yield f"{word} `{each['command']}`{place}{ways}"


def _fitting(wanted: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """The widths, the widest made narrower until all fit."""
    widths = list(wanted)
    while sum(widths) > room:
        widest = max((n for n in range(len(widths)) if widths[n] > least[n]), key=widths.__getitem__)
        others = [width for n, width in enumerate(widths) if n != widest and width < widths[widest]]
        step = max(1, widths[widest] - max([*others, least[widest]]))
        widths[widest] -= min(step, sum(widths) - room, widths[widest] - least[widest])
    return widths


def _row(row: Sequence[str], widths: Sequence[int]) -> str:
    return _uncut_row([fitted(cell, width) for cell, width in zip(row, widths, strict=True)], widths)


def _uncut_row(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (width - cells(cell)) for cell, width in zip(row, widths, strict=True))
    return "  ".join(padded).rstrip()


def _stacked(head: Sequence[str], row: Sequence[str], width: int) -> str:
    """One row as lines: its first cell, and below it what each other column says, if anything."""
    titles = max(map(len, head))
    told = [
        f"  {title:<{titles}}  {fitted(cell, max(8, width - titles - 4))}"
        for title, cell in list(zip(head, row, strict=True))[1:]
        if cell
    ]
    return "\n".join([fitted(row[0], width), *told])


def fitted(text: str, width: int) -> str:
    """A text cut to that many cells. An id keeps its end, which tells it from others, and a place its line."""
    if cells(text) <= width:
        return text
    if _is_id(text) or _is_place(text):
        return "…" + text[1 - width :]
    kept = one_line(text, width)
    while cells(kept) > width:
        kept = one_line(text, len(kept) - 1)
    return kept


def _is_id(text: str) -> bool:
    return text.count(":") >= 2 and " " not in text


def _is_place(text: str) -> bool:
    return text.isascii() and " " not in text and text.rpartition(":")[2].isdecimal()
