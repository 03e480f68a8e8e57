"""The log on a NATS server keeps the same contract, and bears a server that is slow, gone or back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.nats_server import NatsServer, nats_server
from tests.state.eventlog_contract import *  # noqa: F403
from tests.state.eventlog_contract import NewLog, opened, replayed, run, take

from hookline.model.errors import StateError
from hookline.state.eventlog_nats import NatsEventLog


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with nats_server(tmp_path / "jetstream") as started:
        yield started


@pytest.fixture
def new_log(server: NatsServer) -> NewLog:
    return lambda **options: opened(NatsEventLog(server.url, stream="it_events", root="it", **options))


def test_a_long_past_comes_back_whole_and_in_order(new_log: NewLog) -> None:
    async def work() -> None:
        log = new_log()
        for n in range(600):
            await log.append(f"it.{'s' if n % 3 else 'other'}.task", {"n": n})
        found = [entry.event["n"] async for entry in log.replay("it.s.*")]
        assert found == [n for n in range(600) if n % 3]

    run(work)


def test_a_server_that_restarts_is_found_again_and_nothing_is_doubled(
    new_log: NewLog, server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hookline.state.eventlog_nats.ANSWER_S", 1.0)

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

    run(work)


def test_a_server_that_does_not_answer_is_told_at_once_and_waited_for(
    new_log: NewLog, server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> list[str]:
        told: asyncio.Queue[str] = asyncio.Queue()
        log = new_log(warn=told.put_nowait)
        await log.append("it.s.task", {"n": 1})
        server.freeze()
        with monkeypatch.context() as hurry:
            hurry.setattr("hookline.state.eventlog_nats.ANSWER_S", 0.4)
            adding = asyncio.create_task(log.append("it.s.task", {"n": 2}))
            words = await told.get()
        server.thaw()
        await adding
        return [words, *[event["n"] for _, _, event in await replayed(log)]]

    words, *numbers = run(work)
    assert ("does not answer" in words, "trying again" in words, numbers) == (True, True, [1, 2])


def test_a_server_that_is_gone_is_an_error_in_the_end(
    new_log: NewLog, server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        log = new_log(patience_s=0)
        await log.append("it.s.task", {"n": 1})
        server.freeze()
        monkeypatch.setattr("hookline.state.eventlog_nats.ANSWER_S", 0.4)
        with pytest.raises(StateError, match="does not answer"):
            await log.append("it.s.task", {"n": 2})

    run(work)


def test_where_no_server_is_the_error_says_what_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hookline.state.eventlog_nats.CONNECT_S", 0.2)

    async def work() -> Any:
        log = opened(NatsEventLog("nats://me:secret@127.0.0.1:1", patience_s=0))
        with pytest.raises(StateError) as caught:
            await log.last()
        return caught.value

    error = run(work)
    assert "nats://127.0.0.1:1` does not answer" in error.message
    assert ("secret" in error.message, "`-js`" in error.hint) == (False, True)
