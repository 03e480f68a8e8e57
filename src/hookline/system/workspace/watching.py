"""Follows a workspace while a host runs, so that what changed is known without looking at every file.

The operating system names the paths that were touched; only those are compared, by the rules of
`changes.scan`. Whatever could make that wrong (a commit, a changed index or ignore file, a nested
repository, too many events) is answered by a full scan, which is also how it begins.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator
from time import monotonic, time_ns

from hookline.model.errors import HooklineError, StateError
from hookline.model.record import replace
from hookline.system.clock import new_run_id
from hookline.system.files import ensure_dir, remove_tree
from hookline.system.processes.orphans import run_folder
from hookline.system.repository.git import GITLINK, head_commit, ignored_paths, read_git
from hookline.system.repository.git_index import MODE, GitIndex
from hookline.system.repository.listings import TICK_NS
from hookline.system.repository.work_tree import Place, find_place, marks
from hookline.system.workspace.changes import (
    SCAN_TIMEOUT_S,
    Changes,
    Snapshot,
    changed_among,
    changed_since,
    scan,
)
from hookline.system.workspace.scan import Look

STEP_MS = 1
MANY = 5_000
COOKIE_WAIT_S = 2.0
_GIT_FILES = (b".gitignore", b".gitattributes", b".gitmodules")


class Watcher:
    """`start`, then `scan` in place of `changes.scan`, as often as wanted; `close` at the end.

    Needs the `watchfiles` package and asyncio. `scan` never says less than a full scan would: when the
    watching broke, or has not begun, it is one.
    """

    def __init__(self, workspace: str) -> None:
        self.workspace = os.path.realpath(workspace)
        self.full_scans = 0
        self._touched: set[bytes] = set()
        self._looked_at: set[bytes] = set()
        self._base: Snapshot | None = None
        self._place: Place | None = None
        self._marks: tuple[object, ...] = ()
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
        if self._cookies:
            remove_tree(self._cookies)

    async def scan(self, previous: Snapshot | None = None, timeout_s: float = SCAN_TIMEOUT_S) -> Snapshot:
        """Every file's state now, as `changes.scan` tells it; `previous` only saves work there."""
        async with self._lock:
            cutoff_ns = time_ns()
            settled = await self._settled()
            touched, self._touched = self._touched, set()
            base = self._base
            if base is None or self._broken or not settled or not self._is_simple(base, touched):
                return await self._full_scan(previous or base, timeout_s)
            paths = _expanded(touched, os.fsencode(self.workspace).rstrip(b"/") + b"/", base)
            if len(paths) > MANY:
                return await self._full_scan(base, timeout_s)
            self._base = await self._advanced(base, paths, cutoff_ns, timeout_s)
            self._looked_at.update(paths)
            return self._base

    async def head(self) -> str | None:
        """The commit that HEAD names, without asking git while that is the one of the last scan."""
        base, place = self._base, self._place
        if base is not None and place is not None and marks(place) == self._marks:
            return base.head
        return await head_commit(self.workspace)

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
        self._marks = marks(self._place)
        self._base = await scan(self.workspace, previous, timeout_s)
        self._broken = self._task is None or self._task.done()
        return self._base

    def _is_simple(self, base: Snapshot, touched: set[bytes]) -> bool:
        """Whether the touched paths alone can tell the new state."""
        if self._place is None or base.index is None or len(touched) > MANY:
            return False
        if any(b"\xef\xbf\xbd" in path or _concerns_git(path) for path in touched):
            return False
        return marks(self._place) == self._marks

    async def _advanced(
        self, base: Snapshot, paths: list[bytes], cutoff_ns: int, timeout_s: float
    ) -> Snapshot:
        """The snapshot after a look at these paths only."""
        if not paths:
            return replace(base, cutoff_ns=cutoff_ns)
        place, index = self._place, base.index
        assert place is not None and index is not None
        look = Look(place, timeout_s, monotonic() + timeout_s)
        look.index = index
        own = [path for path in paths if _is_own(look.prefix, path)]
        places = {path: at for path in paths if (at := index.place(path)) is not None}
        notes = [(path, index.note(at), index.extended(at)) for path, at in places.items()]
        look.others = await self._untracked([path for path in own if path not in places], look.prefix, base)
        some = frozenset(paths)
        look.staged = tuple(each for each in base.staged if each.path in some)
        known = {path: base.files[path] for path in paths if path in base.files}
        await look.take(known, base.newest_ns - TICK_NS, notes)
        newest = max([base.newest_ns, *(seen[2] for seen, _ in look.files.values())])
        return replace(
            base, cutoff_ns=cutoff_ns, newest_ns=min(cutoff_ns, newest),
            files={**{path: state for path, state in base.files.items() if path not in some}, **look.files},
            missing=(base.missing - some) | look.missing.keys(),
            dirty=(*(path for path in base.dirty if path not in some), *look.dirty),
            gone=(*(path for path in base.gone if path not in some), *look.gone),
        )  # fmt: skip

    async def _untracked(self, paths: list[bytes], prefix: bytes, base: Snapshot) -> tuple[bytes, ...]:
        """Those of these paths that git does not ignore, either."""
        new = [path for path in paths if path not in base.files and os.path.lexists(prefix + path)]
        if not new:
            return tuple(paths)
        ignored = None
        if not any(_is_nested(prefix, path, base.index) for path in new):
            ignored = await ignored_paths(self.workspace, new)
        own = await self._listed_untracked(new) if ignored is None else frozenset(new) - ignored
        return tuple(path for path in paths if path in base.files or path in own)

    async def _listed_untracked(self, paths: list[bytes]) -> frozenset[bytes]:
        """The same, with more work: where a nested repository or a submodule may be in between."""
        names = map(os.fsdecode, paths)
        found = await read_git(self.workspace, "ls-files", "-o", "--exclude-standard", "-z", "--", *names)
        if not found.ok:
            raise StateError(f"git does not say what is ignored: {found.message}")
        return frozenset(found.output.split(b"\0"))


