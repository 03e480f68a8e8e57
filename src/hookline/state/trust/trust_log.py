"""The journal of trust decisions: lines are only added, and each holds the digest of the one before."""

from __future__ import annotations

import os

from hookline.model.record import Record
from hookline.model.typing import Any, Mapping
from hookline.state.trust.fingerprint import canonical, sha256
from hookline.system.files import append_line, ensure_dir, read_bytes

LOG_LIMIT = 64 * 1024 * 1024
START = "0" * 64


class TrustEntry(Record):
    """One decision. `action`: accept, accept-hash, revoke, strict, relax, disable, enable, pin, user-change.

    `at` is ISO 8601 in UTC, `by` who did it, `hooks` the ids with their fingerprints.
    """

    at: str
    action: str
    by: str
    workspace: str
    repository: str
    hooks: Mapping[str, str] = {}


class TrustLog:
    """The journal at `path`. `head` (lines and digest of the last) is kept elsewhere, so a cut end shows."""

    def __init__(self, path: str) -> None:
        self._path = path

    def append(self, entry: TrustEntry) -> dict[str, Any]:
        """Adds a line and returns the new head. The caller holds the lock of the trust store."""
        lines = self._lines()
        previous = sha256(lines[-1]) if lines else START
        line = canonical({**_fields(entry), "prev": previous})
        ensure_dir(os.path.dirname(self._path), 0o700)
        append_line(self._path, line.decode("ascii"), 0o600)
        return {"lines": len(lines) + 1, "last": sha256(line)}

    def entries(self) -> tuple[TrustEntry, ...]:
        """All readable decisions, oldest first."""
        found = (_parsed(line) for line in self._lines())
        return tuple(
            TrustEntry(**{field: fields.get(field, "") for field in TrustEntry._fields})
            for fields in found
            if fields is not None
        )

    def fault(self, head: Mapping[str, Any]) -> str:
        """What is wrong with the chain, in words; empty when every line is as it was written."""
        lines = self._lines()
        previous = START
        for number, line in enumerate(lines, 1):
            fields = _parsed(line)
            if fields is None or fields.get("prev") != previous:
                return f"line {number} of `{self._path}` does not follow from the line before it"
            previous = sha256(line)
        return self._end_fault(lines, head)

    def _end_fault(self, lines: list[bytes], head: Mapping[str, Any]) -> str:
        count = head.get("lines", 0)
        if len(lines) < count:
            return f"`{self._path}` has {len(lines)} lines, {count} were written"
        # A line more is a change whose store was not written any more: harmless.
        if count and sha256(lines[count - 1]) != head.get("last"):
            return f"line {count} of `{self._path}` is not the one that was written"
        return ""

    def _lines(self) -> list[bytes]:
        return [line for line in read_bytes(self._path, LOG_LIMIT).content.split(b"\n") if line]


def _fields(entry: TrustEntry) -> dict[str, Any]:
    return {field: getattr(entry, field) for field in entry._fields}


def _parsed(line: bytes) -> dict[str, Any] | None:
    import json

    try:
        fields = json.loads(line)
    except ValueError:
        return None
    return fields if isinstance(fields, dict) else None
