"""Answers for a hook that was configured but cannot run."""

from __future__ import annotations

import time

from hookline.handlers.base import Around
from hookline.model.hooks import HandlerInput, HookSpec, Unusable
from hookline.model.results import RawResult


async def run_unusable(action: Unusable, spec: HookSpec, given: HandlerInput, around: Around) -> RawResult:
    """A launch failure in the words of whoever found the fault."""
    return RawResult(launch_error=action.why, status_code=126, command=spec.command, started_at=time.time())
