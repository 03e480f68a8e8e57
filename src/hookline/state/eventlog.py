"""An append-only log of events by subject: tasks, notes and iterations are a replay of it."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from sqlite3 import Connection
from typing import Any, Protocol, Self, TypeVar

from hookline.model.errors import StateError, UsageError, Warn, unheard
from hookline.model.record import Record
from hookline.model.short_json import json_or
from hookline.state.database import CORRUPT
from hookline.system.files import ensure_dir
from hookline.system.locks import file_lock
from hookline.system.loops.loop import sleep

T = TypeVar("T")


class EventLog(Protocol):
    """What every log does, embedded or on a server. Subjects are words joined by `.`.

    In a pattern `*` stands for one word and a last `>` for one or more (NATS's own rule).
    """

    async def append(self, subject: str, event: Mapping[str, Any], message_id: str | None = None) -> int:
        """Adds an event and returns its number. A `message_id` seen before adds nothing: the first
        event's number comes back."""

    def replay(self, pattern: str = ">", after: int = 0) -> AsyncIterator[LoggedEvent]:
        """All events so far behind number `after`, oldest first."""

    def subscribe(self, pattern: str = ">", after: int | None = None) -> AsyncIterator[LoggedEvent]:
        """Events as they come, by any writer, behind number `after` (default: from now on)."""

    async def last(self) -> int:
        """The number of the newest event, 0 when there is none."""

    async def close(self) -> None: ...


BUSY_TIMEOUT_S = 10.0
POLL_S = 0.02
BATCH = 500

SCHEMA = """
    CREATE TABLE IF NOT EXISTS events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, subject TEXT NOT NULL, at REAL NOT NULL,
        event TEXT NOT NULL, message_id TEXT);
    CREATE UNIQUE INDEX IF NOT EXISTS events_message ON events (message_id) WHERE message_id IS NOT NULL;
"""


class LoggedEvent(Record):
    """One event of a log: `seq` counts up over all subjects, `at` is seconds since the epoch."""

    seq: int
    subject: str
    event: Mapping[str, Any]
    at: float = 0.0


class SqliteEventLog:
    """The log in one SQLite file, for any number of processes on one machine.

    Raises StateError when the file cannot be used: what was agreed on must never get lost in silence.
    `warn` hears of rows that are no events; they are skipped. The `_now` methods are for callers without
    an event loop.
    """

    def __init__(self, path: str, *, warn: Warn = unheard) -> None:
        self._path = path
        self._warn = warn
        self._writer: Connection | None = None

    async def append(self, subject: str, event: Mapping[str, Any], message_id: str | None = None) -> int:
        return self.append_now(subject, event, message_id)

    def append_now(self, subject: str, event: Mapping[str, Any], message_id: str | None = None) -> int:
        """As `append`, at once."""
        values = (checked_subject(subject), time.time(), json.dumps(event), message_id)
        sql = "INSERT OR IGNORE INTO events (subject, at, event, message_id) VALUES (?, ?, ?, ?)"

        def add(connection: Connection) -> int:
            added = connection.execute(sql, values)
            if added.rowcount == 1:
                return added.lastrowid or 0
            known = "SELECT seq FROM events WHERE message_id = ?"
            return int(connection.execute(known, (message_id,)).fetchone()[0])

        return self._using(add)

    async def replay(self, pattern: str = ">", after: int = 0) -> AsyncIterator[LoggedEvent]:
        for entry in self.replay_now(pattern, after):
            yield entry

    def replay_now(self, pattern: str = ">", after: int = 0) -> Iterator[LoggedEvent]:
        """As `replay`, at once; what is appended meanwhile is not part of it."""
        last = self.last_now()
        while batch := self._rows(after, last):
            after = batch[-1][0]
            yield from self._matching(pattern, batch)

    async def subscribe(self, pattern: str = ">", after: int | None = None) -> AsyncIterator[LoggedEvent]:
        # A connection of its own: `data_version` moves only for what other connections write.
        with self._told(), closing(self._open()) as connection:
            number = self.last_now() if after is None else after
            version = -1
            while True:
                found = connection.execute("PRAGMA data_version").fetchone()[0]
                while found != version and (batch := _batch(connection, number, 1 << 62)):
                    number = batch[-1][0]
                    for entry in self._matching(pattern, batch):
                        yield entry
                version = found
                await sleep(POLL_S)

    async def last(self) -> int:
        return self.last_now()

    def last_now(self) -> int:
        """As `last`, at once."""
        sql = "SELECT coalesce(max(seq), 0) FROM events"
        return self._using(lambda connection: int(connection.execute(sql).fetchone()[0]))

    async def close(self) -> None:
        self.close_now()

    def close_now(self) -> None:
        """Closes the file; the next use opens it again."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close_now()

    def _rows(self, after: int, last: int) -> list[Any]:
        return self._using(lambda connection: _batch(connection, after, last))

    def _matching(self, pattern: str, rows: list[Any]) -> Iterator[LoggedEvent]:
        wanted = pattern.split(".")
        for seq, subject, at, text in rows:
            if not _fits(subject.split("."), wanted):
                continue
            event = json_or(text)
            if isinstance(event, dict):
                yield LoggedEvent(seq, subject, event, at)
            else:
                self._warn(f"`{self._path}`: event {seq} is no JSON object and was skipped")

    def _using(self, work: Callable[[Connection], T]) -> T:
        with self._told():
            if self._writer is None:
                self._writer = self._open()
            return work(self._writer)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """The library's errors as StateError; only of a file that is broken one had better be rid."""
        try:
            yield
        except sqlite3.Error as error:
            broken = getattr(error, "sqlite_errorcode", 0) & 0xFF in CORRUPT
            hint = "move the file away to begin a new one" if broken else None
            raise StateError(f"the event log `{self._path}` cannot be used: {error}", hint) from error

    def _open(self) -> Connection:
        ensure_dir(os.path.dirname(self._path) or ".")
        fresh = not os.path.exists(self._path)
        connection = sqlite3.connect(
            self._path, BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        try:
            if fresh or not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                with file_lock(self._path):
                    connection.execute("PRAGMA journal_mode=WAL")
                    connection.executescript(SCHEMA)
            connection.execute("PRAGMA synchronous=NORMAL")
        except BaseException:
            connection.close()
            raise
        return connection


def checked_subject(subject: str) -> str:
    """The subject itself; UsageError when it holds wildcards, blanks or empty words."""
    words = subject.split(".")
    if not all(words) or not set(subject).isdisjoint("*> \t\r\n\0"):
        raise UsageError(f"{subject!r} is no subject", "join words without blanks, `*` or `>` by `.`")
    return subject


def subject_fits(subject: str, pattern: str) -> bool:
    """Whether a subject is meant by a pattern: `*` is one word, a last `>` one or more."""
    return _fits(subject.split("."), pattern.split("."))


def _fits(words: list[str], wanted: list[str]) -> bool:
    for place, want in enumerate(wanted):
        if want == ">" and place == len(wanted) - 1:
            return len(words) > place
        if place >= len(words) or want not in ("*", words[place]):
            return False
    return len(words) == len(wanted)


def _batch(connection: Connection, after: int, last: int) -> list[Any]:
    sql = "SELECT seq, subject, at, event FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
    return connection.execute(sql, (after, last, BATCH)).fetchall()
