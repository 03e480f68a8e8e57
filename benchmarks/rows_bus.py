"""What a recorded event and a guard over the bus cost, against the raw clients in the same run.

`python -m benchmarks.rows_bus [ROUNDS]` prints one row for each: `ratio` is ours over the raw client's, the
median over rounds that take turns, because microseconds differ between machines and minutes. Needs
`nats-server` for two of the three rows. Goals: an event 1.5, a guard's verdict 2.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from hookline.engine import Engine
from hookline.engine.callbacks import callback_hook
from hookline.engine.services import Services
from hookline.hosts.bus_guards import RemoteGuards, Worker
from hookline.model.events import Event, EventKind, ToolCall
from hookline.model.results import Outcome, Verdict
from hookline.state.eventlog import SqliteEventLog
from hookline.state.eventlog_nats import NatsEventLog

CALLS = 300
ROUNDS = 9
EVENT = {
    "id": "0" * 32, "timestamp": "2026-11-21T10:00:00.000Z", "session": "s", "type": "task", "action": "add",
    "meta": {"iteration": 1}, "data": {"content": "Write the parser", "status": None, "priority": 2},
}  # fmt: skip
CALL = Event(EventKind.PreToolUse, "s", "/tmp", ToolCall("Bash", {"command": "ls -l"}, "c1"), "/tmp")

Work = Callable[[int], Awaitable[object]]


async def compared(name: str, goal: float, ours: Work, raw: Work, rounds: int) -> dict[str, Any]:
    """One row; the first round warms up and is thrown away."""
    taken: dict[str, list[float]] = {"ours": [], "raw": []}
    for turn in range(rounds + 1):
        for who, work in (("ours", ours), ("raw", raw)):
            began = time.perf_counter()
            for n in range(CALLS):
                await work(turn * CALLS + n)
            if turn:
                taken[who].append((time.perf_counter() - began) / CALLS)
    ratio = median(a / b for a, b in zip(taken["ours"], taken["raw"], strict=True))
    own, bare = (median(times) * 1e6 for times in taken.values())
    note = f"{own:.0f} µs against {bare:.0f}, {1e6 / own:.0f} per second"
    met = ratio <= goal
    return {"name": name, "ratio": round(ratio, 2), "goal": goal, "met": met, "peers": {}, "note": note}


async def sqlite_row(folder: Path, rounds: int) -> dict[str, Any]:
    """An event appended to the embedded log, against an INSERT of the same values in the same mode."""
    log = SqliteEventLog(str(folder / "ours.db"))
    bare = sqlite3.connect(folder / "bare.db", isolation_level=None)
    bare.execute("PRAGMA journal_mode=WAL")
    bare.execute("PRAGMA synchronous=NORMAL")
    bare.execute(
        "CREATE TABLE events (seq INTEGER PRIMARY KEY AUTOINCREMENT, subject TEXT, at REAL, event TEXT, "
        "message_id TEXT)"
    )
    bare.execute("CREATE UNIQUE INDEX ids ON events (message_id) WHERE message_id IS NOT NULL")
    sql = "INSERT INTO events (subject, at, event, message_id) VALUES (?, ?, ?, ?)"

    async def ours(n: int) -> object:
        return await log.append("iteratr.s.task", EVENT, f"m{n}")

    async def raw(n: int) -> object:
        return bare.execute(sql, ("iteratr.s.task", time.time(), json.dumps(EVENT), f"m{n}"))

    try:
        return await compared("14 event appended (SQLite)", 1.5, ours, raw, rounds)
    finally:
        await log.close()
        bare.close()


async def jetstream_row(url: str, rounds: int) -> dict[str, Any]:
    """An event appended to the stream, against nats-py's own publish with a message id."""
    log = NatsEventLog(url)
    client = await log.client()
    js = client.jetstream()

    async def ours(n: int) -> object:
        return await log.append("iteratr.s.task", EVENT, f"ours-{n}")

    async def raw(n: int) -> object:
        headers = {"Nats-Msg-Id": f"raw-{n}"}
        return await js.publish("iteratr.s.task", json.dumps(EVENT).encode(), headers=headers)

    try:
        return await compared("14 event appended (JetStream)", 1.5, ours, raw, rounds)
    finally:
        await log.close()


async def guard_row(url: str, rounds: int) -> dict[str, Any]:
    """A guard's verdict from a worker with one hook by code, against request and reply of the same bytes."""
    served, asking = NatsEventLog(url), NatsEventLog(url)
    engine = Engine(
        [callback_hook(lambda event: Outcome(Verdict.DENY, "no"), "PreToolUse")], Services(workspace="/tmp")
    )
    worker = Worker(engine, "/tmp")
    server = await served.client()

    async def answer(message: Any) -> None:
        await message.respond(await worker.answer(message.data))

    await server.subscribe("hookline.guards.fleet", queue="fleet", cb=answer)
    hooks = RemoteGuards("fleet").hooks(asking.ask)
    ask_guard: Any = getattr(hooks[0].action, "callback")  # noqa: B009 - only inline actions have one
    host = Engine(hooks, Services(workspace="/tmp"))
    decision = await host.fire(CALL)
    assert (decision.verdict, decision.reason) == (Verdict.DENY, "no")
    request, reply = b"x" * 300, b"y" * 900

    async def echo(message: Any) -> None:
        await message.respond(reply)

    await server.subscribe("raw", queue="raw", cb=echo)
    client = await asking.client()

    async def ours(n: int) -> object:
        return await ask_guard(CALL)

    async def whole(n: int) -> object:
        return await host.fire(CALL)

    async def raw(n: int) -> object:
        return await client.request("raw", request, timeout=10)

    try:
        row = await compared("14 guard's round trip over the bus", 2.0, ours, raw, rounds)
        around = await compared("", 2.0, whole, raw, rounds)
        return {**row, "peers": {"hookline with the host's own engine": around["ratio"]}}
    finally:
        await asking.close()
        await served.close()


async def rows_of(url: str, rounds: int) -> list[dict[str, Any]]:
    return [await jetstream_row(url, rounds), await guard_row(url, rounds)]


def row14(rounds: int = ROUNDS) -> list[dict[str, Any]]:
    """All rows; those of the bus are left out where no nats-server is installed."""
    with tempfile.TemporaryDirectory() as name:
        rows = [asyncio.run(sqlite_row(Path(name), rounds))]
        if shutil.which("nats-server") is None or find_spec("nats") is None:
            return rows
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = str(probe.getsockname()[1])
        command = ("nats-server", "-js", "-a", "127.0.0.1", "-p", port, "-sd", f"{name}/jetstream")
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return rows + asyncio.run(rows_of(f"nats://127.0.0.1:{port}", rounds))
        finally:
            server.kill()
            server.wait()


if __name__ == "__main__":
    for found in row14(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS):
        print(json.dumps(found, ensure_ascii=False))
