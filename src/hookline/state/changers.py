"""Which session of a workspace changed which file, as far as that can be known.

Sessions that share a checkout see each other's files. What one of them was asked about is not asked of the others,
and what two may have changed is said to be so. Moments are counted, never read from a clock.
"""

from __future__ import annotations

import json
import os

from hookline.model.errors import StateError, Warn, unheard
from hookline.model.record import Record, replace
from hookline.model.short_json import read_json
from hookline.model.typing import Callable, Mapping
from hookline.state.evaluations import states_of
from hookline.state.paths import private_folder
from hookline.system.clock import now
from hookline.system.files import read_bytes, write_atomic
from hookline.system.locks import file_lock
from hookline.system.workspace.changes import Changes, Snapshot

LIMIT = 16 * 1024 * 1024
MOST_FILES = 10_000
MOST_SESSIONS = 100
AT_WORK_S = 3600.0  # a turn that nobody ended for so long was given up


class Whose(Record):
    """What is new to a session, by whose it is: `own` is what it is to be asked about.

    `shared` are those of them that another session may have changed, `others` those that another one was asked
    about before this turn; each by path, with the ids of these sessions.
    """

    own: Changes
    shared: Mapping[str, tuple[str, ...]] = {}
    others: Mapping[str, tuple[str, ...]] = {}


class _Member(Record):
    """A session: the moments it was first seen and its turn began, and since when (epoch) it is at work, or 0."""

    born: int
    began: int
    since: float = 0.0


class _Asked(Record):
    """The state a file was in when these sessions were asked about it."""

    state: str
    moment: int
    sessions: tuple[str, ...]


class _Known:
    """What the workspace's file says."""

    def __init__(self, content: bytes) -> None:
        self.moment = 0
        self.sessions: dict[str, _Member] = {}
        self.files: dict[str, _Asked] = {}
        try:
            found = read_json(content or b"{}")
            self.moment = int(found.get("moment", 0))
            for name, (born, began, since) in found.get("sessions", {}).items():
                self.sessions[name] = _Member(int(born), int(began), float(since))
            for path, (state, moment, *sessions) in found.get("files", {}).items():
                self.files[path] = _Asked(str(state), int(moment), tuple(map(str, sessions)))
        except (ValueError, AttributeError, TypeError):
            pass  # what a stranger wrote there; what is not known is everybody's

    def text(self) -> str:
        sessions = list(self.sessions.items())[-MOST_SESSIONS:]
        files = list(self.files.items())[-MOST_FILES:]
        content = {
            "moment": self.moment,
            "sessions": {name: (each.born, each.began, each.since) for name, each in sessions},
            "files": {path: (each.state, each.moment, *each.sessions) for path, each in files},
        }
        return json.dumps(content)

    def enter(self, session_id: str, since: float) -> None:
        """A turn of the session begins (`since`), or is over (0); what comes next comes after this moment."""
        self.moment += 1
        before = self.sessions.pop(session_id, None)
        born = before.born if before is not None else self.moment
        self.sessions[session_id] = _Member(born, self.moment, since)

    def at_work(self, session_id: str) -> tuple[str, ...]:
        """The other sessions that have a turn under way."""
        oldest = now() - AT_WORK_S
        return tuple(
            name for name, each in self.sessions.items() if name != session_id and each.since > oldest
        )


class Changers:
    """The sessions of one workspace, in the file `path`.

    What was there before a session began is its own, as for a lone one. `warn` hears when nothing can be kept; then
    every change is everybody's.
    """

    def __init__(self, path: str, warn: Warn = unheard) -> None:
        self._path = path
        self._warn = warn
        self._told = False

    def begin(self, session_id: str) -> None:
        """The session goes to work."""
        self._change(lambda known: known.enter(session_id, now()))

    def sort(self, session_id: str, snapshot: Snapshot, new: Changes) -> Whose:
        """Whose the changes are that are new to the session."""
        known = self._read()
        me = known.sessions.get(session_id)
        if me is None or not new:
            return Whose(new)
        at_work = known.at_work(session_id)
        shared: dict[str, tuple[str, ...]] = {}
        others: dict[str, tuple[str, ...]] = {}
        for path, state in states_of(snapshot, (*new.changed, *new.deleted)).items():
            asked = known.files.get(path)
            if asked is None or asked.state != state:
                if at_work:
                    shared[path] = at_work
            elif session_id not in asked.sessions and asked.moment > me.born:
                (shared if asked.moment > me.began else others)[path] = asked.sessions
        return Whose(_without(new, frozenset(others)), shared, others)

    def own(self, session_id: str, snapshot: Snapshot, changes: Changes) -> Changes:
        """Without the files that are as another session left them, and that this one was never asked about."""
        known = self._read()
        me = known.sessions.get(session_id)
        paths = (*changes.changed, *changes.deleted)
        asked = {path: known.files[path] for path in paths if path in known.files}
        if me is None or not asked:
            return changes
        states = states_of(snapshot, asked)
        others = [
            path
            for path, each in asked.items()
            if each.moment > me.born and session_id not in each.sessions and each.state == states[path]
        ]
        return _without(changes, frozenset(others))

    def asked(self, session_id: str, snapshot: Snapshot, own: Changes) -> None:
        """The session's turn is over, and it is asked about its changes."""
        states = states_of(snapshot, (*own.changed, *own.deleted))

        def change(known: _Known) -> None:
            known.enter(session_id, 0.0)
            for path, state in states.items():
                before = known.files.pop(path, None)
                with_it = before.sessions if before is not None and before.state == state else ()
                sessions = tuple(sorted({*with_it, session_id}))
                known.files[path] = _Asked(state, known.moment, sessions)

        if session_id in self._read().sessions:
            self._change(change)

    def _read(self) -> _Known:
        return _Known(read_bytes(self._path, LIMIT).content)

    def _change(self, change: Callable[[_Known], object]) -> None:
        try:
            private_folder(os.path.dirname(self._path))
            with file_lock(self._path):
                known = self._read()
                change(known)
                write_atomic(self._path, known.text(), mode=0o600, fsync=False)
        except (StateError, OSError) as error:
            if not self._told:
                self._told = True
                self._warn(f"which session changed which file is not kept: {error}")


def _without(changes: Changes, paths: frozenset[str]) -> Changes:
    return replace(
        changes,
        changed=tuple(path for path in changes.changed if path not in paths),
        deleted=tuple(path for path in changes.deleted if path not in paths),
    )
