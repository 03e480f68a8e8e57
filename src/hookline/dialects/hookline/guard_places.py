"""Where guards stand: hookline's own files, those that known agents read, and which paths mean them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from hookline.dialects import REGISTRY, names, readable
from hookline.model.record import Record
from hookline.shell.effects.acts import Where
from hookline.shell.effects.words import skipped
from hookline.system import files
from hookline.system.patterns.late import late

MOST_KNOWN = 64  # workspaces whose guards are kept
# A place that ends in `/` is meant with all that is in it; wherever it lies, as a project may be part of another.
_OWN = (
    ".hookline/", ".config/hookline/", ".local/state/hookline/", "etc/hookline/", "hookline/hooks.toml",
    "hookline/trust.json", "hookline/trust-log.jsonl", "hookline/trust-requests.json", "bin/hookline",
    "bin/hookline-bridge", "site-packages/hookline/", ".git/config", ".git/hooks/", ".husky/", ".lefthook.yml",
    ".lefthook.yaml", "lefthook.yml", "lefthook.yaml", ".huskyrc", ".pre-commit-config.yml", ".pre-commit-config.yaml",
    ".codeium/windsurf/mcp_config.json", "claude_desktop_config.json", "opencode.json", "opencode.jsonc",
)  # fmt: skip
# What agents read in a folder that is their own, `{name}` being what that is called.
_READ = (
    "settings.json", "settings.local.json", "managed-settings.json", "requirements.toml", "hooks.json", "hooks.v1.json",
    "hooks.toml", "config.json", "config.toml", "config.yaml", "config.yml", "{name}.json", "hooks/",
    "cli-config.json", "permissions.json", "trustedfolders.json", "rules/*.rules", "policies/*.toml",
    "plugins/installed_plugins.json", "plugins/**/hooks/", "extensions/**/hooks/",
)  # fmt: skip
# Which servers start with it, in a user's own folder of the agent; a project's are the project's.
_STARTED = ("mcp.json", "mcp_config.json", "mcp-config.json", "mcp/mcp.json", "settings/mcp.json")
_WHOLE = frozenset(("hooks", "plugin", "plugins", "extensions"))  # folders of nothing but hooks
_LISTS = ("agents",)  # how folders end whose files of JSON have hooks beside other things
_FILES = (".json", ".toml", ".yml", ".yaml")
_SHARED = frozenset((".github", ".agents", ".config", ".local", ".aws", "bin"))  # which hold more than guards
LEAST_TOLD = 4  # letters that a pattern of names begins with, to speak of one of these
_TOLD = ("hooks", "settings", "trust")  # by which a name alone, in a folder that nobody knows, is a guard's
ANY = "**"  # in a place, or in a pattern: any number of folders
_MAGIC = "*?["
_NO_LETTERS = late(r"\[[^]]*\]|[*?]")
CLOSE = 2  # letters by which a pattern speaks of one among others
_PROSE = (".md", ".mdc", ".mdx", ".txt", ".rst")  # no hook is called so


class Place(Record):
    """Where a guard is: its names from its first folder on, in small letters, the first empty at the root; the last
    may be any with an ending.

    `whole`: with all that is in it. Its first names, `held` of them or more, make a folder of nothing but the agent's;
    none where that is 0. The name at place `closely` stands beside what is no guard, so `*` or `c*` does not mean it.
    `folder`: an agent's, in which it reads what all agents read in theirs.
    """

    names: tuple[str, ...]
    whole: bool = False
    held: int = 0
    closely: int = 0
    folder: bool = False

    def has(self, given: Sequence[str]) -> bool:
        """Whether a path of these names is the guard, or in it."""
        if ANY in self.names:
            at = self.names.index(ANY)
            return tuple(given[:at]) == self.names[:at] and self.names[-1] in given[at:]
        if self.whole:
            return tuple(given[: len(self.names)]) == self.names
        return len(given) == len(self.names) and all(map(_is_called, given, self.names))

    def is_below(self, given: Sequence[str]) -> bool:
        """Whether it lies in a folder of these names, or patterns, which is the agent's own."""
        if not self.held <= len(given) < len(self.names) or not self.held:
            return False
        if ANY in self.names[: len(given)] or (self.closely and not _is_close(given, self.closely)):
            return False
        return all(map(fnmatchcase, self.names, given))

    def may_be_below(self, given: Sequence[str]) -> bool:
        """Whether it lies in that folder if there is one of its last name in it."""
        return ANY in self.names and tuple(given[: (at := self.names.index(ANY))]) == self.names[:at]

    def fits(self, given: Sequence[str]) -> bool:
        """Whether it may be meant by patterns of names, the first of which speaks of it."""
        if self.whole and given[-1].endswith(_PROSE) and any("*" in name for name in given[1:-1]):
            return False
        at = skipped(given, {1})
        for place, name in enumerate(self.names[1:], 1):
            if place == self.closely:
                at = {start for start in at if _is_close(given, start)}
            at = skipped(given, {to for start in at for to in _reached(name, given, start)})
        return bool(at) if self.whole else len(given) in at


