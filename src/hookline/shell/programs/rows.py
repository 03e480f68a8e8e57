"""Rows of programs as they are written: those of `programs.txt` and of users."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import product, repeat

from hookline.model.record import replace
from hookline.shell.programs.table import EFFECTS, RUNS, Deed, OptionRow, Path, Programs, Row

_AROUND = frozenset("\n; |,")  # a program's name in a head
_SEVERAL = frozenset(";|,=")  # in a head of more than one spelling
FLAGS = frozenset(
    ("posix", "single", "strict", "old", "raw", "subs", "nocase", "dash-operands", "dash-ends", "mode")
)
FURTHER = frozenset((
    "cwd", "spread", "within", "backup", "sends", "sends-words", "download", "write-name", "link", "patch",
    "opaque", "secret", "shows", "secret-operands", "archives", "options-from", "loads", "dumps", "more", "elsewhere",
    "contained", "alike", "names",
))  # fmt: skip


class RowError(ValueError):
    """A row that cannot be read; the message says which part, and what was wanted."""


class Written(Programs):
    """The same from the rows as they are written. `texts`: the later ones are instead of earlier."""

    def __init__(self, *texts: str) -> None:
        rows = "\n".join(("", *texts)).split("\n[")[1:]
        self._parts = [*map(str.partition, rows, repeat("]"))]  # of each the head and the text behind
        self._heads = "\n".join(["", *[part[0] for part in self._parts], ""])
        self._named: dict[str, tuple[list[int], str]] = {}
        self._chunks: dict[str, tuple[dict[Path, tuple[Path, str]], dict[Path, set[str]]]] = {}
        super().__init__(b"")

    def _heads_of(self, name: str) -> tuple[list[int], str]:
        """Which heads have a program's name, and its usual name; found for those that lines have."""
        known = self._named.get(name)
        if known is None:
            places = list(self._places(name)) if _AROUND.isdisjoint(name) else []
            heads, at, behind = [], -1, 0
            for place in places:
                at += self._heads.count("\n", behind, place)
                heads.append(at)
                behind = place
            usual = self._names_at(places[-1]).partition(",")[0] if places else name
            known = self._named[name] = list(dict.fromkeys(heads)), usual
        return known

    def _places(self, name: str) -> Iterator[int]:
        """Where it stands as a program's name: in the first word of a head, or of a part of one."""
        heads, size = self._heads, len(name)
        at = heads.find(name)
        while at > 0:
            if heads[at - 1] in _AROUND and heads[at + size : at + size + 1] in _AROUND:
                before = heads[heads.rfind("\n", 0, at) + 1 : at].rpartition(";")[2]
                if " " not in before.lstrip():
                    yield at
            at = heads.find(name, at + 1)

    def _names_at(self, place: int) -> str:
        """All names of the program that is called so there."""
        begins = max(self._heads.rfind(each, 0, place) for each in "\n; |") + 1
        ends = min(at for each in "\n; |" if (at := self._heads.find(each, begins)) > 0)
        return self._heads[begins:ends]

    def usual(self, name: str) -> str:
        return self._heads_of(name)[1]

    def names(self) -> list[str]:
        words = re.findall(r"[\n;] *([^\n\s;]+)", self._heads)
        return [name for word in words for name in re.split("[|,]", word)]

    def has_like(self, pattern: str) -> bool:
        return any(fnmatchcase(name, pattern) for name in self.names())

    def _read_added(self, name: str) -> Row | None:
        bodies = [self._parts[at][2] for at in self._heads_of(f"+{name}")[0]]
        return parse_row((name,), "\n".join(bodies)) if bodies else None

    def _read(self, path: Path) -> Row | None:
        texts, below = self._of_program(path[0])
        found = texts.get(path)
        if found is None:
            return None
        row = parse_row(*found)
        subs = below.get(path, row.subs)
        return row if subs <= row.subs else replace(row, subs=row.subs | subs)

    def paths(self, name: str) -> list[Path]:
        return list(self._of_program(name)[0])

    def _of_program(self, name: str) -> tuple[dict[Path, tuple[Path, str]], dict[Path, set[str]]]:
        """Every path below a program, with its usual names and the text of its row; and what stands below each."""
        known = self._chunks.get(name)
        if known is None:
            texts: dict[Path, tuple[Path, str]] = {}
            for at in self._heads_of(name)[0]:
                head, _, body = self._parts[at]
                for path, usual in _paths(head, name):
                    if path[0] == name:
                        texts[path] = (usual, body)
            below: dict[Path, set[str]] = {}
            for path in list(texts):
                while len(path) > 1:
                    path, last = path[:-1], path[-1]
                    below.setdefault(path, set()).add(last)
                    texts.setdefault(path, (path, ""))  # a program whose sub-commands alone have rows
            known = self._chunks[name] = (texts, below)
        return known


def _paths(head: str, program: str = "") -> list[tuple[Path, Path]]:
    """Every spelling of a head, at least those of that program, and what each is usually called."""
    if _SEVERAL.isdisjoint(head):
        path = tuple(head.split())
        return [(path, path)]
    found: list[tuple[Path, Path]] = []
    for part in head.split(";"):
        if "==" not in part:
            found += _spellings(part, program)
            continue
        first, *others = [_spellings(each) for each in part.split("==")]
        found += first
        for other in others:
            found += [(path, usual) for (path, _), (_, usual) in zip(other, first, strict=True)]
    return found


def _spellings(part: str, program: str = "") -> list[tuple[Path, Path]]:
    first, *subs = [_names(word) for word in part.split()]
    if program:
        first = [pair for pair in first if pair[0] == program]
    return [
        (tuple([name for name, _ in pairs]), tuple([usual for _, usual in pairs]))
        for pairs in (product(first, *subs) if first else ())
    ]


def _names(word: str) -> list[tuple[str, str]]:
    """The names of a program or a sub-command, each with the usual one: `docker|podman`, `install,i`."""
    if "," not in word:
        return [(name, name) for name in word.split("|")]
    return [(name, names.partition(",")[0]) for names in word.split("|") for name in names.split(",")]


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
