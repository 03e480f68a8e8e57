"""From a command line of `hookline run` to its workspace, its model and its session."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hookline.agents.base import Model
from hookline.agents.models import open_model
from hookline.cli import common
from hookline.cli.render import duration, one_line
from hookline.engine.opening import Opened, open_engine
from hookline.engine.services import InFront
from hookline.hosts.tool_loop.sessions import LATEST, ToolSession, Wish, open_session
from hookline.model.errors import UsageError
from hookline.model.events import Event
from hookline.model.results import Decision, HookResult
from hookline.state.transcripts import TranscriptStore

if TYPE_CHECKING:
    from hookline.engine.services import Recorder


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


def debug_level(environment: Mapping[str, str]) -> int:
    """0 for none, 1 for which hooks matched and why not, 2 for what they were given and said as well."""
    values = [environment.get(name, "") for name in ("GEN_DEBUG", "GEN_DEBUG_HOOKS")]
    return max(
        min(int(value[:9]), 2) if value.isascii() and value.isdigit() else int(bool(value))
        for value in values
    )


class DebugLines(InFront):
    """A recorder that tells of every decision and hands it on to the history."""

    def __init__(self, level: int, history: Recorder | None) -> None:
        super().__init__(history)
        self._level = level

    def record(self, event: Event, decision: Decision, workspace: str) -> object:
        subject = event.get("tool_name") or ""
        common.say(f"[hooks] {event.kind.value} {subject}: {decision.verdict.word}".replace(" :", ":"))
        for result in decision.results:
            if result.spec.kind == event.kind:
                self._tell(result)
        return super().record(event, decision, workspace)

    def _tell(self, result: HookResult) -> None:
        raw = result.raw
        if raw is None:
            common.say(f"[hooks]   {result.spec.id}: {result.status.value}: {result.why}")
            return
        took = duration(raw.timings.total)
        common.say(f"[hooks]   {result.spec.id}: {result.status.value}, exit {raw.exit_code}, {took}")
        if self._level > 1:
            common.say(f"[hooks]     command: {one_line(raw.command or result.spec.command, 500)}")
            for name, text in (("stdout", raw.stdout), ("stderr", raw.stderr)):
                if text.strip():
                    common.say(f"[hooks]     {name}: {one_line(text, 500)}")
