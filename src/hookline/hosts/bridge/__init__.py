"""Stands as the one hook of a real agent: fires the hooks of all other dialects, answers as that agent's hook.

Whatever happens, the agent gets an answer it accepts, before its own time limit. A defect of ours is said on
stderr and kept in history; where a guard should have been asked, the agent is told to ask or to refuse.
"""

from __future__ import annotations

import itertools

from hookline.engine.failures import guards
from hookline.engine.merge import LET_THROUGH
from hookline.engine.opening import Opened, open_engine
from hookline.engine.services import InFront
from hookline.hosts.bridge.call import (
    call_key,
    decoded,
    doubt_about,
    event_of,
    reserve_of,
    speaker_of,
    time_limit,
    with_unsaid,
)
from hookline.hosts.bridge.turns import Turns
from hookline.hosts.failed_starts import explain_failed_starts
from hookline.model.errors import StateError
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HookSpec
from hookline.model.record import Record, replace
from hookline.model.rendering import iso_time, plain
from hookline.model.results import Decision, Response, Status, Verdict
from hookline.model.typing import TYPE_CHECKING, Any, Callable, Coroutine, Mapping, TypeVar
from hookline.state.claims import Answers, OnceClaims
from hookline.state.history import History
from hookline.state.recordings import Recordings
from hookline.state.undelivered import Waiting
from hookline.system.clock import monotonic
from hookline.system.loops import loop
from hookline.system.loops.loop import cancellations, current_loop, sleep

if TYPE_CHECKING:
    from hookline.hosts.bridge.call import Call

    T = TypeVar("T")

K = EventKind
# Events that take up what hooks said when nobody could listen; `context` must be among what the agent takes.
DELIVERING = frozenset({K.UserPromptSubmit, K.PostToolUse, K.PostToolUseFailure, K.SessionStart})
REPEAT_LOOK_S = 0.01
MOST_NAMED = 5  # guards in one message
CLIENTS_SHARE = 0.75  # of the time kept back: for the start of Python where the resident has no answer
LOOKS_A_CLAIM = 10  # whoever was first may have died over it, or been told that nobody waits any more


class Workspace(Record):
    """A workspace opened for one agent: without the hooks which that agent runs itself.

    `limits` are the time limits of our own entries in its config, in seconds, by event. `left` is what can wait
    until the agent has its answer.
    """

    opened: Opened
    history: History
    limits: Mapping[EventKind, float]
    left: list[Callable[[], None]]


def open_workspace(call: Call, workspace: str, warn: Callable[[str], None]) -> Workspace:
    """Reads the workspace's hooks as they are on disk now."""
    opened = open_engine(workspace, environment=call.environment, warn=warn)
    engine = opened.engine
    own = [spec for spec in opened.hooks.specs if spec.dialect == call.agent and spec.origin.bridge]
    limits: dict[EventKind, float] = {}
    for spec in own:
        limits[spec.kind] = min(spec.timeout_s, limits.get(spec.kind, spec.timeout_s))
    engine.replace_hooks(opened.hooks.behind(call.agent))
    history: History = engine.history  # type: ignore[assignment]  # opened with history
    left: list[Callable[[], None]] = []
    detach = _starter(engine.environment, call.agent)
    engine.provide(history=_OwnEvents(history), detach=detach, afterwards=left.append)
    opened = replace(opened, hooks=engine.hooks)
    explain_failed_starts(opened)
    if engine.hooks.asks_a_model:
        from hookline.hosts.user_judge import give_judge

        give_judge(opened)
    return Workspace(opened, history, limits, left)


