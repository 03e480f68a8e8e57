"""Every decision is bound to the one before it: what was changed, removed, inserted or moved is found, and named."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hookline.model.events import Event, EventKind, ToolCall
from hookline.model.hooks import Command, HookSpec
from hookline.model.results import Decision, HookResult, Outcome, RawResult, Status, Verdict
from hookline.state import evidence
from hookline.state.database import Database, migrations
from hookline.state.history import History
from hookline.state.redaction import Redactor
from hookline.state.verifying import Verified, verify

SPEC = HookSpec("gencode:PreToolUse:b1", "gencode", EventKind.PreToolUse, "PreToolUse", Command("x"))


def an_event(number: int = 0, at: float = 0.0) -> Event:
    body = ToolCall("Bash", {"command": f"echo {number}"}, f"call-{number}")
    return Event(EventKind.PreToolUse, "s", "/work", body, "/work", "claude", at=at or time.time())


def a_decision(reason: str = "not that") -> Decision:
    outcome = Outcome(Verdict.DENY, reason)
    result = HookResult(SPEC, Status.ran, "", RawResult(2), outcome, digest="sha256:bytes")
    return Decision(EventKind.PreToolUse, Verdict.DENY, reason, results=(result,), policy="sha256:all")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "history.db")


@pytest.fixture
def seven(path: str) -> Iterator[sqlite3.Connection]:
    """A history of seven records, open for whoever wants to change it."""
    with History(path, prune_one_in=0) as history:
        for number in range(7):
            history.record(an_event(number), a_decision())
    connection = sqlite3.connect(path, isolation_level=None)
    yield connection
    connection.close()


def found(path: str, expected: tuple[int, str] | None = None) -> Verified:
    with Database(path) as database:
        return verify(database, expected)


def faults(path: str, expected: tuple[int, str] | None = None) -> list[tuple[str, int, int]]:
    return [(fault.kind, fault.first, fault.last) for fault in found(path, expected).faults]


def test_a_record_says_policy_bytes_input_verdict_why_agent_and_session(
    seven: sqlite3.Connection, path: str
) -> None:
    facts = json.loads(seven.execute("SELECT facts FROM runs WHERE n = 1").fetchone()[0])
    other = json.loads(seven.execute("SELECT facts FROM runs WHERE n = 2").fetchone()[0])
    assert facts.pop("input") != other["input"]
    run, at = seven.execute("SELECT run, json_extract(object, '$.at') FROM runs WHERE n = 1").fetchone()
    del facts["row"]
    assert facts == {
        "schema": 1, "run": run, "at": at, "event": "PreToolUse", "session": "s", "agent": "claude",
        "workspace": "/work", "call": "call-0", "verdict": "deny", "why": "not that", "policy": "sha256:all",
        "hooks": [["gencode:PreToolUse:b1", "sha256:bytes", "ran", "deny"]],
    }  # fmt: skip
    assert (found(path).records, found(path).first, found(path).last) == (7, 1, 7)


COLUMNS = ("run", "at", "session", "event", "workspace", "verdict", "failed", "object", "hooks", "facts")


@pytest.mark.parametrize("column", [*COLUMNS, "previous", "digest"])
def test_a_changed_byte_in_any_column_is_found(seven: sqlite3.Connection, path: str, column: str) -> None:
    (value,) = seven.execute(f"SELECT {column} FROM runs WHERE n = 4").fetchone()
    changed: Any = value + (1 if isinstance(value, int | float) else " " if isinstance(value, str) else b" ")
    seven.execute(f"UPDATE runs SET {column} = ? WHERE n = 4", (changed,))
    assert ("changed", 4, 4) in faults(path)
    assert {n for _, first, last in faults(path) for n in range(first, last + 1)} == {4}


def rewritten(connection: sqlite3.Connection, number: int) -> None:
    """Another verdict, and digests that fit it, as whoever knows how they are made would write."""
    sql = (
        "SELECT run, at, session, event, workspace, verdict, failed, object, hooks, facts, previous FROM runs"
    )
    *row, facts, previous = connection.execute(f"{sql} WHERE n = ?", (number,)).fetchone()
    row[5] = "allow"
    facts = facts.replace('"deny"', '"allow"').replace(facts[8:72], evidence.row_digest(row))
    digest = evidence.link(previous, facts)
    values = ("allow", facts, digest, number)
    connection.execute("UPDATE runs SET verdict = ?, facts = ?, digest = ? WHERE n = ?", values)


def swapped(connection: sqlite3.Connection, first: int, second: int) -> None:
    for old, new in ((first, -1), (second, first), (-1, second)):
        connection.execute("UPDATE runs SET n = ? WHERE n = ?", (new, old))


def inserted(connection: sqlite3.Connection, number: int) -> None:
    """A copy of the record there under another run, and those behind it moved on."""
    connection.execute("UPDATE runs SET n = -n WHERE n >= ?", (number,))
    connection.execute("UPDATE runs SET n = 1 - n WHERE n < 0")
    columns = ", ".join(COLUMNS[1:])
    sql = (
        f"INSERT INTO runs (n, run, {columns}, previous, digest) "
        f"SELECT ?, 'new', {columns}, digest, zeroblob(32) FROM runs WHERE n = ?"
    )
    connection.execute(sql, (number, number - 1))


def test_a_record_that_was_rewritten_with_its_digest_is_named(seven: sqlite3.Connection, path: str) -> None:
    rewritten(seven, 4)
    assert faults(path) == [("changed", 4, 4)]


def test_a_removed_record_is_named(seven: sqlite3.Connection, path: str) -> None:
    seven.execute("DELETE FROM runs WHERE n IN (3, 4)")
    assert faults(path) == [("removed", 3, 4)]


def test_records_removed_from_the_beginning_without_pruning_are_named(
    seven: sqlite3.Connection, path: str
) -> None:
    seven.execute("DELETE FROM runs WHERE n < 3")
    assert faults(path) == [("removed", 1, 2)]


def test_records_removed_from_the_end_are_named(seven: sqlite3.Connection, path: str) -> None:
    seven.execute("DELETE FROM runs WHERE n > 5")
    assert faults(path) == [("truncated", 6, 7)]


def test_an_inserted_record_is_named(seven: sqlite3.Connection, path: str) -> None:
    inserted(seven, 4)
    assert ("inserted", 4, 4) in faults(path)
    assert {first for _, first, _ in faults(path)} == {4}


@pytest.mark.parametrize(("first", "second"), [(4, 5), (3, 6)])
def test_reordered_records_are_named(seven: sqlite3.Connection, path: str, first: int, second: int) -> None:
    swapped(seven, first, second)
    assert {kind for kind, _, _ in faults(path)} == {"reordered"}
    assert {first, second} <= {number for _, number, _ in faults(path)}


def test_a_record_without_its_evidence_is_named(seven: sqlite3.Connection, path: str) -> None:
    seven.execute("UPDATE runs SET facts = NULL, digest = NULL, previous = NULL WHERE n = 4")
    assert faults(path) == [("unbound", 4, 4)]


def test_whoever_makes_the_whole_chain_anew_is_found_by_a_head_kept_elsewhere(
    seven: sqlite3.Connection, path: str
) -> None:
    head = found(path).last, found(path).head[:16]
    assert faults(path, head) == []
    with History(path) as history:
        history.record(an_event(8), a_decision())
    assert faults(path, head) == []
    previous = evidence.NOTHING
    for number, text in seven.execute("SELECT n, facts FROM runs ORDER BY n").fetchall():
        facts = text.replace('"agent":"claude"', '"agent":"nobody"')
        digest = evidence.link(previous, facts)
        values = (facts, previous, digest, number)
        seven.execute("UPDATE runs SET facts = ?, previous = ?, digest = ? WHERE n = ?", values)
        previous = digest
    assert faults(path) == []
    assert faults(path, head) == [("changed", 7, 7)]
    assert faults(path, (99, "00")) == [("changed", 99, 99)]


def test_pruning_leaves_a_chain_that_verifies_and_goes_on(path: str) -> None:
    with History(path, max_age_s=3600, prune_one_in=0) as history:
        for age in (9000, -3 * 86400, 8000, 10, 5):  # the second was written when the clock was ahead
            history.record(an_event(at=time.time() - age), a_decision())
        first = found(path)
        assert history.prune() == 3
        assert (found(path).records, found(path).pruned, found(path).faults) == (2, 3, ())
        assert found(path).head == first.head
        history.record(an_event(), a_decision())
        assert (found(path).first, found(path).last, found(path).faults) == (4, 6, ())
        assert faults(path, (1, "ab")) == []  # pruned since
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM runs WHERE n = 4")
    connection.close()
    assert faults(path) == [("removed", 4, 4)]


def test_a_history_that_is_pruned_to_nothing_keeps_its_place(path: str) -> None:
    with History(path, max_age_s=3600, prune_one_in=0) as history:
        history.record(an_event(at=time.time() - 9000), a_decision())
        assert history.prune() == 1
        assert (found(path).records, found(path).last, found(path).faults) == (0, 1, ())
        history.record(an_event(), a_decision())
    assert (found(path).first, found(path).faults) == (2, ())


def test_the_decisions_of_an_older_hookline_stand_outside_of_the_chain(path: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.executescript(f"{migrations()[0]} {migrations()[1]} PRAGMA user_version=2;")
        values = (3, "old", 1.0, "s", "Stop", "/w", "none", 0, "{}", "[]")
        connection.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
    connection.close()
    with History(path, prune_one_in=0) as history:
        history.record(an_event(), a_decision())
    assert (found(path).older, found(path).records, found(path).first, found(path).faults) == (1, 1, 4, ())


def test_no_secret_is_in_the_evidence(path: str) -> None:
    secret = "sesame-open-42"
    with History(path, redactor=Redactor({"API_TOKEN": secret})) as history:
        history.record(an_event(), a_decision(f"the token is {secret}"))
    assert secret.encode() not in Path(path).read_bytes()
    assert found(path).faults == ()


BROKEN_CHAINS = [
    ("DELETE FROM anchor", "broken"),
    ("UPDATE anchor SET digest = 'x'", "broken"),
    ("INSERT INTO anchor SELECT * FROM anchor", "broken"),
    ("DROP TABLE runs", "broken"),
    ("DELETE FROM sqlite_sequence", "changed"),
    ("UPDATE sqlite_sequence SET seq = 'x'", "changed"),
    ("UPDATE runs SET run = CAST(x'ff' AS TEXT) WHERE n = 3", "broken"),
]


@pytest.mark.parametrize(("sql", "kind"), BROKEN_CHAINS)
def test_what_the_chain_hangs_on_is_looked_at_too(
    seven: sqlite3.Connection, path: str, sql: str, kind: str
) -> None:
    seven.execute(sql)
    assert {each for each, _, _ in faults(path)} == {kind}


def test_no_history_is_no_fault_unless_one_was_expected(path: str) -> None:
    assert (found(path).records, faults(path)) == (0, [])
    assert faults(path, (5, "ab")) == [("truncated", 1, 5)]
    assert not Path(path).exists()
