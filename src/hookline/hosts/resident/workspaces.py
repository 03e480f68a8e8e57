"""Opened workspaces that are kept between calls, for as long as nothing changes that they were made from."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

from hookline.dialects import places_to_look
from hookline.engine.loading import places_for
from hookline.hosts.bridge import Workspace, open_workspace
from hookline.hosts.bridge.call import Call
from hookline.hosts.resident.frames import Request
from hookline.model.record import Record
from hookline.system.workspace.freshness import Freshness

MOST_WORKSPACES = 64


class Kept(Record):
    """An opened workspace, and what tells whether it still holds."""

    workspace: Workspace
    freshness: Freshness


class Workspaces:
    """Workspaces by agent, folder and the caller's environment, each as it is on disk."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, bytes], Kept] = {}
        self._environments: dict[bytes, Mapping[str, str]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def environment(self, request: Request) -> Mapping[str, str]:
        """The caller's environment, read once for the same bytes."""
        found = self._environments.get(request.variables)
        if found is None:
            if len(self._environments) >= MOST_WORKSPACES:
                self._environments.clear()
            found = self._environments[request.variables] = request.environment
        return found

    def opened(self, call: Call, workspace: str, variables: bytes) -> Workspace:
        """The workspace as it is on disk now. Raises whatever opening it raises."""
        key, now = (call.agent, workspace, variables), time.time_ns()
        kept = self._kept.get(key)
        if kept is not None:
            if kept.freshness.is_fresh(now):
                return kept.workspace
            self._drop(key)
        opened = open_workspace(call, workspace, lambda _: None)
        freshness = _freshness(opened, workspace, now)
        if freshness.is_settled:
            if len(self._kept) >= MOST_WORKSPACES:
                self._drop(next(iter(self._kept)))
            self._kept[key] = Kept(opened, freshness)
        return opened

    def _drop(self, key: tuple[str, str, bytes]) -> None:
        """A call that still uses it opens the history anew."""
        self._kept.pop(key).workspace.history.close()


def _freshness(opened: Workspace, workspace: str, since_ns: int) -> Freshness:
    """Of all that was looked at to open it, and of all that hooks name."""
    hooks, places = opened.opened.hooks, places_for(workspace, dict(opened.opened.engine.environment))
    named = [os.path.join(workspace, name) for spec in hooks.specs for name in spec.files]
    looked_at = (opened.opened.paths.trust_file, *hooks.looked_at, *named)
    return Freshness(looked_at, places_to_look(places), since_ns)
