"""What changed in a workspace, told by comparing its files with what they were: never by the clock.

Tracked files come from git's index, the others from `git ls-files -o`; nothing is compared or filtered by
git, so nothing of an untrusted repository runs and no lock is taken. A folder without git is walked.
"""

from __future__ import annotations

import gc
import os
import stat
from time import monotonic, time_ns

from hookline.model.record import Record, replace
from hookline.system.fingerprints import (
    agrees_with_git,
    blob_ids,
    breathe,
    fingerprint,
    is_same_kind,
    linked_folders,
)
from hookline.system.git import GITLINK
from hookline.system.git_index import (
    BLOB,
    EXTENDED,
    FLAGS,
    INTENT_TO_ADD,
    MODE,
    SKIP_WORKTREE,
    STAGE,
    GitIndex,
)
from hookline.system.listings import Others, Place, find_place, index_age, other_files, tracked_files
from hookline.system.loop import gather

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookline.system.fingerprints import Fingerprint
    from hookline.system.git_index import Note

    # fingerprint, git's blob id (empty when it was not worth reading)
    FileState = tuple[Fingerprint, bytes]

SCAN_TIMEOUT_S = 60.0
CHUNK = 2000
ATTEMPTS = 3
UNSETTLED = STAGE | EXTENDED
TICK_NS = 2_000_000_000  # the coarsest time stamps in use: FAT


class Snapshot(Record):
    """Every file of a workspace at one moment: those git tracks, and those it neither tracks nor ignores.

    `files` maps the path (bytes, relative to the workspace) to its state. `dirty` are the files that differ
    from HEAD, untracked ones included, `gone` those of HEAD that do not exist any more; in a folder without
    git every file is dirty. `cutoff_ns` was read before anything was listed. `newest_ns` is the time up to
    which a file's stat data cannot have hidden a later write.
    """

    workspace: str
    kind: str
    head: str | None
    cutoff_ns: int
    newest_ns: int
    id_size: int
    files: dict[bytes, FileState]
    dirty: tuple[bytes, ...] = ()
    gone: tuple[bytes, ...] = ()


class Changes(Record):
    """Workspace-relative paths in code point order; bytes that are not UTF-8 are surrogate-escaped.

    `cutoff_ns` is the moment up to which they are known, nanoseconds since the epoch.
    """

    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    cutoff_ns: int = 0

    def __bool__(self) -> bool:
        return bool(self.changed or self.deleted)


async def detect(
    workspace: str, previous: Snapshot | None = None, timeout_s: float = SCAN_TIMEOUT_S
) -> tuple[Changes, Snapshot]:
    """What changed since `previous`, and the snapshot to hand in the next time."""
    current = await scan(workspace, previous, timeout_s)
    return changed_since(previous, current), current


def changed_since(previous: Snapshot | None, current: Snapshot) -> Changes:
    """Files whose content, kind or executable bit is not what it was, and files that are gone.

    A rename is a deletion and a change; a commit changes nothing by itself, and what was changed and
    committed in between counts. Without `previous`, what differs from HEAD (D-46).
    """
    if previous is None:
        return dirty_files(current)
    before, after = previous.files, current.files
    hidden_from = previous.newest_ns - TICK_NS
    changed = [
        path
        for path, state in after.items()
        if (old := before.get(path)) != state and (old is None or _differs(old, state, hidden_from))
    ]
    deleted = [path for path in before if path not in after and not _exists(current.workspace, path)]
    return Changes(_names(changed), _names(deleted), current.cutoff_ns)


def changed_among(previous: Snapshot, current: Snapshot, paths: Iterable[bytes]) -> Changes:
    """`changed_since` when only these paths can have changed."""
    before, after = previous.files, current.files
    some = tuple(paths)
    old = {path: before[path] for path in some if path in before}
    new = {path: after[path] for path in some if path in after}
    return changed_since(replace(previous, files=old), replace(current, files=new))


def dirty_files(current: Snapshot) -> Changes:
    """What differs from HEAD: staged, not staged, untracked and deleted."""
    return Changes(_names(current.dirty), _names(current.gone), current.cutoff_ns)


def _differs(old: FileState, new: FileState, hidden_from: int) -> bool:
    (seen, blob), (seen_now, blob_now) = old, new
    if seen == seen_now and seen[2] < hidden_from:
        return False
    if not is_same_kind(seen[4], seen_now[4]):
        return True
    if blob and blob_now:
        return blob != blob_now
    return seen != seen_now


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
    place = await find_place(_real(workspace), timeout_s)
    for _ in range(ATTEMPTS):
        scanned = _Scan(place, previous)
        await gather([scanned.list_others(timeout_s), scanned.read_tracked(timeout_s, deadline)])
        # A file staged between the two listings would be in neither: look again.
        if index_age(place) == scanned.index_ns:
            break
    await scanned.read_others(deadline)
    newest = max((state[0][2] for state in scanned.files.values()), default=cutoff_ns)
    return Snapshot(
        place.workspace, place.kind, place.head, cutoff_ns, min(cutoff_ns, newest), place.id_size,
        scanned.files, tuple(scanned.dirty), tuple(scanned.gone),
    )  # fmt: skip


