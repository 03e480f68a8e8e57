"""Follows a workspace while a host runs, so that what changed is known without looking at every file.

The operating system names the paths that were touched; only those are compared, by the rules of
`changes.scan`. Whatever could make that wrong (a commit, a changed index or ignore file, a nested
repository, too many events) is answered by a full scan, which is also how it begins.
"""

from __future__ import annotations

import asyncio
import os
from time import time_ns

from hookline.model.errors import HooklineError, StateError
from hookline.model.record import replace
from hookline.system.changes import SCAN_TIMEOUT_S, Changes, Snapshot, changed_among, changed_since, scan
from hookline.system.clock import new_run_id
from hookline.system.files import ensure_dir, remove_tree
from hookline.system.fingerprints import agrees_with_git, blob_ids, fingerprint
from hookline.system.git import head_commit, read_git
from hookline.system.leftovers import run_folder
from hookline.system.listings import Place, find_place, index_age

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

STEP_MS = 2
MANY = 5_000
COOKIE_WAIT_S = 2.0
_GIT_FILES = (b".gitignore", b".gitattributes", b".gitmodules")


class Watcher:
    """`start`, then `scan` in place of `changes.scan`, as often as wanted; `close` at the end.

    Needs the `watchfiles` package and asyncio. `scan` never says less than a full scan would: when the
    watching broke, it is one.
    """

    def __init__(self, workspace: str) -> None:
        self.workspace = os.path.realpath(workspace)
        self.full_scans = 0
        self._touched: set[bytes] = set()
        self._looked_at: set[bytes] = set()
        self._base: Snapshot | None = None
        self._place: Place | None = None
        self._index_ns = 0
        self._broken = True
        self._cookies = ""
        self._cookie = 0
        self._seen_cookie = 0
        self._news = asyncio.Event()
        self._ready = asyncio.Event()
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        """Begins to watch, then takes the first full scan. Raises HooklineError without `watchfiles`."""
        try:
            import watchfiles  # noqa: F401  # asked for here, so that its absence is said at the start
        except ImportError as error:
            raise HooklineError("watching needs `watchfiles`", 'pip install "hookline[serve]"') from error
        # Named as the folders of runs are, so that the sweep after a kill finds it
        self._cookies = ensure_dir(run_folder(new_run_id()), 0o700)
        self._task = asyncio.create_task(self._follow())
        await self._settled()
        await self.scan()

    async def close(self) -> None:
        """Stops watching."""
        self._stop.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        remove_tree(self._cookies)

    async def scan(self, previous: Snapshot | None = None, timeout_s: float = SCAN_TIMEOUT_S) -> Snapshot:
        """Every file's state now, as `changes.scan` tells it; `previous` only saves work there."""
        async with self._lock:
            cutoff_ns = time_ns()
            settled = await self._settled()
            touched, self._touched = self._touched, set()
            base = self._base
            if base is None or self._broken or not settled or not await self._is_simple(base, touched):
                return await self._full_scan(previous or base, timeout_s)
            paths = _expanded(touched, os.fsencode(self.workspace).rstrip(b"/") + b"/", base)
            self._base = await self._advanced(base, paths, cutoff_ns)
            self._looked_at.update(paths)
            return self._base

    async def changed(self) -> Changes:
        """What changed since the last `scan` or `changed`."""
        before, full_scans = self._base, self.full_scans
        self._looked_at.clear()
        after = await self.scan()
        if before is None or self.full_scans != full_scans:
            return changed_since(before, after)
        return changed_among(before, after, self._looked_at)

    # -- watching -----------------------------------------------------------------------------------

    async def _follow(self) -> None:
        from watchfiles import awatch

        prefix = os.fsencode(self.workspace).rstrip(b"/") + b"/"
        cookies = self._cookies + os.sep
        try:
            async for batch in awatch(
                self.workspace, self._cookies, watch_filter=None, debounce=STEP_MS, step=STEP_MS,
                stop_event=self._stop, rust_timeout=100, yield_on_timeout=True,
            ):  # fmt: skip
                self._broken = self._broken and self._base is None
                self._take(batch, prefix, cookies)
        except Exception:  # watching is an accelerator: without it every scan is a full one
            self._broken = True
        finally:
            self._ready.set()
            self._news.set()

    def _take(self, batch: Iterable[tuple[object, str]], prefix: bytes, cookies: str) -> None:
        for _, path in batch:
            if path.startswith(cookies):
                name = path[len(cookies) :]
                self._seen_cookie = max(self._seen_cookie, int(name)) if name.isdigit() else self._seen_cookie
                continue
            raw = os.fsencode(path)
            if raw.startswith(prefix):
                self._touched.add(raw[len(prefix) :])
        self._ready.set()
        self._news.set()

    async def _settled(self) -> bool:
        """Waits until every event up to now has arrived: events keep their order, so our own comes last."""
        if self._task is None or self._task.done():
            return False
        self._cookie += 1
        wanted = self._cookie
        loop = asyncio.get_running_loop()
        end = loop.time() + COOKIE_WAIT_S
        await self._ready.wait()
        os.close(os.open(os.path.join(self._cookies, str(wanted)), os.O_CREAT | os.O_WRONLY, 0o600))
        while self._seen_cookie < wanted:
            self._news.clear()
            left = end - loop.time()
            if left <= 0 or self._task.done():
                return False
            try:
                await asyncio.wait_for(self._news.wait(), left)
            except TimeoutError:
                return False
        return True

    # -- comparing -----------------------------------------------------------------------------------

    async def _full_scan(self, previous: Snapshot | None, timeout_s: float) -> Snapshot:
        self.full_scans += 1
        self._place = await find_place(self.workspace, timeout_s)
        self._index_ns = index_age(self._place)
        self._base = await scan(self.workspace, previous, timeout_s)
        self._broken = self._task is None or self._task.done()
        return self._base

    async def _is_simple(self, base: Snapshot, touched: set[bytes]) -> bool:
        """Whether the touched paths alone can tell the new state."""
        place = self._place
        if place is None or base.kind != "git" or len(touched) > MANY:
            return False
        if any(b"\xef\xbf\xbd" in path or _concerns_git(path) for path in touched):
            return False
        if index_age(place) != self._index_ns:
            return False
        return await head_commit(self.workspace) == base.head

    async def _advanced(self, base: Snapshot, paths: list[bytes], cutoff_ns: int) -> Snapshot:
        prefix = os.fsencode(self.workspace).rstrip(b"/") + b"/"
        if not paths:
            return replace(base, cutoff_ns=cutoff_ns)
        now = {path: fingerprint(prefix + path) for path in paths if _is_own(prefix, path)}
        present = {path: seen for path, seen in now.items() if seen is not None}
        strangers = [path for path in present if path not in base.files and path not in base.gone]
        ignored = await self._ignored(strangers)
        present = {path: seen for path, seen in present.items() if path not in ignored}
        ids = await blob_ids(prefix, present.items(), base.id_size)
        files, dirty, gone = dict(base.files), dict.fromkeys(base.dirty), dict.fromkeys(base.gone)
        unsure = [path for path in now if path in dirty or path in gone or path not in base.files]
        recorded = await self._in_head([path for path in unsure if path not in ignored])
        has_modes = self._place is None or self._place.has_modes
        for path in now:
            known = None if path in unsure else base.files[path]
            head = recorded.get(path) if known is None else (known[0][4], known[1])
            seen = present.get(path)
            files.pop(path, None)
            dirty.pop(path, None)
            gone.pop(path, None)
            if seen is None:
                if head is not None and path not in ignored:
                    gone[path] = None
                continue
            blobs = ids.get(path, ())
            same = (
                head is not None
                and head[1] in blobs
                and agrees_with_git(seen[4], _git_mode(head[0]), has_modes)
            )
            files[path] = (seen, head[1] if same and head is not None else blobs[0] if blobs else b"")
            if not same:
                dirty[path] = None
        newest = max([base.newest_ns, *(seen[2] for seen in present.values())])
        return replace(
            base, cutoff_ns=cutoff_ns, newest_ns=min(cutoff_ns, newest), files=files,
            dirty=tuple(dirty), gone=tuple(gone),
        )  # fmt: skip

    async def _ignored(self, paths: Iterable[bytes]) -> frozenset[bytes]:
        """Those of these untracked files that git's ignore rules leave out."""
        names = [os.fsdecode(path) for path in paths]
        if not names:
            return frozenset()
        found = await read_git(self.workspace, "ls-files", "-o", "--exclude-standard", "-z", "--", *names)
        if not found.ok:
            raise StateError(f"git does not say what is ignored: {found.message}")
        return frozenset(map(os.fsencode, names)) - frozenset(found.output.split(b"\0"))

    async def _in_head(self, paths: Iterable[bytes]) -> dict[bytes, tuple[int, bytes]]:
        """Mode and blob id that HEAD has of these paths."""
        names = [os.fsdecode(path) for path in paths]
        if not names:
            return {}
        found = await read_git(self.workspace, "ls-tree", "-z", "HEAD", "--", *names)
        entries = (entry.split(b"\t", 1) for entry in found.output.split(b"\0") if entry)
        words = {path: head.split() for head, path in entries}
        return {
            path: (int(mode, 8), bytes.fromhex(blob.decode()))
            for path, (mode, kind, blob) in words.items()
            if kind == b"blob"
        }


