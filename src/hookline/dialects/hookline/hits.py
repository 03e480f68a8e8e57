"""Where in a call one predicate of a rule is met; also as it lets off in an exception, and as it allows."""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache, partial
from typing import Any

from hookline.dialects.hookline.calls import Call
from hookline.dialects.hookline.findings import Hit
from hookline.dialects.hookline.guard_places import ANY, GuardPlaces, guard_places
from hookline.model.record import replace
from hookline.shell.effects.acts import Effect, below
from hookline.shell.effects.paths import fits, likely
from hookline.shell.effects.places import is_history, starts_by_itself
from hookline.shell.effects.spots import Where, names_files, spot_of
from hookline.shell.effects.wanted import Wanted, begins, fit, may_fit, run_script, wanted_of
from hookline.shell.effects.words import text_fits
from hookline.shell.programs.arguments import Arguments, arguments_of
from hookline.shell.programs.conditions import MAYBE, NO, YES, asks_for_help
from hookline.shell.programs.table import Programs
from hookline.shell.programs.table import programs as table
from hookline.shell.reading import Command, Hole, Word
from hookline.shell.values.fields import EMPTY, FOUND
from hookline.system.patterns.late import late

PATHS = ("read", "write", "delete")
_MEANT = {"read": ("read", "loads")}
_Places = dict[tuple[str, ...], list[tuple[int, Arguments]]]
Tests = Mapping[str, Callable[[Any, Call, str], Iterator[Hit]]]

_TAMPER = "tamper"
_BY_TEXT: Mapping[str, Callable[[str], bool]] = {
    "persist": starts_by_itself,
    "discard": is_history,
    "rewrite-history": is_history,
}
BY_PLACE = frozenset((_TAMPER, *_BY_TEXT))
_MAGIC = late(r"[*?\[\0]")
_HIDDEN = late(r"\.(?:\[[^]]*\]|[*?])+")
_DEEP, _DARK = "\0", "\1"  # in a pattern: what goes through folders, and what may be anything


def _shell(wanted: tuple[str, ...], call: Call, programs: str, mode: str = "") -> Iterator[Hit]:
    if not call.is_shell:
        return
    home = call.where.home
    known, named = commands_of(call, programs)
    if () not in known and named.isdisjoint(patterns_by_name(wanted, programs, home, mode)):
        return  # as most rules are about other programs
    found: dict[int, int] = {}
    for path, places in known.items():
        patterns = patterns_about(wanted, programs, home, mode, path)
        for at, given in places if patterns else ():
            command, script = call.taken[at].command, given is not call.taken[at].given
            if not command.words or (mode and script) or (asks_for_help(given) and not mode):
                continue  # what is let off is let off as it stands there
            for each in patterns:
                met = fit(each, given)
                if met and (met := min(met, begins(each, command, call.line, script))):
                    found[at] = max(met, found.get(at, NO))
    yield from (Hit(at, met == YES) for at, met in sorted(found.items()))


_patterns: dict[tuple[tuple[str, ...], str, str, str], dict[str, list[str | Wanted]]] = {}
_PLAIN = re.compile(
    r"(?!(?:\w*sh|python3?|node|ruby|perl|php|deno|bun|source) .*[./]|(?:hub|k|kubecolor|\w+-compose)(?: |$))"
    r"[a-z_][A-Za-z_-]*(?= |$)"
)  # without those that name a script, or another program by another name


def patterns_by_name(
    wanted: tuple[str, ...], programs: str, home: str, mode: str
) -> dict[str, list[str | Wanted]]:
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
            begins = _PLAIN.match(text)
            if begins:
                found.setdefault(table(programs).usual(begins[0]), []).append(text)
                continue
            pattern = wanted_of(text, table(programs), home, mode)
            run = run_script(pattern.given, table(programs)) if not mode else None
            meant = [pattern] if run is None else [pattern, replace(pattern, given=run, other=None)]
            for each in meant:
                name = each.given.path[0] if each.given.path else ""
                found.setdefault("" if name in each.globs or "*" in name else name, []).append(each)
    return found


