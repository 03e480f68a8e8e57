"""Evidence: the facts of each decision, every one bound to the one before it, so that a changed history shows."""

from __future__ import annotations

from hookline.model.events import Event, payload_of
from hookline.model.rendering import plain
from hookline.model.results import Decision
from hookline.model.short_json import write_json
from hookline.model.typing import TYPE_CHECKING, Any, Mapping, Sequence
from hookline.state.trust.fingerprint import canonical, sha256, sha256_of

if TYPE_CHECKING:
    from sqlite3 import Connection


SCHEMA = 1
NOTHING = bytes(32)
_ROW_AT = slice(8, 72)  # where the digest of the row stands in the text: `{"row":"…"`
INSERT = (
    "INSERT INTO runs (run, at, session, event, workspace, verdict, failed, object, hooks, facts, previous, digest) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def facts_of(
    event: Event,
    decision: Decision,
    shown: Mapping[str, Any],
    row: Sequence[object],
    concerned: Sequence[Mapping[str, Any]],
) -> str:
    """What is attested of one decision, as a JSON text: `shown` and `concerned` are without secrets already."""
    digests = {result.spec.id: result.digest for result in decision.results}
    hooks = [[hook["id"], digests.get(hook["id"], ""), hook["status"], hook["verdict"]] for hook in concerned]
    call = event.get("tool_use_id")
    text = write_json({
        "row": row_digest(row), "schema": SCHEMA, "run": shown["run"], "at": shown["at"],
        "event": shown["event"], "session": shown["session_id"], "agent": event.host,
        "workspace": row[4], "verdict": shown["verdict"], "why": shown["reason"],
        "policy": decision.policy, "input": "sha256:" + sha256(canonical(plain(payload_of(event)))), "hooks": hooks,
        **({"call": str(call)} if call else {}),
    })  # fmt: skip
    return text.encode("utf-8", "replace").decode()  # SQLite takes no lone surrogates


def row_digest(row: Sequence[object]) -> str:
    """Of all that is kept of a decision, in the order of its columns. No JSON text holds a NUL."""
    run, at, session, event, workspace, verdict, failed, shown, hooks = row
    text = f"{run}\0{at!r}\0{session}\0{event}\0{workspace}\0{verdict}\0{failed}\0{shown}\0{hooks}"
    return sha256(text.encode())


def link(previous: bytes, facts: str) -> bytes:
    """The digest of a record: of the one before it and of its own facts."""
    digest: bytes = sha256_of(previous + facts.encode()).digest()
    return digest


def row_of(facts: str) -> str:
    """The digest of the row that these facts were made of."""
    return facts[_ROW_AT]


def add(connection: Connection, rows: Sequence[Sequence[object]]) -> None:
    """Adds rows, whose last column is their facts, at the end of the chain. Within a transaction."""
    previous = head(connection)
    for row in rows:
        digest = link(previous, str(row[-1]))
        connection.execute(INSERT, (*row, previous, digest))
        previous = digest


def head(connection: Connection) -> bytes:
    """The digest of the newest record, or of the last one that was removed for its age."""
    found = connection.execute("SELECT digest FROM runs ORDER BY n DESC LIMIT 1").fetchone()
    if found is None or found[0] is None:
        found = connection.execute("SELECT digest FROM anchor").fetchone()
    return bytes(found[0]) if found else NOTHING


def anchor(connection: Connection, number: int) -> None:
    """Remembers the record with this number as the last one to be removed. Within the transaction that does it."""
    found = connection.execute("SELECT digest FROM runs WHERE n = ?", (number,)).fetchone()
    if found is not None and found[0] is not None:
        connection.execute("UPDATE anchor SET n = ?, digest = ?", (number, found[0]))
