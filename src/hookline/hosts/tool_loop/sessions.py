"""A session of the tool loop is opened (new, the latest one, or a named one), and its user turns with their ends."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from hookline.agents.base import AgentReply, AgentUpdate, Model, ModelError, OnEvent, OnUpdate
from hookline.engine import Engine
from hookline.engine.filehooks import FileHooks
from hookline.engine.opening import Opened
from hookline.hosts.tool_loop.host import CONTEXT_TOKENS, DEFAULT_MAX_TURNS, SYSTEM, ToolLoop, TurnResult
from hookline.hosts.tool_loop.permissions import Permissions, read_permissions
from hookline.hosts.tool_loop.toolbox import Toolbox
from hookline.hosts.user_judge import Judge
from hookline.model.errors import UsageError, Warn, unheard
from hookline.model.events import EventKind, Plain
from hookline.model.record import Record, replace
from hookline.state.paths import Paths
from hookline.state.transcripts import Kept, Transcript, TranscriptStore
from hookline.system.files import read_text

LATEST = ""
NAMES = ("AGENTS.md", "CLAUDE.md", "GEN.md")
SIZE_LIMIT = 64 << 10
SILENCE = "the agent answered with nothing at all; often its login is missing"


class Wish(Record):
    """What a session shall be like. `resume`: None for a new one, `LATEST`, or an id or its beginning."""

    session_id: str = ""
    resume: str | None = None
    mode: str = "default"
    max_turns: int = DEFAULT_MAX_TURNS
    context_tokens: int = CONTEXT_TOKENS
    system: str = ""


@dataclass(eq=False)
class ToolSession:
    """A loop with its rounds and its transcript; `source` is what SessionStart shall say."""

    loop: ToolLoop
    rounds: Rounds
    transcript: Transcript
    store: TranscriptStore
    source: str
    instructions: tuple[Instructions, ...] = ()

    @property
    def id(self) -> str:
        return self.loop.session_id

    async def start(self, source: str = "") -> None:
        """Fires SessionStart, and InstructionsLoaded for each file the system prompt has."""
        await self.loop.start(source or self.source)
        for each in self.instructions:
            extra = {"file_path": each.path, "memory_type": "Project", "load_reason": "session_start"}
            await self.loop.fire(EventKind.InstructionsLoaded, Plain(), extra=extra)


def open_session(
    opened: Opened,
    model: Model,
    wish: Wish,
    *,
    on_event: OnEvent = unheard,
    ask: Any = None,
    other_model: Callable[[str], Model] | None = None,
    warn: Warn = unheard,
    permissions: Permissions | None = None,
) -> ToolSession:
    """Makes the loop; nothing is fired yet. Raises UsageError when there is no session to resume.

    `permissions` are read from the settings where a host of several sessions has not done so.
    """
    engine, workspace = opened.engine, opened.place
    store = TranscriptStore(opened.paths.transcripts, warn)
    kept = None if wish.resume is None else _resumed(store, wish.resume, workspace)
    session_id = kept.id if kept else wish.session_id or str(uuid4())
    transcript = store.begin(session_id, workspace, model.name)
    if engine.services.complete is None:
        engine.provide(complete=Judge(model, workspace, engine.environment, other_model))
    instructions = read_instructions(workspace)
    loop = ToolLoop(
        engine,
        model,
        workspace=workspace,
        session_id=session_id,
        permissions=permissions or read_permissions(opened, wish.mode, warn),
        on_event=on_event,
        ask=ask,
        max_turns=wish.max_turns,
        context_tokens=wish.context_tokens,
        messages=store.messages(kept) if kept else (),
        journal=transcript,
        transcript_path=transcript.path,
        system=with_instructions(wish.system or SYSTEM, instructions),
    )
    rounds = Rounds(loop, FileHooks(opened.engine, opened.paths, warn=warn))
    return ToolSession(loop, rounds, transcript, store, "resume" if kept else "startup", instructions)


def _resumed(store: TranscriptStore, wanted: str, workspace: str) -> Kept:
    if wanted == LATEST:
        found = store.list(workspace)
        if not found:
            raise UsageError(f"no earlier session in {workspace}", "leave out `--continue` to begin one")
        return found[0]
    kept = store.find(wanted)
    if kept is None:
        raise UsageError(f"no session `{wanted}`", "`hookline sessions list` lists them")
    if os.path.realpath(kept.workspace) != os.path.realpath(workspace):
        raise UsageError(
            f"session `{kept.id}` belongs to {kept.workspace}", f"`--workspace {kept.workspace}`"
        )
    return kept


class Instructions(Record):
    """One file of instructions."""

    path: str
    text: str


def read_instructions(workspace: str) -> tuple[Instructions, ...]:
    """Those in the root of the workspace; a name that leads to the same file as another counts once."""
    found: dict[str, Instructions] = {}
    for name in NAMES:
        path = os.path.join(workspace, name)
        given = read_text(path, SIZE_LIMIT)
        if given.state == "text":
            found.setdefault(given.real_path, Instructions(path, given.text))
    return tuple(found.values())


def with_instructions(system: str, instructions: Sequence[Instructions]) -> str:
    """The system prompt with the project's own words below it."""
    parts = [f"{os.path.basename(each.path)} of this project says:\n\n{each.text}" for each in instructions]
    return "\n\n".join((system, *parts))


