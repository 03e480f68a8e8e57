"""What ran can be asked for afterwards, and keeping it never gets in a hook's way."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hookline import Engine, Services, make_event
from hookline.model.errors import UsageError
from hookline.model.events import Event, EventKind
from hookline.model.hooks import Command, HookSpec
from hookline.model.record import replace
from hookline.model.rendering import decision_as_json
from hookline.model.results import Decision, HookResult, Outcome, RawResult, Status, Timings, Verdict
from hookline.state.claims import Answers, OnceClaims, StopCounts
from hookline.state.database import SCHEMA, Database, migrations
from hookline.state.history import MOST_WAITING, History, new_run_id
from hookline.state.hook_stats import HookStats
from hookline.state.outputs import Outputs
from hookline.state.redaction import Redactor
from hookline.state.since import parse_since
from hookline.state.verifying import verify


def result(
    hook: str = "a:1", status: Status = Status.ran, verdict: Verdict = Verdict.NONE, **raw: Any
) -> HookResult:
    spec = HookSpec(hook, "gencode", EventKind.PreToolUse, "PreToolUse", Command("x"), name=f"name {hook}")
    ran = status not in (Status.not_matched, Status.untrusted)
    found = RawResult(**{"exit_code": 0, "timings": Timings(run=0.01), **raw}) if ran else None
    return HookResult(spec, status, "" if status is Status.ran else "why", found, Outcome(verdict))


def event(session: str = "s", kind: EventKind = EventKind.PreToolUse, at: float = 0.0) -> Event:
    return Event(kind, session, at=at or time.time(), workspace="/work")


def decision(*results: HookResult, **more: Any) -> Decision:
    return Decision(EventKind.PreToolUse, results=results, **more)


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "history.db")


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def history(path: str, warnings: list[str]) -> Iterator[History]:
    with History(path, warn=warnings.append, prune_one_in=0) as opened:
        yield opened


def ids(found: list[dict[str, Any]]) -> list[str]:
    return [shown["run"] for shown in found]


def test_a_decision_comes_back_as_it_was_printed(history: History, path: str) -> None:
    given = event(), decision(result(stdout="out"), result("b:1", Status.not_matched))
    run = history.record(*given)
    asked = {"asked": {"tool": None, "summary": ""}}
    assert history.runs() == [history.get(run)] == [decision_as_json(*given, run) | asked]
    assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600
    assert stat.S_IMODE(Path(path).parent.stat().st_mode) == 0o700


def test_asking_a_history_that_never_began_makes_no_file(history: History, path: str) -> None:
    assert (history.runs(), history.get("x"), history.stats(), history.newer(0)) == ([], None, [], [])
    assert not Path(path).parent.exists()


def test_runs_are_found_by_session_event_hook_failure_time_and_newest_first(history: History) -> None:
    now = time.time()
    first = history.record(event("s1", at=now - 7200), decision(result("a:1")))
    second = history.record(event("s2"), decision(result("b:1", exit_code=1)))
    third = history.record(
        Event(EventKind.Stop, "s2", at=now),
        Decision(EventKind.Stop, results=(result("a:1", Status.timed_out),)),
    )
    assert ids(history.runs()) == [third, second, first]
    assert ids(history.runs(session="s2")) == [third, second]
    assert ids(history.runs(event="Stop")) == [third]
    assert ids(history.runs(hook="a:1")) == [third, first]
    assert ids(history.runs(hook="name b:1")) == [second]
    assert ids(history.runs(failed=True)) == [third, second]
    assert ids(history.runs(since=now - 3600)) == [third, second]
    assert ids(history.runs(session="s2", hook="b:1", failed=True, limit=1)) == [second]
    assert ids(history.runs(limit=1)) == [third]
    assert ids(history.runs(workspace="/work")) == [second, first]


def test_a_hook_that_did_not_match_is_in_the_record_but_not_found_by_its_name(history: History) -> None:
    history.record(event(), decision(result("a:1"), result("b:1", Status.not_matched)))
    assert history.runs(hook="b:1") == []
    run = history.record(event(), decision(result("b:1", Status.untrusted)))
    assert ids(history.runs(hook="b:1")) == [run]


def test_a_run_is_found_by_the_beginning_or_the_end_of_its_id(history: History) -> None:
    first, second = (history.record(event(), decision()) for _ in range(2))
    for given in (first, first[-8:], first[:-1]):
        assert ids([history.get(given) or {}]) == [first]
    assert history.get("*") is None
    assert history.get("nothing") is None
    with pytest.raises(UsageError, match="fits several runs"):
        history.get(second[:5])


def test_run_ids_sort_by_time_and_differ() -> None:
    found = [new_run_id() for _ in range(200)]
    assert len(set(found)) == 200
    assert [each[:11] for each in found] == sorted(each[:11] for each in found)


def test_a_decision_keeps_the_run_id_it_has(history: History) -> None:
    assert history.record(event(), decision(run_id="mine")) == "mine"
    assert ids(history.runs()) == ["mine"]


def test_stats_tell_failures_time_outs_denials_and_percentiles(history: History) -> None:
    for number in range(1, 21):
        history.record(event(at=1000.0 + number), decision(result("a:1", timings=Timings(run=number / 1000))))
    history.record(
        event(at=2000.0),
        decision(
            result("b:1", Status.timed_out, timed_out=True),
            result("c:1", verdict=Verdict.DENY, exit_code=2, timings=Timings(run=0.002)),
            result("d:1", Status.untrusted),
        ),
    )
    assert history.stats() == [
        HookStats("a:1", "name a:1", "gencode", 20, 0, 0, 0, 0, 10.0, 19.0, 210.0, 1020.0),
        HookStats("b:1", "name b:1", "gencode", 1, 1, 1, 0, 0, 10.0, 10.0, 10.0, 2000.0),
        HookStats("c:1", "name c:1", "gencode", 1, 0, 0, 0, 1, 2.0, 2.0, 2.0, 2000.0),
    ]
    assert [stats.id for stats in history.stats(since=1500.0)] == ["b:1", "c:1"]


def test_tail_yields_what_another_writer_records(history: History, path: str) -> None:
    old = history.record(event(), decision())
    seen: list[str] = []
    ready, done = threading.Event(), threading.Event()

    def follow() -> None:
        with History(path) as reader:
            after = reader.last_number()
            ready.set()
            for shown in reader.tail(after, poll_s=0.005, stop=done.is_set):
                seen.append(shown["run"])
                if len(seen) == 2:
                    return

    reader = threading.Thread(target=follow)
    reader.start()
    ready.wait()
    new = [history.record(event(), decision()) for _ in range(2)]
    reader.join(30)
    done.set()
    assert (seen, old in seen) == (new, False)


def test_long_output_is_cut_in_the_row_and_its_full_text_is_named(history: History) -> None:
    run = history.record(
        event(), decision(result(stdout="a" * 50_000 + "b" * 50_000, output_path="/o.txt", truncated=False))
    )
    (hook,) = (history.get(run) or {})["hooks"]
    mark = "\n[... 34464 bytes omitted ...]\n"
    assert (hook["truncated"], hook["output_path"], len(hook["stdout"])) == (
        True,
        "/o.txt",
        65_536 + len(mark),
    )
    assert hook["stdout"].startswith("a" * 32_768) and hook["stdout"].endswith("b" * 32_768)
    assert mark in hook["stdout"]


@pytest.mark.parametrize("kept", [65_536, 1_000_000])
def test_what_is_left_out_of_an_output_is_told_once_and_counted_as_a_whole(
    history: History, kept: int
) -> None:
    """An output that was cut when the hook ran has its mark in the middle, where the row is cut again."""
    mark = "\n[... 7000000 bytes omitted ...]\n"
    stdout = "a" * (kept // 2) + mark + "b" * (kept // 2)
    run = history.record(event(), decision(result(stdout=stdout, truncated=True)))
    (hook,) = (history.get(run) or {})["hooks"]
    missing = 7_000_000 + (kept - 65_536)
    assert hook["stdout"] == f"{'a' * 32_768}\n[... {missing} bytes omitted ...]\n{'b' * 32_768}"


CANARIES = {
    "DEPLOY_TOKEN": "canary-value-of-a-token",
    "DB_PASSWORD": "canary pass\nword",
    "SIGNING_KEY": "canary-key-☃",
    "WEBHOOK_URL": "https://h/canary-hook",
}
SHAPES = (
    "sk-ant-canary0123456789abcdef",
    "ghp_canary0123456789abcdefghij0123456789",
    "AKIACANARY0123456789",
    "xoxb-canary-1234567890",
    "glpat-canary0123456789ab",
    "eyJhbGciOiJI.eyJjYW5hcnkiOjF9.c2lnbmF0dXJl",
    "postgres://canary:canarypass@host/db",
    "Authorization: Bearer canary0123456789abcdef",
    "-----BEGIN RSA PRIVATE KEY-----\ncanary\n-----END RSA PRIVATE KEY-----",
)


def test_no_secret_reaches_the_disk_whatever_field_it_was_in(path: str, tmp_path: Path) -> None:
    text = " ".join((*CANARIES.values(), *SHAPES))
    spoiled = result(stdout=text, stderr=text)
    spoiled = HookResult(spoiled.spec, Status.ran, text, spoiled.raw, Outcome(Verdict.DENY, text))
    with History(path, redactor=Redactor(CANARIES)) as history:
        history.record(
            event(), decision(spoiled, reason=text, contexts=(text,), updated_input={text: [{"k": text}]})
        )
        (shown,) = history.runs()
    assert shown["reason"].startswith("[redacted:DEPLOY_TOKEN] [redacted:DB_PASSWORD] [redacted:SIGNING_KEY]")
    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"canary" not in kept.lower()
    assert b"c2lnbmF0dXJl" not in kept


def test_a_kept_output_is_cleaned_too_but_no_file_of_others(tmp_path: Path) -> None:
    outputs = Outputs(str(tmp_path / "outputs"))
    ours = outputs.save("run", "a:1", b"before canary-value-of-a-token after\xff")
    foreign = tmp_path / "foreign.log"
    foreign.write_text("canary-value-of-a-token")
    with History(str(tmp_path / "h.db"), redactor=Redactor(CANARIES), outputs=outputs) as history:
        history.record(
            event(),
            decision(
                result("a:1", output_path=ours, truncated=True),
                result("b:1", output_path=str(foreign), truncated=True),
                result("c:1", output_path=outputs.path("run", "gone"), truncated=True),
            ),
        )
    assert Path(ours).read_bytes() == b"before [redacted:DEPLOY_TOKEN] after\xff"
    assert foreign.read_text() == "canary-value-of-a-token"


def test_ordinary_words_and_variables_stay() -> None:
    redactor = Redactor({"PATH": "/usr/bin:/bin", "SSH_AUTH_SOCK": "/run/agent.1", "PWD": "/work/project",
                         "PIN_TOKEN": "short", "KEYBOARD": "us-international"})  # fmt: skip
    text = "/usr/bin:/bin /run/agent.1 /work/project short us-international task-list sk-1 http://a/b@c"
    assert redactor.text(text) == text


def test_a_secret_inside_another_leaves_nothing_behind() -> None:
    redactor = Redactor({"A_TOKEN": "12345678", "B_TOKEN": "x12345678y"})
    assert redactor.text("x12345678y 12345678") == "[redacted:B_TOKEN] [redacted:A_TOKEN]"


def test_a_broken_database_is_set_aside_and_recording_goes_on(path: str, warnings: list[str]) -> None:
    Path(path).parent.mkdir()
    Path(path).write_bytes(b"this is no database" * 1000)
    with History(path, warn=warnings.append) as history:
        run = history.record(event(), decision())
        assert ids(history.runs()) == [run]
    (aside,) = Path(path).parent.glob("history.db.corrupt-*")
    assert aside.read_bytes().startswith(b"this is no database")
    assert warnings == [f"`{path}` was broken; it is kept as `{aside}` and a new one was begun"]


def test_a_database_damaged_in_the_middle_is_set_aside_too(path: str, warnings: list[str]) -> None:
    with History(path) as history:
        for _ in range(50):
            history.record(event(), decision(result(stdout="x" * 5000)))
        history.database.run(lambda found: found.execute("SELECT 1").fetchone(), None)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = bytearray(Path(path).read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    Path(path).write_bytes(content)
    with History(path, warn=warnings.append) as history:
        run = history.record(event(), decision())
        assert ids(history.runs()) == [run]
    assert "was broken" in warnings[0]


def test_a_history_that_was_taken_away_is_begun_anew_and_read_by_all(path: str, warnings: list[str]) -> None:
    """Who has a deleted file open may go on in it, and nobody ever sees what is written there."""
    with History(path, warn=warnings.append) as history, History(path) as reader:
        runs = [history.record(event(), decision()) for _ in range(3)]
        assert ids(reader.runs()) == runs[::-1]
        news = reader.tail(after=3, stop=lambda: True)
        for file in Path(path).parent.glob("history.db*"):
            file.unlink()
        last = history.record(event(), decision())
        assert ids(reader.runs()) == [last]
        assert next(news)["run"] == last
    with History(path) as later:
        assert ids(later.runs()) == [last]
    assert warnings == []


def test_nothing_is_raised_where_nothing_can_be_written(tmp_path: Path, warnings: list[str]) -> None:
    (tmp_path / "file").write_text("")
    with History(str(tmp_path / "file" / "history.db"), warn=warnings.append) as history:
        assert history.record(event(), decision())
        assert history.record(event(), decision())
        assert history.runs() == []
    assert len(warnings) == 1


def test_a_database_of_a_newer_hookline_is_left_alone(path: str, warnings: list[str]) -> None:
    Path(path).parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=99")
    connection.close()
    with History(path, warn=warnings.append) as history:
        history.record(event(), decision())
    assert warnings == [f"`{path}` was written by a newer hookline (schema 99)"]


def test_text_that_is_not_utf8_is_kept_as_far_as_it_goes(history: History) -> None:
    history.record(event("s\udcff"), decision(result("h\udcff", stdout="é\udcfe")))
    (shown,) = history.runs(session="s?")
    assert shown["hooks"][0]["stdout"].startswith("é")


def test_old_runs_go_with_their_outputs_and_young_ones_stay(path: str, tmp_path: Path) -> None:
    outputs = Outputs(str(tmp_path / "outputs"))
    with History(path, outputs=outputs, max_age_s=3600, prune_one_in=0) as history:
        old = history.record(event(at=time.time() - 7200), decision(result()))
        young = history.record(event(), decision(result()))
        for run in (old, young):
            outputs.save(run, "a:1", "text")
        history.prune()
        assert ids(history.runs()) == [young]
        assert [stats.runs for stats in history.stats()] == [1]
    assert [folder.name for folder in (tmp_path / "outputs").iterdir()] == [young]


def test_a_clock_that_is_behind_takes_no_row_for_one_of_a_clock_that_was_ahead(path: str) -> None:
    """Now and then a clock is far ahead, and its rows go in the end; one that starts at 1970 deletes nothing."""
    with History(path, max_age_s=3600, prune_one_in=0) as history:
        years = 20 * 365 * 86400
        strays = [history.record(event(at=time.time() + years), decision(result())) for _ in range(2)]
        rows = [history.record(event(), decision(result())) for _ in range(6)]
        assert ids(history.runs())[::-1] == [*strays, *rows]
        with pytest.MonkeyPatch.context() as clock:
            real = time.time
            clock.setattr("time.time", lambda: real() - years)
            history.record(event(at=time.time()), decision(result()))
            assert history.prune() == 0
        assert history.prune() == 2
        assert rows == ids(history.runs())[:0:-1]


def test_the_file_stays_within_its_size(path: str) -> None:
    with History(path, max_bytes=700_000, prune_one_in=0) as history:
        for _ in range(150):
            history.record(event(), decision(result(stdout="x" * 10_000)))
        while history.prune():
            pass
        kept = history.runs(limit=None)
        assert 20 < len(kept) < 80
        history.database.run(lambda found: None, None)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    assert Path(path).stat().st_size < 1_000_000


def test_in_a_loop_a_decision_is_written_when_it_next_turns(path: str) -> None:
    """The agent waits for its hooks, not for the disk."""

    async def host() -> tuple[list[dict[str, Any]], list[str], list[str]]:
        with History(path) as history, History(path) as other:
            first = history.record(event(), decision(result()))
            at_once, own = other.runs(), ids(history.runs())
            second = history.record(event(), decision(result()))
            await asyncio.sleep(0)
            assert ids(other.runs()) == [second, first]
            return at_once, own, [first]

    at_once, own, first = asyncio.run(host())
    assert (at_once, own) == ([], first)


def test_a_loop_that_ends_at_once_has_written_everything_in_order(path: str, history: History) -> None:
    async def host() -> list[str]:
        return [history.record(event(), decision(result())) for _ in range(MOST_WAITING + 5)]

    recorded = asyncio.run(host())
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT run FROM runs ORDER BY n").fetchall()
    connection.close()
    assert [run for (run,) in found] == recorded


def test_what_the_host_changes_afterwards_does_not_change_the_record(history: History) -> None:
    given = {"command": "ls"}

    async def host() -> str:
        run = history.record(event(), decision(updated_input=given))
        given["command"] = "rm"
        return run

    run = asyncio.run(host())
    assert (history.get(run) or {})["updated_input"] == {"command": "ls"}


def test_a_decision_that_has_no_json_form_is_told_and_the_others_are_kept(
    history: History, warnings: list[str]
) -> None:
    async def host() -> str:
        history.record(event(), decision(contexts=(b"bytes",)))
        return history.record(event(), decision())

    kept = asyncio.run(host())
    assert ids(history.runs()) == [kept]
    assert warnings == [
        "a decision could not be kept: TypeError: Object of type bytes is not JSON serializable"
    ]


KILLED = """
import asyncio, os, signal, sys
from hookline import Engine, Services, make_event
from hookline.state.history import History

