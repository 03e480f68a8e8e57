"""What a session's evaluations of file hooks remember: the marker, the snapshot, what each hook has seen."""

from __future__ import annotations

import json
import os

from hookline.model.errors import StateError, Warn, unheard
from hookline.model.record import Record
from hookline.model.short_json import read_json
from hookline.model.typing import Iterable, Mapping
from hookline.state.paths import private_folder
from hookline.system.files import read_bytes, remove, write_atomic
from hookline.system.workspace.changes import Changes, Snapshot, changed_since, dirty_files
from hookline.system.workspace.fingerprints import FileState, git_mode
from hookline.system.workspace.snapshots import load_snapshot, save_snapshot

MARKER = ".last-eval"
SNAPSHOT = ".snapshot"
MEMORY = ".hooks-seen.json"
BEGUN = ".begun-at"
MEMORY_LIMIT = 64 * 1024 * 1024
CLOCK_SLACK_NS = 1_000_000
GONE = "gone"


class Seen(Record):
    """What one hook knows: `files` in the state it left them in when it last passed, as path and state;
    `failed` the input it last failed on, empty when it did not.
    """

    files: Mapping[str, str] = {}
    failed: str = ""


class Evaluations:
    """The folder of a session's hook state, beside its status.json (Discobot's `.last-eval` and our own).

    The marker's modification time is the moment up to which changes are known, read before the files were
    listed. A marker that somebody else set is believed by its time; without a marker everything not
    committed counts. `warn` hears when nothing can be kept.
    """

    def __init__(self, folder: str, warn: Warn = unheard) -> None:
        self._folder = folder
        self._warn = warn
        self._told: set[str] = set()
        self._kept: Snapshot | None = None
        self._unwritten = False

    def path(self, name: str) -> str:
        return os.path.join(self._folder, name)

    def baseline(self) -> Snapshot | None:
        """The workspace as the last evaluation saw it; None when the marker tells of another time."""
        marker = self._marker_ns()
        snapshot = self._kept or load_snapshot(self.path(SNAPSHOT))
        if marker is None or snapshot is None or abs(marker - snapshot.cutoff_ns) > CLOCK_SLACK_NS:
            return None
        return snapshot

    def is_new(self) -> bool:
        """Whether nothing was evaluated yet, nor begun."""
        return self._marker_ns() is None and not os.path.exists(self.path(BEGUN))

    def begin(self, head: str) -> None:
        """Notes the commit that the first turn starts from; empty before the first one."""
        try:
            private_folder(self._folder)
            write_atomic(self.path(BEGUN), head, mode=0o600, fsync=False)
        except StateError as error:
            self._tell(f"where this session began is not kept: {error}")

    def begun_at(self) -> str | None:
        """The commit that was noted; None once there was an evaluation."""
        if self._marker_ns() is not None or not os.path.exists(self.path(BEGUN)):
            return None
        return read_bytes(self.path(BEGUN), 100).content.decode("ascii", "replace")

    def changes(self, current: Snapshot) -> Changes:
        """What changed since the last evaluation."""
        known = self.baseline()
        if known is not None and known.workspace == current.workspace:
            return changed_since(known, current)
        dirty = dirty_files(current)
        marker = self._marker_ns()
        if marker is None:
            return dirty
        newer = tuple(path for path in dirty.changed if _modified_ns(current, path) > marker)
        return Changes(newer, dirty.deleted, current.cutoff_ns)

    def advance(self, current: Snapshot) -> None:
        """From now on changes are counted from `current`."""
        try:
            private_folder(self._folder)
            save_snapshot(self.path(SNAPSHOT), current)
            write_atomic(self.path(MARKER), b"", mode=0o600, fsync=False)
            os.utime(self.path(MARKER), ns=(current.cutoff_ns, current.cutoff_ns))
            remove(self.path(BEGUN))
            self._unwritten = False
        except (StateError, OSError) as error:
            self._unwritten = True
            self._tell(f"the moment of this evaluation is not kept: {error}")
        self._kept = current

    def seen(self) -> dict[str, Seen]:
        """What each hook knows, by its id."""
        try:
            content = read_json(read_bytes(self.path(MEMORY), MEMORY_LIMIT).content or b"{}")
            return {
                hook: Seen(dict(entry.get("files", {})), str(entry.get("failed", "")))
                for hook, entry in content.items()
            }
        except (ValueError, AttributeError, TypeError):
            return {}

    def keep_seen(self, seen: Mapping[str, Seen]) -> None:
        content = {
            hook: {"files": dict(known.files), "failed": known.failed}
            for hook, known in seen.items()
            if known.files or known.failed
        }
        try:
            private_folder(self._folder)
            write_atomic(self.path(MEMORY), json.dumps(content), mode=0o600, fsync=False)
        except StateError as error:
            self._tell(f"what the hooks have seen is not kept: {error}")

    def _tell(self, words: str) -> None:
        """Warns once of each thing."""
        if words not in self._told:
            self._told.add(words)
            self._warn(words)

    def _marker_ns(self) -> int | None:
        try:
            return os.stat(self.path(MARKER)).st_mtime_ns
        except OSError:
            return self._kept.cutoff_ns if self._kept is not None and self._unwritten else None


def states_of(snapshot: Snapshot, paths: Iterable[str]) -> dict[str, str]:
    """Each path with a text that is another one whenever the file's content or executable bit is."""
    return {path: _state_text(snapshot.state(os.fsencode(path))) for path in paths}


def _state_text(state: FileState | None) -> str:
    if state is None:
        return GONE
    (size, mtime, ctime, inode, mode), blob = state
    kind = git_mode(mode)
    return f"{kind:o}:{blob.hex()}" if blob else f"{kind:o}:{size}:{mtime}:{ctime}:{inode}"


def _modified_ns(snapshot: Snapshot, path: str) -> int:
    state = snapshot.files.get(os.fsencode(path))
    return state[0][1] if state is not None else 0