@lru_cache(8192)
def patterns_about(
    wanted: tuple[str, ...], programs: str, home: str, mode: str, path: tuple[str, ...]
) -> tuple[Wanted, ...]:
    """The patterns of a rule that may be about a program with that sub-command; about none is one that nobody knows."""
    by_name = patterns_by_name(wanted, programs, home, mode)
    found: list[Wanted] = []
    for name in (path[0], "") if path else tuple(by_name):
        patterns = by_name.get(name, [])
        for at, pattern in enumerate(patterns):
            if isinstance(pattern, str):
                pattern = patterns[at] = wanted_of(pattern, table(programs), home, mode)
            if may_fit(pattern, path):
                found.append(pattern)
    return tuple(found)


def _path(
    name: str, let_off: bool = False, inside: bool = False
) -> Callable[[tuple[str, ...], Call, str], Iterator[Hit]]:
    """`let_off`: all of it must lie there, links too. `inside`: it must be certain that no path leads out."""

    def test(wanted: tuple[str, ...], call: Call, programs: str) -> Iterator[Hit]:
        for hit in with_effect(call, _MEANT.get(name, (name,))):
            effect = _effect(hit, call)
            met = _fitting(wanted, effect, call.where, let_off)
            if met:
                sure = hit.certain and met == YES and not (inside and may_lead_out(effect))
                yield Hit(hit.at, sure, hit.effect)

    return test


def _fitting(wanted: tuple[str, ...], effect: Effect, where: Where, let_off: bool) -> int:
    """How well a path fits one of the patterns; of equal ones that are not known it is asked once."""
    spot = spot_of(effect, where)
    key = ("fitting", id(wanted), id(spot), effect.name, effect.below, let_off)
    known = spot is not None and not spot.forms
    met: int | None = where.known.get(key) if known else None
    if met is None:
        texts = likely(wanted, effect, where)
        met = max((fits(text, effect, where, not let_off, let_off) for text in texts), default=NO)
        if known:
            where.known[key] = met
    return met


def _connect(wanted: tuple[str, ...], call: Call, programs: str) -> Iterator[Hit]:
    for hit in with_effect(call, ("connect",)):
        host = _effect(hit, call).target
        met = MAYBE if host is None else max(_host_fits(text, host) for text in wanted)
        if met:
            yield Hit(hit.at, hit.certain and met == YES, hit.effect)


def _host_fits(text: str, host: Word) -> int:
    if host.literal is None:
        return text_fits(text.lower(), host) and MAYBE
    found = (host.literal or "").lower()
    asked = text.lower()
    return YES if fnmatchcase(found, asked) or (asked.startswith("*.") and found == asked[2:]) else NO


def _does(wanted: tuple[str, ...], call: Call, programs: str) -> Iterator[Hit]:
    if "run" in wanted:
        yield from (Hit(at, True) for at in call.distinct if call.taken[at].command.words)
    for at, number in _places(call, _done(wanted)):
        effect = call.deeds[at].effects[number]
        only_made = call.deeds[at].given.path[:1] == ("mkdir",)
        if effect.name in wanted or any(is_by_place(name, effect, call.where, only_made) for name in wanted):
            yield Hit(at, effect.certain, number)


def _done(wanted: tuple[str, ...]) -> tuple[str, ...]:
    """The effects that `does` looks at: some are told by the place of what is written."""
    return (*wanted, *(("write", "delete") if any(name in BY_PLACE for name in wanted) else ()))


def effects_asked(asked: Mapping[str, Any]) -> tuple[str, ...]:
    """Effects of which a call has one if it meets these predicates; none where that cannot be told by effects."""
    for key in (*PATHS, "connect"):
        if key in asked:
            return _MEANT.get(key, (key,))
    does = asked.get("does", ())
    return () if "run" in does else _done(does)


def with_effect(call: Call, names: tuple[str, ...]) -> Iterator[Hit]:
    for at, number in _places(call, names):
        yield Hit(at, call.deeds[at].effects[number].certain, number)


def _places(call: Call, names: Iterable[str]) -> list[tuple[int, int]]:
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
            given = taken.given
            places.setdefault(() if given.guessed else given.path[:2], []).append((at, given))
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


def _effect(hit: Hit, call: Call) -> Effect:
    assert hit.effect is not None
    return call.deeds[hit.at].effects[hit.effect]


