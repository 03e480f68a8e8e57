"""What evidence costs: `python tools/evidence_cost.py [RECORDS]` writes and verifies a chain, and times a decision."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from hookline.model.events import Event, EventKind, ToolCall
from hookline.model.hooks import Command, HookSpec
from hookline.model.results import Decision, HookResult, RawResult, Status, Timings
from hookline.state import evidence
from hookline.state.history import History
from hookline.state.verifying import verify

HOOKS = int(sys.argv[2]) if len(sys.argv) > 2 else 5


def main(records: int) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        History(str(Path(folder, "history.db")), prune_one_in=0) as kept,
    ):
        event, decision = _example()
        shown = kept._row(event, decision, "/work")
        began = time.process_time()
        turns = 2000
        for _ in range(turns):
            facts = evidence.facts_of(event, decision, _SHOWN, shown[:-1], _CONCERNED)
            evidence.link(evidence.NOTHING, facts)
        each = (time.process_time() - began) / turns * 1e6
        print(f"evidence of a decision with {HOOKS} hooks: {each:.1f} us, {each / HOOKS:.1f} us a hook")
        began = time.process_time()
        for start in range(0, records, 10_000):
            rows = [(f"{start + n:020}", *shown[1:]) for n in range(min(10_000, records - start))]
            rows = [
                (*row[:-1], evidence.row_digest(row[:-1]).join(('{"row":"', row[-1][72:]))) for row in rows
            ]
            kept.database.run(lambda connection, rows=rows: evidence.add(connection, rows), None)
        print(f"{records} records written in {time.process_time() - began:.1f} s of processor time")
        began = time.process_time()
        found = verify(kept.database)
        assert found is not None and found.records == records and not found.faults, found
        print(f"{records} records verified in {time.process_time() - began:.1f} s of processor time")


def _example() -> tuple[Event, Decision]:
    body = ToolCall("Bash", {"command": "git push --force origin main"}, "toolu_1")
    results = tuple(
        HookResult(
            HookSpec(f"claude:PreToolUse:a{n}b1c2", "claude", EventKind.PreToolUse, "PreToolUse", Command("x")),
            Status.ran, "", RawResult(0, timings=Timings(run=0.01)), digest="sha256:" + "0" * 64,
        )
        for n in range(HOOKS)
    )  # fmt: skip
    event = Event(EventKind.PreToolUse, "s1", "/work", body, "/work", "claude", at=time.time())
    return event, Decision(EventKind.PreToolUse, results=results, policy="sha256:" + "0" * 64)


_SHOWN = {
    "run": "0" * 20, "at": "2026-11-22T10:00:00.000Z", "event": "PreToolUse", "session_id": "s1", "verdict": "none",
    "reason": "",
}  # fmt: skip
_CONCERNED = [{"id": f"claude:PreToolUse:a{n}b1c2", "status": "ran", "verdict": "none"} for n in range(HOOKS)]

if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
