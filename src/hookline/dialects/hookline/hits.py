"""Where in a call one predicate of a rule is met; also as it lets off in an exception, and as it allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hookline.dialects.hookline.calls import Call
from hookline.model.record import Record, replace
from hookline.model.typing import Any
from hookline.shell.effects.acts import run_script
from hookline.shell.programs.arguments import Arguments, arguments_of
from hookline.shell.programs.table import Programs
from hookline.shell.programs.table import programs as table
from hookline.shell.reading import Command

PATHS = ("read", "write", "delete")
OF_LINES = frozenset(("shell", "shell_exact"))
PREDICATES = frozenset((*OF_LINES, *PATHS, "connect", "does"))
# As what a predicate is asked: for a rule, for an exception, where every value must be one that is let off, and for a
# rule that allows.
ASKED, EXCEPTED, ALLOWED = "", "each", "each named"
MEANT = {"read": ("read", "loads")}
BY_PLACE = frozenset(
    ("tamper", "persist", "discard", "rewrite-history")
)  # told by where something is written
_Places = dict[tuple[str, ...], list[tuple[int, Arguments]]]
Names = dict[str, list[Any]]  # texts of patterns, and those that have been taken apart


class Hit(Record):
    """One thing by which a predicate is met, or may be. `at` is the command's place among those of the call.

    `effect` is its place among the command's effects, None for a predicate about the command itself.
    """

    at: int
    certain: bool
    effect: int | None = None
    why: str = ""


_patterns: dict[tuple[tuple[str, ...], str, str, str], Names] = {}
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"
_OF_SCRIPTS = ("python", "python3", "node", "ruby", "perl", "php", "deno", "bun", "source")
_OF_OTHERS = ("hub", "k", "kubecolor")


def patterns_by_name(wanted: tuple[str, ...], programs: str, home: str, mode: str) -> Names:
    """The patterns of a rule by the program they are about; by no name where that is a pattern itself.

    Those that begin with a plain name stay texts until a line has that program: to take a pattern apart, the
    rows of its program are read.
    """
    key = (wanted, programs, home, mode)
    found = _patterns.get(key)
    if found is None:
        if len(_patterns) > 500:
            _patterns.clear()
        found = _patterns[key] = {}
        for text in wanted:
            if name := _plain_name(text):
                found.setdefault(table(programs).usual(name), []).append(text)
                continue
            from hookline.shell.effects.wanted import named_patterns

            for name, pattern in named_patterns(text, programs, home, mode):
                found.setdefault(name, []).append(pattern)
    return found


def _plain_name(text: str) -> str:
    """The program that a pattern begins with; empty if it may be about another one by that name, or about a script."""
    name, _, rest = text.partition(" ")
    if name.strip(_LETTERS) or not (name[:1].islower() or name[:1] == "_"):
        return ""
    script = (name.endswith("sh") or name in _OF_SCRIPTS) and ("/" in rest or "." in rest)
    return "" if script or name in _OF_OTHERS or name.endswith("-compose") else name


def done(wanted: tuple[str, ...]) -> tuple[str, ...]:
    """The effects that `does` looks at: some are told by the place of what is written."""
    return (*wanted, *(("write", "delete") if any(name in BY_PLACE for name in wanted) else ()))


def effects_asked(asked: Mapping[str, Any]) -> tuple[str, ...]:
    """Effects of which a call has one if it meets these predicates; none where that cannot be told by effects."""
    for key in (*PATHS, "connect"):
        if key in asked:
            return MEANT.get(key, (key,))
    does = asked.get("does", ())
    return () if "run" in does else done(does)


def with_effect(call: Call, names: tuple[str, ...]) -> Iterator[Hit]:
    for at, number in places_of(call, names):
        yield Hit(at, call.deeds[at].effects[number].certain, number)


def places_of(call: Call, names: Iterable[str]) -> list[tuple[int, int]]:
    """Where effects of these names are, in the order of the line."""
    known = effects_of(call)
    found = [known[name] for name in names if name in known]
    return found[0] if len(found) == 1 else sorted({place for places in found for place in places})


def effects_of(call: Call) -> Mapping[str, list[tuple[int, int]]]:
    """The places of a call's effects by their names; each command is looked at once for all rules."""
    known = call.where.known.get(_EFFECTS)
    if known is None:
        places: dict[str, list[tuple[int, int]]] = {}
        for at in call.distinct:
            for number, effect in enumerate(call.deeds[at].effects):
                places.setdefault(effect.name, []).append((at, number))
        known = call.where.known[_EFFECTS] = places  # once all are told: what failed half-way is no answer
    return known


def commands_of(call: Call, programs: str) -> tuple[_Places, set[str]]:
    """The places of commands by program and sub-command, by nothing where the program is not certain; and under what
    names a rule has patterns for those that are. Who runs a script stands there once more, as that script.
    """
    known = call.where.known.get(_PROGRAMS)
    if known is None:
        rows = table(programs)
        places: _Places = {}
        for at in call.distinct:
            taken = call.taken[at]
            if not taken.command.words:
                continue  # files that are opened are no program
            given = taken.given
            places.setdefault(given.path[:2], []).append((at, given))
            for other in _other_ways(taken.command, given, rows):
                places.setdefault(other.path[:2], []).append((at, other))
        known = call.where.known[_PROGRAMS] = (places, {"", *[path[0] for path in places if path]})
    return known


def _other_ways(command: Command, given: Arguments, rows: Programs) -> list[Arguments]:
    """What a command may be besides: the script that it runs, and `vercel promote` of `vercel -t X promote`."""
    run = run_script(given, rows)
    found = [] if run is None else [run]
    if given.perhaps is not None and given.operands:
        words = tuple(word for word in command.words if word is not given.perhaps)
        found.append(replace(arguments_of(words, rows), guessed=True))
    return found


_EFFECTS, _PROGRAMS = ("effects",), ("programs",)
