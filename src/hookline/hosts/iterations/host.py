"""The iteration host: rounds of an agent with a fresh context each, and the hooks around them (iteratr).

Whatever must survive a crash is an event of the log before the next step begins; what waits for the agent is
taken off the log only once the agent has answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from hookline.agents.base import Agent, AgentDied, AgentReply, ModelError, OnEvent
from hookline.dialects.iteratr import join_outputs
from hookline.engine import Engine
from hookline.hosts.iterations.state import Completion, Pending, SessionState
from hookline.hosts.iterations.tasks import TEMPLATE, TaskStore, iteration_prompt
from hookline.hosts.telling import Edits, Telling, tell_words
from hookline.model.errors import HooklineError, StateError, failure_words, unheard
from hookline.model.events import (
    EventKind,
    Iteration,
    IterationFailed,
    SessionEnded,
    SessionStarted,
    TaskDone,
)
from hookline.model.record import Record
from hookline.model.results import Decision

DELIVERY_ROUNDS = 3
MAX_FAILURES = 3
BACKOFF_S = 1.0
LONGEST_BACKOFF_S = 60.0
INTERRUPTED_END_S = 30.0

Fire = Callable[[EventKind, Record], Awaitable[Decision]]

RETRY_S = 1.0


class Assignment(Record):
    """What a run is about. `limit` is the number of iterations of this run, 0 for no limit.

    `failures` in a row stop the run; the pause after the first is `backoff_s` and doubles each time. A turn
    of the agent may take `turn_s` seconds, 0 for no limit.
    """

    spec: str = ""
    template: str = TEMPLATE
    extra: str = ""
    limit: int = 0
    failures: int = MAX_FAILURES
    backoff_s: float = BACKOFF_S
    turn_s: float = 0.0


class RunResult(Record):
    """How a run ended. `status`: completed, limit, failed or interrupted; `unrecovered` failed iterations."""

    status: str
    iterations: int = 0
    unrecovered: int = 0
    error: str = ""

    @property
    def ok(self) -> bool:
        return self.status in ("completed", "limit") and not self.unrecovered


class Iterations(Telling):
    """One run of a session: `run`, then `end`.

    `on_event` hears the objects of the `--json` stream. Cancelling `run` stops the agent and the hooks under
    way; `end` still runs the `session_end` hooks. Raises StateError when the log cannot be used.
    """

    told = staticmethod(tell_words)

    def __init__(
        self,
        engine: Engine,
        agent: Agent,
        store: TaskStore,
        workspace: str,
        assignment: Assignment,
        *,
        mcp_servers: Sequence[Mapping[str, Any]] = (),
        on_event: OnEvent = unheard,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__(engine, workspace, store.session, on_event)
        self.agent = agent
        self.store = store
        self.assignment = assignment
        self.task_hooks = TaskHooks(store, self.fire, warn)
        self.paused = asyncio.Event()
        self.paused.set()
        self.waits = False  # as it is paused
        self._mcp_servers = mcp_servers
        self._warn = warn
        self._edits = Edits(engine.hooks)
        self._agent_session = ""
        self._begun = 0
        self._failures = 0
        self._unrecovered = 0

    # -- a run --------------------------------------------------------------------------------------

    async def run(self) -> RunResult:
        """Session start, iterations, final delivery."""
        await self._start()
        status, error = "", ""
        while not status:
            self.waits = not self.paused.is_set()
            await self.paused.wait()  # post hooks and messages of the last iteration are through
            self.waits = False
            status, error = await self._round()
        if status != "failed":
            await self._deliver_rest()
        return RunResult(status, self._begun, self._unrecovered, error)

    async def end(self, reason: str = "other") -> None:
        """Runs `session_end` hooks once; what they print goes nowhere but the display."""
        interrupted = reason == "interrupted"
        try:
            await self.task_hooks.stop()
            event = self.event(EventKind.SessionEnd, SessionEnded(reason))
            await self.engine.fire(event, budget_s=INTERRUPTED_END_S if interrupted else None)
            if not interrupted:
                await self.store.write("control", "run_ended", {"reason": reason})
        finally:
            await self.engine.close()
            await self.agent.close()

    async def _start(self) -> None:
        state = await self.store.refresh()
        source = "resume" if state.iterations else "startup"
        await self.store.write("control", "run_started", {"agent": self.agent.name})
        await self.task_hooks.start()
        decision = await self.fire(EventKind.SessionStart, SessionStarted(source))
        await self.store.hold("session_start", join_outputs(decision.contexts))
        await self._finish_interrupted(state)

    async def _finish_interrupted(self, state: SessionState) -> None:
        """A process that died between an iteration's end and its post hooks still owes them."""
        number = state.iteration
        if state.iterations.get(number) == "complete" and f"post:{number}" not in state.handled:
            await self._post(number)

    # -- an iteration ---------------------------------------------------------------------------------

    async def _round(self) -> tuple[str, str]:
        """One iteration; the status and error the run ends with, or empty texts to go on."""
        self._edits.tell(self.tell)
        if (await self.store.refresh()).complete:
            return "completed", ""
        if self.assignment.limit and self._begun >= self.assignment.limit:
            return "limit", ""
        number = self.store.state.iteration + 1
        self._begun += 1
        await self.store.write("iteration", "start", {"number": number})
        self.tell("iteration.started", iteration=number)
        try:
            await self._iterate(number)
        except (StateError, asyncio.CancelledError):
            raise
        except Exception as error:  # a defect of the agent's side fails its iteration, not the session
            return await self._failed(number, _words(error))
        self._failures = self._unrecovered = 0
        await self._pass_on_messages()
        return "", ""

    async def _iterate(self, number: int) -> None:
        self._agent_session = ""
        await self.task_hooks.settle()
        waiting = self.store.state.hook_texts
        before = await self.fire(EventKind.PreIteration, Iteration(number))
        hook_text = join_outputs((*(each.text for each in waiting), *before.contexts))
        given = self.assignment
        prompt = iteration_prompt(given.template, self.session_id, given.spec, given.extra, self.store.state)
        await self._prompt(hook_text, prompt)
        await self._delivered([each.seq for each in waiting])
        await self.task_hooks.settle()
        await self.store.write("iteration", "complete", {"number": number})
        self.tell("iteration.finished", iteration=number, status="complete", error="")
        await self._post(number)

    async def _post(self, number: int) -> None:
        decision = await self.fire(EventKind.PostIteration, Iteration(number))
        text = join_outputs(decision.contexts)
        await self.store.hold("post_iteration", text, f"post:{number}")
        if text and self._setting("post_iteration_delivery") == "now" and self._agent_session:
            await self._deliver()

    # -- failures -------------------------------------------------------------------------------------

    async def _failed(self, number: int, error: str) -> tuple[str, str]:
        self._failures += 1
        self._unrecovered += 1
        await self.store.write("iteration", "failed", {"number": number, "error": error})
        self.tell("iteration.finished", iteration=number, status="failed", error=error)
        decision = await self.fire(EventKind.IterationError, IterationFailed(number, error))
        await self._recover(join_outputs(decision.contexts))
        if not self._survives(decision):
            return "failed", error
        if self._failures >= self.assignment.failures:
            return "failed", f"{self._failures} iterations in a row failed; the last one: {error}"
        if not self.assignment.limit or self._begun < self.assignment.limit:
            pause = self.assignment.backoff_s * 2 ** (self._failures - 1)
            await asyncio.sleep(min(pause, LONGEST_BACKOFF_S))
        return "", ""

    async def _recover(self, text: str) -> None:
        """What `on_error` hooks pipe goes to the agent at once, in the session that failed."""
        if not text:
            return
        try:
            await self._prompt(text)
            self._unrecovered -= 1
        except Exception as error:  # the session goes on
            self._warn(f"the recovery prompt failed: {_words(error)}")

    def _survives(self, decision: Decision) -> bool:
        """An `on_error` hook that ran is what lets a session go on, unless the config says otherwise."""
        chosen = self._setting("on_error")
        return bool(decision.ran) if chosen is None else bool(chosen == "continue")

    # -- texts for the agent ----------------------------------------------------------------------------

    async def _prompt(self, *texts: str) -> AgentReply:
        """One turn in the current agent session, opened when there is none; empty texts are left out."""
        if not self._agent_session:
            self._agent_session = await self.agent.new_session(self.workspace, self._mcp_servers)
        given = [text for text in texts if text]
        limit = self.assignment.turn_s or None
        try:
            async with asyncio.timeout(limit):
                return await self.agent.prompt(self._agent_session, given)
        except AgentDied:
            self._agent_session = ""
            raise
        except TimeoutError as error:
            raise ModelError(f"the agent's turn took longer than {limit:g} s and was stopped") from error

    async def _delivered(self, items: Sequence[int]) -> None:
        if items:
            await self.store.write("pending", "delivered", {"items": list(items)})

    async def _deliver(self) -> bool:
        """Sends all that waits as one prompt; False when nothing waits or it did not arrive."""
        await self.task_hooks.settle()
        waiting = self.store.state.hook_texts
        texts = [join_outputs(each.text for each in waiting)]
        return bool(waiting) and await self._reached(waiting, texts, "hook output")

    async def _pass_on_messages(self) -> None:
        """What the user said meanwhile: each message a block of one prompt, behind the post hooks."""
        said = (await self.store.refresh()).messages
        if said:
            await self._reached(said, [each.text for each in said], "your message")

    async def _reached(self, waiting: Sequence[Pending], texts: Sequence[str], what: str) -> bool:
        """Sends what waits as the blocks of one prompt; False, told as `what`, when it goes on waiting."""
        try:
            await self._prompt(*texts)
        except Exception as error:  # the next iteration, and the end of the session, still come
            self._warn(f"{what} did not reach the agent and is kept: {_words(error)}")
            return False
        await self._delivered([each.seq for each in waiting])
        return True

    async def _deliver_rest(self) -> None:
        for _ in range(DELIVERY_ROUNDS):
            if not await self._deliver():
                return
        await self.task_hooks.settle()
        if left := len(self.store.state.pending):
            waits = "1 hook output waits" if left == 1 else f"{left} hook outputs wait"
            self._warn(f"{waits} for the next run")

    def _setting(self, name: str) -> Any:
        return self.engine.hooks.settings.get("iteratr", {}).get(name)


def _words(error: BaseException) -> str:
    if isinstance(error, HooklineError):
        return error.message
    return failure_words(error)


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
