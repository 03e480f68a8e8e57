"""The turn host: sessions whose turns end in file hooks, and whose failed hooks become turns.

A completion ends, its stream closes, and only then, in the background, are the file hooks it owes judged; a
failure starts the next completion (Discobot, Hooks Module).
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from hookline.agents.base import Model
from hookline.engine.evaluation import FileHookVerdict
from hookline.engine.filehooks import FileHooks
from hookline.engine.opening import Opened
from hookline.hosts.tool_loop.host import SYSTEM, TurnResult
from hookline.hosts.tool_loop.permissions import read_permissions
from hookline.hosts.tool_loop.sessions import read_instructions, with_instructions
from hookline.hosts.turns.known_hooks import KnownHooks
from hookline.hosts.turns.services import Services
from hookline.hosts.turns.session import (
    Busy,
    Completion,
    Session,
    TurnLoop,
    find_chat,
    forget_chat,
    transcript_of,
)
from hookline.hosts.turns.timeline import failure_card
from hookline.hosts.turns.turn_options import TurnWish
from hookline.hosts.turns.ui_stream import UiStream, text_of, user_message
from hookline.hosts.user_judge import Judge
from hookline.model.errors import HooklineError, UsageError, Warn, unheard
from hookline.model.events import EventKind, SessionEnded
from hookline.model.results import HookFinished, HookStarted
from hookline.state.history import History
from hookline.state.paths import checked_session_id
from hookline.state.redaction import Redactor
from hookline.system.workspace.watching import Watcher

GRACE_S = 0.2
SESSION_END_BUDGET_S = 5.0
MAX_REQUESTS = 200
CANCEL_WAIT_S = 5.0


class TurnHost:
    """All sessions of a workspace. `start` begins a completion, `cancel` ends one.

    `mode` is the permission mode of every turn that does not ask for `plan`. `warn` hears what the user of
    the program should know. `other_model` opens the model that a message names.
    """

    def __init__(
        self,
        opened: Opened,
        model: Model,
        *,
        mode: str = "bypassPermissions",
        warn: Warn = unheard,
        default_session: str = "default",
        other_model: Callable[[str], Model] | None = None,
    ) -> None:
        self.opened = opened
        self.model = model
        self.mode = mode
        self.default_session = checked_session_id(default_session)
        self.say = warn
        self._permissions = read_permissions(opened, mode)
        self._other_model = other_model
        self._secrets = Redactor({})
        self._known = KnownHooks(opened, self.say)
        self._sessions: dict[str, Session] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.engine = opened.engine
        self.engine.listen(self._hook_news)
        if self.engine.services.complete is None:
            self.engine.provide(complete=Judge(model, opened.place, self.engine.environment))
        self._watcher = Watcher(opened.workspace)
        self.hooks = FileHooks(
            opened.engine, opened.paths, warn=warn, reload=self._known.reread, on_change=self.status_changed,
            watcher=self._watcher,
        )  # fmt: skip
        self.services = Services(opened.place, self.engine.environment, opened.paths.home)
        self.hooks.status(default_session).recover()

    async def watch(self) -> None:
        """Follows the workspace from now on, so that an evaluation need not look at every file."""
        try:
            await self._watcher.start()
        except HooklineError as error:
            self.say(f"the workspace is not followed: {error.message}")

    # -- sessions --------------------------------------------------------------------------------------

    def find(self, session_id: str) -> Session | None:
        """The session, if there is or ever was one of this id. UsageError for an id that is no folder name."""
        found = self._sessions.get(session_id)
        if found is None and find_chat(self.opened, checked_session_id(session_id)).seen:
            return self.session(session_id)
        return found

    def session(self, session_id: str) -> Session:
        """The session, begun when it is new. UsageError for an id that is no folder name."""
        found = self._sessions.get(session_id)
        if found is None:
            chat = find_chat(self.opened, checked_session_id(session_id))
            found = self._sessions[session_id] = Session(session_id, chat)
            self.hooks.status(session_id).recover()
        return found

    async def forget(self, session_id: str, reason: str = "clear") -> None:
        """Ends a session and its conversation; what its hooks are owed stays."""
        if self.find(session_id) is None:
            return
        session = self._sessions.pop(session_id)
        await self._stop(session)
        if session.loop is not None:
            event = session.loop.event(EventKind.SessionEnd, SessionEnded(reason))
            await self.engine.fire(event, budget_s=SESSION_END_BUDGET_S)
        self.engine.added.pop(session_id, None)
        if reason == "clear" and (session.transcript is not None or session.chat.seen):
            forget_chat(self.opened, session.chat, self.say)
        session.log.close()

    def end_streams(self) -> None:
        """Lets go of everybody who follows a session, as none of these streams ends by itself."""
        for session in self._sessions.values():
            session.log.close()

    async def close(self) -> None:
        """Ends everything; SessionEnd fires for each session that began."""
        for session_id in tuple(self._sessions):
            await self.forget(session_id, "other")
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.services.close()
        await self._watcher.close()
        await self.engine.close()

    # -- completions -------------------------------------------------------------------------------------

    def start(
        self,
        session_id: str,
        message: Mapping[str, Any],
        *,
        origin: str = "user",
        wish: TurnWish | None = None,
    ) -> Completion:
        """Begins a completion on a user's UI message, which is kept on disk when this returns.

        Raises Busy, or UsageError for a conversation that another process has in use, and then changes nothing.

        An evaluation under way is aborted, the count of attempts begins anew, and `wish` takes the place of
        the one before, when `origin` is the user.
        """
        session = self.session(session_id)
        if session.running is not None:
            raise Busy(session.running.id)
        if session.transcript is None:
            session.transcript = transcript_of(self.opened, session.chat, self.model.name, self.say)
        if origin == "user":
            self._abort_evaluation(session)
            self.hooks.status(session.id).reset_attempts()
            session.wish = wish or TurnWish()  # what an older message brought is seen no more
            self.hide(session.wish.secrets)
            self._add_variables(session)
        completion = Completion(origin)
        session.completion = completion
        kept = {**message, "id": message.get("id") or os.urandom(8).hex()}
        session.messages.append(kept)
        session.keep_shown(kept)
        session.tell("history-message", {"message": kept})
        session.timeline.begin(completion.id, origin, text_of(message))
        completion.task = self._spawn(self._complete(session, completion, text_of(message)))
        return completion

    def model_named(self, name: str) -> Model | None:
        """The model a message asks for; None for the host's own. UsageError when there is no such one."""
        if name in ("", self.model.name):
            return None
        if self._other_model is None:
            raise UsageError(f"unknown model `{name[:200]}`", f"there is `{self.model.name}`")
        return self._other_model(name)

    def hide(self, secrets: Mapping[str, str]) -> None:
        """Keeps these values, by the names of their variables, out of history, outputs and what is told."""
        self._secrets.learn(secrets)
        self.hooks.hide(secrets)
        if isinstance(self.engine.history, History):
            self.engine.history.hide(secrets)

    def _add_variables(self, session: Session) -> None:
        """What the session's start gave lasts as long as it does; what the message brought goes before it."""
        given = {} if session.loop is None else session.loop.variables
        self.engine.added[session.id] = {**given, **session.wish.environment}

    async def cancel(self, session_id: str) -> str | None:
        """Ends the completion, or else the evaluation, under way; the completion's id, None without any.

        Cancelling while only an evaluation runs aborts it.
        """
        session = self._sessions.get(session_id)
        if session is None or session.completion is None:
            return None
        if session.running is None and not session.evaluating:
            return None
        await self._stop(session)
        return session.completion.id

    def evaluate_soon(self, session_id: str) -> None:
        """Judges what is owed, unless a turn runs, which does so at its end."""
        session = self.session(session_id)
        if session.running is not None or session.evaluating:
            return
        session.evaluation = self._spawn(self._evaluate(session, "user"))

    async def _complete(self, session: Session, completion: Completion, prompt: str) -> None:
        def emit(chunk: Mapping[str, Any]) -> None:
            entry = completion.log.append("chunk", chunk, f"{completion.id}:{completion.log.last + 1}")
            session.tell("chunk", chunk, entry.id)

        stream = UiStream(os.urandom(8).hex(), emit)
        session.partial = stream.message
        stream.start()
        status, error = "failed", ""
        try:
            result = await self._turn(session, completion, prompt, stream)
            status = result.status
            error = "" if result.ended or result.status == "halted" else result.reason or result.status
        except asyncio.CancelledError:
            status, completion.cancelled = "cancelled", True
        except HooklineError as failure:
            error = failure.message
        except Exception as failure:  # a defect must end the stream, not leave its readers waiting
            error = f"a defect in hookline: {type(failure).__name__}: {failure}"
        self._ended(session, completion, stream, status, error)

    async def _turn(
        self, session: Session, completion: Completion, prompt: str, stream: UiStream
    ) -> TurnResult:
        if completion.origin == "user" and not self._known.are_fresh():
            self.hooks.refresh_when_idle()  # a person may have changed a hook, or accepted one, since
        loop = session.loop
        if loop is None:
            loop = session.loop = self._new_loop(session)
            await loop.start("resume" if session.chat.messages else "startup")
            self._add_variables(session)
        loop.use_mode("plan" if session.wish.mode == "plan" else self.mode)
        loop.model = session.wish.model or self.model
        loop.shared.requests = 0  # a session has no end, a turn has
        session.hear = stream.hear
        await self.hooks.begin(session.id)
        before = len(loop.messages)
        try:
            return await loop.submit(prompt, origin=completion.origin)
        finally:
            session.hear = unheard
            stream.settle(loop.messages[before:])

    def _new_loop(self, session: Session) -> TurnLoop:
        transcript = session.transcript
        assert transcript is not None  # begun with the first message
        self._permissions = read_permissions(self.opened, self.mode, self.say, self._permissions)
        return TurnLoop(
            self.engine, self.model, workspace=self.opened.place, session_id=session.id,
            permissions=self._permissions,
            system=with_instructions(SYSTEM, read_instructions(self.opened.place)),
            on_event=session.heard, max_turns=MAX_REQUESTS, messages=session.chat.messages,
            journal=transcript, transcript_path=transcript.path,
        )  # fmt: skip

    def _ended(
        self, session: Session, completion: Completion, stream: UiStream, status: str, error: str
    ) -> None:
        stream.finish("error" if error else "stop", error)
        if error:
            stream.message["metadata"] = {"kind": "turn-failed", "error": error}
        if stream.parts or error:
            session.messages.append(stream.message)
            session.keep_shown(stream.message)
        session.partial = None
        session.timeline.end(status, error)
        completion.log.close()
        session.tell("completion-end", {"completionId": completion.id, "status": status})
        if not completion.cancelled:
            judged = self._evaluate(session, completion.origin, answered=not error)
            session.evaluation = self._spawn(judged)

    # -- evaluations ---------------------------------------------------------------------------------------

    async def _evaluate(self, session: Session, origin: str, *, answered: bool = True) -> None:
        """Judges the file hooks, and begins the next completion when they want one."""
        verdict: FileHookVerdict | None = None
        ended = time.monotonic()
        await asyncio.sleep(GRACE_S if self.engine.hooks.of_kind(EventKind.FilesChanged) else 0)
        turn = session.timeline.begin_evaluation()
        session.tell("evaluation", {"evaluating": True})
        try:
            verdict = await self.hooks.evaluate(
                session.id,
                user_turn=origin == "user",
                phase=session.wish.phase,
                answered=answered,
                ended=ended,
            )
        except HooklineError as error:
            self.say(f"the file hooks of session {session.id} were not judged: {error.message}")
        finally:
            session.timeline.end_evaluation(turn, verdict)
            session.tell("evaluation", {"evaluating": False, "action": verdict and verdict.action})
        for words in verdict.messages if verdict is not None else ():
            session.tell("notice", {"text": words})
        if verdict is not None and verdict.action == "capped":
            self.say(verdict.messages[-1])
        if verdict is not None and verdict.reprompt is not None:
            card = self._secrets.value(failure_card(verdict))
            message = user_message(os.urandom(8).hex(), self._secrets.text(verdict.reprompt), card)
            session.evaluation = None
            self.start(session.id, message, origin="hook")
        elif session.loop is not None:
            self._spawn(self._wake(session, session.loop))

    async def _wake(self, session: Session, loop: TurnLoop) -> None:
        """Begins a completion when a background hook wakes the agent; one under way hears of it itself."""
        text = await loop.inbox.woken()
        if self._sessions.get(session.id) is not session:
            return  # it was deleted meanwhile
        if text and session.running is None and not session.evaluating:
            message = user_message(os.urandom(8).hex(), self._secrets.text(text))
            self.start(session.id, message, origin="hook")
        elif text:
            loop.inbox.add((text,))

    def _abort_evaluation(self, session: Session) -> None:
        if session.evaluation is not None:
            session.evaluation.cancel()
            session.evaluation = None

    async def _stop(self, session: Session) -> None:
        self._abort_evaluation(session)
        completion = session.running
        if completion is None or completion.task is None:
            return
        await asyncio.sleep(0)  # one cancelled before its first step would never end, as it never began
        completion.task.cancel()
        await asyncio.wait({completion.task}, timeout=CANCEL_WAIT_S)

    # -- news ------------------------------------------------------------------------------------------------

    def _hook_news(self, news: HookStarted | HookFinished) -> None:
        session = self._sessions.get(news.event.session_id)
        if session is None:
            return
        row = session.timeline.hear(news)
        if row is not None:
            session.tell("hook", self._secrets.value(dict(row)))

    def status_changed(self, session_id: str) -> None:
        """Tells those who follow the session."""
        session = self._sessions.get(session_id)
        if session is not None:
            status = self.hooks.status(session_id).read()
            session.tell("hooks-status", {"type": "data-hooks-status", "data": status})

    def hooks_changed(self) -> None:
        """Tells everybody that hooks, or what may run, are others on disk than before."""
        for session in self._sessions.values():
            session.tell("hooks-changed", {})

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.say(f"a turn failed: {task.exception()!r}")
