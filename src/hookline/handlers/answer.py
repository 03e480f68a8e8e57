"""A hook that runs nothing: its answer stands in its config, so it cannot fail, and costs nothing."""

from __future__ import annotations

from hookline.handlers.base import Around
from hookline.model.hooks import Answer, HandlerInput, HookSpec
from hookline.model.results import RawResult
from hookline.system.clock import now


async def run_answer(action: Answer, spec: HookSpec, given: HandlerInput, around: Around) -> RawResult:
    """The answer as it stands; the dialect says what it means for the event."""
    return RawResult(exit_code=0, status_code=0, command=spec.command, started_at=now())
