"""Paths of a call against the patterns of a rule: as written, with links resolved, and with holes in them."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from fnmatch import fnmatchcase, translate
from functools import lru_cache
from itertools import product

from hookline.model.record import Record
from hookline.shell.effects.acts import Effect, Where
from hookline.shell.effects.spots import Spot, absolute, forms, real_path, spot_of
from hookline.shell.effects.words import is_another_folder, matches_path
from hookline.shell.programs.conditions import MAYBE, NO, YES, is_like
from hookline.shell.programs.one_word import is_one_word, makes_name
from hookline.shell.reading import EMPTY, FOUND, NAMED, Hole
from hookline.system.patterns.late import late

# Folders of the machine; any other `/x` of a rule may also mean the workspace's.
SYSTEM_FOLDERS = frozenset((
    "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "media", "mnt", "nix", "opt", "private", "proc",
    "root", "run", "sbin", "snap", "srv", "sys", "tmp", "usr", "var", "Applications", "Library", "System",
    "Users", "Volumes",
))  # fmt: skip
_MAGIC = re.compile(r"[*?\[]")
_TEMPORARY = frozenset(("/tmp/", "/var/tmp/", "/private/tmp/"))
_EVERY_NAME = late(r"\.\*|[*?]*|!\(.*\)|\[[!^]\W\]\*")  # all, or all but a few: `!(keep)`, `[!.]*`
_MADE_ANEW = (".pyc", ".pyo", "__pycache__", ".DS_Store")


def _ends_empty(effect: Effect) -> bool:
    """Whether only what holds nothing is meant."""
    last = effect.target.parts[-1:] if effect.target is not None else ()
    return any(not isinstance(part, str) and part.why == EMPTY for part in last)


class Meant(Record):
    """A rule's pattern: `name` alone fits in any folder, `roots` is a folder as a whole, else `paths`."""

    name: str = ""
    roots: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    everything: bool = False


def pattern_of(text: str, where: Where) -> Meant:
    """What a rule's `src/**`, `.env`, `~/.ssh/*`, `/etc` or `/` means here, as written and with its links resolved."""
    found, folder, rest = _written(text, where.workspace, where.home, where.folds)
    if folder is None or (real := real_path(folder, where)) == folder:
        return found
    return Meant("", (*found.roots, real) if found.roots else (), (*found.paths, f"{real}{rest}"))


@lru_cache(maxsize=4096)
def _written(text: str, workspace: str, home: str, folds: bool) -> tuple[Meant, str | None, str]:
    """The same as it is written, the folder in it whose links matter, and what stands behind that."""
    plain = text.strip().lower() if folds else text.strip()
    if plain in ("*", "**", "/**", "**/*"):
        return Meant(everything=True), None, ""
    if plain in ("/", "~", "~/", ".", "./"):
        root = {"/": "/", "~": home, ".": workspace}[plain.rstrip("/") or "/"]
        return Meant(roots=(root,)), root, ""
    if plain.startswith("~/"):
        return Meant(paths=(home + plain[1:],)), home, plain[1:]
    if plain.startswith("/"):
        anywhere = f"/{plain.lstrip('/')}"
        if plain.startswith("//") or text.strip().lstrip("/").partition("/")[0] in SYSTEM_FOLDERS:
            base = _base(anywhere)
            return Meant(paths=(anywhere,)), base, anywhere[len(base) :]
        return Meant(paths=(anywhere, workspace + anywhere)), workspace, anywhere
    if plain.startswith("**/") and "/" not in plain[3:]:
        return Meant(name=plain[3:]), None, ""
    if "/" in plain.rstrip("/"):
        rest = f"/{plain.removeprefix('./')}"
        return Meant(paths=(workspace + rest,)), workspace, rest
    return Meant(name=plain.rstrip("/")), None, ""


def _both(folder: str, where: Where) -> tuple[str, ...]:
    """A folder as written and with its links resolved."""
    return tuple(dict.fromkeys((folder, real_path(folder, where))))


def fits(text: str, effect: Effect, where: Where, whole: bool = True, every: bool = False) -> int:
    """Whether an effect is done to a path that a rule's pattern means; with `whole` also by removing around it.

    `every`: as it is written and as its links lead, as `rm` and `mv` change the link itself.
    """
    spot = spot_of(effect, where)
    if spot is None:
        return MAYBE
    pattern: Meant | None = where.known.get(("pattern", text))
    if pattern is None:
        pattern = where.known["pattern", text] = pattern_of(text, where)
    if pattern.everything:
        return YES
    whole = whole and effect.name == "delete"
    if effect.name == "delete" and (pattern.roots or pattern.name) and _ends_empty(effect):
        return NO  # neither a project nor its history is
    if effect.below:
        return _below(pattern, spot, where, every)
    if spot.forms:
        return (min if every else max)(_known(pattern, form, where, whole) for form in spot.forms)
    if any(_is_named(path, spot) for path in pattern.paths) and _is_found(effect):
        return YES
    return _unknown(pattern, spot, where, whole)


