"""Background hooks of a bridged call: a process of their own runs them, so that the agent need not wait."""

from __future__ import annotations

import json
from collections.abc import Mapping

from hookline.engine.opening import open_engine
from hookline.hosts.tool_loop.inbox import late_texts, wakes
from hookline.hosts.user_judge import give_judge
from hookline.model.events import Event, event_from_payload, find_kind, payload_of
from hookline.model.hooks import HookSpec
from hookline.model.record import replace
from hookline.model.rendering import plain
from hookline.model.results import Decision
from hookline.state.undelivered import Waiting
from hookline.system.processes.detached import own_command, start_detached


def start_elsewhere(spec: HookSpec, event: Event, environment: Mapping[str, str], agent: str) -> None:
    """Starts a process that runs this one background hook, and does not wait. Raises OSError."""
    task = {
        "hook": spec.id, "host": event.host, "workspace": event.workspace, "at": event.at,
        "kind": event.kind.value, "payload": plain(payload_of(event)),
    }  # fmt: skip
    words = own_command("bridge", agent, "--background")
    start_detached(words, json.dumps(task).encode(), environment, event.workspace or "/")


def run_background(text: str, environment: Mapping[str, str]) -> int:
    """Runs the one hook a starter handed over; what it says waits for the agent's next event."""
    task = json.loads(text)
    kind = find_kind(task["kind"])
    assert kind is not None
    event = event_from_payload(
        kind, task["payload"], workspace=task["workspace"], host=task["host"], at=task["at"]
    )
    opened = open_engine(task["workspace"], environment=environment)
    engine, history = opened.engine, opened.engine.history
    engine.replace_hooks(opened.hooks.with_specs(lambda spec: spec.id == task["hook"]))
    engine.provide(history=None)
    give_judge(opened)
    engine.fire_now(event)
    results = engine.take_background()
    decision = Decision(
        kind, results=results, contexts=tuple(text for result in results for text in late_texts(result))
    )
    decision = replace(decision, duration_s=sum(r.raw.timings.total for r in results if r.raw))
    if history is not None:
        history.record(event, decision, event.workspace)
    waiting = Waiting(opened.paths.waiting)
    for result in results:
        waiting.put(event.session_id, tuple(late_texts(result)), waking=wakes(result))
    return 0
