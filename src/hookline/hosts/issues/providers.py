"""Who works on issues: programs, models and ACP agents, one after another when a limit is reached."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from hookline.agents.base import Agent, Model, ModelError, OnEvent
from hookline.agents.cli_process import CliProgram, CliTask, is_limit, run_turn, why_unavailable
from hookline.engine.opening import Opened
from hookline.hosts.issues.run_log import RateLimits
from hookline.hosts.tool_loop.host import SYSTEM
from hookline.hosts.tool_loop.permissions import read_permissions
from hookline.hosts.tool_loop.sessions import ToolSession, Wish, open_session
from hookline.model.errors import StateError, Warn, unheard
from hookline.model.record import Record, replace
from hookline.system.clock import now_ms


class Provider:
    """Works on one issue at a time; `go_on` is a further turn of the last conversation.

    Neither raises for what the provider did; cancelling ends the work.
    """

    name: str

    async def why_unavailable(self) -> str:
        return ""

    async def work(self, task: Task) -> Reply:
        raise NotImplementedError

    async def go_on(self, task: Task) -> Reply:
        return await self.work(task)

    async def close(self, reason: str) -> None:
        """Nothing of it runs between turns, unless it says otherwise."""


BACKOFF_LONGEST_MS = 10_000


class Task(Record):
    """What an issue's provider is told: general instructions, and the issue with its plan."""

    instructions: str
    content: str
    session_id: str = "default"


class Reply(Record):
    """How the work ended. `fault` is empty for success: rate_limit, unavailable, failed, final.

    `failed` may go better when tried again, `final` may not. `provider` is who gave the answer.
    """

    text: str = ""
    fault: str = ""
    error: str = ""
    provider: str = ""

    @property
    def ok(self) -> bool:
        return not self.fault


