"""Bridged calls kept as they came and as they were answered, secrets taken out: for replaying them later."""

from __future__ import annotations

import os

from hookline.model.typing import Any, Mapping
from hookline.state.redaction import Redactor
from hookline.system.files import append_line, ensure_dir, read_text, remove, write_atomic

MOST_BYTES = 32 * 1024 * 1024
CALL_BYTES = 1024 * 1024
VARIABLE = "HOOKLINE_RECORD"


class Recordings:
    """The recordings of this user in `folder`: a switch, and one JSON object a line, oldest first.

    A line: `run` (the decision's id in the history; empty for a repeat), `at`, `agent`, `event` (native), `workspace`,
    `payload`, `answer` (`exit_code`, `stdout`). When the file has grown too big it becomes `calls.1.jsonl`, and
    the one before it goes.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.path = os.path.join(folder, "calls.jsonl")
        self._older = os.path.join(folder, "calls.1.jsonl")
        self._switch = os.path.join(folder, "on")

    def wanted(self, environment: Mapping[str, str]) -> bool:
        """Whether calls are recorded now: by the switch, or by `HOOKLINE_RECORD=1` of the caller."""
        given = environment.get(VARIABLE)
        return os.path.exists(self._switch) if not given else given not in ("0", "no", "off")

    def switch(self, on: bool) -> None:
        """Records every bridged call from now on, or no more. Raises StateError."""
        ensure_dir(self._folder, 0o700)
        if on:
            write_atomic(self._switch, b"", mode=0o600)
        else:
            remove(self._switch)

    def add(self, call: Mapping[str, Any], environment: Mapping[str, str]) -> None:
        """Keeps one call; one with a payload beyond a megabyte is left out. Raises StateError."""
        import json

        line = json.dumps(Redactor(environment).value(call), ensure_ascii=False)
        if len(line) > CALL_BYTES:
            return
        ensure_dir(self._folder, 0o700)
        append_line(self.path, line, 0o600)
        if os.path.getsize(self.path) > MOST_BYTES:
            os.replace(self.path, self._older)

    def calls(self) -> list[dict[str, Any]]:
        """What was recorded, oldest first; lines that are no JSON are left out."""
        return [*read_calls(self._older), *read_calls(self.path)]

    def answered_by(self, run: str) -> dict[str, Any] | None:
        """The call that the decision with this id answered; None where it was not recorded."""
        return next((call for call in reversed(self.calls()) if run and call.get("run") == run), None)

    def clear(self) -> None:
        """Forgets all of it."""
        remove(self.path)
        remove(self._older)


def read_calls(path: str) -> list[dict[str, Any]]:
    """The calls in one file of recordings; none when there is no such file."""
    import json

    found = read_text(path, 2 * MOST_BYTES)
    calls: list[dict[str, Any]] = []
    for line in found.text.splitlines() if found.state == "text" else ():
        try:
            call = json.loads(line) if line.startswith("{") else None
        except (ValueError, RecursionError):
            continue
        if isinstance(call, dict) and "agent" in call:
            calls.append(call)
    return calls