def _concerns_git(path: bytes) -> bool:
    """Ignore files and repositories below the root; git's own folder is told by its marks."""
    if path == b".git" or path.startswith(b".git/"):
        return False
    return path.rpartition(b"/")[2] in _GIT_FILES or b"/.git/" in path or path.endswith(b"/.git")


def _expanded(touched: set[bytes], prefix: bytes, base: Snapshot) -> list[bytes]:
    """The files behind the touched names: a folder that came or went stands for what is or was in it."""
    found: set[bytes] = set()
    for path in touched:
        if path == b".git" or path.startswith(b".git/"):
            continue
        place = prefix + path
        if os.path.isdir(place) and not os.path.islink(place):
            for folder, _, names in os.walk(place):
                found.update(os.path.join(folder, name)[len(prefix) :] for name in names)
        else:
            found.add(path)
        if path not in base.files:
            found.update(_files_below(path + b"/", base))
    return sorted(found)


def _files_below(folder: bytes, base: Snapshot) -> Iterator[bytes]:
    if base.index is not None:
        yield from base.index.files(folder)
    for known in (base.files, base.gone):
        yield from (path for path in known if path.startswith(folder))


def _is_own(prefix: bytes, path: bytes) -> bool:
    """False for what is only reached through a symbolic link."""
    folder = os.path.dirname(prefix + path)
    return os.path.realpath(folder) == folder or not os.path.lexists(folder)


def _is_nested(prefix: bytes, path: bytes, index: GitIndex | None) -> bool:
    """Whether a folder on the way to `path` is, or is said to be, a repository of its own."""
    while path := path.rpartition(b"/")[0]:
        note = index.find(path) if index is not None else None
        if os.path.lexists(prefix + path + b"/.git") or (note is not None and note[MODE] == GITLINK):
            return True
    return False
