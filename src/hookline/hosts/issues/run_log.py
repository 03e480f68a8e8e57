"""What became of a workspace's issues: AutoAgent's `status.json`, `executions.json` and `rate-limits.json`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from hookline.model.record import Record
from hookline.model.rendering import iso_time
from hookline.model.short_json import json_or
from hookline.system.clock import now_ms
from hookline.system.files import read_text, write_atomic
from hookline.system.locks import file_lock

FOLDER = ".autoagent"
EXECUTIONS_KEPT = 1000


class Limited(Record):
    """A provider that refused for a while: since when (milliseconds), and how often in a row."""

    limited_at: int
    attempts: int


def completed_issues(workspace: str) -> frozenset[int]:
    """Numbers that `status.json` has as completed."""
    entries = _read(_path(workspace, "status.json"), {}).values()
    return frozenset(
        entry["issueNumber"]
        for entry in entries
        if isinstance(entry, dict)
        and entry.get("status") == "completed"
        and _is_number(entry.get("issueNumber"))
    )


def note_issue(workspace: str, number: int, title: str, status: str) -> None:
    """Writes down that an issue was executed; `status` is completed or failed. Raises StateError."""
    at = iso_time()

    def change(content: Any) -> Any:
        before = content.get(str(number))
        entry = {**(before if isinstance(before, dict) else {"createdAt": at})}
        entry.pop("completedAt", None)
        entry |= {"status": status, "issueNumber": number, "title": title}
        return {**content, str(number): {**entry, **({"completedAt": at} if status == "completed" else {})}}

    def add(content: Any) -> Any:
        entry = {"id": f"exec-{now_ms()}", "issue": number, "status": status, "timestamp": at}
        return [*content, entry][-EXECUTIONS_KEPT:]

    _change(_path(workspace, "status.json"), {}, change)
    _change(_path(workspace, "executions.json"), [], add)


def executions(workspace: str) -> list[Mapping[str, Any]]:
    """The runs of issues written down, oldest first."""
    return [entry for entry in _read(_path(workspace, "executions.json"), []) if isinstance(entry, dict)]


class RateLimits:
    """Who is cooling down, for all workspaces of a user: an account's limit follows the account."""

    def __init__(self, home: str) -> None:
        self._file = _path(home, "rate-limits.json")

    def get(self, provider: str) -> Limited | None:
        entry = _read(self._file, {}).get(provider)
        if not isinstance(entry, dict) or not _is_number(entry.get("limitedAt")):
            return None
        return Limited(entry["limitedAt"], entry["attempts"] if _is_number(entry.get("attempts")) else 1)

    def free_at_ms(self, provider: str, cooldown_ms: int) -> int | None:
        """When the provider may work again, in milliseconds since the epoch; None when it may now."""
        known = self.get(provider)
        free = known.limited_at + cooldown_ms if known is not None else 0
        return free if free > now_ms() else None

    def note(self, provider: str) -> None:
        """One more refusal, now. Raises StateError."""
        known = self.get(provider)
        entry = {"limitedAt": now_ms(), "attempts": known.attempts + 1 if known else 1}
        _change(self._file, {}, lambda content: {**content, provider: entry})

    def clear(self, provider: str) -> None:
        """The provider works again. Raises StateError."""
        if self.get(provider) is not None:
            _change(self._file, {}, lambda content: {k: v for k, v in content.items() if k != provider})


def _path(base: str, name: str) -> str:
    return os.path.join(base, FOLDER, name)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _read(path: str, empty: Any) -> Any:
    """The content of a file of this kind; a broken one counts as empty."""
    content = json_or(read_text(path).text)
    return content if isinstance(content, type(empty)) else empty


def _change(path: str, empty: Any, change: Callable[[Any], Any]) -> None:
    with file_lock(path):
        content = change(_read(path, empty))
        write_atomic(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n", fsync=False)