def _is_close(given: Sequence[str], at: int) -> bool:
    """Whether a name that may be a pattern says how it begins."""
    return at >= len(given) or spoken(given[at]) >= min(CLOSE, len(given[at]))


def _reached(name: str, given: Sequence[str], at: int) -> Iterator[int]:
    """The places of a pattern behind a name that it may stand for."""
    if name == ANY:
        yield from range(at, len(given) + 1)
    elif at < len(given):
        if given[at] == ANY:
            yield at
        elif fnmatchcase(name, given[at]) or (name[:1] == "*" and given[at].endswith((name[1:], "*"))):
            yield at + 1


def _is_called(given: str, name: str) -> bool:
    """Whether a name is that of a place, which may be any with an ending: `*.json`."""
    return given == name or (name[:1] == "*" and name != ANY and given.endswith(name[1:]))


def speaks_of(pattern: str, name: str) -> bool:
    """Whether a pattern says enough of a name to mean it."""
    enough = len(_NO_LETTERS.sub("", pattern)) > 1 if name[:1] == "." else spoken(pattern) > CLOSE
    return enough and fnmatchcase(name, pattern)


def spoken(pattern: str) -> int:
    """How many letters a pattern begins with."""
    return next((at for at, letter in enumerate(pattern) if letter in _MAGIC), len(pattern))


def has_magic(name: str) -> bool:
    """Whether a name is a pattern."""
    return any(letter in name for letter in _MAGIC)