class Bridge:
    """One call. `answer` once; then `notes`; then `settle`, which nobody has to wait for."""

    def __init__(self, call: Call, event: Event, workspace: Workspace) -> None:
        self._call = call
        self._workspace = workspace
        self._speaker = speaker_of(call.agent)
        self._turns = Turns(workspace.opened, workspace.history.database, call.agent)
        self._event = event if self._speaker.is_noise(event) else self._turns.counted(event)
        self._decided: Decision | None = None
        self._response: Response | None = None
        self._doubted: str | None = None
        self._begun: tuple[Answers, tuple[str, str, str]] | None = None
        self.limit_s = time_limit(self._speaker, event, workspace.limits)
        reserve = reserve_of(self.limit_s)
        self._deadline = call.began + self.limit_s - reserve
        self.patience_s = self.limit_s - reserve * CLIENTS_SHARE

    @property
    def needs_asyncio(self) -> bool:
        """Whether a hook of this call can only run on asyncio."""
        own = self._workspace.opened.engine.needs_asyncio(self._event)
        return own or self._turns.needs_asyncio(self._event)

    @property
    def takes_long(self) -> bool:
        """Whether it looks at the whole workspace, which keeps everything else of its process waiting."""
        return self._turns.evaluates_files(self._event)

    async def answer(self) -> Response:
        """The bytes for the agent. Hook failures never raise; defects of ours may."""
        if self._speaker.is_noise(self._event):
            return Response()
        key = call_key(self._event)
        if key is None or not self._workspace.opened.engine.would_run(self._event):
            return self._respond(await self._decide())
        answers = Answers(self._workspace.history.database)
        if answers.begin(*key):
            self._begun = (answers, key)
        elif (given := await self._given(answers, key)) is not None:
            return self._respond_again(given)
        try:
            return self._respond(await self._decide())
        except BaseException:
            if self._begun is not None:
                answers.release(*key)
            raise

    def notes(self) -> list[str]:
        """What did not go as it should, in lines for whoever reads the agent's log."""
        decision = self._decided
        if decision is None:
            return []
        untrusted = [result for result in decision.results if result.status is Status.untrusted]
        return [
            *(
                f"hook `{result.spec.id}` did not run: {result.why}"
                for result in untrusted
                if not guards(result.spec)
            ),
            *map(str, self._workspace.opened.hooks.silenced_guards),
            *decision.degraded,
        ]

    def settle(self) -> None:
        """Lets repeats of the call have its answer; records it, and the whole call where that is wanted; cleans up."""
        if self._begun is not None and self._decided is not None:
            self._remember(*self._begun, _kept(self._decided))
        run = ""
        if self._decided is not None:
            run = self._workspace.history.record(self._event, self._decided, self._event.workspace)
        recordings = Recordings(self._workspace.opened.paths.recordings)
        if self._response is not None and recordings.wanted(self._call.environment):
            call = {"run": run, **_as_recorded(self._call, self._event, self._response)}
            recordings.add(call, self._call.environment)
        self.clear()

    def _remember(self, answers: Answers, key: tuple[str, str, str], answer: dict[str, Any]) -> None:
        kept = self._workspace.history.without_secrets(answer)
        if all(kept[name] == answer[name] for name in ("updated_input", "products")):
            answers.remember(*key, kept)
        else:  # what the agent carries out by the letter, and may not be kept: a repeat is judged anew
            answers.release(*key)

    def clear(self) -> None:
        """Cleans up behind what ran; in place of `settle` where somebody else answers the call."""
        while self._workspace.left:
            self._workspace.left.pop()()

    # -- deciding -------------------------------------------------------------------------------------

    def _respond(self, decision: Decision) -> Response:
        if self._doubt:
            decision = replace(decision, degraded=(*decision.degraded, self._doubt))
        decision = with_unsaid(decision, self._event, self._workspace.opened.engine, self._speaker.title)
        decision = self._with_waiting(decision)
        fitted, notes = self._fitted(decision)
        fitted = replace(fitted, degraded=(*fitted.degraded, *notes))
        self._decided = self._turns.capped(self._event, self._call.agent, fitted)
        return self._respond_again(self._decided)

    def _fitted(self, decision: Decision) -> tuple[Decision, tuple[str, ...]]:
        """The decision as the agent can carry it out, with a word to the person about guards that are off, where
        the agent passes it on: each once a session.
        """
        off = "" if decision.blocked else self._guards_off(decision)
        if off:
            told = self._speaker.fit(self._event, replace(decision, messages=(*decision.messages, off)))
            if off in told[0].messages and self._is_news(off):
                return told
        return self._speaker.fit(self._event, decision)

    def _guards_off(self, decision: Decision) -> str:
        opened = self._workspace.opened
        off = [
            note for note in decision.degraded if LET_THROUGH in note or note == doubt_about(opened.workspace)
        ]
        if self._event.kind in (K.SessionStart, K.UserPromptSubmit):
            from hookline.engine.guards_off import guards_off

            off = [*off, *map(str, guards_off(opened.engine.hooks, opened.engine.trust))]
        if not off:
            return ""
        more = f"; and {len(off) - MOST_NAMED} more" if len(off) > MOST_NAMED else ""
        return f"hookline: {'; '.join(off[:MOST_NAMED])}{more}. See `hookline check` and `hookline trust`."

    def _is_news(self, words: str) -> bool:
        from zlib import crc32

        once = OnceClaims(self._workspace.history.database)
        return once.claim(self._event.session_id, f"guards off {crc32(words.encode())}")

    def _respond_again(self, decision: Decision) -> Response:
        self._response = with_refusal(self._speaker.respond(self._event, decision), decision)
        return self._response

    async def _given(self, answers: Answers, key: tuple[str, str, str]) -> Decision | None:
        """What the first of several same reports was answered; None when it is given up, or takes too long."""
        for look in itertools.count(1):
            found = answers.recall(*key)
            if found is not None:
                return _restored(self._event.kind, found)
            if monotonic() >= self._deadline:
                break
            if look % LOOKS_A_CLAIM == 0 and answers.begin(*key):
                self._begun = (answers, key)
                break
            await sleep(REPEAT_LOOK_S)
        return None

    async def _decide(self) -> Decision:
        left = self._deadline - monotonic()
        decision = await within(left, self._hooks(left - min(1.0, left * 0.1)))
        if decision is not None:
            return decision
        from hookline.hosts.bridge.failure import verdict_without_hooks

        words = f"the hooks of {self._event.kind.value} took longer than the agent waits"
        verdict = verdict_without_hooks(self._call, self._event)
        return Decision(self._event.kind, verdict, words if verdict else "", degraded=(words,))

    @property
    def _doubt(self) -> str:
        """What `doubt_about` says of where the session is; looked for once."""
        if self._doubted is None:
            self._doubted = doubt_about(self._event.workspace)
        return self._doubted

    async def _hooks(self, budget_s: float) -> Decision:
        current_loop().call_soon(lambda: self._doubt)  # while the hooks run
        decision = await self._workspace.opened.engine.fire(self._event, budget_s=budget_s)
        left = budget_s - decision.duration_s
        return await self._turns.around(self._event, decision, left)

    def _with_waiting(self, decision: Decision) -> Decision:
        """Texts the agent cannot take at this event wait for one at which it can."""
        if decision.blocked:
            return decision
        takes = "context" in self._speaker.host_row(self._event).effects
        waiting = Waiting(self._workspace.opened.paths.waiting)
        try:
            if takes and self._event.kind in DELIVERING:
                session = self._event.session_id
                texts = (*waiting.take(session), *waiting.take(session, waking=True))
                return replace(decision, contexts=(*texts, *decision.contexts))
            if self._event.kind is K.Stop and not self._event.agent_id:
                decision = self._woken(waiting, decision)
            if takes or not decision.contexts:
                return decision
            if not any("context" in row.effects and row.kind in DELIVERING for row in self._speaker.rows):
                return decision  # there is no such event, and what is left out is told
            waiting.put(self._event.session_id, decision.contexts)
        except StateError as error:  # what hooks decided counts all the same
            return replace(decision, degraded=(*decision.degraded, error.message))
        words = f"{self._speaker.title} takes no text for the model here; kept for its next event that does"
        return replace(decision, contexts=(), degraded=(*decision.degraded, words))

    def _woken(self, waiting: Waiting, decision: Decision) -> Decision:
        """A stop is where an agent can be woken by us: what a background hook ended with becomes its next
        instruction (Claude Code's `asyncRewake`).
        """
        texts = waiting.take(self._event.session_id, waking=True)
        if not texts:
            return decision
        told = "\n\n".join((decision.reprompt, *texts) if decision.reprompt else texts)
        return replace(decision, reprompt=told)


