"""What a path says of an effect: a guard, what starts by itself, git's history; and where it may lead."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Mapping, Sequence

from hookline.dialects.hookline.guard_paths import ANY
from hookline.dialects.hookline.guard_places import GuardPlaces, guard_places
from hookline.shell.effects.acts import Effect, below
from hookline.shell.effects.places import is_history, starts_by_itself
from hookline.shell.effects.spots import Where, names_files, spot_of
from hookline.shell.reading import Hole
from hookline.shell.values.fields import EMPTY, FOUND
from hookline.system.patterns.late import late

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
