"""Inline hooks: Python callables under a deadline."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.handlers.builders import around_in, hook

from hookline.handlers.inline import run_inline
from hookline.model.hooks import HandlerInput, Inline, parted
from hookline.system.loops import loop as loops

if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.model.results import RawResult

RUNNERS = pytest.mark.parametrize("drive", [asyncio.run, loops.run], ids=["asyncio", "poll loop"])


def call(
    callback: Callable[..., Any],
    folder: Path,
    drive: Callable[..., RawResult] = asyncio.run,
    given: HandlerInput | None = None,
    timeout_s: float = 60.0,
    **options: Any,
) -> RawResult:
    action = Inline(callback=callback)
    spec = hook(action, grace_s=0.1, **parted(options))
    given = given or HandlerInput(payload={"n": 1}, context="the event")
    return drive(run_inline(action, spec, given, around_in(folder, timeout_s=timeout_s)))


@RUNNERS
def test_a_sync_callback_gets_the_context_and_its_return_is_the_value(drive: Any, tmp_path: Path) -> None:
    raw = call(lambda context: {"saw": context}, tmp_path, drive)
    assert (raw.value, raw.exit_code, raw.failed) == ({"saw": "the event"}, 0, False)


@RUNNERS
def test_an_async_callback_is_awaited(drive: Any, tmp_path: Path) -> None:
    async def check(context: str) -> str:
        await loops.sleep(0)
        return context.upper()

    assert call(check, tmp_path, drive).value == "THE EVENT"


def test_without_a_context_the_callback_gets_the_payload(tmp_path: Path) -> None:
    assert call(dict, tmp_path, given=HandlerInput(payload={"n": 1})).value == {"n": 1}


@RUNNERS
@pytest.mark.parametrize("is_async", [False, True])
def test_an_exception_is_the_hooks_failure_with_the_place_it_came_from(
    drive: Any, is_async: bool, tmp_path: Path
) -> None:

    def broken(_: object) -> None:
        raise KeyError("tool")

    async def broken_later(_: object) -> None:
        broken(_)

    raw = call(broken_later if is_async else broken, tmp_path, drive)
    first, *frames = raw.stderr.splitlines()
    assert (raw.exit_code, raw.value, first) == (1, None, "KeyError: 'tool'")
    assert frames[-1].startswith("  in ") and "test_inline.py:" in frames[-1]
    assert raw.failed and not raw.launch_error


@RUNNERS
def test_an_async_callback_out_of_time_is_cancelled_and_cleans_up(drive: Any, tmp_path: Path) -> None:
    ended: list[str] = []

    async def slow(_: object) -> None:
        try:
            await loops.sleep(3600)
        finally:
            ended.append("cleaned up")

    raw = call(slow, tmp_path, drive, timeout_s=0.05)
    assert (raw.timed_out, raw.status_code, raw.exit_code, ended) == (True, 124, None, ["cleaned up"])


def test_an_async_callback_that_ignores_its_cancellation_is_left_and_told(tmp_path: Path) -> None:
    async def stubborn(_: object) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(60)

    raw = call(stubborn, tmp_path, timeout_s=0.05)
    assert (raw.timed_out, raw.survivors) == (True, 1)
    assert raw.notes == ("the callback did not stop when it was told to; it goes on unheard",)


def test_a_callback_called_directly_that_overran_its_time_has_timed_out(tmp_path: Path) -> None:
    raw = call(lambda _: "late", tmp_path, timeout_s=0.0)
    assert (raw.value, raw.timed_out) == (None, True)
    assert raw.notes and "could not be interrupted" in raw.notes[0]


@RUNNERS
def test_a_blocking_callback_in_a_thread_is_left_at_its_deadline(drive: Any, tmp_path: Path) -> None:
    release = threading.Event()
    raw = call(lambda _: release.wait(3600), tmp_path, drive, timeout_s=0.05, thread=True)
    release.set()
    assert (raw.timed_out, raw.survivors) == (True, 1)


@RUNNERS
def test_a_callback_in_a_thread_returns_and_raises_as_any_other(drive: Any, tmp_path: Path) -> None:
    def fail(_: object) -> None:
        raise ValueError("no")

    def name(_: object) -> str:
        return threading.current_thread().name

    assert call(name, tmp_path, drive, thread=True).value != threading.current_thread().name
    assert call(fail, tmp_path, drive, thread=True).stderr.startswith("ValueError: no")


def test_a_cancelled_caller_cancels_the_callback(tmp_path: Path) -> None:
    ended: list[str] = []

    async def go() -> None:
        started = asyncio.Event()

        async def slow(_: object) -> None:
            started.set()
            try:
                await asyncio.sleep(60)
            finally:
                ended.append("cancelled")

        action = Inline(callback=slow)
        task = asyncio.create_task(run_inline(action, hook(action), HandlerInput(), around_in(tmp_path)))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(go())
    assert ended == ["cancelled"]
