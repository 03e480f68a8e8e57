"""Background hooks of an engine: nobody waits for them, and their results are there when somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from hookline.model.hooks import HookSpec
from hookline.model.results import HookResult
from hookline.system.clock import monotonic
from hookline.system.loops.loop import current_loop, sleep


class BackgroundHooks:
    """The hooks under way, and the results of those that have ended since `take`."""

    def __init__(self) -> None:
        self._running: set[Any] = set()
        self._ended: list[HookResult] = []
        self._wakers: dict[Any, HookSpec] = {}

    def start(self, spec: HookSpec, work: Callable[[], Coroutine[Any, Any, HookResult]]) -> None:
        """Runs `work` beside everything else; a hook with `rewake` may wake the agent by how it ends."""

        async def run() -> None:
            result = await work()
            self._ended.append(result)  # not before: a host may have taken the list meanwhile

        task = current_loop().create_task(run())
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        if spec.conduct.rewake:
            self._wakers[task] = spec
            task.add_done_callback(lambda ended: self._wakers.pop(ended, None))

    def take(self) -> tuple[HookResult, ...]:
        """What ended since the last call."""
        ended, self._ended = tuple(self._ended), []
        return ended

    @property
    def may_wake(self) -> tuple[str, ...]:
        """Names of those under way that may wake the agent."""
        return tuple(spec.name or spec.id for spec in self._wakers.values())

    async def waker_ended(self) -> bool:
        """Waits until one that may wake the agent has ended; False, at once, when none is under way."""
        if not self._wakers:
            return False
        waiter = current_loop().create_future()
        for task in self._wakers:
            task.add_done_callback(lambda _: None if waiter.done() else waiter.set_result(None))
        await waiter
        return True

    async def end(self, wait_s: float) -> None:
        """Waits up to `wait_s` seconds for all of them, then stops what is left."""
        limit = monotonic() + wait_s
        while self._running and monotonic() < limit:
            await sleep(0.02)
        for task in tuple(self._running):
            task.cancel()
        while self._running:
            await sleep(0.005)
