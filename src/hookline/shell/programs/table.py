"""The table of programs: rows of `programs.txt` and of users, each read when a line first needs it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import accumulate, product

from hookline.model.record import Record, replace
from hookline.system.modules import text_beside

Path = tuple[str, ...]

_HEAD = re.compile(r"\n\[([^\]]+)\]")
_AROUND = frozenset("\n; |,")  # a program's name in a head
FLAGS = frozenset(("posix", "single", "strict", "old", "raw", "subs", "nocase", "dash-operands"))
EFFECTS = (
    "read", "write", "delete", "run", "connect", "publish", "discard", "rewrite-history", "elevate", "install",
    "download-and-run", "persist", "kill", "expose", "tamper",
)  # fmt: skip
# What a row may say beside the effects: what it runs, and what only effects.py and inner.py make sense of.
RUNS = frozenset((
    "command", "command-as", "code", "script", "injects", "stdin", "find", "pythonmodule", "gitconfig", "gitconfig-set",
    "gitremote", "properties", "tasks", "by-name", "opaque",
))  # fmt: skip
FURTHER = frozenset((
    "cwd", "spread", "within", "backup", "sends", "sends-words", "download", "write-name", "link", "patch", "secret",
    "shows", "secret-operands", "archives", "options-from", "loads", "dumps", "more", "elsewhere", "contained", "alike",
))  # fmt: skip


class RowError(ValueError):
    """A row that cannot be read; the message says which part, and what was wanted."""


class OptionRow(Record):
    """`names` without `=`; `takes`: empty, `=` (a value), `==` (two), `?` (only joined); `ends`: none follow it."""

    names: tuple[str, ...]
    takes: str = ""
    ends: bool = False


class Deed(Record):
    """One thing a program does: `targets` are the words it does it to, when `conditions` hold.

    A condition is whether it must hold, and words of which one is enough.
    """

    name: str
    targets: tuple[str, ...] = ()
    conditions: tuple[tuple[bool, tuple[str, ...]], ...] = ()


class Row(Record):
    """A program or a sub-command: `path` has its usual names, `options` each under all its names, `does` its deeds'."""

    path: Path
    options: Mapping[str, OptionRow] = {}
    flags: frozenset[str] = frozenset()
    deeds: tuple[Deed, ...] = ()
    subs: frozenset[str] = frozenset()
    does: frozenset[str] = frozenset()

    @property
    def has_subs(self) -> bool:
        return bool(self.subs) or "subs" in self.flags


class Programs:
    """Rows by program and sub-command. `texts`: further rows, the later ones instead of earlier."""

    def __init__(self, *texts: str) -> None:
        self._text = "\n".join(("", *texts, "["))
        found = list(_HEAD.finditer(self._text))
        self._starts = [each.start() for each in found]
        self._heads = "".join([f"\n{each[1]}" for each in found]) + "\n"
        self._ends = list(accumulate(len(each[1]) + 1 for each in found))
        self._named: dict[str, tuple[list[int], str]] = {}
        self._chunks: dict[str, dict[Path, tuple[Path, int]]] = {}
        self._rows: dict[Path, Row | None] = {}

    def _heads_of(self, name: str) -> tuple[list[int], str]:
        """Where the heads with a program's name begin, and its usual name; found for those that lines have."""
        known = self._named.get(name)
        if known is None:
            places = list(self._places(name)) if _AROUND.isdisjoint(name) else []
            starts = [self._starts[bisect_right(self._ends, place - 1)] for place in places]
            usual = self._names_at(places[-1]).partition(",")[0] if places else name
            known = self._named[name] = list(dict.fromkeys(starts)), usual
        return known

    def _places(self, name: str) -> Iterator[int]:
        """Where it stands as a program's name: in the first word of a head, or of a part of one."""
        heads, size = self._heads, len(name)
        at = heads.find(name)
        while at > 0:
            if heads[at - 1] in _AROUND and heads[at + size : at + size + 1] in _AROUND:
                begins = max(heads.rfind("\n", 0, at), heads.rfind(";", 0, at)) + 1
                if " " not in heads[begins:at].lstrip():
                    yield at
            at = heads.find(name, at + 1)

    def _names_at(self, place: int) -> str:
        """All names of the program that is called so there."""
        begins = max(self._heads.rfind(each, 0, place) for each in "\n; |") + 1
        ends = min(at for each in "\n; |" if (at := self._heads.find(each, begins)) > 0)
        return self._heads[begins:ends]

    def usual(self, name: str) -> str:
        """What a program is usually called (`nodejs` is `node`); the name itself where no row is of it."""
        return self._heads_of(name)[1]

    def names(self) -> list[str]:
        """Of all programs with a row."""
        words = re.findall(r"[\n;] *([^\n\s;]+)", self._heads)
        return [name for word in words for name in re.split("[|,]", word)]

    def has_like(self, pattern: str) -> bool:
        """Whether a program with a row is called so."""
        return any(fnmatchcase(name, pattern) for name in self.names())

    def row(self, path: Path) -> Row | None:
        """The row of a program (`("git",)`) or a sub-command (`("git", "push")`); None if nobody wrote one."""
        try:
            return self._rows[path]
        except KeyError:
            found = self._rows[path] = self._read(path)
            return found

    def added(self, name: str) -> Row | None:
        """What every head `[+NAME]` says of a program besides its row; None where there is none."""
        path = (f"+{name}",)
        if path not in self._rows:
            texts = [
                self._text[start : self._text.find("\n[", start + 2)] for start in self._heads_of(path[0])[0]
            ]
            body = "".join(text[text.index("]") + 1 :] for text in texts)
            self._rows[path] = parse_row((name,), body) if texts else None
        return self._rows[path]

    def _read(self, path: Path) -> Row | None:
        found = self._of_program(path[0]).get(path)
        if found is None:
            return None
        usual, start = found
        row = parse_row(usual, self._text[start : self._text.find("\n[", start)])
        below = {each[len(path)] for each in self._of_program(path[0]) if each[:-1] == path}
        if not below <= row.subs:
            row = replace(row, subs=row.subs | below)
        return row

    def _of_program(self, name: str) -> dict[Path, tuple[Path, int]]:
        """Every path below a program, with its usual names and where the text of its row begins."""
        known = self._chunks.get(name)
        if known is None:
            known = self._chunks[name] = {}
            for start in self._heads_of(name)[0]:
                end = self._text.index("]", start)
                for path, usual in _paths(self._text[start + 2 : end]):
                    if path[0] == name:
                        known[path] = (usual, end + 1)
            for path in list(known):  # a program whose sub-commands alone have rows
                for length in range(1, len(path)):
                    known.setdefault(path[:length], (path[:length], len(self._text)))
        return known


