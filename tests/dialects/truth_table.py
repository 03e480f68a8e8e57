"""What each way a hook can end does at each event, worked out from the dialect itself."""

from __future__ import annotations

from hookline.model.events import BODIES, Event, EventKind, Plain
from hookline.model.hooks import Command, HookSpec
from hookline.model.record import Record
from hookline.model.results import RawResult, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.dialects.base import Dialect, EventRule
    from hookline.model.results import Outcome

ENDINGS: Mapping[str, RawResult] = {
    "exit 0": RawResult(exit_code=0, stdout="out\n", status_code=0),
    "exit 1": RawResult(exit_code=1, stdout="out\n", stderr="err\n", status_code=1),
    "exit 2": RawResult(exit_code=2, stdout="out\n", stderr="err\n", status_code=2),
    "signal": RawResult(signal=9, stderr="err\n", status_code=137),
    "time-out": RawResult(timed_out=True, stderr="err\n", status_code=124),
    "no start": RawResult(launch_error="no such file", status_code=127),
}


class Row(Record):
    """One event: its native name, and per ending (in the order of `ENDINGS`) what comes of it."""

    native: str
    effects: tuple[str, ...]


def truth_table(dialect: Dialect) -> tuple[Row, ...]:
    """A row for each event of the dialect, by its native name."""
    rules = {rule.native: rule for rule in reversed(dialect.rows or tuple(dialect.rules.values()))}
    return tuple(
        Row(rule.native, tuple(effect(dialect, rule, raw) for raw in ENDINGS.values()))
        for rule in reversed(rules.values())
    )


def output_table(dialect: Dialect, kind: EventKind = EventKind.PreToolUse) -> str:
    """The page's second table: at one event, what each exit status makes of each kind of output.

    The JSON is the dialect's own denial, as it would answer its agent.
    """
    from hookline.model.results import Decision

    rule = dialect.rules[kind]
    denial = dialect.respond(Event(kind), Decision(kind, Verdict.DENY, "no")).stdout
    printed = (("", ""), ("out\n", ""), (denial, ""), (denial[:-2], ""), ("", denial))
    columns = ("ending", "nothing", "text", "JSON that denies", "broken JSON", "that JSON on stderr")
    lines = [f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n"]
    for words, ended in _STATUSES.items():
        raws = (RawResult(**{**ended, "stdout": out, "stderr": err}) for out, err in printed)
        lines.append(f"| {words} | {' | '.join(effect(dialect, rule, raw) for raw in raws)} |\n")
    return "".join(lines)


_STATUSES: Mapping[str, dict[str, Any]] = {
    **{f"exit {code}": {"exit_code": code} for code in (0, 1, 2, 3, 126, 127)},
    "signal": {"signal": 9},
    "time-out": {"timed_out": True},
}


def effect(dialect: Dialect, rule: EventRule, raw: RawResult) -> str:
    """What one ending of a plain command does at one event, in a word or two."""
    spec = HookSpec("hook", dialect.name, rule.kind, rule.native, Command("true"), timeout_s=rule.timeout_s)
    event = Event(rule.kind, body=BODIES.get(rule.kind, Plain)())
    words = effect_words(dialect.read_output(event, spec, raw))
    return "tells the agent" if words == "**blocks**" and getattr(rule, "feedback", False) else words


def effect_words(outcome: Outcome) -> str:
    """An outcome in a word or two."""
    if outcome.verdict is not Verdict.NONE:
        words = {Verdict.DENY: "**blocks**", Verdict.HALT: "**halts**"}
        return words.get(outcome.verdict, outcome.verdict.word)
    if outcome.reprompt:
        return "tells the agent"
    if outcome.contexts:
        return "context"
    if outcome.products:
        return "product"
    if outcome.messages:
        return "shown"
    return "fault" if outcome.problem else "-"


def as_markdown(rows: tuple[Row, ...]) -> str:
    """The table for a page of the documentation; events that behave alike share a line."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        alike.setdefault(row.effects, []).append(f"`{row.native}`")
    head = f"| event | {' | '.join(ENDINGS)} |\n|---|{'---|' * len(ENDINGS)}\n"
    lines = (f"| {', '.join(natives)} | {' | '.join(effects)} |\n" for effects, natives in alike.items())
    return head + "".join(lines)
