"""What may happen only once: a once-hook in a session, an answer to a call, a blocked stop too many."""

from __future__ import annotations

import time

from hookline.model.short_json import read_json, write_json
from hookline.model.typing import TYPE_CHECKING, Any
from hookline.state.database import Database
from hookline.system.processes.tags import is_alive, process_mark

if TYPE_CHECKING:
    from sqlite3 import Connection


PENDING = "pending"  # stands in an answer's place, with the process that is working on it
REPEAT_S = 60.0  # a repeat comes beside the first report or right behind it; what comes later is asked anew


class OnceClaims:
    """Hooks marked `once`, by session; the claim is atomic across processes.

    Where the database cannot be used the claims of this process still hold.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._own: set[tuple[str, str]] = set()

    def claim(self, session: str, hook_id: str) -> bool:
        """True for the first to ask in this session, False for everyone after."""
        if (session, hook_id) in self._own:
            return False
        self._own.add((session, hook_id))
        sql = "INSERT OR IGNORE INTO once VALUES (?, ?, ?)"
        values = (session, hook_id, time.time())
        return self._database.run(lambda connection: connection.execute(sql, values).rowcount == 1, True)

    def claimed(self, session: str, hook_id: str) -> bool:
        """Whether it ran already; claims nothing (for `explain`)."""
        if (session, hook_id) in self._own:
            return True
        if not self._database.exists:
            return False
        sql = "SELECT 1 FROM once WHERE session = ? AND hook = ?"
        values = (session, hook_id)
        return self._database.read(lambda found: found.execute(sql, values).fetchone() is not None, False)

    def release(self, session: str, hook_id: str) -> None:
        """Takes a claim back when the hook could not even start."""
        self._own.discard((session, hook_id))
        sql = "DELETE FROM once WHERE session = ? AND hook = ?"
        self._database.run(lambda connection: connection.execute(sql, (session, hook_id)), None)


class Answers:
    """What was answered to a (session, event, call id), so that a repeat gets the same answer.

    Whoever `begin`s a call first answers it; others wait for what it will `remember`.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, session: str, event: str, call_id: str) -> bool:
        """True for the first to ask, who shall answer; also when whoever was first died over it, or long ago."""
        key, text = (session, event, call_id), write_json({PENDING: process_mark()}, ascii_only=True)

        def claim(connection: Connection) -> bool:
            sql = "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?)"
            return connection.execute(sql, (*key, time.time(), text)).rowcount == 1

        def inherit(connection: Connection) -> bool:
            if claim(connection):
                return True
            at, known = _answer(connection, key) or (0.0, "{}")
            owner = read_json(known).get(PENDING)
            if abs(time.time() - at) <= REPEAT_S if owner is None else is_alive(owner):
                return False
            _answer_with(connection, key, text)
            return True

        # One statement is a transaction of its own, and cheaper than one around it.
        return self._database.read(claim, True) or self._database.run(inherit, True)

    def release(self, session: str, event: str, call_id: str) -> None:
        """Takes back what was begun and came to no answer, so that the next one asked begins anew."""
        sql = "DELETE FROM answers WHERE session = ? AND event = ? AND call = ? AND answer LIKE ?"
        values = (session, event, call_id, f'{{"{PENDING}":%')
        self._database.run(lambda connection: connection.execute(sql, values), None)

    def remember(self, session: str, event: str, call_id: str, answer: dict[str, Any]) -> dict[str, Any]:
        """Keeps the answer; returns the one that holds, which is another's when that came first."""
        key, text = (session, event, call_id), write_json(answer, ascii_only=True)

        def work(connection: Connection) -> str:
            known = _answer(connection, key)
            if known is not None and PENDING not in read_json(known[1]):
                return known[1]
            _answer_with(connection, key, text)
            return text

        kept: dict[str, Any] = read_json(self._database.run(work, text))
        return kept

    def recall(self, session: str, event: str, call_id: str) -> dict[str, Any] | None:
        """The answer given before; None when there is none yet."""
        if not self._database.exists:
            return None
        key = (session, event, call_id)
        known = self._database.read(lambda connection: _answer(connection, key), None)
        found: dict[str, Any] = {PENDING: ""} if known is None else read_json(known[1])
        return None if PENDING in found else found


class TurnCounts:
    """How many prompts the user of a session has sent: an agent's iterations, as iteratr counts them."""

    def __init__(self, database: Database) -> None:
        self._counts = StopCounts(database)

    def increment(self, session: str) -> int:
        """Counts one more prompt; returns how many there were, this one included."""
        return self._counts.increment(f"{session}\0prompts")

    def count(self, session: str) -> int:
        """How many so far."""
        return self._counts.count(f"{session}\0prompts")


class StopCounts:
    """How often an agent's stop was blocked since the user last spoke."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._own: dict[tuple[str, str], int] = {}

    def increment(self, session: str, agent: str = "") -> int:
        """Counts one more blocked stop; returns how many there were, this one included."""
        own = self._own[session, agent] = self._own.get((session, agent), 0) + 1
        sql = (
            "INSERT INTO stops VALUES (?, ?, 1) "
            "ON CONFLICT (session, agent) DO UPDATE SET count = count + 1 RETURNING count"
        )

        def work(connection: Connection) -> int:
            (count,) = connection.execute(sql, (session, agent)).fetchone()
            return int(count)

        return self._database.run(work, own)

    def count(self, session: str, agent: str = "") -> int:
        """How often so far; counts nothing."""
        own = self._own.get((session, agent), 0)
        if not self._database.exists:
            return own
        sql = "SELECT count FROM stops WHERE session = ? AND agent = ?"
        row = self._database.read(lambda found: found.execute(sql, (session, agent)).fetchone(), (own,))
        return int(row[0]) if row else 0

    def reset(self, session: str) -> None:
        """A new turn of the user: every agent of the session starts from nothing."""
        for key in [key for key in self._own if key[0] == session]:
            del self._own[key]
        if self._database.exists:
            sql = "DELETE FROM stops WHERE session = ?"
            self._database.run(lambda connection: connection.execute(sql, (session,)), None)


def _answer(connection: Connection, key: tuple[str, str, str]) -> tuple[float, str] | None:
    """When it was given, in seconds since the epoch, and its text."""
    sql = "SELECT at, answer FROM answers WHERE session = ? AND event = ? AND call = ?"
    row = connection.execute(sql, key).fetchone()
    return None if row is None else (float(row[0]), str(row[1]))


def _answer_with(connection: Connection, key: tuple[str, str, str], text: str) -> None:
    connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", (*key, time.time(), text))
