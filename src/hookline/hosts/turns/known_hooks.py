"""The hooks of a host that stays: read again once one of their files has changed, and who of them stopped running."""

from __future__ import annotations

import os
import time

from hookline.engine.hookset import HookSet
from hookline.engine.opening import Opened, reread_hooks
from hookline.installing import githooks
from hookline.model.errors import HooklineError, Warn
from hookline.model.events import EventKind
from hookline.model.hooks import HookSpec
from hookline.system.workspace.freshness import Freshness

TRUSTED = ("trusted", "managed")


class KnownHooks:
    """Of one workspace; `say` is given a line for each hook that has lost its trust since the last reading."""

    def __init__(self, opened: Opened, say: Warn) -> None:
        self._opened = opened
        self._say = say
        opened.trust.pin()
        self._unrun = {spec.id for spec in self._without_trust()}
        self._freshness = self._stands(0)  # nobody knows when they were read

    def are_fresh(self) -> bool:
        """Whether nothing that they and their trust were read from has changed."""
        return self._freshness.is_fresh(time.time_ns())

    def reread(self) -> HookSet:
        """The hooks as they are on disk now."""
        since_ns, hooks = time.time_ns(), reread_hooks(self._opened)
        off = self._without_trust()
        for spec in off:
            if spec.id not in self._unrun:
                words = "was changed and does not run until you `hookline trust` it"
                self._say(f"hook `{spec.name or spec.id}` ({spec.source}) {words}")
        self._unrun = {spec.id for spec in off}
        self._freshness = self._stands(since_ns)
        return hooks

    def _stands(self, since_ns: int) -> Freshness:
        """The state of their files, which have been read since then."""
        paths = (*self._opened.engine.hooks.looked_at, self._opened.paths.trust_file)
        return Freshness(paths, (), since_ns)

    def _without_trust(self) -> list[HookSpec]:
        """Those that are on and lack trust now."""
        trust = self._opened.engine.trust
        on = [spec for spec in self._opened.engine.hooks.specs if spec.enabled]
        lacking = ("untrusted", "modified")
        return [spec for spec in on if trust.state(spec) in lacking or not trust.still_reviewed(spec)]


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
