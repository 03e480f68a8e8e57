"""Runs that ended with their hookline, killed outright: whoever starts next keeps them in the history."""

from __future__ import annotations

from hookline.engine.loading import load_hooks, places_for
from hookline.model.errors import Warn
from hookline.model.events import event_from_payload, find_kind
from hookline.model.results import Decision, HookResult, Status
from hookline.model.short_json import json_or
from hookline.model.typing import Any
from hookline.state.history import History
from hookline.system.processes.orphans import Leftovers

WHY = "hookline was killed while it ran"


def keep_unfinished(found: Leftovers, history: History, warn: Warn) -> None:
    """Says what processes a sweep ended, and keeps each run that was under way as a decision without a verdict."""
    if found.processes:
        count = len(found.processes)
        warn(
            f"ended {count} {'process' if count == 1 else 'processes'} that a killed hookline had left running"
        )
    for line in found.under_way:
        try:
            _keep(json_or(line), history)
        except (KeyError, TypeError, ValueError):
            continue  # cut off as it was written


def _keep(said: Any, history: History) -> None:
    kind = find_kind(said["event"])
    if kind is None:
        return  # of another version
    event = event_from_payload(
        kind, {"tool_name": said["tool"], "session_id": said["session"]},
        host=said["host"], at=float(said["at"]), workspace=said["workspace"],
    )  # fmt: skip
    known = {spec.id: spec for spec in load_hooks(places_for(said["workspace"])).specs}
    begun = [known[name] for name, _, _ in said["hooks"] if name in known]
    results = tuple(HookResult(spec, Status.cancelled, WHY) for spec in begun)
    guards = (
        f"guard `{name or hook}` did not decide: {WHY}" for hook, name, guards in said["hooks"] if guards
    )
    decision = Decision(kind, degraded=tuple(guards), results=results, run_id=said["run"])
    history.record(event, decision, said["workspace"])
