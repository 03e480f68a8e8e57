"""The path that an effect is about: its spellings from where the call is made, or what is known of it."""

from __future__ import annotations

import os
import re

from hookline.model.record import Record
from hookline.shell.effects.acts import Effect, Where
from hookline.shell.reading import FITTING, SOUGHT, Hole, Word, below
from hookline.system.patterns.late import late

LONGEST_PATH = 4096  # letters; no system opens what is longer
DEEP = 40  # folders of a path that are looked at one by one
_ROOT_OF_PROCESS = late(r"^(?:/proc/[^/]+(?:/task/[^/]+)?/root(?![^/]))+")
_FOLDER_OF_PROCESS = late(r"^/proc/(?:self|thread-self|\d+)/cwd(?![^/])")
_DRIVE = late(r"[A-Za-z]:(?:\\|$)|[A-Z]:(?:/|(?=[A-Z]))")


class Spot(Record):
    """A path of a call. `forms` are its spellings where it is known, else it begins and ends as told.

    `text` is what stands there, `name` the beginning of its last name, `fits` the pattern that this fits. `globs`:
    its only holes are patterns of file names. `hidden`: these fit hidden ones too.
    """

    text: str
    forms: tuple[str, ...] = ()
    begins: str = ""
    ends: str = ""
    globs: bool = False
    name: str = ""
    fits: str = ""
    hidden: bool = False


def spot_of(effect: Effect, where: Where) -> Spot | None:
    """The path an effect is about; None if it names none."""
    if effect.target is None:
        return None
    key = (id(effect.target), id(effect.cwd))  # the call holds both as long as this
    found: Spot | None = where.known.get(key)
    if found is None:
        found = (
            _spot(effect, effect.target, where)
            if effect.target.literal is not None
            else _shared(effect, where)
        )
        where.known[key] = found
    return found


def _shared(effect: Effect, where: Where) -> Spot:
    """Equal patterns of one folder have one spot: `rm *.o *.o`."""
    assert effect.target is not None
    key = ("spot", effect.target.parts, effect.cwd.parts)
    found: Spot | None = where.known.get(key)
    if found is None:
        found = where.known[key] = _spot(effect, effect.target, where)
    return found


def _spot(effect: Effect, target: Word, where: Where) -> Spot:
    word = below(effect.cwd, target)
    text = word.literal
    if text is not None:
        return Spot(where.alike(text), forms(text, where))
    shown = "".join(part if isinstance(part, str) else part.text or "*" for part in word.parts)
    first, last = word.parts[0], word.parts[-1]
    begins = absolute(first, where) if isinstance(first, str) else ""
    if begins and isinstance(first, str) and first.endswith("/") and begins != "/":
        begins += "/"
    globs = all(map(names_files, word.holes))
    ends = last if isinstance(last, str) else re.split(r"[*?\[]", last.text)[-1] if names_files(last) else ""
    name = first.rpartition("/")[2] if isinstance(first, str) else ""
    fits = "" if globs else _last_pattern(word)
    shown, begins, ends, name, fits = map(where.alike, (shown, begins, ends.lstrip("]"), name, fits))
    hidden = bool(fits) and any(hole.why == SOUGHT for hole in word.holes)
    return Spot(shown, (), begins, ends, globs, name, fits, hidden)


def names_files(hole: Hole) -> bool:
    """Whether it is a pattern of names; a variable's, in quotes, was expanded before (`for f in *.x; do cat "$f"`)."""
    return hole.kind == "glob" or hole.why in (FITTING, SOUGHT)


def _last_pattern(word: Word) -> str:
    """The pattern of a path's last name, where that is known though its folder is not."""
    shown = ""
    for part in reversed(word.parts):
        if not isinstance(part, str) and not names_files(part):
            return ""
        shown = (part if isinstance(part, str) else part.text) + shown
        if "/" in shown:
            return shown.rpartition("/")[2]
    return ""


def absolute(path: str, where: Where) -> str:
    """A path from where the call is made, as it is written."""
    return os.path.normpath(os.path.join(where.cwd, _home(path, where)))


def forms(path: str, where: Where) -> tuple[str, ...]:
    """A path made absolute, as written and with its links resolved."""
    full = where.alike(os.path.normpath(os.path.join(where.cwd or "/", _home(path, where))))
    full = full.replace("//", "/", 1) if full.startswith("//") else full
    if full.startswith("/proc/"):
        full = _ROOT_OF_PROCESS.sub("", full) or "/"
        full = _FOLDER_OF_PROCESS.sub(lambda _: where.cwd, full)
    found = dict.fromkeys((full, real_path(full, where)))
    if ".." in path and (led := _led(path, where)):
        found[led] = None
    return tuple(found)


def _led(path: str, where: Where) -> str:
    """Where a system comes that follows each link before it goes up: `link/../x` is beside what the link names."""
    try:
        return where.alike(os.path.realpath(os.path.join(where.cwd or "/", _home(path, where))))
    except (OSError, ValueError):
        return ""


def real_path(path: str, where: Where) -> str:
    """A path with its links resolved; of all that lies in one folder, that one's are looked for once."""
    found = where.known.get(("real", path))
    if found is None:
        folder, _, name = path.rpartition("/")
        plain = folder[:1] == "/" and name not in ("", ".", "..") and path.count("/") < DEEP
        try:
            if len(path) > LONGEST_PATH:
                found = path
            elif plain and not os.path.islink(path):
                found = f"{real_path(folder, where).rstrip('/')}/{name}"
            else:
                found = where.alike(os.path.realpath(path))
        except (OSError, ValueError):  # a NUL, or half a pair of surrogates
            found = path
        where.known["real", path] = found
    return str(found)


def _home(path: str, where: Where) -> str:
    """With the home folder written out, and without a drive: `C:\\Windows` is `/Windows`."""
    if _DRIVE.match(path):
        return "/" + path[2:].replace("\\", "/").lstrip("/")
    if path.startswith("~\\"):
        return where.home + path[1:].replace("\\", "/")
    path = path.removeprefix("file://")
    if "\\" in path and "/" not in path and " " not in path:
        path = path.replace("\\", "/")  # `..\\x` of PowerShell, and of tools on Windows
    return where.home + path[1:] if path == "~" or path.startswith("~/") else path