class _OwnEvents(InFront):
    """Records what the engine fires besides the agent's own event, which is recorded as it was answered."""

    def record(self, event: Event, decision: Decision, workspace: str) -> object:
        return super().record(event, decision, workspace) if event.host == "hookline" else None


def answer_now(
    call: Call, say: Callable[[str], None], heed: Callable[[float], None]
) -> tuple[Response, Callable[[], object]]:
    """The answer to one call, and what is left to do after it was given. Never raises an Exception.

    `heed` is told, in seconds, how long the agent waits, as soon as that is known.
    """
    try:
        event = event_of(call)
        bridge = Bridge(call, event, open_workspace(call, event.workspace, say))
        heed(bridge.limit_s)
        run = loop.run_asyncio if bridge.needs_asyncio else loop.run
        response = run(bridge.answer())
        for note in bridge.notes():
            say(note)
        return response, bridge.settle
    except Exception as error:  # a defect of ours must never decide over the agent's tools
        return excuse(call, error, say), lambda: None


def with_refusal(response: Response, decision: Decision) -> Response:
    """The answer with the reason apart, where it must stop the agent even if it cannot be written."""
    stops = decision.blocked or decision.verdict in (Verdict.ASK, Verdict.DEFER)
    return replace(response, refusal=decision.why) if stops else response


