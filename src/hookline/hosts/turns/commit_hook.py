"""At the start of a service: git is made to run the workspace's pre-commit hooks (Discobot)."""

from __future__ import annotations

import os

from hookline.engine.opening import Opened
from hookline.installing import githooks
from hookline.model.errors import HooklineError, Warn
from hookline.model.events import EventKind

TRUSTED = ("trusted", "managed")


async def ensure_commit_hook(opened: Opened, say: Warn) -> None:
    """Installs the git hook when trusted pre-commit hooks are there and it is not.

    Only inside of git's own folder: what a project keeps under version control, as husky's files, is left
    for `hookline install git`. Trouble is said, and keeps nothing from starting.
    """
    specs = opened.engine.hooks.of_kind(EventKind.PreCommit)
    if not any(spec.enabled and opened.trust.state(spec) in TRUSTED for spec in specs):
        return
    try:
        plan = await githooks.plan_install(opened.place)
        if not plan.changes:
            return
        if not all(".git" in change.path.split(os.sep) for change in plan.changes):
            say("pre-commit hooks are not called by git yet: `hookline install git` changes that")
            return
        githooks.apply(plan)
        fault = await githooks.probe(opened.place)
    except (HooklineError, OSError) as error:
        say(f"pre-commit hooks are not called by git: {getattr(error, 'message', error)}")
        return
    say(f"pre-commit hooks are not called by git: {fault}" if fault else "git now calls the pre-commit hooks")
