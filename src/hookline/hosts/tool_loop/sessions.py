"""Opens a session of the tool loop: new, the latest one, or a named one, with its transcript."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from hookline.agents.base import Model, OnEvent
from hookline.engine.filehooks import FileHooks
from hookline.engine.opening import Opened
from hookline.hosts.judge import Judge
from hookline.hosts.tool_loop.host import CONTEXT_TOKENS, DEFAULT_MAX_TURNS, SYSTEM, ToolLoop
from hookline.hosts.tool_loop.instructions import Instructions, read_instructions, with_instructions
from hookline.hosts.tool_loop.permission_settings import read_permissions
from hookline.hosts.tool_loop.rounds import Rounds
from hookline.model.errors import UsageError, Warn, unheard
from hookline.model.events import EventKind, Plain
from hookline.model.record import Record
from hookline.state.transcripts import Kept, Transcript, TranscriptStore

LATEST = ""


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
            await self.loop.fire(EventKind.InstructionsLoaded, Plain(), extra)


def open_session(
    opened: Opened,
    model: Model,
    wish: Wish,
    *,
    on_event: OnEvent = unheard,
    ask: Any = None,
    other_model: Callable[[str], Model] | None = None,
    warn: Warn = unheard,
) -> ToolSession:
    """Makes the loop; nothing is fired yet. Raises UsageError when there is no session to resume."""
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
        permissions=read_permissions(opened, wish.mode, warn),
        on_event=on_event,
        ask=ask,
        max_turns=wish.max_turns,
        context_tokens=wish.context_tokens,
        messages=store.messages(kept) if kept else (),
        journal=transcript,
        transcript_path=transcript.path,
        system=with_instructions(wish.system or SYSTEM, instructions),
    )
    file_hooks = FileHooks(opened.engine, opened.paths)
    source = "resume" if kept else "startup"
    session = ToolSession(loop, Rounds(loop, file_hooks), transcript, store, source)
    session.instructions = instructions
    return session


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
