"""Where a call reads, writes, deletes, connects, or does what a rule asks about."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from hookline.dialects.hookline.calls import Call
from hookline.dialects.hookline.guard_places import ANY, GuardPlaces, guard_places
from hookline.dialects.hookline.hits import ALLOWED, BY_PLACE, MEANT, Hit, done, places_of, with_effect
from hookline.shell.effects.acts import Effect, Where
from hookline.shell.effects.paths import fits, is_outside, likely
from hookline.shell.effects.places import is_history, is_of_container, starts_by_itself
from hookline.shell.effects.spots import names_files, spot_of
from hookline.shell.effects.words import text_fits
from hookline.shell.programs.conditions import MAYBE, NO, YES
from hookline.shell.reading import EMPTY, FOUND, Hole, Word, below
from hookline.system.patterns.late import late

_BY_TEXT: Mapping[str, Callable[[str], bool]] = {
    "persist": starts_by_itself,
    "discard": is_history,
    "rewrite-history": is_history,
}
_MAGIC = late(r"[*?\[\0]")
_HIDDEN = late(r"\.(?:\[[^]]*\]|[*?])+")
_DEEP, _DARK = "\0", "\1"  # in a pattern: what goes through folders, and what may be anything


def effect_hits(key: str, wanted: tuple[str, ...], call: Call, way: str) -> Iterator[Hit]:
    """Where such a predicate is met; `way` says what for."""
    if key == "connect":
        return _connect(wanted, call)
    return _does(wanted, call) if key == "does" else _paths(key, wanted, call, way)


def _paths(name: str, wanted: tuple[str, ...], call: Call, way: str) -> Iterator[Hit]:
    """Who removes a folder removes what is in it. But to be let off, all of it must lie where that is allowed, links
    too; and where something is allowed, it must be certain that no path leads out.
    """
    for hit in with_effect(call, MEANT.get(name, (name,))):
        effect = _effect(hit, call)
        met = _fitting(wanted, effect, call.where, bool(way))
        if met:
            sure = hit.certain and met == YES and not (way == ALLOWED and may_lead_out(effect))
            yield Hit(hit.at, sure, hit.effect)


def outside(folders: tuple[str, ...], hit: Hit, call: Call) -> Iterator[Hit]:
    """Where what is met lies outside of these folders."""
    assert hit.effect is not None
    effect = call.deeds[hit.at].effects[hit.effect]
    via, spot = call.deeds[hit.at].command.via, spot_of(effect, call.where)
    if via and spot and is_of_container(via, spot.forms[0] if spot.forms else spot.begins, effect.name):
        return  # which is nowhere on this machine
    met = min(is_outside(folder, effect, call.where) for folder in folders)
    if met:
        yield Hit(hit.at, hit.certain and met == YES, hit.effect, hit.why)


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


def _connect(wanted: tuple[str, ...], call: Call) -> Iterator[Hit]:
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


def _does(wanted: tuple[str, ...], call: Call) -> Iterator[Hit]:
    if "run" in wanted:
        yield from (Hit(at, True) for at in call.distinct if call.taken[at].command.words)
    for at, number in places_of(call, done(wanted)):
        effect = call.deeds[at].effects[number]
        only_made = call.deeds[at].given.path[:1] == ("mkdir",)
        if effect.name in wanted or any(is_by_place(name, effect, call.where, only_made) for name in wanted):
            yield Hit(at, effect.certain, number)


def _effect(hit: Hit, call: Call) -> Effect:
    assert hit.effect is not None
    return call.deeds[hit.at].effects[hit.effect]


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
    if name != "tamper":
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