TESTS: Tests = {
    "shell": _shell,
    "shell_exact": partial(_shell, mode="exact"),
    "write": _path("write"),
    "read": _path("read"),
    "delete": _path("delete"),
    "connect": _connect,
    "does": _does,
}
# Who removes a folder removes what is in it; but to be let off, all of it must lie where that is allowed, and every
# value of an option must be one that is.
EXCEPTED: Tests = {
    **TESTS,
    **{name: _path(name, let_off=True) for name in PATHS},
    "shell": partial(_shell, mode="each"),
    "shell_exact": partial(_shell, mode="each exact"),
}
ALLOWED: Tests = {
    **EXCEPTED,
    **{name: _path(name, let_off=True, inside=True) for name in PATHS},
    "shell": partial(_shell, mode="each named"),
    "shell_exact": partial(_shell, mode="each named exact"),
}


def is_by_place(name: str, effect: Effect, where: Where, makes_folder: bool = False) -> bool:
    """Writing to a hook is tampering, writing to a shell's start file persists, reading a key may expose it.

    `makes_folder`: nothing else is done, which takes nothing away from what there is.
    """
    if name not in BY_PLACE or effect.name not in ("write", "delete") or effect.target is None:
        return False
    spot = spot_of(effect, where)
    if spot is None:
        return False
    texts = spot.forms or (spot.text.replace("~", where.home, 1),)
    plain = tuple(text.rstrip("*").rstrip("/") or "/" for text in texts)
    if name != _TAMPER:
        return any(map(_BY_TEXT[name], plain))
    guards = guard_places(where)
    if makes_folder:
        return any(map(guards.has_file, plain))
    if any(guards.has(text) or _is_folder(text, guards, effect) for text in plain):
        return True
    by_name = not spot.forms and not spot.globs and spot.begins  # in some folder of the workspace
    if by_name and spot.ends.rpartition("/")[2] in guards.file_names:
        return True
    return _fit(guards, effect, where) or any(_holds_guards(text, effect, where) for text in texts)


def _is_folder(path: str, guards: GuardPlaces, effect: Effect) -> bool:
    """Whether it is done to an agent's folder. What is unpacked where there is none yet takes no guard away."""
    return guards.has_folder(path) and not (effect.below and not os.path.lexists(path))


def _fit(guards: GuardPlaces, effect: Effect, where: Where) -> bool:
    """Whether a path with patterns in it, of a shell or in quotes, speaks of guards."""
    assert effect.target is not None
    parts = below(effect.cwd, effect.target).parts
    text = "".join(part if isinstance(part, str) else _shown(part) for part in parts)
    if not _MAGIC.search(text):
        return False
    text = where.home + text[1:] if text[:1] == "~" else text
    whole = os.path.normpath(os.path.join(where.cwd, text))
    names = [name for each in whole.split("/") for name in _names_of(each)]
    if _empties(names[-1], parts) and _holds_guards("/".join(names[:-1]), effect, where):
        return True
    return guards.fit("/".join(names)) or (names[-2:-1] == [ANY] and guards.fit_name(names[-1]))


def _empties(name: str, parts: Sequence[str | Hole]) -> bool:
    """Whether a pattern means all that a folder hides (`.*`, `.[!.]*`), or a search all that is in it."""
    empty = any(isinstance(part, Hole) and part.why == EMPTY for part in parts)
    return bool(_HIDDEN.fullmatch(name)) or (name == ANY and not empty)


def _shown(hole: Hole) -> str:
    if hole.why in (FOUND, EMPTY):
        return _DEEP
    return hole.text if names_files(hole) else _DARK


def _names_of(name: str) -> tuple[str, ...]:
    """A name of a pattern; that of a file somewhere below is one of any folder."""
    if name == _DEEP:
        return (ANY,)
    plain = name.replace(_DEEP, "*")
    return (ANY, plain) if name[:1] == _DEEP else (plain,)


def _holds_guards(path: str, effect: Effect, where: Where) -> bool:
    """A folder that is removed with the guards in it."""
    if effect.name != "delete":
        return False
    homes = (where.workspace, f"{where.home}/.config/hookline", f"{where.home}/.local/state/hookline")
    if any(home == path or home.startswith(path.rstrip("/") + "/") for home in homes):
        return True
    return guard_places(where).lie_in(path)


def may_lead_out(effect: Effect) -> bool:
    """Whether something that is not known stands in a path, which may be `../..`."""
    holes = effect.target.holes if effect.target is not None else ()
    return not all(names_files(hole) or hole.why in (FOUND, EMPTY) or _stays(hole) for hole in holes)


def _stays(hole: Hole) -> bool:
    return hole.only and all(".." not in (choice.literal or "..") for choice in hole.choices)
