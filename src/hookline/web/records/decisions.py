"""The newest decisions of the history in memory, so that filters and counts over thousands of them are quick."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hookline.model.record import Record
from hookline.state.history import History

MOST = 20_000
DURATIONS = 1_000
PAGE = 100
FIELDS = ("session", "event", "verdict", "agent", "tool", "workspace")
_ROWS = """
    SELECT n, run, at, session, event, workspace, verdict, hooks,
        json_extract(object, '$.reason'), json_extract(object, '$.host'), json_extract(object, '$.duration_ms'),
        json_extract(object, '$.asked.tool'), json_extract(object, '$.asked.summary'),
        json_array_length(object, '$.degraded')
    FROM runs WHERE n > ? AND workspace GLOB ? ORDER BY n
"""


class Counts:
    """How one hook did in one workspace, as far as it is remembered. Times in seconds since the epoch."""

    def __init__(self) -> None:
        self.runs = self.failures = self.denials = self.timeouts = 0
        self.durations_ms: deque[float] = deque(maxlen=DURATIONS)
        self.last_at = 0.0
        self.last_run = self.last_passed_run = self.first_failed_run = ""
        self.last_passed_at = self.first_failed_at = 0.0
        self.last_state = ""

    def take(self, row: Mapping[str, Any], hook: Mapping[str, Any]) -> None:
        """One more run."""
        denies = hook["verdict"] in ("deny", "halt")
        self.runs += 1
        self.failures += hook["failed"]
        self.denials += denies
        self.timeouts += hook["status"] == "timed_out"
        self.durations_ms.append(hook["durationMs"])
        self.last_at, self.last_run = row["at"], row["run"]
        self.last_state = "denied" if denies else "failed" if hook["failed"] else "passed"
        if self.last_state == "passed":
            self.last_passed_at, self.last_passed_run = row["at"], row["run"]
            self.first_failed_at, self.first_failed_run = 0.0, ""
        elif self.last_state == "failed" and not self.first_failed_run:
            self.first_failed_at, self.first_failed_run = row["at"], row["run"]

    def shown(self) -> dict[str, Any]:
        """As JSON; p50 and p95 in milliseconds, of the newest runs."""
        ordered = sorted(self.durations_ms)
        return {
            "runs": self.runs, "failures": self.failures, "denials": self.denials, "timeouts": self.timeouts,
            "p50Ms": _share(ordered, 0.5), "p95Ms": _share(ordered, 0.95), "lastAt": self.last_at,
            "lastRun": self.last_run, "lastState": self.last_state, "lastPassedAt": self.last_passed_at,
            "lastPassedRun": self.last_passed_run, "firstFailedAt": self.first_failed_at,
            "firstFailedRun": self.first_failed_run,
        }  # fmt: skip


class Wish(Record):
    """Which decisions are wanted. Empty fields ask for nothing; `before` is the number to go on below."""

    fields: Mapping[str, str] = {}
    hook: str = ""
    text: str = ""
    failed: bool = False
    since: float = 0.0
    until: float = 0.0
    before: int = 0
    limit: int = PAGE


class Decisions:
    """The newest decisions of one workspace, or of all (`workspace` empty); `refresh` takes in what is new."""

    def __init__(self, history: History, workspace: str = "") -> None:
        self.history = history
        self._pattern = _literal(workspace) if workspace else "*"
        self._rows: deque[dict[str, Any]] = deque(maxlen=MOST)
        self._counts: dict[tuple[str, str], Counts] = {}
        self._last = -1
        self._file: object = None

    @property
    def last(self) -> int:
        """The number of the newest decision that was taken in."""
        return max(self._last, 0)

    def refresh(self) -> list[dict[str, Any]]:
        """Takes in what was recorded since, by any process; those decisions, oldest first."""
        newest = self.history.last_number()
        if self._last < 0 or self._file != self.history.database.file:  # deleted, or put aside as broken
            self._rows.clear()
            self._counts.clear()
            self._file, self._last = self.history.database.file, max(0, newest - MOST)
        found = [_row(values) for values in self.history.rows(_ROWS, (self._last, self._pattern))]
        for row in found:
            self._rows.append(row)
            for hook in row["hooks"]:
                if hook["ran"]:
                    self._counts.setdefault((row["workspace"], hook["id"]), Counts()).take(row, hook)
        if found:
            self._last = found[-1]["n"]
        return found

    def after(self, number: int) -> list[dict[str, Any]]:
        """What was taken in behind that number, oldest first."""
        found = []
        for row in reversed(self._rows):
            if row["n"] <= number:
                break
            found.append(row)
        return found[::-1]

    def counts(self, workspace: str, hook_id: str) -> dict[str, Any]:
        """How a hook did."""
        return self._counts.get((workspace, hook_id), Counts()).shown()

    def find(self, wish: Wish) -> tuple[list[dict[str, Any]], int]:
        """A page of what is wanted, newest first, and how many there are in all."""
        fitting = [row for row in reversed(self._rows) if _fits(row, wish)]
        below = [row for row in fitting if not wish.before or row["n"] < wish.before]
        return below[: wish.limit], len(fitting)

    def choices(self) -> dict[str, list[str]]:
        """The values that the fields have, for filters; the newest first."""
        found: dict[str, dict[str, None]] = {name: {} for name in FIELDS}
        for row in reversed(self._rows):
            for name, values in found.items():
                if row[name] and len(values) < PAGE:
                    values[row[name]] = None
        return {name: list(values) for name, values in found.items()}

    def workspaces(self) -> tuple[str, ...]:
        """Where decisions were made, the newest first."""
        return tuple(dict.fromkeys(row["workspace"] for row in reversed(self._rows) if row["workspace"]))


def _row(values: Iterable[Any]) -> dict[str, Any]:
    """One decision; hooks that are switched off were not asked, and hookline's own entries always are."""
    n, run, at, session, event, place, verdict, text, reason, host, took, tool, summary, lost = values
    hooks = [hook for hook in _hooks(text) if hook["status"] != "disabled"]
    return {
        "n": n, "run": run, "at": at, "session": session, "event": event, "workspace": place, "verdict": verdict,
        "failed": any(hook["failed"] for hook in hooks), "reason": reason or "", "agent": host or "hookline",
        "durationMs": took, "tool": tool or "", "summary": summary or "", "degraded": lost or 0, "hooks": hooks,
    }  # fmt: skip


