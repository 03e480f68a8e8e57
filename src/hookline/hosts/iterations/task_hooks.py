"""Hooks of completed tasks: each completion once, one after the other, in the order of the log."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from hookline.dialects.iteratr import join_outputs
from hookline.hosts.iterations.state import Completion
from hookline.hosts.iterations.tasks import TaskStore
from hookline.model.errors import StateError
from hookline.model.events import EventKind, TaskDone
from hookline.model.record import Record
from hookline.model.results import Decision

Fire = Callable[[EventKind, Record], Awaitable[Decision]]

RETRY_S = 1.0


class TaskHooks:
    """Watches a session's log from `start` to `stop`; what hooks pipe waits for the agent.

    A completion is claimed in the log before its hooks start: they never run twice, also when the process
    dies meanwhile or a second one serves the same session. `warn` hears of trouble with the log.
    """

    def __init__(self, store: TaskStore, fire: Fire, warn: Callable[[str], None]) -> None:
        self.store = store
        self._fire = fire
        self._warn = warn
        self._working = asyncio.Lock()
        self._watching: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Sees to what a process that died left behind, then watches."""
        state = await self.store.refresh()
        for completion in state.interrupted:
            words = f"[Hook interrupted: on_task_complete for {completion.task_id}]\n"
            await self._hold(completion, words)
        await self.settle()
        self._watching = asyncio.create_task(self._watch())

    async def settle(self) -> None:
        """Returns once the hooks of every completion so far have ended."""
        async with self._working:
            while unclaimed := (await self.store.refresh()).unclaimed:
                await self._run(unclaimed[0])

    async def stop(self) -> None:
        """Stops watching, and the hooks under way."""
        if self._watching is not None:
            self._watching.cancel()
            with suppress(asyncio.CancelledError):
                await self._watching
            self._watching = None

    async def _watch(self) -> None:
        subject = self.store.pattern.replace(">", "task")
        while True:
            try:
                async for _ in self.store.log.subscribe(subject, self.store.state.seen):
                    await self.settle()
            except StateError as error:
                self._warn(f"{error.message}; completed tasks are looked for again")
            await asyncio.sleep(RETRY_S)

    async def _run(self, completion: Completion) -> None:
        key = f"{self.store.session}-claim-{completion.seq}"
        claim = {"completion": completion.seq}
        event_id = await self.store.write("pending", "claim", claim, message_id=key)
        if self.store.state.claimed.get(completion.seq) != event_id:
            return  # somebody else was quicker
        body = TaskDone(completion.task_id, completion.content)
        decision = await self._fire(EventKind.TaskCompleted, body)
        await self._hold(completion, join_outputs(decision.contexts))

    async def _hold(self, completion: Completion, text: str) -> None:
        await self.store.hold("on_task_complete", text, f"task:{completion.seq}")