class _Index(Record):
    """The patterns of a rule by what a path must have for them: a name, or the folder up to which they are plain."""

    always: tuple[str, ...]
    names: Mapping[str, list[str]]
    globs: re.Pattern[str] | None
    globbed: tuple[str, ...]
    bases: Mapping[str, list[str]]
    above: Mapping[str, list[str]]
    folders: Mapping[str, list[str]]
    depth: int


@lru_cache(maxsize=256)
def _index_of(wanted: tuple[str, ...], workspace: str, home: str, folds: bool) -> _Index:
    always: list[str] = []
    globbed: dict[str, str] = {}
    names: dict[str, list[str]] = {}
    bases: dict[str, list[str]] = {}
    above: dict[str, list[str]] = {}
    folders: dict[str, list[str]] = {}
    for text in wanted:
        meant, folder, _ = _written(text, workspace, home, folds)
        if folder is not None:
            folders.setdefault(folder, []).append(text)
        if meant.everything or meant.roots:
            always.append(text)
        elif meant.name and _MAGIC.search(meant.name):
            globbed[text] = f"(?:{translate(meant.name)})"
        elif meant.name:
            names.setdefault(meant.name, []).append(text)
        for base in map(_base, meant.paths):
            bases.setdefault(base, []).append(text)
            while base.rstrip("/"):
                base = base.rpartition("/")[0] or "/"
                above.setdefault(base, []).append(text)
    globs = re.compile("|".join(globbed.values())) if globbed else None
    depth = max((base.count("/") for base in bases), default=0)
    return _Index(tuple(always), names, globs, tuple(globbed), bases, above, folders, depth)


def likely(wanted: tuple[str, ...], effect: Effect, where: Where) -> Collection[str]:
    """The patterns of a rule that may mean the path of an effect; all of them where not all of that is known."""
    spot = spot_of(effect, where)
    if spot is None or effect.below or not spot.forms:
        return wanted
    known: tuple[_Index, set[str]] | None = where.known.get(("index", id(wanted)))
    if known is None:
        index = _index_of(wanted, where.workspace, where.home, where.folds)
        led = (texts for folder, texts in index.folders.items() if real_path(folder, where) != folder)
        known = where.known["index", id(wanted)] = (
            index,
            {*index.always, *(text for texts in led for text in texts)},
        )
    index, found = known[0], set(known[1])
    for form in spot.forms:
        if effect.name == "delete" and _holds(form, where.workspace):
            return wanted
        names = _inside(form, where)
        for name in index.names.keys() & set(names):
            found.update(index.names[name])
        if index.globs is not None and any(map(index.globs.fullmatch, names)):
            found.update(index.globbed)
        found.update(index.above.get(form, ()))
        for folder in _chain(form, index.depth):
            found.update(index.bases.get(folder, ()))
    return found


def _chain(form: str, depth: int) -> Iterator[str]:
    """The root, and each folder of a path from there on, itself too, as deep as that."""
    yield "/"
    at = 0
    for _ in range(depth):
        at = form.find("/", at + 1)
        if at < 0:
            yield form
            return
        yield form[:at]


def _is_named(path: str, spot: Spot) -> bool:
    """Whether it is a folder of that name somewhere below, which is what `**/NAME/**` means."""
    folder, deep, name = path.removesuffix("/**").partition("/**/")
    plain = path.endswith("/**") and not _MAGIC.search(name) and "/" not in name
    return bool(deep) and plain and spot.ends == f"/{name}" and spot.begins.startswith(f"{folder}/")


def _is_found(effect: Effect) -> bool:
    """Whether a search comes to it, which leads out of no folder."""
    holes = effect.target.holes if effect.target is not None else ()
    return all(hole.why in (FOUND, EMPTY) for hole in holes)


