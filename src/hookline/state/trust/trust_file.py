"""The trust store's file: read without raising, changed under a lock, journalled, mode 0600."""

from __future__ import annotations

import os
import time

from hookline.model.errors import StateError
from hookline.model.hooks import HookSpec
from hookline.model.record import Record, fields_of
from hookline.model.short_json import json_or, read_json
from hookline.model.typing import Any, Callable, Mapping, TypeVar
from hookline.state.trust.fingerprint import Closure, canonical, given_name, sha256
from hookline.system.files import (
    FileBytes,
    append_line,
    ensure_dir,
    read_bytes,
    set_aside,
    undecodable,
    write_atomic,
)
from hookline.system.locks import file_lock
from hookline.system.workspace.freshness import Freshness

T = TypeVar("T")

SCHEMA = 1
STORE_LIMIT = 64 * 1024 * 1024
OTHERS_MAY_WRITE = 0o022
READS_OF_ONE_CALL = 8  # a process that reads it more often goes on doing so


class TrustFile:
    """`trust.json` and its journal. A broken or foreign file trusts nothing and is set aside on a change."""

    def __init__(self, path: str, log_path: str) -> None:
        self._path = path
        self._raw: bytes | None = None
        self._content: dict[str, Any] = {}
        self._known: Freshness | None = None
        self._reads = 0
        self._holding = False
        self.log = TrustLog(log_path)
        self.problem = ""
        self.is_there = False

    def read(self) -> dict[str, Any]:
        """The content as it is now; parsed again only when it changed. Callers leave it unchanged."""
        if self._holding and self._raw is not None:
            return self._content
        now = time.time_ns()
        if self._raw is not None and self._known is not None and self._known.is_fresh(now):
            return self._content
        self._reads += 1
        found = read_bytes(self._path, STORE_LIMIT)
        if self._raw is None or found.content != self._raw or found.mode & OTHERS_MAY_WRITE:
            self._raw = found.content
            self._content, self.problem = _parsed(found)
            self.is_there = found.state != "missing"
        self._known = self._state_of_now(now) if self._reads > READS_OF_ONE_CALL else None
        return self._content

    def holding(self, work: Callable[[], T]) -> T:
        """What `work` returns, which sees one state of the file, read once, unless it changes it."""
        if self._holding:
            return work()
        self.read()
        self._holding = True
        try:
            return work()
        finally:
            self._holding = False

    def _state_of_now(self, since_ns: int) -> Freshness | None:
        """What spares reading it the next time, for processes that ask more than once."""
        found = Freshness((self._path,), (), since_ns)
        return found if found.is_settled else None

    def change(self, change: Callable[[dict[str, Any]], None], entry: TrustEntry | None = None) -> None:
        """Reads, changes and replaces the file under its lock, after writing the journal."""
        ensure_dir(os.path.dirname(self._path), 0o700)
        with file_lock(self._path):
            self._raw = None
            content = self._usable()
            change(content)
            if entry is not None:
                content["log"] = self.log.append(entry)
            self._write(content)

    def change_quietly(
        self, change: Callable[[dict[str, Any]], None], entry: TrustEntry | None = None
    ) -> None:
        """As `change` for what is only remembered: a store that cannot be written is left alone."""
        try:
            if not self.problem:
                self.change(change, entry)
        except StateError as error:
            self.problem = error.message

    def _usable(self) -> dict[str, Any]:
        import json

        content: dict[str, Any] = json.loads(json.dumps(self.read()))
        if content.get("schema", SCHEMA) > SCHEMA:
            raise StateError(self.problem, "use the newer hookline, or move the file away")
        if self.problem:
            set_aside(self._path)
            return {"schema": SCHEMA}
        return content

    def _write(self, content: dict[str, Any]) -> None:
        import json

        text = json.dumps(content, indent=2) + "\n"
        write_atomic(self._path, text, mode=0o600)
        self._raw = None