class _Scan:
    """Collects states; what stat data cannot tell is put aside to be read."""

    def __init__(self, place: Place, previous: Snapshot | None) -> None:
        self.place = place
        self.prefix = os.fsencode(place.workspace).rstrip(b"/") + b"/"
        self.known = previous.files if previous is not None and previous.id_size == place.id_size else {}
        self.hidden_from = 0 if previous is None else previous.newest_ns - TICK_NS
        self.index = GitIndex([], [], {})
        self.index_ns = 0
        self.others = Others()
        self.outside: tuple[bytes, ...] = ()
        self.files: dict[bytes, FileState] = {}
        self.dirty: dict[bytes, None] = {}
        self.gone: dict[bytes, None] = {}
        self.doubtful: dict[bytes, tuple[Fingerprint, bytes]] = {}

    async def list_others(self, timeout_s: float) -> None:
        self.others = await other_files(self.place, timeout_s)

    async def read_tracked(self, timeout_s: float, deadline: float) -> None:
        """Take every tracked file, while git lists the others."""
        await breathe(deadline)
        self.index, self.index_ns = await tracked_files(self.place, timeout_s)
        await breathe(deadline)
        self.outside = linked_folders(self.prefix, self.index.paths)
        for start in range(0, len(self.index.paths), CHUNK):
            self.take_tracked(start, start + CHUNK)
            await breathe(deadline)

    async def read_others(self, deadline: float) -> None:
        """Take the files git does not track, read what is in doubt, and add what is staged."""
        paths = self.others.paths
        for start in range(0, len(paths), CHUNK):
            self.take_others(paths[start : start + CHUNK])
            await breathe(deadline)
        await self.read_doubtful(deadline)
        self.judge_staged()

    def take_tracked(self, start: int, end: int) -> None:
        """Take the entries whose stat data is what git noted as git knows them; put the others aside."""
        index, files, prefix = self.index, self.files, self.prefix
        index_ns, lstat, agreeing = self.index_ns, os.lstat, (-1, -1)
        for path, note in zip(index.paths[start:end], index.notes[start:end], strict=True):
            try:
                seen = lstat(prefix + path)
            except (OSError, ValueError):
                self.take_odd(path, note, None)
                continue
            mode, mtime, ctime = seen.st_mode, seen.st_mtime_ns, seen.st_ctime_ns
            if (
                mtime == note[2] * 1_000_000_000 + note[3]
                and ctime == note[0] * 1_000_000_000 + note[1]
                and mtime < index_ns > ctime
                and seen.st_size & 0xFFFFFFFF == note[9]
                and seen.st_ino & 0xFFFFFFFF == note[5]
                and not note[FLAGS] & UNSETTLED
                and (agreeing == (mode, note[MODE]) or self.agrees(mode, note))
            ):
                agreeing = (mode, note[MODE])
                files[path] = ((seen.st_size, mtime, ctime, seen.st_ino, mode), note[BLOB])
            else:
                self.take_odd(path, note, fingerprint(prefix + path))
        if self.outside:
            self.leave_out(index.paths[start:end])

    def take_odd(self, path: bytes, note: Note, now: Fingerprint | None) -> None:
        """An entry that is missing, changed, or in a state of its own."""
        more = self.index.extended.get(path, 0)
        if note[MODE] == GITLINK:
            return
        if now is None:
            if not more & SKIP_WORKTREE:
                self.gone[path] = None
            return
        settled = not (note[FLAGS] & STAGE or more & INTENT_TO_ADD)
        if not settled or not self.agrees(now[4], note):
            self.dirty[path] = None
        self.put_aside(path, now, note[BLOB] if settled else b"")

    def agrees(self, mode: int, note: Note) -> bool:
        return agrees_with_git(mode, note[MODE], self.place.has_modes)

    def leave_out(self, paths: list[bytes]) -> None:
        """A path that leads through a symbolic link is not there."""
        for path in paths:
            if path.startswith(self.outside):
                for states in (self.files, self.dirty, self.doubtful):
                    states.pop(path, None)
                self.gone[path] = None

    def take_others(self, paths: tuple[bytes, ...]) -> None:
        for path in paths:
            if (now := fingerprint(self.prefix + path)) is not None:
                self.gone.pop(path, None)
                self.dirty[path] = None
                self.put_aside(path, now, b"")

    def put_aside(self, path: bytes, now: Fingerprint, blob: bytes) -> None:
        """Take over what the last scan read, unless a later write may hide behind the same stat data."""
        old = self.known.get(path)
        if old is not None and old[0] == now and old[1] and now[2] < self.hidden_from:
            self.files[path] = old
            if old[1] != blob:
                self.dirty[path] = None
            return
        self.files[path] = (now, b"")
        self.doubtful[path] = (now, blob)

    async def read_doubtful(self, deadline: float) -> None:
        wanted = ((path, now) for path, (now, _) in self.doubtful.items())
        ids = await blob_ids(self.prefix, wanted, self.place.id_size, deadline)
        for path, (now, blob) in self.doubtful.items():
            own = ids.get(path, ())
            if blob and blob in own:
                self.files[path] = (now, blob)
                continue
            self.files[path] = (now, own[0] if own else b"")
            self.dirty[path] = None

    def judge_staged(self) -> None:
        """Add what is staged; what was staged and then put back as HEAD has it is not dirty."""
        untracked = frozenset(self.others.paths) if self.others.staged else ()
        for path, mode, blob in self.others.staged:
            state = self.files.get(path)
            if state is None:
                if mode:
                    self.gone[path] = None
            elif (
                mode
                and state[1] == blob
                and path not in untracked
                and agrees_with_git(state[0][4], mode, self.place.has_modes)
            ):
                self.dirty.pop(path, None)
            else:
                self.dirty[path] = None
        staged_new = {path for path, mode, _ in self.others.staged if not mode}
        for path in [path for path in self.gone if path in staged_new]:
            del self.gone[path]  # staged, never committed, and removed again


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


def _real(workspace: str) -> str:
    return os.path.realpath(workspace)