class GuardPlaces:
    """The guards of one workspace, by their first names: every path of a call is asked for. `rooted`: whole paths."""

    def __init__(self, roots: Sequence[Place], rooted: Sequence[str]) -> None:
        self._roots: dict[str, list[Place]] = {}
        for root in roots:
            self._roots.setdefault(root.names[0], []).append(root)
        self._known: dict[str, tuple[Place, ...]] = {}
        self._whole: dict[str, list[tuple[int, Place]]] = {}
        self._rooted = tuple(rooted)
        listed = (*_READ, *(root.names[-1] for root in roots))
        self.file_names = frozenset(
            name for name in listed if name.endswith(_FILES) and any(word in name for word in _TOLD)
        )

    def has(self, path: str) -> bool:
        """Whether a path is a guard's file, or in a folder of guards; in any letter case."""
        return any(place.has(given) for place, given in self._asked(path))

    def has_file(self, path: str) -> bool:
        """Whether a path is a guard's file by its own name."""
        return any(not place.whole and place.has(given) for place, given in self._asked(path))

    def has_folder(self, path: str) -> bool:
        """Whether a path is an agent's folder, and so that of its guards."""
        return any(
            place.is_below(given)
            or (place.may_be_below(given) and os.path.lexists(f"{path}/{place.names[-1]}"))
            for place, given in self._asked(path)
        )

    def _asked(self, path: str) -> Iterator[tuple[Place, Sequence[str]]]:
        """The places that a path may have, each with its names from where the place begins."""
        given = path.lower().split("/")
        told = not has_magic(path)
        whole = self._of_whole_paths() if told and not given[0] else {}
        for at, name in enumerate(given):
            for place in self._of(name) if name or not told else ():
                yield place, given[at:]
            for key, place in whole.get(name, ()):
                if key == at:
                    yield place, given

    def _of_whole_paths(self) -> dict[str, list[tuple[int, Place]]]:
        """The places that are whole paths, by the last name that a path must have for them, and where that stands."""
        if not self._whole:
            for place in self._of(""):
                plain = place.names[: place.held or len(place.names)]
                at = next((at for at, name in enumerate(plain) if name[:1] == "*"), len(plain)) - 1
                self._whole.setdefault(plain[at], []).append((at, place))
        return self._whole

    def fit(self, pattern: str) -> bool:
        """Whether a pattern speaks of a guard, or of an agent's folder."""
        given = pattern.lower().split("/")
        return any(
            place.fits(given[at:]) or place.is_below(given[at:])
            for at, name in enumerate(given)
            for first in self._meant_by(name, at == len(given) - 1)
            for place in self._of(first)
        )

    def _meant_by(self, name: str, last: bool) -> Iterator[str]:
        """The first names that a name, or a pattern of names, speaks of; it is of a file where it is the last one."""
        if not has_magic(name):
            yield name
        elif name[:1] != "*":
            yield from (first for first in self._roots if speaks_of(name, first))
        elif not last:  # `*.git/*`, `*git/*`, of paths that are looked for
            yield from (name.lstrip("*"), f".{name.lstrip('*')}")

    def fit_name(self, pattern: str) -> bool:
        """Whether a pattern of one name, of a file in any folder, speaks of a guard's file."""
        name = pattern.lower()
        stem = name.partition(".")[0]
        told = spoken(name) >= LEAST_TOLD or (
            "." in name
            and (spoken(stem) > 0 < spoken(stem[::-1]) or len(_NO_LETTERS.sub("", stem)) >= LEAST_TOLD)
        )  # `hook*`; `h*s.toml`, `?ooks.toml`
        return told and any(fnmatchcase(each, name) for each in self.file_names)

    def lie_in(self, folder: str) -> bool:
        """Whether there is something at a place of guards in a folder."""
        start = folder.rstrip("/") + "/"
        return any(path.startswith(start) and os.path.lexists(path) for path in self._rooted)

    def _of(self, first: str) -> tuple[Place, ...]:
        found = self._known.get(first)
        if found is None:
            if first not in self._roots:
                return ()
            found = self._known[first] = tuple(each for root in self._roots[first] for each in _spread(root))
        return found


def guard_places(where: Where) -> GuardPlaces:
    """The guards of the workspace of a call."""
    found: GuardPlaces | None = where.known.get(("guards",))
    if found is None:
        found = where.known["guards",] = _guards_of(where.workspace, where.home)
    return found


def _guards_of(workspace: str, home: str) -> GuardPlaces:
    patterns = _patterns(names())
    moving = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", *(each[1:] for each in patterns if each[:1] == "$"))
    return _made(patterns, workspace, home, moving, files.variables(moving))


@lru_cache(maxsize=4)
def _patterns(dialects: tuple[str, ...]) -> tuple[str, ...]:
    """The places of these dialects, as their rows have them."""
    ours = (place for name in dialects if name in REGISTRY for place in REGISTRY[name].places)
    others = readable(name for name in dialects if name not in REGISTRY)
    return tuple(dict.fromkeys((*ours, *(place for each in others for place in each.places))))


