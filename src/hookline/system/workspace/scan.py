"""One look at a workspace: takes the state of those files that git's index does not already tell."""

from __future__ import annotations

import os

from hookline.model.typing import Any, Iterable, Mapping, Sequence
from hookline.system.loops.loop import gather
from hookline.system.repository.git import GITLINK
from hookline.system.repository.git_index import (
    BLOB,
    EXTENDED,
    FLAGS,
    INTENT_TO_ADD,
    MODE,
    SKIP_WORKTREE,
    STAGE,
    GitIndex,
    Note,
)
from hookline.system.repository.listings import (
    Moved,
    Staged,
    moved_files,
    other_files,
    staged_entries,
    tracked_files,
)
from hookline.system.repository.work_tree import Place
from hookline.system.workspace.fingerprints import (
    FileState,
    Fingerprint,
    agrees_with_git,
    blob_ids,
    breathe,
    fingerprint,
    linked_folders,
)

Noted = tuple[bytes, Note, int]

CHUNK = 2000
UNSETTLED = STAGE | EXTENDED


class Look:
    """`list_files`, then `take`; what stat data cannot tell is put aside to be read."""

    def __init__(self, place: Place, timeout_s: float, deadline: float) -> None:
        self.place = place
        self.timeout_s = timeout_s
        self.deadline = deadline
        self.prefix = os.fsencode(place.workspace).rstrip(b"/") + b"/"
        self.index: GitIndex | None = None
        self.moved: tuple[Moved, ...] = ()
        self.others: tuple[bytes, ...] = ()
        self.staged: tuple[Staged, ...] = ()
        self.files: dict[bytes, FileState] = {}
        self.missing: dict[bytes, None] = {}
        self.dirty: dict[bytes, None] = {}
        self.gone: dict[bytes, None] = {}
        self._known: Mapping[bytes, FileState] = {}
        self._hidden_from = 0
        self._doubtful: dict[bytes, tuple[Fingerprint, bytes]] = {}

    # -- asking git -----------------------------------------------------------------------------------

    async def list_files(self, known: GitIndex | None) -> None:
        """Asks git for all that is listed, and reads its index meanwhile."""
        asked: list[Any] = [
            ask(self.place, self.timeout_s) for ask in (moved_files, other_files, staged_entries)
        ]
        self.moved, self.others, self.staged, self.index = await gather([*asked, self._read_index(known)])

    async def _read_index(self, known: GitIndex | None) -> GitIndex | None:
        await breathe(self.deadline)
        found = await tracked_files(self.place, known, self.timeout_s)
        await breathe(self.deadline)
        return found

    # -- looking --------------------------------------------------------------------------------------

    async def take(
        self, known: Mapping[bytes, FileState], hidden_from: int, notes: Sequence[Noted] | None = None
    ) -> None:
        """The state of all that needs a look; `known` are states whose content was read before `hidden_from`.

        `notes` are the tracked files to look at whatever git says, the odd ones of the index by default.
        """
        self._known, self._hidden_from = known, hidden_from
        tracked = await self._take_tracked(self._odd_notes() if notes is None else notes)
        for start in range(0, len(self.others), CHUNK):
            self._take_others(self.others[start : start + CHUNK])
            await breathe(self.deadline)
        await self._read_doubtful()
        self._judge_staged(tracked)

    def _odd_notes(self) -> list[Noted]:
        index = self.index
        if index is None:
            return []
        index.places()
        return [(index.path(at), index.note(at), index.extended(at)) for at in index.odd]

    async def _take_tracked(self, notes: Sequence[Noted]) -> frozenset[bytes]:
        """The odd files of the index, those git does not find as it noted them, and those not read before."""
        odd = frozenset(path for path, *_ in notes)
        for start in range(0, len(notes), CHUNK):
            for path, note, more in notes[start : start + CHUNK]:
                self._take_odd(path, note, more)
            await breathe(self.deadline)
        moved = [each for each in self.moved if each.path not in odd]
        for start in range(0, len(moved), CHUNK):
            for each in moved[start : start + CHUNK]:
                now = self._look_at(each.path)
                self._put_tracked(each.path, now, each.mode, each.blob, each.is_settled)
            await breathe(self.deadline)
        taken = odd.union(each.path for each in moved)
        unread = self._take_unread(taken)
        self._leave_out(taken)
        return taken | unread

    def _take_odd(self, path: bytes, note: Note, more: int) -> None:
        """A file in a state of its own, or so young that only nanoseconds tell whether it is as noted."""
        if note[MODE] == GITLINK:
            return
        now = self._look_at(path)
        assert self.index is not None
        if now is not None and not note[FLAGS] & UNSETTLED and self._is_noted(now, note, self.index.age_ns):
            self.files[path] = (now, note[BLOB])
        elif now is None and more & SKIP_WORKTREE:
            self.missing[path] = None
        else:
            settled = not (note[FLAGS] & STAGE or more & INTENT_TO_ADD)
            self._put_tracked(path, now, note[MODE], note[BLOB], settled)

    def _is_noted(self, now: Fingerprint, note: Note, index_ns: int) -> bool:
        size, mtime, ctime, inode, mode = now
        return (
            mtime == note[2] * 1_000_000_000 + note[3]
            and ctime == note[0] * 1_000_000_000 + note[1]
            and mtime < index_ns > ctime
            and size & 0xFFFFFFFF == note[9]
            and inode & 0xFFFFFFFF == note[5]
            and self._agrees(mode, note[MODE])
        )

    def _put_tracked(
        self, path: bytes, now: Fingerprint | None, mode: int, blob: bytes, is_settled: bool
    ) -> None:
        if now is None:
            self.missing[path] = self.gone[path] = None
            return
        if not is_settled or not self._agrees(now[4], mode):
            self.dirty[path] = None
        self._put_aside(path, now, blob if is_settled else b"")

    def _take_unread(self, taken: frozenset[bytes]) -> frozenset[bytes]:
        """Files whose content was never read can only be compared by their stat data, then and now."""
        unread = [path for path, (_, blob) in self._known.items() if not blob and path not in taken]
        found = set()
        for path in unread:
            note = self.index.find(path) if self.index is not None else None
            if note is not None and note[MODE] != GITLINK and (now := self._look_at(path)) is not None:
                self.files[path] = (now, note[BLOB])
                found.add(path)
        return frozenset(found)

    def _leave_out(self, paths: Iterable[bytes]) -> None:
        """A path that leads through a symbolic link is not there."""
        outside = linked_folders(self.prefix, paths)
        for path in [path for path in paths if path.startswith(outside)] if outside else ():
            for states in (self.files, self.dirty, self._doubtful):
                states.pop(path, None)
            self.missing[path] = self.gone[path] = None

    def _take_others(self, paths: Iterable[bytes]) -> None:
        for path in paths:
            if (now := self._look_at(path)) is not None:
                self.gone.pop(path, None)
                self.missing.pop(path, None)
                self.dirty[path] = None
                self._put_aside(path, now, b"")

    def _look_at(self, path: bytes) -> Fingerprint | None:
        found = fingerprint(self.prefix + path)
        if found is not None and not self.place.has_modes:
            return (*found[:4], found[4] & ~0o111)  # the bits come and go as the file system likes
        return found

    def _agrees(self, mode: int, recorded: int) -> bool:
        return agrees_with_git(mode, recorded, self.place.has_modes)

    # -- reading --------------------------------------------------------------------------------------

    def _put_aside(self, path: bytes, now: Fingerprint, blob: bytes) -> None:
        """Take over what the last scan read, unless a later write may hide behind the same stat data."""
        old = self._known.get(path)
        if old is not None and old[0] == now and old[1] and now[2] < self._hidden_from:
            self.files[path] = old
            if old[1] != blob:
                self.dirty[path] = None
            return
        self.files[path] = (now, b"")
        self._doubtful[path] = (now, blob)

    async def _read_doubtful(self) -> None:
        wanted = ((path, now) for path, (now, _) in self._doubtful.items())
        ids = await blob_ids(self.prefix, wanted, self.place.id_size, self.deadline)
        for path, (now, blob) in self._doubtful.items():
            own = ids.get(path, ())
            if blob and blob in own:
                self.files[path] = (now, blob)
                continue
            self.files[path] = (now, own[0] if own else b"")
            self.dirty[path] = None

    def _judge_staged(self, taken: frozenset[bytes]) -> None:
        """Add what is staged; what was staged and then put back as HEAD has it is not dirty."""
        untracked = frozenset(self.others) if self.staged else frozenset()
        for each in self.staged:
            path = each.path
            if each.is_tracked and path not in taken and path not in untracked:
                self._take_clean(path)
            state = self.files.get(path)
            if state is None:
                if each.mode:
                    self.gone[path] = None
                else:
                    self.gone.pop(path, None)  # staged, never committed, and removed again
            elif (
                each.mode
                and state[1] == each.blob
                and path not in untracked
                and self._agrees(state[0][4], each.mode)
            ):
                self.dirty.pop(path, None)
            else:
                self.dirty[path] = None

    def _take_clean(self, path: bytes) -> None:
        """A staged file is dirty though it is as the index has it."""
        note = self.index.find(path) if self.index is not None else None
        now = self._look_at(path)
        if now is None:
            self.missing[path] = None
        elif note is not None:
            self.files[path] = (now, note[BLOB])
