"""Recorded calls once more, by today's hooks: which of them would be answered otherwise."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hookline.hosts.bridge import answer_now
from hookline.hosts.bridge.call import Call
from hookline.model.record import Record
from hookline.model.short_json import json_or
from hookline.system import files
from hookline.system.clock import monotonic


class Replayed(Record):
    """One call: as it was answered, and as it is now. `notes` is what hookline said about it."""

    call: Mapping[str, Any]
    before: Mapping[str, Any]
    now: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether the agent would read something else; how its JSON is spaced does not count."""
        return meaning(self.before) != meaning(self.now)


def replay(calls: Iterable[Mapping[str, Any]], environment: Mapping[str, str]) -> Iterator[Replayed]:
    """Runs the hooks of each call again, for real, in the workspace it came from.

    They have a state of their own that is thrown away: nothing counts as reported before, no stop as blocked.
    """
    state = os.path.join(files.temporary_dir(), f"hookline-replay-{os.getpid()}")
    try:
        for call in calls:
            yield _replayed(call, {**environment, "XDG_STATE_HOME": state, "HOOKLINE_RECORD": "0"})
            files.remove_tree(state)
    finally:
        files.remove_tree(state)


def meaning(answer: Mapping[str, Any]) -> tuple[object, object]:
    """What an agent makes of an answer."""
    text = str(answer.get("stdout") or "")
    return answer.get("exit_code") or 0, json_or(text, text) if text.strip() else None


def _replayed(call: Mapping[str, Any], environment: Mapping[str, str]) -> Replayed:
    said: list[str] = []
    place = str(call.get("workspace") or "")
    repeated = Call(
        str(call["agent"]), str(call.get("event") or ""), json.dumps(call.get("payload") or {}).encode(),
        environment, place, place if os.path.isdir(place) else "", monotonic(),
    )  # fmt: skip
    response, _ = answer_now(repeated, said.append, lambda _: None)
    now = {"exit_code": response.exit_code, "stdout": response.stdout}
    return Replayed(call, call.get("answer") or {}, now, tuple(said))
