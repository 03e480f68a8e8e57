"""Why a hook could not start, found out only when one did not."""

from __future__ import annotations

import os

from hookline.engine.opening import Opened
from hookline.model.hooks import HookSpec


def explain_failed_starts(opened: Opened) -> None:
    """Lets the engine say of exit 126 and 127 what `doctor` says of that hook."""
    engine = opened.engine

    def why(spec: HookSpec) -> str:
        from hookline.checking.starting import why_not_started

        home, path = (engine.environment.get(name, "") for name in ("HOME", "PATH"))
        return why_not_started(engine.hooks, spec, home, path or os.defpath)

    engine.provide(why_not_started=why)
