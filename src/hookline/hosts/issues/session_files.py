"""AutoAgent's session files: one JSON file for each run of issues, and a link to the current one."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hookline.model.errors import StateError, Warn, unheard
from hookline.model.record import Record, replace
from hookline.model.rendering import iso_time
from hookline.model.short_json import json_or
from hookline.system.files import ensure_dir, list_dir, read_head, read_text, remove, write_atomic
from hookline.system.locks import file_lock
from hookline.system.processes.tags import is_alive, process_mark

MONTH_S = 30 * 86400.0
ENDED = ("completed", "interrupted", "failed")
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


class Session(Record):
    """One run (AutoAgent's `Session`). Times are ISO 8601; fields that are None are left out of the file.

    `status`: active, completed, interrupted or failed. `metadata` may hold gitBranch, gitCommit and
    totalDuration (milliseconds). `extra` keeps what another program put into the file.
    """

    id: str
    start_time: str = ""
    end_time: str | None = None
    workspace: str = ""
    command: str = ""
    args: tuple[str, ...] = ()
    issues_planned: tuple[int, ...] = ()
    issues_completed: tuple[int, ...] = ()
    issues_failed: tuple[int, ...] = ()
    current_issue: int | None = None
    status: str = "active"
    provider: str = ""
    metadata: Mapping[str, Any] | None = None
    extra: Mapping[str, Any] = {}

    @property
    def started_at(self) -> float:
        """Seconds since the epoch, from the id; 0 when it holds no time."""
        digits = self.id.removeprefix("session-").partition("-")[0]
        return int(digits) / 1000 if digits.isascii() and digits.isdigit() and len(digits) < 16 else 0.0


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


# As AutoAgent spells them: `start_time` is `startTime`.
FIELDS: Mapping[str, str] = {name: _camel(name) for name in Session._fields if name != "extra"}


class SessionStore:
    """`folder` is `~/.autoagent/sessions`. Trouble with the disk goes to `warn`: a run goes on without.

    Who runs a session is noted beside it (`.<id>.owner`), because the format has no field for it.
    """

    def __init__(self, folder: str, warn: Warn = unheard) -> None:
        self.folder = folder
        self._warn = warn

    def create(self, **fields: Any) -> Session:
        """A new active session, saved and made current. `fields` are those of `Session` but id and times."""
        session = Session(new_session_id(), iso_time(), **fields)
        try:
            ensure_dir(self.folder)
            with file_lock(self._lock):
                while os.path.lexists(self._path(session.id)):
                    session = replace(session, id=new_session_id())
                # The note comes first: a session that was begun and has none would never count as left behind.
                write_atomic(self._owner(session.id), process_mark(), mode=0o600, fsync=False)
                self._write(session)
                self._point_to(session.id)
        except (StateError, OSError) as error:
            self._warn(f"the session is not kept: {error}")
        return session

    def save(self, session: Session) -> Session:
        """Replaces the session's file in one step."""
        try:
            self._write(session)
        except StateError as error:
            self._warn(f"the session is not kept: {error}")
        return session

    def end(self, session: Session, status: str) -> Session:
        """Ends it as completed, interrupted or failed; `current` moves on to one that still is active."""
        now = time.time()
        took_ms = max(0, round((now - session.started_at) * 1000))  # the clock may have been set back
        metadata = {**(session.metadata or {}), "totalDuration": took_ms}
        ended = replace(session, status=status, end_time=iso_time(now), current_issue=None, metadata=metadata)
        self.save(ended)
        try:
            self._release(session.id)
        except (StateError, OSError) as error:
            self._warn(f"`{self._link}` is not moved on: {error}")
        return ended

    def current(self) -> Session | None:
        """The session that started last and is not over; None without one, or when its file is broken.

        The link itself stays with the last session of all, as in the document, so that it always leads
        somewhere.
        """
        session = _session(self._link)
        return session if session is not None and session.status == "active" else None

    def get(self, session_id: str) -> Session | None:
        """The session with this id, or the only one whose id begins so."""
        names = [name for name in self._names() if name.startswith(session_id)]
        exact = [name for name in names if name == session_id]
        found = exact or names
        return _session(self._path(found[0])) if len(found) == 1 else None

    def list(self, limit: int | None = None) -> tuple[Session, ...]:
        """Newest first; a broken file is skipped alone."""
        found: Iterator[Session | None] = (_session(self._path(name)) for name in self._names())
        sessions = [session for session in found if session is not None]
        return tuple(sessions[:limit])

    def recover(self) -> tuple[Session, ...]:
        """Marks active sessions whose process is gone as interrupted; returns them."""
        self._drop_notes_of_none()
        left = (self._left_behind(session) for session in self._noted() if self._is_abandoned(session))
        return tuple(self.end(session, "interrupted") for session in left if session is not None)

    def prune(
        self, older_than_s: float = MONTH_S, keep: int = 0, workspace: str | None = None
    ) -> tuple[str, ...]:
        """Removes ended sessions (of a workspace) that began longer ago, but never the newest `keep`; returns
        their ids.
        """
        oldest = time.time() - older_than_s
        meant = [session for session in self.list() if workspace in (None, session.workspace)]
        gone = [
            session.id for session in meant[keep:] if session.status in ENDED and session.started_at < oldest
        ]
        for session_id in gone:
            remove(self._path(session_id))
            remove(self._owner(session_id))
        if os.path.islink(self._link) and not os.path.exists(self._link):
            remove(self._link)
        return tuple(gone)

    @property
    def _link(self) -> str:
        return os.path.join(self.folder, "current")

    @property
    def _lock(self) -> str:
        return os.path.join(self.folder, ".sessions")

    def _path(self, session_id: str) -> str:
        return os.path.join(self.folder, f"{session_id}.json")

    def _owner(self, session_id: str) -> str:
        return os.path.join(self.folder, f".{session_id}.owner")

    def _names(self) -> Sequence[str]:
        names = (entry.name for entry in list_dir(self.folder).entries if entry.kind == "file")
        ours = (name for name in names if name.startswith("session-") and name.endswith(".json"))
        return sorted((name.removesuffix(".json") for name in ours), reverse=True)

    def _notes(self) -> Sequence[str]:
        """The ids of the sessions whose runner is noted, newest first: few, however many files there are."""
        names = (entry.name for entry in list_dir(self.folder).entries)
        ours = (name for name in names if name.startswith(".session-") and name.endswith(".owner"))
        return sorted((name[1 : -len(".owner")] for name in ours), reverse=True)

    def _noted(self) -> Iterator[Session]:
        found = (_session(self._path(session_id)) for session_id in self._notes())
        return (session for session in found if session is not None)

    def _mark(self, session_id: str) -> str:
        """The process that is noted to run it; empty without a note."""
        return read_head(self._owner(session_id), 100).content.decode("ascii", "replace")

    def _drop_notes_of_none(self) -> None:
        """Removes the notes of sessions that were never written, since their process ended before."""
        for session_id in self._notes():
            mark = self._mark(session_id)
            if mark and not os.path.lexists(self._path(session_id)) and not is_alive(mark):
                remove(self._owner(session_id))

    def _write(self, session: Session) -> None:
        content = json.dumps(session_as_json(session), indent=2, ensure_ascii=False)
        write_atomic(self._path(session.id), content)

    def _point_to(self, session_id: str) -> None:
        # A link is made beside and renamed: a reader never finds none.
        beside = os.path.join(self.folder, f".current.{os.urandom(6).hex()}")
        os.symlink(f"{session_id}.json", beside)
        os.replace(beside, self._link)

    def _release(self, session_id: str) -> None:
        remove(self._owner(session_id))
        with file_lock(self._lock):
            if not os.path.islink(self._link) or os.readlink(self._link) != f"{session_id}.json":
                return
            others = (entry for entry in self._noted() if entry.status == "active" and entry.id != session_id)
            if (
                alive := next((entry for entry in others if not self._is_abandoned(entry)), None)
            ) is not None:
                self._point_to(alive.id)

    def _is_abandoned(self, session: Session) -> bool:
        # Without a note the session is another program's, and only that program knows.
        mark = self._mark(session.id)
        return session.status == "active" and bool(mark) and not is_alive(mark)

    def _left_behind(self, session: Session) -> Session | None:
        # Read again once its process is gone: it may have ended its session between the two looks.
        last = _session(self._path(session.id))
        return last if last is not None and last.status == "active" else None


def new_session_id(now: float | None = None) -> str:
    """`session-<13 digits of milliseconds>-<6 letters or digits>`."""
    at = time.time() if now is None else now
    letters = "".join(_LETTERS[byte % 36] for byte in os.urandom(6))
    return f"session-{int(at * 1000):013d}-{letters}"


def session_as_json(session: Session) -> dict[str, Any]:
    """The session in AutoAgent's own spelling, without the fields that say nothing."""
    shown = {outside: _listed(getattr(session, inside)) for inside, outside in FIELDS.items()}
    return {**{key: value for key, value in shown.items() if value is not None}, **session.extra}


def session_from_json(content: Mapping[str, Any]) -> Session | None:
    """None when it is no session; fields of the wrong type count as absent."""
    if not isinstance(content.get("id"), str):
        return None
    defaults = Session._defaults
    values = {
        inside: _value(content[outside], defaults.get(inside))
        for inside, outside in FIELDS.items()
        if outside in content
    }
    known = set(FIELDS.values())
    return Session(**values, extra={key: value for key, value in content.items() if key not in known})


def _session(path: str) -> Session | None:
    content = json_or(read_text(path).text)
    return session_from_json(content) if isinstance(content, dict) else None


def _value(value: Any, default: object) -> Any:
    if isinstance(default, tuple):
        return tuple(value) if isinstance(value, list) else ()
    if isinstance(default, str):
        return value if isinstance(value, str) else default
    return value


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
