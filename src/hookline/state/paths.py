"""Where hookline keeps what it remembers: under the XDG folders, and where the agents themselves look."""

from __future__ import annotations

import os

from hookline.model.errors import UsageError
from hookline.model.record import Record
from hookline.model.typing import Mapping
from hookline.system.files import ensure_dir
from hookline.system.files import home as home_folder

SESSION_ID_LIMIT = 128
_SESSION_ID_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


# A byte of a path that is no UTF-8 is kept as a letter nobody writes: no database takes half a surrogate pair.
_KEPT = {0xDC00 + byte: 0x10FE00 + byte for byte in range(0x80, 0x100)}
_SPELLED = {kept: half for half, kept in _KEPT.items()}


def kept_path(path: str) -> str:
    """A path as it is kept: the same text whatever encoding file names have in this process."""
    if path.isascii():
        return path
    try:
        path = os.fsencode(path).decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # it came as a text, and no file can be called so here
        pass
    return path.translate(_KEPT)


def path_of(kept: str) -> str:
    """The path that a kept text is in this process."""
    return os.fsdecode(kept.translate(_SPELLED).encode("utf-8", "surrogateescape"))


class Below:
    """A path below one of the folders that a `Paths` consists of."""

    def __init__(self, folder: str, *names: str) -> None:
        self._folder = folder
        self._names = names

    def __get__(self, paths: Paths, _: type[Paths]) -> str:
        return os.path.join(getattr(paths, self._folder), *self._names)


class Paths(Record):
    """All absolute. `config_home` holds what a person decided, `state_home` what happened."""

    home: str
    config_home: str
    state_home: str

    trust_file = Below("config_home", "trust.json")
    trust_log = Below("state_home", "trust-log.jsonl")
    trust_requests = Below("state_home", "trust-requests.json")
    reviewed = Below("state_home", "reviewed")  # what was looked at when it was accepted, by fingerprint
    history_file = Below("state_home", "history.db")
    waiting = Below("state_home", "waiting")  # texts for an agent's next event, a file a session
    recordings = Below("state_home", "recordings")  # of calls
    resident = Below("state_home", "resident")  # the resident's socket, and whether it is wanted
    presence = Below("state_home", "running")  # notes of the processes that run hooks now
    outputs = Below("state_home", "outputs")
    transcripts = Below("state_home", "transcripts")
    autoagent_sessions = Below("home", ".autoagent", "sessions")

    @staticmethod
    def from_environment(environment: Mapping[str, str], home: str = "") -> Paths:
        """Honours `XDG_CONFIG_HOME` and `XDG_STATE_HOME`; a relative one is ignored, as XDG asks."""
        home = home or home_folder(environment)
        config = _absolute(environment.get("XDG_CONFIG_HOME")) or os.path.join(home, ".config")
        state = _absolute(environment.get("XDG_STATE_HOME")) or os.path.join(home, ".local", "state")
        return Paths(home, os.path.join(config, "hookline"), os.path.join(state, "hookline"))

    def discobot_hooks(self, session_id: str) -> str:
        """`~/.discobot/{sessionId}/hooks`, home of status.json and the output logs (Discobot).

        Raises UsageError for an id that is no safe folder name.
        """
        return os.path.join(self.home, ".discobot", checked_session_id(session_id), "hooks")


def checked_session_id(session_id: str) -> str:
    """The id itself when it is 1 to 128 of `A-Za-z0-9._-` without `..`; UsageError otherwise."""
    safe = 0 < len(session_id) <= SESSION_ID_LIMIT and _SESSION_ID_LETTERS.issuperset(session_id)
    if not safe or ".." in session_id or session_id == ".":
        raise UsageError(
            f"{session_id[:140]!r} is no usable session id",
            "use 1 to 128 letters, digits, `.`, `_` or `-`, without `..`",
        )
    return session_id


def _absolute(path: str | None) -> str | None:
    return path if path and os.path.isabs(path) else None


def private_folder(path: str) -> str:
    """Makes a session's folder of hooks and the session's own around it, which nobody else may enter."""
    ensure_dir(os.path.dirname(path), 0o700)
    return ensure_dir(path, 0o700)
