"""What every event log promises; a test module gives a fixture `new_log` and imports these tests.

`new_log()` gives `opened(...)`: the same log anew, as another process would have it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from tests.waiting import DEADLINE_S

from hookline.model.errors import UsageError
from hookline.state.eventlog import LoggedEvent

NewLog = Callable[..., Any]
OPENED: list[Any] = []


def opened(log: Any) -> Any:
    """The log, to be closed by `run` also where the test fails: a connection left open fails another test."""
    OPENED.append(log)
    return log


def run(work: Callable[[], Any]) -> Any:
    async def bounded() -> Any:
        try:
            async with asyncio.timeout(DEADLINE_S):
                return await work()
        finally:
            while OPENED:
                await OPENED.pop().close()

    return asyncio.run(bounded())


async def replayed(log: Any, *arguments: Any) -> list[tuple[int, str, Any]]:
    return [(entry.seq, entry.subject, dict(entry.event)) async for entry in log.replay(*arguments)]


async def take(entries: AsyncIterator[LoggedEvent], count: int) -> list[Any]:
    found: list[Any] = []
    async for entry in entries:
        found.append(entry.event["n"])
        if len(found) == count:
            break
    await entries.aclose()  # type: ignore[attr-defined]
    return found


def test_events_come_back_in_order_with_rising_numbers_also_for_another_process(new_log: NewLog) -> None:
    async def work() -> None:
        log, other = new_log(), new_log()
        numbers = [await log.append("it.s.task", {"n": n, "text": "é\n"}) for n in range(3)]
        assert numbers == sorted(set(numbers))
        assert await replayed(other) == [
            (number, "it.s.task", {"n": n, "text": "é\n"}) for n, number in enumerate(numbers)
        ]
        assert (await other.last(), await replayed(other, ">", numbers[1])) == (
            numbers[2],
            [(numbers[2], "it.s.task", {"n": 2, "text": "é\n"})],
        )

    run(work)


def test_an_empty_log_replays_nothing(new_log: NewLog) -> None:
    async def work() -> None:
        log = new_log()
        assert (await replayed(log), await log.last()) == ([], 0)

    run(work)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (">", [0, 1, 2, 3]),
        ("it.a.task", [0]),
        ("it.a.*", [0, 1]),
        ("it.a.>", [0, 1, 3]),
        ("it.*.task", [0, 2]),
        ("it", []),
        ("*.*.*", [0, 1, 2]),
        ("it.a.note.more", [3]),
    ],
)
def test_a_pattern_chooses_subjects_by_whole_words(new_log: NewLog, pattern: str, found: list[int]) -> None:
    async def work() -> None:
        log = new_log()
        for n, subject in enumerate(("it.a.task", "it.a.note", "it.b.task", "it.a.note.more")):
            await log.append(subject, {"n": n})
        assert [event["n"] for _, _, event in await replayed(log, pattern)] == found

    run(work)


@pytest.mark.parametrize("subject", ["", "a..b", "a.*", "a.>", "a b", "a."])
def test_an_event_goes_to_one_plain_subject(new_log: NewLog, subject: str) -> None:
    async def work() -> None:
        log = new_log()
        with pytest.raises(UsageError, match="is no subject"):
            await log.append(subject, {})

    run(work)


def test_the_same_message_is_kept_once(new_log: NewLog) -> None:
    async def work() -> None:
        log, other = new_log(), new_log()
        first = await log.append("it.s.task", {"n": 1}, "id-1")
        again = await other.append("it.s.task", {"n": 2}, "id-1")
        await log.append("it.s.task", {"n": 3}, "id-2")
        assert again == first
        assert [event["n"] for _, _, event in await replayed(log)] == [1, 3]

    run(work)


def test_a_subscriber_hears_every_writer_from_now_on_and_only_what_it_asked_for(new_log: NewLog) -> None:
    async def work() -> None:
        log, other = new_log(), new_log()
        await log.append("it.s.task", {"n": 0})
        entries = log.subscribe("it.s.*", await log.last())
        listening = asyncio.create_task(take(entries, 3))
        await log.append("it.s.task", {"n": 1})
        await other.append("it.other.task", {"n": -1})
        await other.append("it.s.note", {"n": 2})
        await log.append("it.s.task", {"n": 3})
        assert await listening == [1, 2, 3]

    run(work)


def test_a_subscriber_can_start_behind_a_number_it_has_seen(new_log: NewLog) -> None:
    async def work() -> None:
        log = new_log()
        numbers = [await log.append("it.s.task", {"n": n}) for n in range(4)]
        assert await take(log.subscribe(">", numbers[1]), 2) == [2, 3]
        assert await take(log.subscribe(">", 0), 4) == [0, 1, 2, 3]

    run(work)


def test_events_outlive_the_process_that_wrote_them(new_log: NewLog) -> None:
    async def work() -> None:
        log = new_log()
        await log.append("it.s.pending", {"n": 7})
        await log.close()
        again = new_log()
        assert [event["n"] for _, _, event in await replayed(again)] == [7]

    run(work)