class ProgramProvider(Provider):
    """A command-line agent, started anew for each turn."""

    def __init__(
        self,
        program: CliProgram,
        workspace: str,
        environment: Mapping[str, str],
        on_event: OnEvent,
        directories: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> None:
        self._program = program
        self.name = program.name
        self._task = CliTask("", "", workspace, environment, tuple(directories), "", timeout_s)
        self._on_event = on_event
        self._session = ""

    async def why_unavailable(self) -> str:
        return await why_unavailable(self._program, self._task.cwd, self._task.environment)

    async def work(self, task: Task) -> Reply:
        return await self._run(replace(self._task, instructions=task.instructions, content=task.content))

    async def go_on(self, task: Task) -> Reply:
        words = "Go on with the work in this workspace."
        turn = replace(self._task, instructions=words, content=task.content, session=self._session)
        return await self._run(turn)

    async def _run(self, task: CliTask) -> Reply:
        done = await run_turn(self._program, task, self._on_event)
        self._session = done.session if self._program.resume else ""
        if done.fault == "":
            self._on_event({"type": "message", "role": "assistant", "text": done.text})
        return Reply(done.text, _FAULTS.get(done.fault, done.fault), done.error, self.name)


_FAULTS = {"not_started": "unavailable", "timed_out": "final"}  # the others are called the same


class MockProvider(Provider):
    """AutoAgent's mock (`AUTOAGENT_MOCK_PROVIDER=true`): works on nothing, fails on request."""

    name = "mock"

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    async def work(self, task: Task) -> Reply:
        delay = self._environment.get("AUTOAGENT_MOCK_DELAY", "")
        await asyncio.sleep(int(delay[:9]) / 1000 if delay.isdecimal() else 0)
        for variable, (fault, words) in _MOCK_FAULTS.items():
            if self._environment.get(variable, "").lower() in ("1", "true"):
                return Reply("", fault, words, self.name)
        return Reply("Mock execution completed", provider=self.name)


_MOCK_FAULTS = {
    "AUTOAGENT_MOCK_FAIL": ("final", "Mock execution failed"),
    "AUTOAGENT_MOCK_TIMEOUT": ("final", "the provider did not end in time"),
    "AUTOAGENT_MOCK_RATE_LIMIT": ("rate_limit", "Mock rate limit reached"),
    "AUTOAGENT_MOCK_AUTH_FAIL": ("final", "Mock authentication failed"),
}


class Patience(Record):
    """How failures are waited out, in milliseconds; `attempts` at one provider."""

    attempts: int = 3
    failover_delay_ms: int = 5000
    cooldown_ms: int = 3_600_000


class ProviderChain:
    """Providers in order of preference. One that has reached its limit rests; the next one takes over."""

    def __init__(
        self,
        providers: Sequence[Provider],
        patience: Patience | None = None,
        limits: RateLimits | None = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._providers = tuple(providers)
        self._patience = patience or Patience()
        self._limits = limits
        self._tell = tell
        self._last: Provider | None = None

    @property
    def name(self) -> str:
        """Who would work now."""
        resting = [provider for provider in self._providers if self._rest_ms(provider) <= 0]
        chosen = (*resting, *self._providers)
        return chosen[0].name if chosen else "none"

    async def work(self, task: Task) -> Reply:
        """The first provider's answer that is neither a limit nor an absence; says who gave it."""
        absent: list[str] = []
        limited = False
        for provider in self._providers:
            if self._rest_ms(provider) > 0:
                continue
            if why := await provider.why_unavailable():
                absent.append(f"`{provider.name}`: {why}")
                continue
            if limited:
                await asyncio.sleep(self._patience.failover_delay_ms / 1000)
            reply = await self._try(provider, task)
            if reply.fault == "unavailable":
                absent.append(f"`{provider.name}`: {reply.error}")
            elif reply.fault == "rate_limit" and self._limits is not None:
                limited = True
                self._note_limit(provider, reply)
            else:
                return reply
        return Reply("", "unavailable", self._nobody(absent), self.name)

    async def go_on(self, task: Task) -> Reply:
        """One more turn by whoever worked last."""
        if self._last is None:
            return await self.work(task)
        return await self._last.go_on(task)

    async def close(self, reason: str = "other") -> None:
        for provider in self._providers:
            await provider.close(reason)

    async def _try(self, provider: Provider, task: Task) -> Reply:
        self._last = provider
        reply = Reply()
        for attempt in range(1, self._patience.attempts + 1):
            try:
                reply = await provider.work(task)
            except ModelError as error:
                reply = Reply("", "final", error.message, provider.name)
            if reply.fault != "failed" or attempt == self._patience.attempts:
                break
            wait_ms = int(min(1000 * 2 ** (attempt - 1), BACKOFF_LONGEST_MS))
            self._tell(f"`{provider.name}` failed ({reply.error}); trying again in {wait_ms / 1000:g} s")
            await asyncio.sleep(wait_ms / 1000)
        if reply.ok and self._limits is not None:
            self._quietly(self._limits.clear, provider.name)
        return reply

    def _note_limit(self, provider: Provider, reply: Reply) -> None:
        if self._limits is not None:
            self._quietly(self._limits.note, provider.name)
        minutes = -(-self._patience.cooldown_ms // 60_000)
        self._tell(f"`{provider.name}` has reached its limit ({reply.error}); it rests for {minutes} min")

    def _rest_ms(self, provider: Provider) -> int:
        if self._limits is None:
            return 0
        free = self._limits.free_at_ms(provider.name, self._patience.cooldown_ms)
        return 0 if free is None else free - now_ms()

    def _nobody(self, absent: Sequence[str]) -> str:
        resting = sorted((self._rest_ms(p), p.name) for p in self._providers if self._rest_ms(p) > 0)
        if resting:
            minutes = -(-resting[0][0] // 60_000)
            words = (
                f"all providers have reached their limit; `{resting[0][1]}` is free again in {minutes} min"
            )
            return "; ".join([words, *absent])
        return "no provider is available: " + ("; ".join(absent) or "none is configured")

    def _quietly(self, change: Callable[[str], None], name: str) -> None:
        try:
            change(name)
        except StateError as error:
            self._tell(error.message)


class ModelProvider(Provider):
    """A model in our tool loop: a fresh conversation for each issue, all of one session.

    `wish` says how each conversation shall be; session and instructions are the issue's.
    """

    def __init__(
        self, opened: Opened, model: Model, on_event: OnEvent, wish: Wish, warn: Warn = unheard
    ) -> None:
        self.opened = opened
        self.model = model
        self.name = model.name
        self.on_event = on_event
        self.wish = wish
        self.warn = warn
        self._permissions = read_permissions(opened, wish.mode, warn)
        self._session: ToolSession | None = None
        self._first: tuple[str, ...] = ()

    async def work(self, task: Task) -> Reply:
        """SessionStart before the first issue; what it told the model is told again at each one."""
        is_first = self._session is None
        system = f"{SYSTEM}\n\n{task.instructions}"
        wish = replace(self.wish, session_id=task.session_id, system=system)
        self._permissions = read_permissions(self.opened, wish.mode, self.warn, self._permissions)
        session = open_session(
            self.opened,
            self.model,
            wish,
            on_event=self.on_event,
            warn=self.warn,
            permissions=self._permissions,
        )
        self._session = session
        if is_first:
            self._first = (await session.loop.start()).contexts
            return await self._submit(session, task.content)
        session.transcript.restart(())
        return await self._submit(session, task.content, self._first)

    async def go_on(self, task: Task) -> Reply:
        if self._session is None:
            return await self.work(task)
        return await self._submit(self._session, task.content, origin="hook")

    async def close(self, reason: str) -> None:
        """Fires SessionEnd, if a session was ever started."""
        if self._session is not None:
            await self._session.loop.end(reason, for_good=False)

    async def _submit(
        self, session: ToolSession, text: str, first: tuple[str, ...] = (), origin: str = "user"
    ) -> Reply:
        result = await session.rounds.submit(text, origin=origin, first=first)
        if result.ok:
            return Reply(result.text, provider=self.name)
        fault = "rate_limit" if is_limit(result.reason) else "final"
        return Reply(result.text, fault, result.reason or f"the turn ended: {result.status}", self.name)


class AgentProvider(Provider):
    """An agent program that stays (ACP): a conversation of its own for each issue."""

    def __init__(self, make: Callable[[str], Agent], name: str, workspace: str) -> None:
        self._make = make
        self._workspace = workspace
        self._agent: Agent | None = None
        self._session = ""
        self.name = name

    async def work(self, task: Task) -> Reply:
        """`make` starts the agent for the session's id, once."""
        if self._agent is None:
            self._agent = self._make(task.session_id)
        try:
            self._session = await self._agent.new_session(self._workspace)
        except ModelError as error:
            return Reply("", "final", error.message, self.name)
        return await self._prompt(self._agent, (task.instructions, task.content))

    async def go_on(self, task: Task) -> Reply:
        if self._agent is None or not self._session:
            return await self.work(task)
        return await self._prompt(self._agent, (task.content,))

    async def close(self, reason: str) -> None:
        if self._agent is not None:
            await self._agent.close()

    async def _prompt(self, agent: Agent, texts: tuple[str, ...]) -> Reply:
        try:
            reply = await agent.prompt(self._session, texts)
        except ModelError as error:
            fault = "rate_limit" if is_limit(error.message) else "final"
            return Reply("", fault, error.message, self.name)
        if reply.stop_reason in ("refusal", "cancelled"):
            return Reply(reply.text, "final", f"the agent ended with `{reply.stop_reason}`", self.name)
        return Reply(reply.text, provider=self.name)
