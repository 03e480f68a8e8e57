"""File patterns with picomatch's meaning."""

from __future__ import annotations

import re
from functools import lru_cache

from hookline.system.patterns.glob_syntax import glob_regex

MAX_GLOB = 4096
_MANY_WAYS = 200_000
_NEVER = re.compile(r"(?!)")
_OPENED = {"[": "]", "{": "}", "(": ")"}


class Glob:
    """One compiled pattern. Paths are relative and use `/`.

    With `basename` only the last part of a path is looked at. A malformed pattern fits only a path that
    is spelled exactly like it (see `glob_problem`).
    """

    __slots__ = ("_regex", "basename", "dot", "pattern")

    def __init__(self, pattern: str, dot: bool, basename: bool) -> None:
        self.pattern = pattern
        self.dot = dot
        self.basename = basename
        self._regex = _compiled(pattern, dot) or _NEVER

    def matches(self, path: str) -> bool:
        """Whether the pattern fits `path`; the empty path never fits."""
        if not path or path == self.pattern:
            return bool(path)
        subject = path.rstrip("/").rpartition("/")[2] if self.basename else path
        if _too_deep(self.pattern.count("**"), subject):
            return _segments_fit(tuple(self.pattern.split("/")), tuple(subject.split("/")), self.dot)
        return self._regex.match(subject) is not None

    def __repr__(self) -> str:
        return f"Glob({self.pattern!r}, dot={self.dot}, basename={self.basename})"


@lru_cache(512)
def compile_glob(pattern: str, *, dot: bool = False, basename: bool = False) -> Glob:
    """`pattern` ready for matching; never fails. `dot`: stars and `?` fit names that begin with a dot."""
    return Glob(pattern, dot, basename)


def match_workspace_glob(pattern: str) -> Glob:
    """Discobot's rule: without `/` the base name at any depth, with `/` the whole workspace path."""
    return compile_glob(pattern, basename="/" not in pattern)


def glob_problem(pattern: str) -> str | None:
    """Why `pattern` can fit nothing but a file of exactly that name, in words; None when it is fine."""
    if not pattern:
        return "the pattern is empty"
    if len(pattern) > MAX_GLOB:
        return f"the pattern is longer than {MAX_GLOB} characters"
    if (unclosed := _unclosed(pattern)) is not None:
        return f"`{unclosed}` is never closed by `{_OPENED[unclosed]}`"
    if "\0" in pattern:
        return "the pattern holds a NUL character"
    return None if _compiled(pattern, False) else "the pattern is malformed"


@lru_cache(1024)
def _compiled(pattern: str, dot: bool) -> re.Pattern[str] | None:
    if not pattern or len(pattern) > MAX_GLOB:
        return None
    try:
        return re.compile(glob_regex(pattern, dot))
    except (re.error, RecursionError, OverflowError):
        return None


def _too_deep(folder_stars: int, path: str) -> bool:
    """Whether a regular expression could try too many ways to spread several `**` over the folders."""
    return folder_stars > 2 and (path.count("/") + 1) ** folder_stars > _MANY_WAYS


def _segments_fit(pattern: tuple[str, ...], path: tuple[str, ...], dot: bool) -> bool:
    """The same answer folder by folder, in time that grows with the product of both lengths."""
    after = (*pattern[1:], "")
    wanted = [part for part, follower in zip(pattern, after, strict=True) if (part, follower) != ("**", "**")]
    fits = [True] + [False] * len(path)
    for part in wanted:
        if part == "**":
            reached = False
            for at, was in enumerate(fits):
                hidden = at > 0 and (path[at - 1] in ("", ".", "..") or (path[at - 1][0] == "." and not dot))
                fits[at] = reached = was or (reached and not hidden)
        else:
            glob = compile_glob(part, dot=dot)
            fits = [False] + [was and glob.matches(path[at]) for at, was in enumerate(fits[:-1])]
    return fits[-1]


def _unclosed(pattern: str) -> str | None:
    """The first bracket that stays open, escapes and classes skipped."""
    bare = re.sub(r"(?s)\\.|\[\]?[^\]]*\]", "", pattern)
    for opening, closing in _OPENED.items():
        depth = 0
        for char in bare:
            depth = max(depth + (char == opening) - (char == closing), 0)
        if depth:
            return opening
    return None
