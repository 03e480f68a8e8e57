"""Does a path, or a pattern of paths, mean a guard: by the names it has, from some folder on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from hookline.model.record import Record
from hookline.shell.effects.words import skipped
from hookline.system.patterns.late import late

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
