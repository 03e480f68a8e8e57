"""One run of issues at a time in a work tree: what one run commits must not be another's half-done work."""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256

from hookline.model.errors import ConfigError, StateError
from hookline.model.rendering import iso_time
from hookline.system.files import read_head
from hookline.system.locks import file_lock
from hookline.system.loops.loop import sleep
from hookline.system.repository.git import read_git

LOOK_S = 0.2


class IssueLock:
    """Held from `take` to `release`. The kernel frees it when its holder dies, however that happens."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = file_lock(path)
        self._held = False

    async def take(self, wait: bool, say: Callable[[str], None]) -> None:
        """Raises ConfigError naming the holder, unless told to `wait`; without a place for locks there is none."""
        told = False
        try:
            while not self._lock.attempt():
                if not wait:
                    hint = "`--wait` waits for its end, `hookline sessions current` shows it"
                    raise ConfigError(f"{self._holder()} works on issues here already", hint)
                if not told:
                    say(f"waiting: {self._holder()} works on issues here")
                told = True
                await sleep(LOOK_S)
        except StateError as error:
            say(f"two runs at once would not be noticed: {error.message}")
            return
        self._held = True

    def release(self) -> None:
        if self._held:
            self._held = False
            self._lock.__exit__(None, None, None)

    def _holder(self) -> str:
        found = read_head(self._path + ".lock", 32)
        number = self._lock.holder()
        since = iso_time(found.mtime_ns / 1e9)[:19].replace("T", " ") if found.mtime_ns else ""
        who = f"process {number}" if number else "another process"
        return f"{who} (since {since} UTC)" if since else who


async def lock_of(workspace: str, state_home: str) -> IssueLock:
    """The lock of the work tree `workspace` lies in: `git add -A` knows no smaller place."""
    found = await read_git(workspace, "rev-parse", "--show-toplevel")
    place = found.output.removesuffix(b"\n") if found.ok else os.fsencode(workspace)
    name = sha256(os.path.realpath(place)).hexdigest()[:16]
    return IssueLock(os.path.join(state_home, "issue-runs", name))