def part(content: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The object under `name`, for reading; an empty one in place of anything else."""
    found = content.get(name)
    return found if isinstance(found, dict) else {}


def section(content: dict[str, Any], name: str) -> dict[str, Any]:
    """The object under `name`, for changing; an empty one takes the place of anything else."""
    found = content.get(name)
    if not isinstance(found, dict):
        found = content[name] = {}
    return found


def _parsed(found: FileBytes) -> tuple[dict[str, Any], str]:
    empty: dict[str, Any] = {"schema": SCHEMA}
    if found.state == "missing":
        return empty, ""
    place = f"`{found.real_path}`"
    if found.state in ("unreadable", "empty"):
        return empty, f"{place} {found.reason}, so no hook is trusted"
    if found.mode & OTHERS_MAY_WRITE:
        return empty, f"{place} can be changed by others, so no hook is trusted"
    try:
        content = read_json(found.content)
    except ValueError as error:
        return empty, f"{place} {_no_json(found.content, error)}, so no hook is trusted"
    return _checked(content, place)


def _no_json(content: bytes, error: ValueError) -> str:
    """What is there in place of the JSON that was wanted, in words."""
    if isinstance(error, UnicodeDecodeError):
        return undecodable(content, error)
    if b"\0" not in content:
        return f"is not JSON ({error})"
    if not content.strip(b"\0 \t\r\n"):
        return "holds nothing but NUL bytes, as after a crash of the machine, and no JSON"
    line = content[: content.index(b"\0")].count(b"\n") + 1
    return f"is not JSON: it holds NUL bytes, the first in line {line}"


def _checked(content: object, place: str) -> tuple[dict[str, Any], str]:
    if not isinstance(content, dict) or not isinstance(content.get("schema"), int):
        return {"schema": SCHEMA}, f"{place} is no trust store, so no hook is trusted"
    if content["schema"] > SCHEMA:
        words = f"{place} was written by a newer hookline (schema {content['schema']})"
        return {"schema": content["schema"]}, words
    return content, ""


def repository_part(content: dict[str, Any], name: str) -> dict[str, Any]:
    return section(section(content, "repositories"), name)


def remember(kept: dict[str, Any], spec: HookSpec, found: Closure, terms: Mapping[str, Any]) -> None:
    # Accepted content stays accepted: switching branches must not ask again. The latest one comes last.
    kept.pop(found.fingerprint, None)
    decision = {"id": spec.id, "place": spec.place, "definition": found.definition_digest, "at": time_now()}
    kept[found.fingerprint] = {**decision, **terms}


def is_meant(spec: HookSpec, hook_id: str, choice: Mapping[str, Any], digests: Mapping[str, str]) -> bool:
    """Whether it was `spec` that was switched off as `hook_id`, then perhaps under another id or before an edit."""
    if choice.get("source") != spec.source:
        return False
    digest = digests[spec.id]
    if choice.get("definition") == digest:
        return hook_id == spec.id or digests.get(hook_id) != digest  # its twin is another hook
    name = given_name(spec)
    same = hook_id == spec.id or (name and choice.get("name") == name)
    return bool(same) and choice.get("definition") not in digests.values()


def note_alarm(content: dict[str, Any], spec: HookSpec, found: Closure) -> None:
    section(section(content, "alarms"), spec.source)[found.fingerprint] = {"id": spec.id, "at": time_now()}


def time_now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


# -- the journal of trust decisions ----------------------------------------------------------------


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
        line = canonical({**fields_of(entry), "prev": previous})
        ensure_dir(os.path.dirname(self._path), 0o700)
        append_line(self._path, line.decode("ascii"), 0o600)
        return {"lines": len(lines) + 1, "last": sha256(line)}

    def entries(self) -> tuple[TrustEntry, ...]:
        """All readable decisions, oldest first."""
        return tuple(
            TrustEntry(**{field: fields.get(field, "") for field in TrustEntry._fields})
            for fields in map(json_or, self._lines())
            if isinstance(fields, dict)
        )

    def fault(self, head: Mapping[str, Any]) -> str:
        """What is wrong with the chain, in words; empty when every line is as it was written."""
        lines = self._lines()
        previous = START
        for number, line in enumerate(lines, 1):
            fields = json_or(line)
            if not isinstance(fields, dict) or fields.get("prev") != previous:
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
