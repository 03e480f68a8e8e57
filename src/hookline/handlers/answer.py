"""Hooks that run nothing: their answer stands in their config, or they cannot run; it costs nothing either way."""

from __future__ import annotations

import time

from hookline.handlers.base import Around
from hookline.model.hooks import Answer, HandlerInput, HookSpec, Unusable
from hookline.model.results import RawResult
from hookline.system.clock import now


async def run_answer(action: Answer, spec: HookSpec, given: HandlerInput, around: Around) -> RawResult:
    """The answer as it stands; the dialect says what it means for the event."""
    return RawResult(exit_code=0, status_code=0, command=spec.command, started_at=now())


async def run_unusable(action: Unusable, spec: HookSpec, given: HandlerInput, around: Around) -> RawResult:
    """A launch failure in the words of whoever found the fault."""
    return RawResult(launch_error=action.why, status_code=126, command=spec.command, started_at=time.time())