def _concerns_git(path: bytes) -> bool:
    """Ignore files and repositories below the root; git's own folder changes at every look and says nothing."""
    if path == b".git" or path.startswith(b".git/"):
        return path in (b".git/info/exclude", b".git/config")
    return path.rpartition(b"/")[2] in _GIT_FILES or b"/.git/" in path or path.endswith(b"/.git")


def _expanded(touched: set[bytes], prefix: bytes, base: Snapshot) -> list[bytes]:
    """The files behind the touched names: a folder that came or went stands for what is or was in it."""
    found: set[bytes] = set()
    lost: list[bytes] = []
    for path in touched:
        if path == b".git" or path.startswith(b".git/"):
            continue
        place = prefix + path
        if os.path.isdir(place) and not os.path.islink(place):
            for folder, _, names in os.walk(place):
                found.update(os.path.join(folder, name)[len(prefix) :] for name in names)
            lost.append(path + b"/")
        else:
            found.add(path)
            if path not in base.files:
                lost.append(path + b"/")
    if lost:
        heads = tuple(lost)
        found.update(path for path in (*base.files, *base.gone) if path.startswith(heads))
    return sorted(found)


def _is_own(prefix: bytes, path: bytes) -> bool:
    """False for what is only reached through a symbolic link."""
    folder = os.path.dirname(prefix + path)
    return os.path.realpath(folder) == folder or not os.path.lexists(folder)


def _git_mode(mode: int) -> int:
    """A file's mode as git writes it; one of git's own stays."""
    if mode in (0o100644, 0o100755, 0o120000):
        return mode
    if mode & 0o170000 == 0o120000:
        return 0o120000
    return 0o100755 if mode & 0o100 else 0o100644