def only_any_name(patterns: tuple[str, ...], effect: Effect, where: Where) -> bool:
    """Whether patterns of names alone may mean a path of whose name nothing is known, in a folder of the project's,
    of what is made for a while, or, where it is written, of the user's.
    """
    spot = spot_of(effect, where)
    if spot is None or effect.target is None:
        return False
    if spot.begins in _TEMPORARY and not spot.ends and not _is_found(effect):
        return all(map(_from_aside, effect.target.holes))
    around = (where.workspace, where.home if effect.name == "write" else "", *_TEMPORARY)
    if not any(root and _holds(root, spot.begins) for root in around) or not spot.begins.endswith("/"):
        return False
    if spot.begins.rstrip("/") in (where.workspace, where.home) or spot.begins in _TEMPORARY:
        return False
    any_file = spot.globs and not spot.fits.strip("*")  # `scripts/*`
    may_be_any = any_file or (not spot.fits and all(map(_from_aside, effect.target.holes)))
    if spot.name or spot.ends or not may_be_any:
        return False  # else a folder as a whole is not meant either, by a name within it
    folders = _inside(spot.begins, where)
    meant = [pattern_of(each, where) for each in patterns if fits(each, effect, where)]
    return all(
        not any(fnmatchcase(folder, each.name) for folder in folders)
        if each.name
        else any(_holds(root, spot.begins) for root in each.roots)
        for each in meant
    )


def _from_aside(hole: Hole) -> bool:
    """Whether nothing in the line speaks for one name rather than another."""
    named = (hole.outside and not hole.choices) or hole.why in (FOUND, EMPTY, NAMED)
    return named or (not hole.choices and is_one_word(hole)) or makes_name(hole)


def _known(pattern: Meant, form: str, where: Where, whole: bool) -> int:
    if pattern.roots:
        return YES if any(_holds(form, root) for root in pattern.roots) else NO
    if pattern.name:
        if any(is_like(part, pattern.name) for part in _inside(form, where)):
            return YES
        return MAYBE if whole and _holds(form, where.workspace) else NO
    for path in pattern.paths:
        base = _base(path)
        if form.startswith(base) and _holds(base, form) and matches_path(path, form):  # most are about others
            return YES
        if (whole and _holds(form, base)) or path == f"{form}/**":
            return YES
    return NO


def _inside(form: str, where: Where) -> list[str]:
    """The names of a path in which a rule's is looked for: below the workspace, if it is there."""
    found: list[str] | None = where.known.get(("names", form))
    if found is None:
        roots = (root.rstrip("/") + "/" for root in _both(where.workspace, where) if root)
        below = next((form[len(root) :] for root in roots if form.startswith(root)), form)
        found = where.known["names", form] = below.split("/")
    return found