async def host():
    engine = Engine(services=Services(history=History(sys.argv[1]), environment={}))
    await engine.fire(make_event("Stop"))
    await asyncio.sleep(0)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(host())
"""


def test_a_host_that_is_killed_outright_has_written_all_but_its_last_moment(path: str) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, path], check=False)
    assert done.returncode == -signal.SIGKILL
    with History(path) as history:
        assert [shown["event"] for shown in history.runs()] == ["Stop"]


def test_a_history_made_ready_has_its_database_open_and_no_row(path: str, history: History) -> None:
    history.prepare()
    assert Path(path).exists()
    assert history.runs() == []


def test_a_history_that_cannot_be_made_ready_says_so_once(tmp_path: Path, warnings: list[str]) -> None:
    (tmp_path / "file").write_text("")
    with History(str(tmp_path / "file" / "history.db"), warn=warnings.append) as history:
        history.prepare()
        history.record(event(), decision())
    assert len(warnings) == 1


def test_closing_the_engine_writes_what_is_left(path: str) -> None:
    async def host() -> list[str]:
        engine = Engine(services=Services(history=History(path), environment={}))
        await engine.fire(make_event("Stop"))
        await engine.close()
        with History(path) as other:
            return [shown["event"] for shown in other.runs()]

    assert asyncio.run(host()) == ["Stop"]


def test_the_runs_an_older_hookline_kept_are_found_counted_and_pruned_with_the_new_ones(path: str) -> None:
    assert len(migrations()) == SCHEMA
    Path(path).parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.executescript(f"{migrations()[0]} PRAGMA user_version=1;")
        shown = decision_as_json(event(), decision(result("a:1")), "old")
        values = ("old", 1000.0, "s", "PreToolUse", "/work", "none", 0, json.dumps(shown))
        connection.execute("INSERT INTO runs VALUES (7, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        hook = (7, "a:1", "name a:1", "gencode", 1000.0, "ran", "none", 1, 0, 10.0)
        connection.execute("INSERT INTO hooks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", hook)
    connection.close()
    with History(path, prune_one_in=0) as history:
        new = history.record(event(at=time.time()), decision(result("a:1", exit_code=1)))
        assert ids(history.runs(hook="name a:1")) == [new, "old"]
        assert [(stats.runs, stats.failures) for stats in history.stats()] == [(2, 1)]
        assert [number for number, _ in history.newer(0)] == [7, 8]
        history.prune()
        assert ids(history.runs()) == [new]
        assert [stats.runs for stats in history.stats()] == [1]


def test_recording_prunes_by_itself(path: str) -> None:
    with History(path, max_age_s=3600, prune_one_in=1) as history:
        history.record(event(at=time.time() - 7200), decision(result()))
        assert history.runs() == []


def record_many(arguments: tuple[str, int]) -> list[str]:
    path, number = arguments
    warned: list[str] = []
    with History(path, warn=warned.append) as history:
        for turn in range(20):
            history.record(event(f"s{number}"), decision(result(f"h:{turn}")))
    return warned


def test_processes_recording_at_once_lose_nothing_even_at_the_first_start(path: str) -> None:
    with multiprocessing.get_context("spawn").Pool(6) as pool:
        assert pool.map(record_many, [(path, number) for number in range(6)], chunksize=1) == [[]] * 6
    with History(path) as history:
        assert len(history.runs(limit=None)) == 120
        assert sum(stats.runs for stats in history.stats()) == 120
        chain = verify(history.database)
    assert chain is not None and (chain.records, chain.faults) == (120, ())


def claim_all(arguments: tuple[str, int]) -> list[str]:
    path, _ = arguments
    with Database(path) as database:
        claims = OnceClaims(database)
        return [f"h{number}" for number in range(30) if claims.claim("s", f"h{number}")]


def test_a_once_hook_is_claimed_by_exactly_one_of_many_processes(path: str) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        found = pool.map(claim_all, [(path, number) for number in range(4)], chunksize=1)
    assert sorted(hook for hooks in found for hook in hooks) == sorted(f"h{number}" for number in range(30))


def test_a_once_claim_is_by_session_can_be_seen_and_given_back(path: str) -> None:
    with Database(path) as database:
        claims = OnceClaims(database)
        assert not claims.claimed("s", "h")
        assert (claims.claim("s", "h"), claims.claim("s", "h"), claims.claim("t", "h")) == (True, False, True)
        assert OnceClaims(database).claimed("s", "h")
        claims.release("s", "h")
        assert claims.claim("s", "h")


def test_once_holds_within_a_process_also_without_a_database(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    claims = OnceClaims(Database(str(tmp_path / "f" / "db")))
    assert (claims.claim("s", "h"), claims.claim("s", "h")) == (True, False)


def test_the_first_answer_to_a_call_holds_for_every_repeat(path: str) -> None:
    with Database(path) as database, Database(path) as other:
        assert Answers(database).recall("s", "PreToolUse", "call") is None
        assert Answers(database).remember("s", "PreToolUse", "call", {"exit_code": 2}) == {"exit_code": 2}
        assert Answers(other).remember("s", "PreToolUse", "call", {"exit_code": 0}) == {"exit_code": 2}
        assert Answers(other).recall("s", "PreToolUse", "call") == {"exit_code": 2}
        assert Answers(other).recall("s", "PostToolUse", "call") is None


def test_blocked_stops_are_counted_by_agent_until_the_user_speaks(path: str, tmp_path: Path) -> None:
    with Database(path) as database, Database(path) as other:
        assert [StopCounts(database).increment("s") for _ in range(2)] == [1, 2]
        assert (StopCounts(other).increment("s"), StopCounts(other).increment("s", "sub")) == (3, 1)
        assert StopCounts(other).count("s") == 3
        StopCounts(other).reset("s")
        assert (StopCounts(database).count("s"), StopCounts(database).increment("s", "sub")) == (0, 1)
    (tmp_path / "f").write_text("")
    alone = StopCounts(Database(str(tmp_path / "f" / "db")))
    assert [alone.increment("s") for _ in range(2)] == [1, 2]


NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2h", NOW - 7200),
        ("7d", NOW - 7 * 86400),
        ("1.5m", NOW - 90),
        ("30s", NOW - 30),
        ("2w", NOW - 14 * 86400),
        ("2026-11-21T10:00:00Z", 1795255200.0),
        ("2026-11-21T10:00:00+02:00", 1795248000.0),
        ("1763719200", 1763719200.0),
        ("2026-11-21", time.mktime((2026, 11, 21, 0, 0, 0, 0, 0, -1))),
    ],
)
def test_since_takes_a_span_a_date_or_a_time_stamp(text: str, seconds: float) -> None:
    assert parse_since(text, NOW) == seconds


@pytest.mark.parametrize(
    "text", ["", "h", "tomorrow", "-2h", "2 moons", "1h 2", "5", "2026-13-01", "nanh", "infd"]
)
def test_anything_else_is_no_time(text: str) -> None:
    with pytest.raises(UsageError, match="is no time"):
        parse_since(text, NOW)


def test_outputs_are_capped_private_and_safely_named(tmp_path: Path) -> None:
    outputs = Outputs(str(tmp_path))
    path = Path(outputs.save("run", "../a b:1", b"x" * 11_000_000))
    assert path.parent == tmp_path / "run"
    assert path.name == "..%2fa%20b%3a1.txt"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(path.read_bytes()) < 10 * 1024 * 1024 + 100
    assert b"[514240 of 11000000 bytes left out]" in path.read_bytes()
    assert json.loads(json.dumps(outputs.path("run", ".."))).endswith("/run/%...txt")


def test_the_same_hook_beside_many_events_reads_the_same_in_each_record(history: History) -> None:
    beside = result("beside", Status.not_matched)
    decisions = [decision(result(f"ran-{n}"), beside, result(f"then-{n}")) for n in range(3)]
    for each in decisions:
        history.record(event(), each)
    kept = [found["hooks"] for found in reversed(history.runs())]
    assert kept == [decision_as_json(event(), each)["hooks"] for each in decisions]


@pytest.mark.parametrize(
    "why", ["matcher `mcp_server8_.*` does not fit", f"looks for {SHAPES[0]}", "x" * 70_000]
)
def test_a_hook_beside_an_event_is_searched_for_secrets_once(path: str, why: str) -> None:
    """What begins like a secret (`r8_`), is one, or is long, of a hook that has nothing to do with the event."""
    searched: list[str] = []

    class Watched(Redactor):
        def text(self, text: str) -> str:
            searched.append(text)
            return super().text(text)

    beside = replace(result("beside", Status.not_matched), why=why)
    with History(path, redactor=Watched({})) as history:
        for _ in range(3):
            searched.clear()
            history.record(event(), decision(result("ran", stdout=SHAPES[1]), beside, result("then")))
        kept = [found["hooks"] for found in history.runs()]
    clean = Redactor({}).value(decision_as_json(event(), decision(result(), beside)))["hooks"][1]
    assert [hooks[1] for hooks in kept] == [clean] * 3
    assert [hooks[0]["stdout"] for hooks in kept] == [Redactor({}).text(SHAPES[1])] * 3
    assert searched and not any(why in text for text in searched)


def test_a_secret_that_is_learned_later_is_hidden_from_then_on(history: History) -> None:
    beside = replace(result("beside", Status.not_matched), why="looks for open-sesame")
    for said in ("open-sesame", "then open-sesame"):
        history.record(event(), decision(result("ran"), beside, reason=said))
        history.hide({"word": "open-sesame"})
    later, before = history.runs()
    assert (before["reason"], before["hooks"][1]["why"]) == ("open-sesame", "looks for open-sesame")
    assert (later["reason"], later["hooks"][1]["why"]) == (
        "then [redacted:word]",
        "looks for [redacted:word]",
    )
