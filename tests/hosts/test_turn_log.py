"""The log of a turn and its many readers."""

from __future__ import annotations

import asyncio

from hookline.hosts.turns.log import READERS_A_TURN, Share, TurnLog


def test_only_some_readers_are_served_in_one_turn_of_the_loop_and_all_get_everything() -> None:
    async def host() -> tuple[list[int], list[list[int]]]:
        log = TurnLog()
        got: list[list[int]] = [[] for _ in range(30)]
        batches = 0

        async def read(place: int) -> None:
            nonlocal batches
            async for entries in log.follow(0):
                batches += 1
                got[place] += [entry.number for entry in entries]

        readers = [asyncio.ensure_future(read(place)) for place in range(len(got))]
        log.append("x", {})
        log.close()
        turns = []
        while not all(reader.done() for reader in readers):
            before = batches
            await asyncio.sleep(0)
            turns.append(batches - before)
        return turns, got

    turns, got = asyncio.run(host())
    assert max(turns) <= READERS_A_TURN
    assert got == [[1]] * 30


def test_a_reader_that_leaves_while_it_waits_holds_nobody_up() -> None:
    async def host() -> list[str]:
        share, done = Share(1), []

        async def take(name: str) -> None:
            await share.turn()
            done.append(name)

        tasks = [asyncio.ensure_future(take(name)) for name in ("a", "b", "c")]
        await asyncio.sleep(0)
        tasks[1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return done

    assert asyncio.run(host()) == ["a", "c"]
