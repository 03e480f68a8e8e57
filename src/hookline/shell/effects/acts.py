"""What a command does, as values: its effects, and the words they are done to."""

from __future__ import annotations

from functools import lru_cache

from hookline.model.record import Record
from hookline.model.typing import Any
from hookline.shell.programs.arguments import (
    Arguments,
    Taken,
    arguments_of,
    forget_taken,
    given_to,
    program_name,
)
from hookline.shell.programs.table import Path, Programs, Row
from hookline.shell.programs.table import programs as shipped
from hookline.shell.reading import NOWHERE, Command, Reading, Word


class Effect(Record):
    """One thing a command does. `target` is the word it does it to: a path, a host, or None.

    `certain` is false where a hole decides whether it happens. `below`: not the target itself but files in it,
    of which the line does not say the names.
    """

    name: str
    target: Word | None = None
    certain: bool = True
    below: bool = False
    cwd: Word = NOWHERE


class Where(Record):
    """Where a call is made: the agent's folder, the project's, and home; all absolute.

    `folds`: to the file system `.ENV` is `.env`, as on most Macs; then all paths are compared in small letters.
    `known` keeps what was looked up for this call: links resolved, patterns of rules, words of the line.
    """

    cwd: str
    workspace: str
    home: str
    known: dict[tuple[object, ...], Any]
    folds: bool = False

    def alike(self, text: str) -> str:
        """The text as it is compared."""
        return text.lower() if self.folds else text


class Deeds(Taken):
    """The same with its effects; `marks` are what only these modules look at."""

    effects: tuple[Effect, ...] = ()
    marks: frozenset[str] = frozenset()


def taken_apart(reading: Reading, more: str = "") -> tuple[Taken, ...]:
    """The commands of a line, which is all that most rules ask for: what they do is told behind that."""
    programs = shipped(more)
    found: list[Taken] = []
    known: dict[object, int] = {}
    for command in reading.commands:
        key = _key(command) if len(reading.commands) > 1 else None
        same = known.get(key) if key is not None else None
        if same is not None:
            found.append(Taken(command, found[same].given, same))
            continue
        ways = _ways(command, programs, len(found))
        if key is not None and len(ways) == 1:
            known[key] = len(found)
        found += ways
    forget_taken()
    return tuple(found)


def _key(command: Command) -> object:
    """What two commands that do the same have in common; None for one that more than its words decides about."""
    if command.redirections or command.assignments or command.stdin is not None:
        return None
    argv = command.argv
    return None if argv is None else (argv, command.cwd.parts)


def _ways(command: Command, programs: Programs, place: int) -> list[Taken]:
    """A command with each value of its variables that the line says, as `_way` has it."""
    told = all(each.target is not None and each.target.literal is not None for each in command.redirections)
    if told and command.cwd.literal is not None and command.argv is not None:
        given = given_to(command, programs)
        if given.hidden is None:
            return [Taken(command, given, place)]  # as most are
    from hookline.shell.effects.ways import ways

    return ways(command, programs, place)


def rows_of(given: Arguments, programs: Programs) -> list[Row]:
    """All that the table says of a command."""
    path, row = given.path, given.row
    first = programs.row(path[:1]) if len(path) > 1 else None
    added = programs.added(path[0]) if path else None
    others = programs.row(("*",)) if path and row is None else None
    return [each for each in (first, row, added, others) if each is not None]


def opaque_of(given: Arguments, more: str = "") -> str:
    """What of a command no reader sees into, in words; empty if there is nothing."""
    if not _hides(given.path, None if given.row is None else given.row.does, more):
        return ""
    from hookline.shell.programs.conditions import NO, asks_for_help, holds

    if asks_for_help(given):
        return ""
    for row in rows_of(given, shipped(more)):
        own = given if row is given.row else given.of_program()
        if any(deed.name in _UNSEEN and holds(deed, own) != NO for deed in row.deeds):
            return " ".join(given.path)
    return ""


_UNSEEN = frozenset(("opaque", "spread"))


@lru_cache(4096)
def _hides(path: Path, does: frozenset[str] | None, more: str) -> bool:
    """Whether a row of the program has such a deed, as few have."""
    given = Arguments(path, None if does is None else Row(path, does=does))
    return any(not row.does.isdisjoint(_UNSEEN) for row in rows_of(given, shipped(more)))


def run_script(given: Arguments, programs: Programs) -> Arguments | None:
    """`bash deploy.sh prod` and `. ./deploy.sh prod` as `deploy.sh prod`, which is what runs."""
    first = given.operands[0] if given.operands and given.path in _SOURCES else None
    for deed in given.row.deeds if given.row is not None and "script" in given.row.does else ():
        if first is None and deed.name == "script":
            from hookline.shell.programs.conditions import holds, targets

            first = next(targets(deed, given), None) if holds(deed, given) else None
    at = next((at for at, word in enumerate(given.operands) if word is first), None) if first else None
    known = first is not None and (program_name(first) or first.literal)
    return None if at is None or not known else arguments_of(given.operands[at:], programs)


_SOURCES = ((".",), ("source",))
