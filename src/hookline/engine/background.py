"""Background hooks of an engine: nobody waits for them, and their results are there when somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Coroutine

from hookline.model.hooks import HookSpec
from hookline.model.results import HookResult
from hookline.model.typing import Any
from hookline.system.clock import monotonic
from hookline.system.loops.loop import current_loop, sleep


class BackgroundHooks:
    """The hooks under way, and the results of those that have ended since `take`; each belongs to a session."""

    def __init__(self) -> None:
        self._running: set[Any] = set()
        self._ended: list[tuple[str, HookResult]] = []
        self._wakers: dict[Any, tuple[str, HookSpec]] = {}

    def start(
        self, spec: HookSpec, session_id: str, work: Callable[[], Coroutine[Any, Any, HookResult]]
    ) -> None:
        """Runs `work` beside everything else; a hook with `rewake` may wake the agent by how it ends."""

        async def run() -> None:
            result = await work()
            self._ended.append((session_id, result))  # not before: a host may have taken the list meanwhile

        task = current_loop().create_task(run())
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        if spec.conduct.rewake:
            self._wakers[task] = session_id, spec
            task.add_done_callback(lambda ended: self._wakers.pop(ended, None))

    def take(self, session_id: str | None) -> tuple[HookResult, ...]:
        """What ended in the session (None: in any) since the last call."""
        ended = tuple(result for whose, result in self._ended if session_id in (None, whose))
        self._ended = [each for each in self._ended if session_id not in (None, each[0])]
        return ended

    def may_wake(self, session_id: str) -> tuple[str, ...]:
        """Names of those under way that may wake the agent of the session."""
        return tuple(spec.name or spec.id for whose, spec in self._wakers.values() if whose == session_id)

    async def waker_ended(self, session_id: str) -> bool:
        """Waits until one that may wake this agent has ended; False, at once, when none is under way."""
        wakers = [task for task, (whose, _) in self._wakers.items() if whose == session_id]
        if not wakers:
            return False
        waiter = current_loop().create_future()
        for task in wakers:
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
