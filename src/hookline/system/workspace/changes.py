"""What changed in a workspace, told by comparing its files with what they were: never by the clock.

Git says which tracked files are not as its index notes them, and which files it does not track; only those
are looked at here. Nothing is filtered by git, so nothing of an untrusted repository runs, and no lock is
taken. A folder without git is walked.
"""

from __future__ import annotations

import gc
import os
import stat
from time import monotonic, time_ns

from hookline.model.record import Record
from hookline.model.typing import Iterable, Iterator
from hookline.system.repository.git import head_commit
from hookline.system.repository.git_index import GitIndex
from hookline.system.repository.listings import TICK_NS, Staged
from hookline.system.repository.work_tree import find_place, index_age
from hookline.system.workspace.fingerprints import FileState, is_same_kind
from hookline.system.workspace.scan import Look

SCAN_TIMEOUT_S = 60.0
ATTEMPTS = 3


class Snapshot(Record):
    """Every file of a workspace at one moment: those git tracks, and those it neither tracks nor ignores.

    `files` maps the path (bytes, relative to the workspace) to its state for all that git's `index` does not
    tell; a path that is in the index, and neither in `files` nor `missing`, is as the index has it. `dirty`
    are the files that differ from HEAD, untracked ones included, `gone` those of HEAD that do not exist any
    more; in a folder without git every file is dirty. `staged` is where the index differs from HEAD.
    `cutoff_ns` was read before anything was listed. `newest_ns` is the time up to which a file's stat data
    cannot have hidden a later write.
    """

    workspace: str
    kind: str
    head: str | None
    cutoff_ns: int
    newest_ns: int
    id_size: int
    files: dict[bytes, FileState]
    index: GitIndex | None = None
    missing: frozenset[bytes] = frozenset()
    dirty: tuple[bytes, ...] = ()
    gone: tuple[bytes, ...] = ()
    staged: tuple[Staged, ...] = ()

    def state(self, path: bytes) -> FileState | None:
        """A file's state; the stat data of one that is as the index has it is not known. None: no such file."""
        found = self.files.get(path)
        if found is None and self.index is not None and path not in self.missing:
            return self.index.state(path)
        return found

    def paths(self) -> Iterator[bytes]:
        """Every file, the tracked ones in git's order, then the others."""
        tracked = self.index.files() if self.index is not None else ()
        known = set()
        for path in tracked:
            if path not in self.missing and path not in known:
                known.add(path)
                yield path
        yield from (path for path in self.files if path not in known)


class Changes(Record):
    """Workspace-relative paths in code point order; bytes that are not UTF-8 are surrogate-escaped.

    `cutoff_ns` is the moment up to which they are known, nanoseconds since the epoch.
    """

    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    cutoff_ns: int = 0

    def __bool__(self) -> bool:
        return bool(self.changed or self.deleted)


def changed_since(previous: Snapshot | None, current: Snapshot) -> Changes:
    """Files whose content, kind or executable bit is not what it was, and files that are gone.

    A rename is a deletion and a change; a commit changes nothing by itself, and what was changed and
    committed in between counts. Without `previous`, what differs from HEAD.
    """
    if previous is None:
        return dirty_files(current)
    return changed_among(previous, current, _suspects(previous, current))


def changed_among(previous: Snapshot, current: Snapshot, paths: Iterable[bytes]) -> Changes:
    """`changed_since` when only these paths can have changed."""
    hidden_from = previous.newest_ns - TICK_NS
    changed, deleted = [], []
    for path in paths:
        old, new = previous.state(path), current.state(path)
        if new is None:
            if old is not None and not _exists(current.workspace, path):
                deleted.append(path)
        elif old is None or (old != new and _differs(old, new, hidden_from)):
            changed.append(path)
    return Changes(_names(changed), _names(deleted), current.cutoff_ns)


def dirty_files(current: Snapshot) -> Changes:
    """What differs from HEAD: staged, not staged, untracked and deleted."""
    return Changes(_names(current.dirty), _names(current.gone), current.cutoff_ns)


def _suspects(previous: Snapshot, current: Snapshot) -> set[bytes]:
    """The paths one of the two knows more of than that they are as git's index has them."""
    found = {*previous.files, *current.files, *(previous.missing ^ current.missing)}
    if previous.index is not current.index:
        index, other = previous.index, current.index
        found |= index.differing(other) if index is not None else other.differing(None) if other else set()
    return found


def _differs(old: FileState, new: FileState, hidden_from: int) -> bool:
    (seen, blob), (seen_now, blob_now) = old, new
    if seen == seen_now and seen[2] < hidden_from:
        return False
    if not is_same_kind(seen[4], seen_now[4]):
        return True
    if blob and blob_now:
        return blob != blob_now
    return seen != seen_now


class FullScans(Record):
    """How a workspace stands, found out anew each time it is asked; a `Watcher` tells the same for less."""

    workspace: str

    async def head(self) -> str | None:
        """The commit that HEAD names."""
        return await head_commit(self.workspace)

    async def scan(self, previous: Snapshot | None = None) -> Snapshot:
        return await scan(self.workspace, previous)


async def scan(
    workspace: str, previous: Snapshot | None = None, timeout_s: float = SCAN_TIMEOUT_S
) -> Snapshot:
    """Every file's state now. `previous` only saves reading files again that it knows.

    StateError when it takes longer than `timeout_s`. Yields to the loop's other tasks as it goes.
    """
    collecting = gc.isenabled()
    gc.disable()  # a scan makes tuples by the 100 000, which the collector would visit again and again
    try:
        return await _scan(workspace, previous, timeout_s)
    finally:
        if collecting:
            gc.enable()


async def _scan(workspace: str, previous: Snapshot | None, timeout_s: float) -> Snapshot:
    cutoff_ns = time_ns()
    deadline = monotonic() + timeout_s
    place = await find_place(os.path.realpath(workspace), timeout_s)
    if previous is not None and previous.id_size != place.id_size:
        previous = None
    for _ in range(ATTEMPTS):
        look = Look(place, timeout_s, deadline)
        await look.list_files(previous.index if previous is not None else None)
        # A file staged between the two listings would be in neither: look again.
        if index_age(place) == (look.index.age_ns if look.index is not None else 0):
            break
    hidden_from = 0 if previous is None else previous.newest_ns - TICK_NS
    await look.take(previous.files if previous is not None else {}, hidden_from)
    times = [state[0][2] for state in look.files.values()]
    newest = max([*times, look.index.age_ns] if look.index is not None else times, default=cutoff_ns)
    return Snapshot(
        place.workspace, place.kind, place.head, cutoff_ns, min(cutoff_ns, newest), place.id_size,
        look.files, look.index, frozenset(look.missing), tuple(look.dirty), tuple(look.gone), look.staged,
    )  # fmt: skip


def _names(paths: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(os.fsdecode(path) for path in sorted(paths))


def _exists(workspace: str, path: bytes) -> bool:
    place = os.path.join(os.fsencode(workspace), path)
    folder = os.path.dirname(place)
    try:
        mode = os.lstat(place).st_mode
    except (OSError, ValueError):
        return False
    return (stat.S_ISREG(mode) or stat.S_ISLNK(mode)) and os.path.realpath(folder) == folder