def _hooks(text: str | None) -> Iterator[dict[str, Any]]:
    names = ("id", "name", "dialect", "status", "verdict", "ran", "failed", "durationMs")
    for values in json.loads(text or "[]"):
        hook = dict(zip(names, values, strict=False))
        # A denial by exit code 2 is what a guard is for.
        hook["failed"] = bool(hook["failed"]) and hook["verdict"] not in ("deny", "halt")
        yield hook


def _fits(row: Mapping[str, Any], wish: Wish) -> bool:
    if wish.failed and not row["failed"]:
        return False
    if row["at"] < wish.since or (wish.until and row["at"] >= wish.until):
        return False
    if any(row[name] != value for name, value in wish.fields.items()):
        return False
    if wish.hook and not any(wish.hook in (hook["id"], hook["name"]) for hook in row["hooks"]):
        return False
    return not wish.text or _has(row, wish.text.lower())


def _has(row: Mapping[str, Any], text: str) -> bool:
    words = (row["summary"], row["tool"], row["reason"], row["event"], row["run"], row["session"])
    names = (hook[key] for hook in row["hooks"] for key in ("id", "name"))
    return any(text in word.lower() for word in (*words, *names))


def _literal(text: str) -> str:
    """A GLOB pattern for this text and nothing else."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in text)


def _share(ordered: list[float], share: float) -> float | None:
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else None
