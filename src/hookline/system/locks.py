"""Locks between processes, which the kernel frees when their holder dies."""

from __future__ import annotations

import os
import time

from hookline.model.errors import StateError
from hookline.model.typing import TYPE_CHECKING
from hookline.system.files import FilePath, read_head, words_of
from hookline.system.loops.loop import sleep

if TYPE_CHECKING:
    from types import TracebackType


LOCK_TIMEOUT_S = 10.0
_LOCKS = "/proc/locks"


class file_lock:
    """Hold an exclusive lock beside `path`; the kernel frees it when its holder dies.

    Waits up to `timeout_s` seconds, then raises StateError naming the holding process if it is known.
    The lock is a file `<path>.lock`, gone again once released; its folder is made when missing.
    """

    def __init__(self, path: FilePath, timeout_s: float = LOCK_TIMEOUT_S) -> None:
        self._path = os.fspath(path) + ".lock"
        self._timeout_s = timeout_s
        self._handle = -1

    def __enter__(self) -> file_lock:
        deadline = time.monotonic() + self._timeout_s
        pause = 0.0005
        while not self.attempt():
            if time.monotonic() >= deadline:
                raise StateError(*self._held_words())
            time.sleep(pause)
            pause = min(pause * 2, 0.02)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            os.unlink(self._path)
        except OSError:
            pass
        os.close(self._handle)
        self._handle = -1

    def attempt(self) -> bool:
        """Take the lock if it is free; `__exit__` frees it. StateError when there can be none."""
        handle = self._open()
        try:
            _flock(handle)
            # The previous holder may have unlinked the file between our open and our lock.
            if os.path.samestat(os.fstat(handle), os.stat(self._path)):
                if not os.path.exists(_LOCKS):  # to free what was written takes a disk milliseconds
                    os.ftruncate(handle, 0)
                    os.write(handle, f"{os.getpid()}\n".encode())
                self._handle = handle
                return True
        except (BlockingIOError, FileNotFoundError):
            pass
        except OSError as error:
            os.close(handle)
            raise StateError(f"cannot lock `{self._path}`: {words_of(error)}") from error
        os.close(handle)
        return False

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            try:
                return os.open(self._path, flags, 0o600)
            except FileNotFoundError:
                os.makedirs(os.path.dirname(self._path) or ".", exist_ok=True)
                return os.open(self._path, flags, 0o600)
        except OSError as error:
            raise StateError(f"cannot lock `{self._path}`: {words_of(error)}") from error

    def holder(self) -> str:
        """The number of the process that holds it, as the kernel or else the file tells; empty when none does."""
        try:
            found = os.stat(self._path)
            place = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
        except OSError:
            return ""
        for line in read_head(_LOCKS, 1 << 20).content.decode("ascii", "replace").splitlines():
            words = line.split()
            if place in words and "->" not in words and "FLOCK" in words:
                return words[4] if words[4] != "0" else ""
        written = read_head(self._path, 32).content.decode("ascii", "replace").strip()
        return written if written.isdigit() else ""

    def _held_words(self) -> tuple[str, str]:
        holder = self.holder()
        by = f" by process {holder}" if holder else ""
        return (
            f"`{self._path}` is still locked{by} after {self._timeout_s:g} s",
            "wait for that process to end, or end it; the lock then frees itself",
        )


def _flock(handle: int) -> None:
    try:
        import fcntl
    except ImportError as error:
        raise StateError(f"files cannot be locked here: {error}") from error
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


LOOK_S = 0.05


class Turnstile:
    """`async with Turnstile(path)`: waits its turn without blocking the loop; where no lock can be made, at once."""

    def __init__(self, path: str) -> None:
        self._lock: file_lock | None = file_lock(path)

    async def __aenter__(self) -> None:
        try:
            while self._lock is not None and not self._lock.attempt():
                await sleep(LOOK_S)
        except StateError:
            self._lock = None

    async def __aexit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.__exit__(None, None, None)
