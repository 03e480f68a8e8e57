"""What a path says of an effect: a guard, what starts by itself, git's history; and where it may lead."""

from __future__ import annotations

from fnmatch import fnmatchcase

from hookline.shell.effects.paths import names_files, spot_of
from hookline.shell.effects.places import is_guard, is_history, starts_by_itself
from hookline.shell.values.fields import EMPTY, FOUND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.shell.effects.acts import Effect
    from hookline.shell.effects.paths import Where
    from hookline.shell.reading import Hole

_GUARD_FILES = frozenset(("hooks.toml", "hooks.json", "settings.json", "settings.local.json", "trust.json"))
_GUARD_FOLDERS = (
    ".hookline", ".claude", ".git", ".gemini", ".codex", ".cursor", ".husky", ".discobot", ".copilot",
)  # fmt: skip
BY_PLACE: Mapping[str, Callable[[str], bool]] = {
    "tamper": is_guard,
    "persist": starts_by_itself,
    "discard": is_history,
    "rewrite-history": is_history,
}


def is_by_place(name: str, effect: Effect, where: Where) -> bool:
    """Writing to a hook is tampering, writing to a shell's start file persists, reading a key may expose it."""
    test = BY_PLACE.get(name)
    if test is None or effect.name not in ("write", "delete") or effect.target is None:
        return False
    spot = spot_of(effect, where)
    if spot is None:
        return False
    texts = spot.forms or (spot.text.replace("~", where.home, 1),)
    if any(test(text.rstrip("*").rstrip("/") or "/") for text in texts):
        return True
    if name != "tamper":
        return False
    # a file of that name, in some folder of the workspace
    found = not spot.forms and spot.ends.rpartition("/")[2] in _GUARD_FILES and bool(spot.begins)
    return found or any(_holds_guards(text, effect, where) for text in texts)


def _holds_guards(path: str, effect: Effect, where: Where) -> bool:
    """A folder that is removed with the guards in it, or a pattern of names that means one."""
    if effect.name != "delete":
        return False
    homes = (where.workspace, f"{where.home}/.config/hookline", f"{where.home}/.local/state/hookline")
    if any(home == path or home.startswith(path.rstrip("/") + "/") for home in homes):
        return True
    folder, _, name = path.rpartition("/")
    if (folder.startswith("/") and folder not in (where.workspace, where.home)) or not name.startswith("."):
        return False
    return any(fnmatchcase(guard, name) for guard in _GUARD_FOLDERS) and name not in ("*", ".*/")


def may_lead_out(effect: Effect) -> bool:
    """Whether something that is not known stands in a path, which may be `../..`."""
    holes = effect.target.holes if effect.target is not None else ()
    return not all(names_files(hole) or hole.why in (FOUND, EMPTY) or _stays(hole) for hole in holes)


def _stays(hole: Hole) -> bool:
    return hole.only and all(".." not in (choice.literal or "..") for choice in hole.choices)
