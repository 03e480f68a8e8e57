"""What the end and the beginning of an agent's turn mean to hooks that know neither: iteratr's, Discobot's."""

from __future__ import annotations

from hookline.engine.opening import Opened
from hookline.hosts.bridge.call import speaker_of
from hookline.model.errors import StateError
from hookline.model.events import Event, EventKind, Iteration, IterationFailed
from hookline.model.record import replace
from hookline.model.results import Decision, Verdict
from hookline.state.claims import StopCounts, TurnCounts
from hookline.state.database import Database
from hookline.state.undelivered import Waiting

K = EventKind
# A prompt of the user begins an iteration, a stop ends it: hooks of these events run then as well.
ITERATION_EVENTS = {
    K.UserPromptSubmit: K.PreIteration, K.Stop: K.PostIteration, K.StopFailure: K.IterationError,
}  # fmt: skip
STOPS = (K.Stop, K.SubagentStop)
MOST_BLOCKS = 8


class Turns:
    """Counts prompts and blocked stops of an agent's session, and fires what belongs to them."""

    def __init__(self, opened: Opened, database: Database, agent: str) -> None:
        self._opened = opened
        self._agent = agent
        self._warn = database.tell
        self._stops = StopCounts(database)
        self._prompts = TurnCounts(database)
        self._instructions = Waiting(opened.paths.waiting)
        self._is_users = False

    def counted(self, event: Event) -> Event:
        """The event with its number: a stop knows how many of this turn came before, and how many may."""
        if event.kind in STOPS:
            attempt = self._stops.count(event.session_id, event.agent_id) + 1
            body = replace(event.body, attempt=attempt, max_attempts=MOST_BLOCKS)
            return replace(event, body=body)
        if event.kind is K.UserPromptSubmit and self._begins_turn(event):
            self._stops.reset(event.session_id)
            self._is_users = True
        return event

    def _begins_turn(self, event: Event) -> bool:
        """Whether the user spoke: Gemini CLI reports what a hook told it to do as one more prompt (observed)."""
        told = self._instructions.take(_told_key(event))
        prompt = str(event.get("prompt") or "")
        return is_the_users(event) and not any(text.strip() in prompt for text in told)

    async def around(self, event: Event, decision: Decision, budget_s: float) -> Decision:
        """The decision together with what the hooks of iterations and of changed files say."""
        decision = await self._iteration(event, decision, budget_s)
        if self._commits(event) and not decision.blocked:
            from hookline.hosts.bridge.commits import judged_commit

            decision = joined(decision, await judged_commit(event, self._opened, budget_s))
        if event.kind is K.UserPromptSubmit and self._opened.engine.hooks.of_kind(K.FilesChanged):
            from hookline.engine.filehooks import FileHooks

            hooks = FileHooks(self._opened.engine, self._opened.paths, warn=self._warn)
            await hooks.begin(folder_name(event.session_id))
        if decision.blocked or not self.evaluates_files(event):
            return decision
        return await self._changed_files(event, decision)

    def evaluates_files(self, event: Event) -> bool:
        """Whether the event ends a turn that file hooks want to know about."""
        return event.kind is K.Stop and bool(self._opened.engine.hooks.of_kind(K.FilesChanged))

    def _commits(self, event: Event) -> bool:
        """Whether it is a commit of which git will not tell us, and there are hooks for it."""
        if event.kind is not K.PreToolUse or not self._opened.engine.hooks.of_kind(K.PreCommit):
            return False
        from hookline.hosts.bridge.commits import commits_past_git

        return commits_past_git(event, self._opened, self._agent)

    def needs_asyncio(self, event: Event) -> bool:
        """Whether one of those hooks can only run on asyncio."""
        kinds = (
            ITERATION_EVENTS.get(event.kind), K.FilesChanged if event.kind is K.Stop else None,
            K.PreCommit if self._commits(event) else None,
        )  # fmt: skip
        if not any(kinds):
            return False
        engine, specs = self._opened.engine, self._opened.hooks.specs
        return any(spec.kind in kinds and engine.is_bound_to_asyncio(spec) for spec in specs)

    def capped(self, event: Event, agent: str, decision: Decision) -> Decision:
        """Counts a stop that is blocked; lets it through where nobody else would after so many."""
        if event.kind not in STOPS or not (decision.reprompt or decision.verdict.word == "deny"):
            return decision
        count = self._stops.increment(event.session_id, event.agent_id)
        if speaker_of(agent).has_stop_limit or count <= MOST_BLOCKS:
            self._remember(event, decision)
            return decision
        words = f"hooks blocked {MOST_BLOCKS} stops since the user last spoke; this one goes through"
        return replace(
            decision,
            verdict=Verdict.NONE, reason="", reprompt=None,
            messages=(*decision.messages, words), degraded=(*decision.degraded, words),
        )  # fmt: skip

    def _remember(self, event: Event, decision: Decision) -> None:
        try:
            self._instructions.put(_told_key(event), (decision.reprompt or decision.why,))
        except StateError:
            pass  # then at worst a turn is counted anew

    async def _iteration(self, event: Event, decision: Decision, budget_s: float) -> Decision:
        kind = ITERATION_EVENTS.get(event.kind)
        engine = self._opened.engine
        if kind is None or not engine.hooks.of_kind(kind) or (event.agent_id and event.kind is K.Stop):
            return decision
        begins = event.kind is K.UserPromptSubmit and self._is_users
        count = self._prompts.increment if begins else self._prompts.count
        number = count(event.session_id)
        if kind is K.IterationError:
            body: Iteration | IterationFailed = IterationFailed(number, str(event.get("error") or ""))
        else:
            body = Iteration(number)
        place = event.workspace
        further = Event(kind, event.session_id, event.cwd, body, place, at=event.at)
        return joined(decision, await engine.fire(further, budget_s=budget_s))

    async def _changed_files(self, event: Event, decision: Decision) -> Decision:
        from hookline.engine.filehooks import FileHooks

        hooks = FileHooks(self._opened.engine, self._opened.paths, warn=self._warn)
        verdict = await hooks.evaluate(folder_name(event.session_id), user_turn=event.get("attempt") == 1)
        texts = [text for text in (decision.reprompt, verdict.reprompt) if text]
        return replace(
            decision,
            reprompt="\n\n".join(texts) or None,
            messages=(*decision.messages, *verdict.messages),
        )


def _told_key(event: Event) -> str:
    return f"{event.session_id} told"


def is_the_users(event: Event) -> bool:
    """Whether a prompt came from the user, and not from a hook or the agent that started a subagent."""
    return not event.agent_id and not str(event.get("prompt") or "").lstrip().startswith("<hook_prompt")


def joined(decision: Decision, other: Decision) -> Decision:
    """The stricter verdict of two, and everything that was said."""
    stricter = other if other.verdict > decision.verdict else decision
    return replace(
        decision,
        verdict=stricter.verdict,
        reason=stricter.reason,
        contexts=(*decision.contexts, *other.contexts),
        messages=(*decision.messages, *other.messages),
        reprompt="\n\n".join(text for text in (decision.reprompt, other.reprompt) if text) or None,
        degraded=(*decision.degraded, *other.degraded),
    )


def folder_name(session_id: str) -> str:
    """The session's id as the name of its folder of file-hook state."""
    kept = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in session_id)
    return kept[:128] or "default"
