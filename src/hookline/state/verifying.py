"""Is the history as it was written? Each record must be what its digest says, and follow the one before it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from hashlib import sha256
from sqlite3 import Connection
from typing import Any

from hookline.model.errors import StateError
from hookline.model.record import Record, replace
from hookline.state.database import Database
from hookline.state.evidence import NOTHING, link, row_digest, row_of
from hookline.system.files import list_dir

MAPPED = (
    1 << 40
)  # as much of the file as SQLite maps at all: copying its pages takes longer than hashing them
MOST_FAULTS = 100  # behind which nobody looks on
_ROWS = (
    "SELECT n, run, at, session, event, workspace, verdict, failed, object, hooks, facts, previous, digest "
    "FROM runs WHERE n > ? ORDER BY n"
)
SET_BACK_S = 3600.0  # records of slow hooks are written out of order


class Fault(Record):
    """One record that is not as it was written, or with 0 for its number the file that has them.

    `kind`: changed, removed, inserted, reordered, unbound, truncated, broken.
    """

    kind: str
    first: int
    last: int
    run: str
    words: str


class Verified(Record):
    """What a look at the whole chain found.

    `records` are bound to each other, from `first` to `last`; `older` ones were kept by a version without
    evidence. `head` is the digest of the last one, in hexadecimal. `pruned`: up to this number records were
    removed for their age. `backward` are the records that are more than an hour older than the one before them:
    a clock was set, which changes no record.
    """

    records: int
    older: int
    first: int
    last: int
    head: str
    pruned: int
    faults: tuple[Fault, ...]
    backward: tuple[int, ...] = ()


def verify(database: Database, expected: tuple[int, str] | None = None) -> Verified:
    """Reads every record; what cannot be read is a fault of the kind `broken`, and stays where it is.

    `expected`: the number and the head that an earlier look gave; that record must still be there or pruned.
    """
    set_aside = tuple(_set_aside(database.path))
    try:
        size = os.stat(database.path).st_size
    except FileNotFoundError:
        return _nothing(*set_aside, *_missing(expected))
    except OSError as error:
        return _nothing(_broken(f"`{database.path}` cannot be used: {error.strerror}"))
    if not size:
        return _nothing(*set_aside, _broken(f"`{database.path}` is empty"))
    try:
        found = database.look(lambda connection: _in_one_snapshot(connection, expected))
    except StateError as error:
        return _nothing(*set_aside, _broken(error.message))
    return replace(found, faults=(*set_aside, *found.faults))


def _nothing(*faults: Fault) -> Verified:
    return Verified(0, 0, 0, 0, NOTHING.hex(), 0, faults)


def _broken(words: str) -> Fault:
    return Fault("broken", 0, 0, "", words)


def _set_aside(path: str) -> Iterator[Fault]:
    """Histories that were found broken when something was to be recorded: what they held is in no chain."""
    folder, name = os.path.split(path)
    for entry in list_dir(folder).entries:
        if entry.name.startswith(f"{name}.corrupt-") and not entry.name.endswith(("-wal", "-shm")):
            yield _broken(
                f"`{os.path.join(folder, entry.name)}` was set aside, and a new history begun; move it away once seen"
            )


def _in_one_snapshot(connection: Connection, expected: tuple[int, str] | None) -> Verified:
    connection.execute(f"PRAGMA mmap_size = {MAPPED}")
    connection.execute("BEGIN")
    try:
        return _verified(connection, expected)
    finally:
        connection.execute("ROLLBACK")
        connection.execute("PRAGMA mmap_size = 0")


def _verified(connection: Connection, expected: tuple[int, str] | None) -> Verified:
    start, bound = _anchor(connection)
    (older,) = connection.execute("SELECT count(*) FROM runs WHERE n <= ?", (start,)).fetchone()
    walk = _Walk(connection, start, bound)
    walk.go(connection.execute(_ROWS, (start,)))
    if expected is not None:
        walk.expect(*expected)
    first, pruned = (start + 1 if walk.count else 0), (0 if bound == NOTHING else start)
    head, faults = walk.digest.hex(), tuple(walk.faults)
    return Verified(walk.count, older, first, walk.number, head, pruned, faults, tuple(walk.backward))


def _anchor(connection: Connection) -> tuple[int, bytes]:
    """The record before the chain, and its digest."""
    match connection.execute("SELECT n, digest FROM anchor").fetchall():
        case [(int() as number, bytes() as digest)]:
            return number, digest
    raise StateError("the history does not say where its chain begins")


class _Walk:
    """Along the chain, from the record before its first one."""

    def __init__(self, connection: Connection, number: int, digest: bytes) -> None:
        self.faults: list[Fault] = []
        self.backward: list[int] = []
        self.count = 0
        self.number, self.digest = number, digest
        self._connection = connection
        self._start = number, digest
        self._before = b""
        self._run = ""
        self._moved: set[int] = set()

    def go(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """A record that is as it should be costs as little as it can; `_step` looks at any other one."""
        earlier = 0.0
        for row in rows:
            number, run, at, session, event, place, verdict, failed, shown, hooks, facts, previous, digest = (
                row
            )
            text = f"{run}\0{at!r}\0{session}\0{event}\0{place}\0{verdict}\0{failed}\0{shown}\0{hooks}"
            if (
                previous == self.digest
                and number == self.number + 1
                and facts.__class__ is str
                and sha256(text.encode()).hexdigest() == facts[8:72]
                and sha256(previous + facts.encode()).digest() == digest
            ):
                self.count += 1
                self._before, self.digest, self.number, self._run = previous, digest, number, run
                if at < earlier - SET_BACK_S and len(self.backward) < MOST_FAULTS:
                    self.backward.append(number)
                earlier = at
                continue
            self._step(row)
            if len(self.faults) >= MOST_FAULTS:
                return
        self._end()

    def _step(self, row: tuple[Any, ...]) -> None:
        number, *kept, facts, previous, digest = row
        self.count += 1
        if not (isinstance(facts, str) and isinstance(previous, bytes) and isinstance(digest, bytes)):
            self._tell("unbound", number, number, kept[0], "has no digest")
            digest = b""
        else:
            whose = "decision" if row_digest(kept) != row_of(facts) else "evidence"
            sound = whose == "evidence" and link(previous, facts) == digest
            if not sound:
                self._tell("changed", number, number, kept[0], f"its {whose} is not what was recorded")
            elsewhere = sound and self.digest and previous != self.digest
            if elsewhere or number != self.number + 1:
                self._misplaced(number, kept[0], previous)
        self._before, self.digest, self.number, self._run = self.digest, digest, number, kept[0]

    def _end(self) -> None:
        """Numbers are never given twice: the last one given is known."""
        found = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'runs'").fetchone()
        given = found[0] if found is not None else 0
        if not isinstance(given, int) or (given < self.number and not self.faults):
            self._tell("changed", self.number, self.number, "", f"the number given last is {given!r}")
        elif given > self.number:
            self._tell("truncated", self.number + 1, given, "", "removed from the end")

    def expect(self, number: int, digest: str) -> None:
        start, bound = self._start
        if number < start:
            return  # pruned since
        found = self._connection.execute("SELECT digest FROM runs WHERE n = ?", (number,)).fetchone()
        there = bytes(found[0] or b"") if found else bound if number == start else b""
        if not digest or not there.hex().startswith(digest.lower()):
            words = "is not there" if not there else f"has the digest {there.hex()}, expected was {digest}"
            self._tell("changed", number, number, "", words)

    def _misplaced(self, number: int, run: str, previous: bytes) -> None:
        gap = number > self.number + 1
        owner = self._connection.execute(
            "SELECT n FROM runs WHERE digest = ? AND n > ?", (previous, self._start[0])
        )
        found = owner.fetchone() if previous != self.digest else None
        if found is not None and found[0] in self._moved:
            return  # it was the other one that moved
        if found is not None and previous == self._before and self.number not in self._moved:
            self._tell(
                "inserted", self.number, self.number, self._run, f"was not there when {number} was written"
            )
        elif found is not None:
            self._moved.add(number)
            self._tell("reordered", number, number, run, f"was written right after {found[0]}")
        elif gap:
            self._tell("removed", self.number + 1, number - 1, "", "")
        else:
            words = (
                f"{number} was written after another one: it was replaced, or what stood between them removed"
            )
            self._tell("changed", self.number, self.number, self._run, words)

    def _tell(self, kind: str, first: int, last: int, run: str, words: str) -> None:
        self.faults.append(Fault(kind, first, last, run, words))


def _missing(expected: tuple[int, str] | None) -> tuple[Fault, ...]:
    return () if expected is None else (Fault("truncated", 1, expected[0], "", "there is no history"),)
