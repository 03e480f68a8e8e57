"""The table of programs: rows of `programs.txt` and of users, each read when a line first needs it."""

from __future__ import annotations

from functools import lru_cache

from hookline.model.record import Record
from hookline.model.short_json import read_json
from hookline.model.typing import Any, Mapping, Sequence
from hookline.system.modules import attribute, data_beside, text_beside

Path = tuple[str, ...]

# Where programs that came with a system lie
SYSTEM_FOLDERS = (
    "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin",
    "/opt/local/bin", "/snap/bin",
)  # fmt: skip
EFFECTS = (
    "read", "write", "delete", "run", "connect", "publish", "discard", "rewrite-history", "elevate", "install",
    "download-and-run", "persist", "kill", "expose", "tamper",
)  # fmt: skip
# What a row may say beside the effects: what it runs, and what only `effects` and `followed.py` make sense of.
RUNS = frozenset((
    "command", "command-as", "code", "script", "injects", "stdin", "find", "pythonmodule", "gitconfig", "gitconfig-set",
    "gitremote", "properties", "tasks", "modules", "by-name", "orders", "manifests",
))  # fmt: skip


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
    """Rows by program and sub-command, from what `tools/programs.py` makes: one in a line, in the order of paths."""

    def __init__(self, made: bytes) -> None:
        self._made = made
        self._rows: dict[Path, Row | None] = {}
        self._added: dict[str, Row | None] = {}

    def usual(self, name: str) -> str:
        """What a program is usually called (`nodejs` is `node`); the name itself where no row is of it."""
        found = self._line((name,))
        return found[1:-1].partition(" ")[0] if found[:1] == '"' else name

    def paths(self, name: str) -> list[Path]:
        """Of all rows of a program."""
        return as_written().paths(name)

    def names(self) -> list[str]:
        """Of all programs with a row."""
        return as_written().names()

    def has_like(self, pattern: str) -> bool:
        """Whether a program with a row is called so."""
        return as_written().has_like(pattern)

    def row(self, path: Path) -> Row | None:
        """The row of a program (`("git",)`) or a sub-command (`("git", "push")`); None if nobody wrote one."""
        try:
            return self._rows[path]
        except KeyError:
            found = self._rows[path] = self._read(path)
            return found

    def added(self, name: str) -> Row | None:
        """What every head `[+NAME]` says of a program besides its row; None where there is none."""
        if name not in self._added:
            self._added[name] = self._read_added(name)
        return self._added[name]

    def _read_added(self, name: str) -> Row | None:
        found = self._line((f"+{name}",))
        return self._row((name,), read_json(found)) if found else None

    def _read(self, path: Path) -> Row | None:
        found = self._line(path)
        if not found:
            return None
        made = read_json(found)
        return self.row(tuple(made.split(" "))) if isinstance(made, str) else self._row(path, made)

    def _row(self, path: Path, made: list[Any]) -> Row:
        same = len(made) == 1 and isinstance(made[0], str)  # as what stands at another path
        return _row(path, *(read_json(self._line(tuple(made[0].split(" ")))) if same else made))

    def _line(self, path: Path) -> str:
        """What is made of the row at a path; empty if there is none."""
        words, text = " ".join(path), self._made
        key = words.encode() if words.isascii() and words.count(" ") < len(path) else b""
        low, high = 2, len(text) - 2
        while key and low < high:
            start = text.rfind(b"\n", low, (low + high) >> 1) + 1 or low
            end = text.index(b"\n", start)
            name = text[start + 1 : text.index(b'"', start + 1)]
            if name == key:
                return text[start + len(name) + 3 : end].rstrip(b",").decode()
            low, high = (end + 1, high) if name < key else (low, start)
        return ""


def _row(
    path: Path, given: Sequence[Any] = (), flags: Sequence[str] = (), does: Sequence[Any] = (), subs: Sequence[str] = ()
) -> Row:  # fmt: skip
    options: dict[str, OptionRow] = {}
    for each in given:
        option, keys = _option(*each)
        for key in keys:
            options[key] = option
    deeds = tuple([_deed(*each) for each in does])
    return Row(
        path, options, frozenset(flags), deeds, frozenset(subs), frozenset([deed.name for deed in deeds])
    )


def _option(
    names: str, takes: str = "", ends: bool = False, keys: str = ""
) -> tuple[OptionRow, Sequence[str]]:
    """`keys` are those of its names by which it is meant, where others mean another one."""
    found = tuple(names.split(","))
    return OptionRow(found, takes, ends), keys.split(",") if keys else found


def _deed(name: str, targets: Sequence[str] = (), conditions: Sequence[Any] = ()) -> Deed:
    return Deed(name, tuple(targets), tuple([(must, tuple(words)) for must, words in conditions]))


_known: dict[str, Programs] = {}


def programs(more: str = "") -> Programs:
    """The table that comes with hookline, with a user's own rows before it."""
    found = _known.get(more)
    if found is None:
        if len(_known) > 32:
            _known.clear()
        found = _known[more] = as_written(more) if more else Programs(data_beside(__name__, "programs.json"))
    return found


@lru_cache(1)
def as_written(*more: str) -> Programs:
    """The same from the rows as people write them, which takes longer."""
    found: Programs = attribute("hookline.shell.programs.rows", "Written")(
        text_beside(__name__, "programs.txt"), *more
    )
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
