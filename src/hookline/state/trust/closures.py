"""What hooks run, hashed again only when a file of theirs may have changed since it was hashed last."""

from __future__ import annotations

import os
import time

from hookline.model.hooks import HookSpec
from hookline.model.record import Record, replace
from hookline.model.typing import Any, Callable
from hookline.state.trust.fingerprint import Closure, closure, runs_workspace_code, sha256
from hookline.system.workspace.freshness import Freshness

ASKED_IN_ONE_CALL = 2  # for the plan, and right before the start; most processes end after that
_OF_NOTHING = sha256(b"")
KEPT_BYTES = 1 << 18  # of one hook's files; larger ones are read each time


class Kept(Record):
    """What was found out about a hook, and whether its files still are what they were then."""

    spec: HookSpec
    value: Any
    asked: int
    freshness: Freshness | None


class Closures:
    """Of the hooks of one workspace."""

    def __init__(self, workspace: str) -> None:
        self._workspace = workspace
        self._kept: dict[tuple[str, str], Kept] = {}

    def is_pinned(self, spec: HookSpec) -> bool:
        """Whether the user's own settings answer for it.

        A user's hook that starts a program of the workspace is as much the workspace's as the user's.
        """
        if spec.scope != "user":
            return False
        return not self._known("runs", spec, lambda: runs_workspace_code(spec, self._workspace))

    def read(self, spec: HookSpec) -> Closure:
        """The content trust is bound to, with the bytes of its files."""
        return closure(spec, self._workspace, in_workspace=not self.is_pinned(spec))

    def checked(self, spec: HookSpec) -> Closure:
        """The same; its bytes may have been left out."""
        found: Closure = self._known("closure", spec, lambda: _worth_keeping(self.read(spec)))
        return found

    def whole(self, spec: HookSpec) -> Closure:
        """As `checked`, with the bytes."""
        found = self.checked(spec)
        return found if _is_whole(found) else self.read(spec)

    def _known(self, kind: str, spec: HookSpec, find_out: Callable[[], Any]) -> Any:
        kept, now = self._kept.get((kind, spec.id)), time.time_ns()
        if kept is not None and kept.spec is not spec:
            kept = None
        if kept is not None and (not spec.files or (kept.freshness and kept.freshness.is_fresh(now))):
            return kept.value
        value = find_out()
        asked = 1 if kept is None else kept.asked + 1
        freshness = self._freshness(spec, now) if asked > ASKED_IN_ONE_CALL else None
        self._kept[kind, spec.id] = Kept(spec, value, asked, freshness)
        return value

    def _freshness(self, spec: HookSpec, since_ns: int) -> Freshness | None:
        from hookline.system.workspace.freshness import Freshness

        found = Freshness((os.path.join(self._workspace, name) for name in spec.files), (), since_ns)
        return found if found.is_settled else None


def _is_whole(found: Closure) -> bool:
    return all(mark.content or mark.digest in ("", _OF_NOTHING) for mark in found.files)


def _worth_keeping(found: Closure) -> Closure:
    if sum(len(mark.content) for mark in found.files) <= KEPT_BYTES:
        return found
    return replace(found, files=tuple(replace(mark, content=b"") for mark in found.files))
