"""From a command line of `hookline run` to its workspace, its model and its session."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from hookline.agents.base import Model
from hookline.agents.models import open_model
from hookline.cli import common
from hookline.cli.debug import DebugLines, debug_level
from hookline.engine.opening import Opened, open_engine
from hookline.hosts.tool_loop.sessions import LATEST, ToolSession, Wish, open_session
from hookline.model.errors import UsageError
from hookline.state.transcripts import TranscriptStore


def open_for(options: Namespace) -> tuple[Opened, Wish]:
    """The workspace and what the session shall be like."""
    workspace = common.workspace_of(options.workspace)
    opened = open_engine(workspace, warn=common.warn, place=common.place_of(options.workspace))
    if options.session and TranscriptStore(opened.paths.transcripts, common.warn).exact(options.session):
        hint = f"`hookline run --resume {options.session}` goes on with it"
        raise UsageError(f"there is a session `{options.session}` already", hint)
    if level := debug_level(opened.engine.environment):
        opened.engine.provide(history=DebugLines(level, opened.engine.history))
    common.begin_guarded(opened, options.untrusted)
    wish = Wish(
        session_id=options.session,
        resume=LATEST if options.latest else options.resume,
        mode=options.permission_mode or "default",
        max_turns=options.max_turns,
        context_tokens=options.context_tokens,
    )
    return opened, wish


def model_for(options: Namespace, opened: Opened) -> Model:
    """The model of a command line."""
    return open_model(options.model, opened.engine.environment, options.base_url, options.record)


def session_for(
    options: Namespace, opened: Opened, model: Model, wish: Wish, on_event: Any, ask: Any
) -> ToolSession:
    """The session of a command line; prompt hooks may ask for other models of the same provider."""
    provider = options.model.partition(":")[0]

    def other(name: str) -> Model:
        return model_for(Namespace(**{**vars(options), "model": f"{provider}:{name}"}), opened)

    return open_session(
        opened,
        model,
        wish,
        on_event=on_event,
        ask=ask,
        other_model=None if provider == "scripted" else other,
        warn=common.warn,
    )