def _folders(value: str, home: str) -> tuple[str, ...]:
    """The folders that a variable names; one that stands nowhere, or is the root, is none."""
    folders = (home + each[1:] if each[:2] == "~/" else each for each in value.split(":"))
    return tuple(each.rstrip("/") for each in folders if each[:1] == "/" and each.strip("/"))


@lru_cache(MOST_KNOWN)
def _made(
    patterns: Sequence[str], workspace: str, home: str, moving: Sequence[str], values: Sequence[str]
) -> GuardPlaces:
    moved = {name: _folders(value, home) for name, value in zip(moving, values, strict=True)}
    configs = (f"{home}/.config", *moved["XDG_CONFIG_HOME"])
    roots = [_own(text) for text in _OWN]
    roots += [
        Place((*_names(folder), "hookline"), True)
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME")
        for folder in moved[name]
    ]
    rooted: list[str] = []
    workspaces = tuple(dict.fromkeys((workspace, os.path.realpath(workspace))))
    for pattern in patterns:
        if pattern[:1] == "$":
            rooted += moved[pattern[1:]]
            roots += [_agents(_names(folder), len(_names(folder))) for folder in moved[pattern[1:]]]
            continue
        rooted += {pattern.format(ws=workspace, home=home, config=each) for each in configs}
        roots += _of_pattern(pattern, workspaces, configs[1:])
        if pattern.startswith("{home}/."):
            folder = _names(pattern.format(home=home))[: len(_names(home)) + 1]
            roots += [Place((*folder, *_names(text))) for text in _STARTED]
    return GuardPlaces(list(dict.fromkeys(roots)), rooted)


def _own(text: str) -> Place:
    found = _names(text)
    closely = len(found) - 1 if found[0] in _SHARED else 0
    return Place(found, text.endswith("/"), int(found[0] == ".git"), closely)


def _of_pattern(pattern: str, workspaces: Sequence[str], configs: Sequence[str]) -> Iterator[Place]:
    """Where a pattern of a dialect's places stands: in any folder, as others may be a project or a user's."""
    base, mark, rest = pattern.partition("}/")
    if not mark:
        found = _names(pattern.lstrip("/"))
        yield Place(found[:2] if found[0] == "etc" else found, True)
        return
    if base == "{config":
        yield from (_agents(_names(f"{folder}/{rest}"), len(_names(folder)) + 1) for folder in configs)
        rest = f".config/{rest}"
    found = _names(rest)
    if len(found) == 1 and found[0][:1] != ".":
        yield from (_beside(folder, found[0]) for folder in workspaces)
        return
    shared = found[0] in _SHARED or found[0][:1] != "."
    if len(found) == 1:  # `~/.NAME.json` beside `~/.NAME`
        yield Place((f"{found[0].removesuffix('.json')}.json",))
    yield _agents(found, 1 + shared, int(shared and not found[1].endswith(_FILES)))


def _beside(folder: str, name: str) -> Place:
    found = _names(folder)
    return Place((*found, name), closely=len(found))


def _agents(found: tuple[str, ...], held: int, closely: int = 0) -> Place:
    """A place of an agent: a file, a folder of nothing but hooks, or one where hooks are beside other things."""
    if found[-1].endswith(_FILES):
        return Place(found, False, held, closely)
    if found[-1].endswith(_LISTS) and len(found) > 1:
        return Place((*found, "*.json"), False, held, closely)
    whole = found[-1].lstrip(".") in _WHOLE
    return Place(found, whole, held, closely, folder=not whole)


def _spread(root: Place) -> Iterator[Place]:
    """A place, or what an agent reads in the folder that it is."""
    if not root.folder:
        yield root
        return
    for text in _READ:
        added = _names(text.format(name=root.names[-1].lstrip(".")))
        yield Place((*root.names, *added), text.endswith("/"), root.held, root.closely)


def _names(path: str) -> tuple[str, ...]:
    return tuple(path.lower().rstrip("/").split("/"))
