"""File patterns with picomatch's meaning, fast for many paths."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from hookline.system.patterns.glob_pieces import without_guards
from hookline.system.patterns.glob_syntax import glob_regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    _Index = tuple[dict[str, re.Pattern[str]], re.Pattern[str] | None]

MAX_GLOB = 4096
_MANY_WAYS = 200_000
_NEVER = re.compile(r"(?!)")
_LAST_CHOICE = re.compile(r"(?s)(.*)\{([A-Za-z0-9_.,-]*,[A-Za-z0-9_.,-]*)\}([A-Za-z0-9_.-]*)\Z")
_LITERAL_END = re.compile(r"[A-Za-z0-9_.-]*\Z")
# no hidden, empty or relative part, and plain ASCII: most paths, for which the guards can be left out
_ORDINARY = re.compile(r"(?a:[\w+-][\w.+-]*(?:/[\w+-][\w.+-]*)*\Z)")
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
        subject = _last_part(path) if self.basename else path
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


def match_files(
    patterns: Sequence[str] | str, paths: Iterable[str], *, dot: bool = False, basename: bool = False
) -> list[str]:
    """The paths that at least one pattern fits, in their order."""
    chosen = (patterns,) if isinstance(patterns, str) else tuple(patterns)
    fits = _union(chosen, dot, basename)
    return [path for path in paths if fits.matches(path)]


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


def _last_part(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


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


class _Union:
    """Many patterns as few regular expressions, each made when a path first needs it: one for each extension, one
    for the rest."""

    def __init__(self, patterns: tuple[str, ...], dot: bool, basename: bool) -> None:
        self._patterns, self._dot, self._basename = patterns, dot, basename
        self._spelled = frozenset(pattern for pattern in patterns if pattern)
        self._folder_stars = max((pattern.count("**") for pattern in patterns), default=0)
        self._sure = {_sure_extension(pattern, basename) for pattern in patterns} - {""}
        self._names = {_sure_name(pattern, basename) for pattern in patterns} - {""}

    @cached_property
    def _full(self) -> _Index:
        return _indexed(self._patterns, self._dot, guarded=True)

    @cached_property
    def _plain(self) -> _Index:
        sure = (_sure_extension, _sure_name)
        unsure = [p for p in self._patterns if not any(name(p, self._basename) for name in sure)]
        return _indexed(unsure, self._dot, guarded=False)

    def matches(self, path: str) -> bool:
        subject = _last_part(path) if self._basename else path
        ordinary = _ORDINARY.match(subject) is not None
        extension = subject.removesuffix("/").rpartition(".")[2]
        if ordinary and (
            (extension in self._sure and len(extension) < len(subject))
            or (self._names and subject.rpartition("/")[2] in self._names)
        ):
            return True
        if self._folder_stars > 2 and _too_deep(self._folder_stars, subject):
            globs = (Glob(pattern, self._dot, self._basename) for pattern in self._patterns)
            return any(glob.matches(path) for glob in globs)
        by_extension, anything = self._plain if ordinary else self._full
        regex = by_extension.get(extension, anything)
        if regex is not None and path and regex.match(subject):
            return True
        return path in self._spelled


def _indexed(patterns: Iterable[str], dot: bool, guarded: bool) -> _Index:
    """One regular expression for each extension the patterns name, and one for all other paths."""
    rest: list[str] = []
    groups: dict[str, list[str]] = {}
    for pattern in dict.fromkeys(patterns):
        if not _compiled(pattern, dot):
            continue
        source = glob_regex(pattern, dot)
        if not guarded and "(?" not in pattern:
            source = without_guards(source, dot)
        extensions = _extensions(pattern)
        for extension in extensions:
            groups.setdefault(extension, []).append(source)
        if not extensions:
            rest.append(source)
    by_extension = {name: _either(sources + rest) for name, sources in groups.items()}
    return by_extension, _either(rest) if rest else None


@lru_cache(64)
def _union(patterns: tuple[str, ...], dot: bool, basename: bool) -> _Union:
    return _Union(patterns, dot, basename)


def _either(sources: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{source})" for source in sources))


def _sure_extension(pattern: str, basename: bool) -> str:
    """The extension of which every ordinary path fits: `**/*.ts`, and `*.ts` among base names; or empty."""
    form = re.fullmatch(r"(\*\*/)?\*\.([A-Za-z0-9_]+)", pattern)
    return form[2] if form and (basename or form[1]) else ""


def _sure_name(pattern: str, basename: bool) -> str:
    """The name that every ordinary path must end with to fit: `**/Makefile`; or empty."""
    form = re.fullmatch(r"(\*\*/)?([A-Za-z0-9_][A-Za-z0-9_.-]*)", pattern)
    return form[2] if form and (basename or form[1]) else ""


def _extensions(pattern: str) -> tuple[str, ...]:
    """What must stand after the last dot of every path that fits; empty when that is not known."""
    if pattern[0] == "!" or re.search(r"[|()\\\"]", pattern):
        return ()
    choice = _LAST_CHOICE.match(pattern)
    before, choices, after = choice.groups() if choice else ("", "", "")
    if choice and "." not in after and not re.search(r"\.\.|[{}]", choices + before.rpartition("/")[2]):
        base = _literal_end(before)
        ends = tuple(base + part + after for part in choices.split(","))
    else:
        ends = (_literal_end(pattern),)
    known = all("." in end and not end.endswith(".") for end in ends)
    return tuple(dict.fromkeys(end.rpartition(".")[2] for end in ends)) if known else ()


def _literal_end(pattern: str) -> str:
    match = _LITERAL_END.search(pattern)
    return match[0] if match else ""