def _paths(head: str) -> Iterator[tuple[Path, Path]]:
    """Every spelling of a head, and what each is usually called."""
    for part in head.split(";"):
        first, *others = [_spellings(each) for each in part.split("==")]
        yield from first
        for other in others:
            yield from ((path, usual) for (path, _), (_, usual) in zip(other, first, strict=True))


def _spellings(part: str) -> list[tuple[Path, Path]]:
    if "|" not in part and "," not in part:
        path = tuple(part.split())
        return [(path, path)]
    words = [
        [(name, names.split(",")[0]) for names in word.split("|") for name in names.split(",")]
        for word in part.split()
    ]
    return [
        (tuple(name for name, _ in pairs), tuple(usual for _, usual in pairs)) for pairs in product(*words)
    ]


def parse_row(path: Path, body: str) -> Row:
    """The row of a text without its head. Raises RowError."""
    options: dict[str, OptionRow] = {}
    flags: set[str] = set()
    subs: set[str] = set()
    deeds: list[Deed] = []
    for line in body.splitlines():
        words = line.split("  #")[0].split()
        if not words or words[0].startswith("#"):
            continue
        key, rest = words[0], words[1:]
        if key == "options-of":
            key, rest = ("options", rest[1:]) if path[0] in rest[0].split(",") else ("options", [])
        if key == "options":
            for option in map(parse_option, rest):
                for name in option.names:
                    options[name] = option
        elif key == "flags":
            if wrong := set(rest) - FLAGS:
                raise RowError(f"there is no flag `{min(wrong)}`; known: {', '.join(sorted(FLAGS))}")
            flags.update(rest)
        elif key == "subs":
            subs.update(rest)
            flags.add("subs")
        else:
            deeds.append(parse_deed(key, rest))
    does = frozenset(deed.name for deed in deeds)
    return Row(path, options, frozenset(flags), tuple(deeds), frozenset(subs), does)


def parse_option(text: str) -> OptionRow:
    """`-o,--output=`: names, and whether it takes a value. Raises RowError."""
    ends = text.endswith("!")
    plain = text.removesuffix("!")
    takes = next((kind for kind in ("==", "=", "?") if plain.endswith(kind)), "")
    names = tuple(name if name == "-@" else name.rstrip("=?@") for name in plain.split(","))
    if not all(name == "+" or (name[:1] in ("-", "+") and len(name) > 1) for name in names):
        raise RowError(f"`{text}` is no option; write `-o,--output=`")
    return OptionRow(names, takes, ends)


def parse_deed(name: str, words: list[str]) -> Deed:
    """An effect, its targets and its conditions. Raises RowError."""
    if name not in EFFECTS and name not in RUNS and name not in FURTHER:
        raise RowError(f"there is no effect `{name}`; known: {', '.join(EFFECTS)}")
    parts: list[list[str]] = [[]]
    kinds = [True]
    for word in words:
        if word in ("if", "unless"):
            kinds.append(word == "if")
            parts.append([])
        else:
            parts[-1].append(word)
    if not all(parts[1:]):
        raise RowError(f"`{name} {' '.join(words)}`: nothing stands behind `if` or `unless`")
    conditions = tuple((kind, tuple(part)) for kind, part in zip(kinds[1:], parts[1:], strict=True))
    return Deed(name, tuple(parts[0]), conditions)


_known: dict[str, Programs] = {}


def programs(more: str = "") -> Programs:
    """The table that comes with hookline, with a user's own rows before it."""
    found = _known.get(more)
    if found is None:
        if len(_known) > 32:
            _known.clear()
        shipped = text_beside(__name__, "programs.txt")
        found = _known[more] = Programs(shipped, more) if more else Programs(shipped)
    return found


@lru_cache(1)
def words_that_set_up() -> Mapping[str, str]:
    """Programs that print code for a shell, each with an expression for the words that ask it for that."""
    found, asked = {}, ""
    for line in text_beside(__name__, "set_up.txt").splitlines():
        if line.startswith(" "):
            found.update(dict.fromkeys(line.split(), asked))
        elif not line.startswith("#"):
            asked = line.removeprefix("(any)")
    return found