class Rounds:
    """Turns of one loop, each until its files are clean or the attempts of the file hooks are used up.

    Without `file_hooks` their state is kept where the engine's environment says.
    """

    def __init__(self, loop: ToolLoop, file_hooks: FileHooks | None = None) -> None:
        self.loop = loop
        paths = Paths.from_environment(loop.engine.environment)
        self.file_hooks = file_hooks or FileHooks(loop.engine, paths)

    async def to_the_end(self, prompt: str, *, first: Sequence[str] = ()) -> TurnResult:
        """`submit`, and what background hooks wake the agent for afterwards.

        Waits for hooks that may still wake it; for hosts at whose turn's end nobody else could hear of it.
        """
        result = await self.submit(prompt, first=first)
        while result.ended and (text := await self.loop.inbox.woken()):
            result = await self.submit(text, origin="hook")
        return result

    async def submit(self, prompt: str, *, origin: str = "user", first: Sequence[str] = ()) -> TurnResult:
        """One turn and what its files ask for; `origin` and `first` as in `ToolLoop.submit`."""
        await self.file_hooks.begin(self.loop.session_id)
        result = await self.loop.submit(prompt, origin=origin, first=first)
        user_turn = origin == "user"
        while result.ended and self.loop.engine.hooks.of_kind(EventKind.FilesChanged):
            verdict = await self.file_hooks.evaluate(self.loop.session_id, user_turn=user_turn)
            for message in verdict.messages:
                self.loop.tell("message", role="hook", text=message)
            if verdict.reprompt is None:
                quiet = verdict.action in ("none", "inconclusive")
                given_up = verdict.action == "capped" or (not user_turn and quiet)
                return _unresolved(result, verdict.pending) if given_up and verdict.pending else result
            result = await self.loop.submit(verdict.reprompt, origin="hook")
            user_turn = False
        return result


def _unresolved(result: TurnResult, pending: Sequence[str]) -> TurnResult:
    words = f"file hooks still fail: {', '.join(pending)}"
    return replace(result, status="unresolved", reason=words)


@dataclass(eq=False)
class ModelAgent:
    """Each agent session is a conversation of its own; hooks see them all as `session_id`.

    `toolbox` holds the session's own tools beside the usual ones. A turn that does not complete is a
    ModelError, and so is one without a word or a tool call.
    """

    engine: Engine
    model: Model
    toolbox: Toolbox
    session_id: str
    permissions: Permissions | None = None
    on_event: OnEvent = unheard
    _loops: dict[str, Rounds] = field(default_factory=dict, init=False)
    _sounds: int = field(default=0, init=False)

    @property
    def name(self) -> str:
        return self.model.name

    async def new_session(self, cwd: str, mcp_servers: Sequence[Mapping[str, Any]] = ()) -> str:
        """A fresh conversation; `mcp_servers` are in the toolbox already."""
        loop = ToolLoop(
            self.engine,
            self.model,
            workspace=cwd,
            session_id=self.session_id,
            toolbox=self.toolbox,
            permissions=self.permissions,
            system=with_instructions(SYSTEM, read_instructions(cwd)),
            on_event=self._heard,
        )
        self._loops = {f"{self.session_id}-{len(self._loops) + 1}": Rounds(loop)}
        return next(iter(self._loops))

    async def prompt(
        self, session: str, texts: Sequence[str], on_update: OnUpdate | None = None
    ) -> AgentReply:
        self._sounds = 0
        result = await self._loops[session].to_the_end(texts[-1], first=texts[:-1])
        if not result.ok:
            raise ModelError(result.reason or f"the turn ended: {result.status}")
        if not self._sounds:
            raise ModelError(SILENCE)
        if on_update is not None and result.text:
            await on_update(AgentUpdate("text", result.text))
        return AgentReply(result.text)

    async def close(self) -> None:
        self._loops.clear()

    def _heard(self, fields: Mapping[str, Any]) -> None:
        if fields["type"] == "tool.asked" or (
            fields["type"] == "message" and fields["role"] == "assistant" and fields["text"]
        ):
            self._sounds += 1
        self.on_event(fields)
