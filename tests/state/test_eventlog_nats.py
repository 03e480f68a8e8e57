"""The log on a NATS server keeps the same contract, and bears a server that is slow, gone or back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.nats_server import NatsServer, nats_server
from tests.state.eventlog_contract import *  # noqa: F403
from tests.state.eventlog_contract import NewLog, replayed, run, take

from hookline.model.errors import StateError
from hookline.state.eventlog_nats import NatsEventLog


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with nats_server(tmp_path / "jetstream") as started:
        yield started


@pytest.fixture
def new_log(server: NatsServer) -> NewLog:
    return lambda **options: NatsEventLog(server.url, stream="it_events", root="it", **options)


def test_a_long_past_comes_back_whole_and_in_order(new_log: NewLog) -> None:
    async def work() -> None:
        log = new_log()
        for n in range(600):
            await log.append(f"it.{'s' if n % 3 else 'other'}.task", {"n": n})
        found = [entry.event["n"] async for entry in log.replay("it.s.*")]
        assert found == [n for n in range(600) if n % 3]
        await log.close()

    run(work)


def test_a_server_that_restarts_is_found_again_and_nothing_is_doubled(
    new_log: NewLog, server: NatsServer
) -> None:
    async def work() -> None:
        told = asyncio.Event()
        log, other = new_log(warn=lambda _: told.set()), new_log()
        await log.append("it.s.task", {"n": 1}, "one")
        entries = asyncio.create_task(take(other.subscribe("it.s.task", 0), 3))
        server.stop()
        adding = asyncio.create_task(log.append("it.s.task", {"n": 2}, "two"))
        await told.wait()
        await asyncio.to_thread(server.start)
        await adding
        await log.append("it.s.task", {"n": 2}, "two")
        await log.append("it.s.task", {"n": 3}, "three")
        assert await entries == [1, 2, 3]
        assert [event["n"] for _, _, event in await replayed(log)] == [1, 2, 3]
        await log.close()
        await other.close()

    run(work)


def test_a_server_that_is_gone_is_told_and_then_an_error(new_log: NewLog, server: NatsServer) -> None:
    async def work() -> list[str]:
        told: list[str] = []
        log = new_log(warn=told.append, patience_s=0.5)
        await log.append("it.s.task", {"n": 1})
        server.freeze()
        with pytest.raises(StateError, match="does not answer"):
            await log.append("it.s.task", {"n": 2})
        server.thaw()
        await log.close()
        return told

    from hookline.state import eventlog_nats

    patience, eventlog_nats.ANSWER_S = eventlog_nats.ANSWER_S, 0.4
    try:
        told = run(work)
    finally:
        eventlog_nats.ANSWER_S = patience
    assert any("does not answer" in words for words in told)


def test_where_no_server_is_the_error_says_what_to_start(tmp_path: Path) -> None:
    async def work() -> Any:
        log = NatsEventLog("nats://me:secret@127.0.0.1:1", patience_s=0.2)
        with pytest.raises(StateError) as caught:
            await log.last()
        await log.close()
        return caught.value

    error = run(work)
    assert "nats://127.0.0.1:1` does not answer" in error.message
    assert ("secret" in error.message, "`-js`" in error.hint) == (False, True)
