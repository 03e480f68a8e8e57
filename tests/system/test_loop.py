"""The same coroutines run on asyncio and without it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from tests.waiting import DEADLINE_S

from hookline.system.loops.loop import (
    NoLoop,
    PollLoop,
    cancellations,
    current_loop,
    gather,
    run,
    run_asyncio,
    sleep,
)

Run = Callable[[Coroutine[Any, Any, Any]], Any]
both = pytest.mark.parametrize("drive", [run, run_asyncio])


@both
def test_a_coroutine_returns_its_value_and_raises_its_error(drive: Run) -> None:
    async def value() -> int:
        await sleep(0)
        return 7

    async def error() -> None:
        await sleep(0)
        raise LookupError("gone")

    assert drive(value()) == 7
    with pytest.raises(LookupError, match="gone"):
        drive(error())


@both
def test_timers_fire_in_time_order_and_cancelled_ones_never(drive: Run) -> None:
    async def main() -> list[str]:
        loop, fired = current_loop(), []
        now, done = loop.time(), loop.create_future()
        loop.call_at(now + 0.02, fired.append, "second")
        loop.call_at(now + 0.01, fired.append, "first")
        loop.call_later(0.005, fired.append, "never").cancel()
        loop.call_at(now + 0.03, done.set_result, None)
        await done
        return fired

    assert drive(main()) == ["first", "second"]


@both
def test_readers_and_writers_are_called_until_removed(drive: Run) -> None:
    async def main() -> tuple[bytes, bool, bool]:
        loop = current_loop()
        reading, writing = os.pipe()
        got = loop.create_future()
        loop.add_writer(writing, lambda: (os.write(writing, b"hello"), loop.remove_writer(writing)))
        loop.add_reader(reading, lambda: got.done() or got.set_result(os.read(reading, 99)))
        text = await got
        removed, again = loop.remove_reader(reading), loop.remove_reader(reading)
        os.close(reading)
        os.close(writing)
        return text, removed, again

    assert drive(main()) == (b"hello", True, False)


@both
def test_callbacks_without_end_hold_up_neither_timers_nor_readers(drive: Run) -> None:
    async def main() -> list[str]:
        loop, heard = current_loop(), []
        done = loop.create_future()
        reader, writer = os.pipe()

        def go_on() -> None:
            if not done.done():
                loop.call_soon(go_on)

        def hear(what: str) -> None:
            heard.append(what)
            if what == "reader":
                loop.remove_reader(reader)
            if len(heard) == 2:
                done.set_result(None)

        try:
            go_on()
            loop.add_reader(reader, hear, "reader")
            loop.call_later(0.001, hear, "timer")
            os.write(writer, b"x")
            await done
        finally:
            loop.remove_reader(reader)
            os.close(reader)
            os.close(writer)
        return sorted(heard)

    assert drive(main()) == ["reader", "timer"]


@both
def test_a_task_is_awaited_like_a_future_and_tells_its_error(drive: Run) -> None:
    async def fail() -> None:
        raise LookupError("gone")

    async def main() -> tuple[bool, bool, str]:
        task = current_loop().create_task(fail())
        try:
            await task
        except LookupError:
            pass
        return task.done(), task.cancelled(), repr(task.exception())

    assert drive(main()) == (True, False, "LookupError('gone')")


@both
def test_cancelling_a_task_throws_into_it_and_lets_it_clean_up(drive: Run) -> None:
    seen: list[str] = []

    async def patient() -> None:
        try:
            await sleep(60)
        except cancellations():
            await sleep(0)
            seen.append("cleaned up")
            raise

    async def main() -> bool:
        task = current_loop().create_task(patient())
        await sleep(0)
        task.cancel()
        try:
            await task
        except cancellations():
            seen.append("told")
        return task.cancelled()

    assert drive(main()) is True
    assert seen == ["cleaned up", "told"]


@both
def test_a_task_cancelled_before_it_began_never_runs(drive: Run) -> None:
    ran: list[str] = []

    async def late() -> None:
        ran.append("ran")

    async def main() -> bool:
        task = current_loop().create_task(late())
        task.cancel()
        await sleep(0.001)
        return task.cancelled()

    assert drive(main()) is True
    assert ran == []


@both
def test_tasks_left_over_are_cancelled_when_the_run_ends(drive: Run) -> None:
    seen: list[str] = []

    async def forgotten() -> None:
        try:
            await sleep(60)
        finally:
            seen.append("cancelled")

    async def main() -> None:
        current_loop().create_task(forgotten())
        await sleep(0)

    drive(main())
    assert seen == ["cancelled"]


@both
def test_gather_keeps_the_order_given_and_the_limit(drive: Run) -> None:
    running = peak = 0

    async def work(number: int) -> int:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        await sleep(0.002 * (5 - number % 5))
        running -= 1
        return number

    assert drive(gather([work(n) for n in range(20)], 4)) == list(range(20))
    assert peak == 4
    assert drive(gather([], 4)) == []
    assert drive(gather([work(1)])) == [1]


@both
def test_gather_cancels_and_awaits_the_others_when_one_raises(drive: Run) -> None:
    ended: list[int] = []

    async def work(number: int) -> None:
        try:
            await sleep(0 if number == 1 else 60)
            raise LookupError(f"{number}")
        finally:
            await sleep(0.002)
            ended.append(number)

    async def main() -> None:
        with pytest.raises(LookupError, match="1"):
            await gather([work(n) for n in range(5)], 3)

    drive(main())
    assert sorted(ended) == [0, 1, 2]


@both
def test_a_cancelled_gather_awaits_its_coroutines_even_when_cancelled_again(drive: Run) -> None:
    ended: list[int] = []

    async def work(number: int) -> None:
        try:
            await sleep(60)
        finally:
            await sleep(0.01)
            ended.append(number)

    async def main() -> bool:
        task = current_loop().create_task(gather([work(n) for n in range(4)], 2))
        await sleep(0.001)
        task.cancel()
        await sleep(0.001)
        task.cancel()
        try:
            await task
        except cancellations():
            return True
        return False

    assert drive(main()) is True
    assert sorted(ended) == [0, 1]


def test_without_a_loop_the_error_says_what_to_do() -> None:
    with pytest.raises(NoLoop, match=r"hookline\.system\.loops\.loop\.run"):
        current_loop()


def test_poll_loops_do_not_nest() -> None:
    async def outer() -> None:
        run(sleep(0))

    with pytest.raises(RuntimeError, match="already runs"):
        run(outer())


def test_an_asyncio_loop_inside_a_poll_loop_is_the_current_one() -> None:
    async def inner() -> bool:
        return current_loop() is asyncio.get_running_loop()

    async def outer() -> bool:
        return asyncio.run(inner()) and isinstance(current_loop(), PollLoop)

    assert run(outer()) is True


def test_awaiting_another_loops_future_is_an_error_not_a_hang() -> None:
    async def main() -> None:
        loop = asyncio.new_event_loop()
        try:
            await loop.create_future()
        finally:
            loop.close()

    with pytest.raises(NoLoop, match="another loop"):
        run(main())


def test_an_interrupt_cancels_what_runs_and_goes_on_up() -> None:
    seen: list[str] = []

    async def main() -> None:
        try:
            await sleep(60)
        finally:
            await sleep(0)
            seen.append("cleaned up")

    def interrupt() -> None:
        raise KeyboardInterrupt

    async def outer() -> None:
        current_loop().call_soon(interrupt)
        await main()

    with pytest.raises(KeyboardInterrupt):
        run(outer())
    assert seen == ["cleaned up"]


def test_asyncios_own_cancelled_error_catches_a_poll_loop_cancellation() -> None:
    async def main() -> bool:
        task = current_loop().create_task(sleep(60))
        await sleep(0)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return True
        return False

    assert run(main()) is True


def test_running_a_process_loads_neither_asyncio_nor_subprocess() -> None:
    code = (
        "import sys\n"
        "from hookline.system.loops.loop import run, gather\n"
        "from hookline.system.processes.process import ProcessRequest, run_process\n"
        "request = ProcessRequest(('sh', '-c', 'cat'), '/', {'PATH': '/usr/bin:/bin'}, b'in')\n"
        "print(run(run_process(request)).stdout.text)\n"
        "print(sorted({'asyncio', 'subprocess', 'typing', 'dataclasses', 'inspect', 'logging', 'enum',"
        " 'ctypes', 'signal', 'threading', 'selectors', 'socket', 'pathlib', 're'} & set(sys.modules)))\n"
    )
    path = os.pathsep.join(p for p in sys.path if p)
    told = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": path},
        check=False,
        timeout=DEADLINE_S,
    )
    assert (told.stdout.split("\n"), told.stderr) == (["in", "[]", ""], "")