def _holds(folder: str, path: str) -> bool:
    """Whether a path is that folder, or in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


@lru_cache(maxsize=1024)
def _base(path: str) -> str:
    """The folder up to which a pattern is plain text."""
    found = _MAGIC.search(path)
    return path.rstrip("/") if found is None else path[: found.start()].rpartition("/")[0] or "/"


def _below(pattern: Meant, spot: Spot, where: Where, every: bool) -> int:
    """Files of unknown names in a folder: they may be meant where the rule's folder is in it, or it in the rule's.

    Of the project's own folder nobody says so: whoever unpacks there seldom means one folder of it.
    """
    folders = spot.forms or ((spot.begins,) if spot.begins else ())
    if any(folder in pattern.roots for folder in folders):
        return MAYBE
    if every and folders and all(_known(pattern, f"{each}/\0/\0", where, False) == YES for each in folders):
        return YES  # as any file there is
    for folder, base in product(folders, map(_base, pattern.paths)):
        if _holds(base, folder) or (_holds(folder, base) and folder not in _both(where.workspace, where)):
            return MAYBE
    return NO if folders else MAYBE


def _unknown(pattern: Meant, spot: Spot, where: Where, whole: bool) -> int:
    """A path with holes: it may be meant unless what is known of it speaks against it."""
    if pattern.roots:
        return _root(pattern, spot, where)
    if pattern.name:
        return _last_name(pattern.name, spot)
    if any(
        path.endswith(("/**", "/*")) and spot.begins.startswith(path.rstrip("*")) for path in pattern.paths
    ):
        return YES
    if spot.ends.endswith(_MADE_ANEW) and not any(path.endswith(_MADE_ANEW) for path in pattern.paths):
        return NO  # a rule about a folder means what somebody wrote
    if spot.globs:
        written = absolute(spot.text, where)
        if "**" not in written and any(
            matches_path(path, written) for path in pattern.paths if "?" not in path
        ):
            return YES  # `~/Downloads/a*` is in `~/Downloads/*`
        return MAYBE if any(_names_agree(written, path, whole) for path in pattern.paths) else NO
    return MAYBE if any(_agree(path, spot) for path in pattern.paths) else NO


def _root(pattern: Meant, spot: Spot, where: Where) -> int:
    """`rm -rf /*` is the root as a whole."""
    if spot.globs:
        folder, _, name = absolute(spot.text, where).rpartition("/")
        return YES if _EVERY_NAME.fullmatch(name) and (folder or "/") in pattern.roots else NO
    begins = spot.begins.rstrip("/") or "/"
    known = not spot.begins or any(_holds(begins, root) for root in pattern.roots)
    return MAYBE if known and not spot.ends.strip("/.*") else NO


def _names_agree(written: str, path: str, whole: bool) -> bool:
    """Name by name: patterns of file names do not cross folders. With `whole` a folder means all in it."""
    found, asked = written.split("/"), path.rstrip("/").split("/")
    deep = asked.index("**") if "**" in asked else len(asked)
    if len(found) < deep and not whole:
        return False
    return all(_name_agrees(one, other) for one, other in zip(found[:deep], asked[:deep], strict=False))


def _last_name(name: str, spot: Spot) -> int:
    if name[:1] == "*" and not _MAGIC.search(name[1:]) and spot.ends.endswith(name[1:]):
        return YES
    if spot.fits and not _MAGIC.search(spot.fits):
        return YES if fnmatchcase(spot.fits, name) else NO
    if "/" in spot.ends and not spot.fits:
        return YES if fnmatchcase(spot.ends.rpartition("/")[2], name) else NO
    # what stands before the hole begins the name, as a hole seldom holds a folder
    told = spot.fits or (spot.text.rpartition("/")[2] if spot.globs else "")
    if told and (told == name or (name[-1:] == "*" and _begins(told, name[:-1]))):
        return YES  # all that `.env.?` fits, `.env.*` fits
    hidden = spot.hidden if spot.fits else not spot.globs
    return MAYBE if _name_agrees(told or f"{spot.name}*{spot.ends}", name, hidden) else NO


def _begins(found: str, start: str) -> bool:
    """Whether all names that a pattern fits begin so."""
    return not _MAGIC.search(start) and found.startswith(start)


def _name_agrees(found: str, asked: str, hidden: bool = False) -> bool:
    """Whether two names, patterns perhaps, may be one; `*` of a shell does not mean hidden files."""
    if found[:1] in ("*", "?", "[") and asked[:1] == "." and not hidden:
        return False
    if not _MAGIC.search(asked):
        return fnmatchcase(asked, found)
    if not _MAGIC.search(found):
        return fnmatchcase(found, asked)
    if found in ("*", asked) or (
        asked[-1] == "*" and not _MAGIC.search(asked[:-1]) and found.startswith(asked[:-1])
    ):
        return True
    one, other = _MAGIC.split(found), _MAGIC.split(asked)  # of two patterns, one must speak for the other
    begin = one[0].startswith(other[0]) or other[0].startswith(one[0])
    return begin and bool(one[-1]) and (one[-1].endswith(other[-1]) or other[-1].endswith(one[-1]))


def _agree(path: str, spot: Spot) -> bool:
    """By beginning and end alone."""
    if spot.ends[:1] == "/" and is_another_folder(spot.begins, spot.text, spot.ends, path):
        return False
    start = _MAGIC.split(path)[0]
    end = _MAGIC.split(path)[-1] if _MAGIC.search(path) else path
    if spot.begins and not (start.startswith(spot.begins) or spot.begins.startswith(start)):
        return False
    if not all(map(fnmatchcase, spot.begins.split("/")[:-1], path.partition("/**")[0].split("/"))):
        return False
    return not spot.ends or not end or end.endswith(spot.ends) or spot.ends.endswith(end) or path[-2:] == "**"


def is_outside(name: str, effect: Effect, where: Where) -> int:
    """Whether an effect's path is outside of the workspace, of home, of what exists, or of a folder."""
    spot = spot_of(effect, where)
    if spot is None:
        return MAYBE
    if name == "existing":
        return MAYBE if not spot.forms else NO if any(map(os.path.lexists, spot.forms)) else YES
    folder = {"workspace": where.workspace, "home": where.home}.get(name) or forms(name, where)[0]
    roots = _both(folder, where)
    if spot.forms:
        ends = (form for form in spot.forms if form == real_path(form, where))
        return YES if any(not any(_holds(root, form) for root in roots) for form in ends) else NO
    if not spot.begins:
        return MAYBE
    return NO if any(_holds(root, spot.begins.rstrip("/") or "/") for root in roots) else YES