def excuse(call: Call, error: Exception, say: Callable[[str], None], hurried: bool = False) -> Response:
    """The answer when we failed, said and recorded (see `failure`)."""
    from hookline.hosts.bridge.failure import respond_to_failure

    return respond_to_failure(call, error, say, hurried)


async def within(seconds: float, work: Coroutine[Any, Any, T]) -> T | None:
    """The result of `work`; None when it took longer and was cancelled."""
    loop = current_loop()
    task = loop.create_task(work)
    late: list[bool] = []

    def stop() -> None:
        late.append(True)
        task.cancel()

    timer = loop.call_later(max(seconds, 0.001), stop)
    try:
        found: T = await task
        return found
    except cancellations():
        if late:
            return None
        raise
    finally:
        timer.cancel()


def _starter(environment: Mapping[str, str], agent: str) -> Callable[[HookSpec, Event], None]:
    """What starts a background hook in a process of its own."""

    def start(spec: HookSpec, event: Event) -> None:
        from hookline.hosts.bridge.background import start_elsewhere

        start_elsewhere(spec, event, environment, agent)

    return start


def _as_recorded(call: Call, event: Event, response: Response) -> dict[str, Any]:
    return {
        "at": iso_time(event.at), "agent": call.agent, "event": call.native, "workspace": event.workspace,
        "payload": decoded(call.payload),
        "answer": {"exit_code": response.exit_code, "stdout": response.stdout},
    }  # fmt: skip


def _kept(decision: Decision) -> dict[str, Any]:
    return {
        "verdict": decision.verdict.word, "reason": decision.reason, "reprompt": decision.reprompt,
        "updated_input": plain(decision.updated_input), "contexts": list(decision.contexts),
        "messages": list(decision.messages), "products": plain(decision.products),
    }  # fmt: skip


def _restored(kind: EventKind, kept: Mapping[str, Any]) -> Decision:
    return Decision(
        kind, Verdict[str(kept["verdict"]).upper()], kept["reason"], kept["updated_input"],
        tuple(kept["contexts"]), tuple(kept["messages"]), kept["reprompt"], products=kept["products"],
    )  # fmt: skip
