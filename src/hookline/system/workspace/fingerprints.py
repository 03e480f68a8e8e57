"""What tells one state of a file from another: its stat data, and its content where that is in doubt."""

from __future__ import annotations

import os
import stat
from math import inf
from time import monotonic

from hookline.model.errors import StateError
from hookline.model.typing import Iterable
from hookline.system.loops.loop import sleep

Fingerprint = tuple[int, int, int, int, int]
FileState = tuple[Fingerprint, bytes]

KIND, REGULAR, LINK = 0o170000, 0o100000, 0o120000
HASHED_FILES = 5000
HASHED_BYTES = 256 << 20
HASHED_FILE_BYTES = 64 << 20


def fingerprint(path: bytes) -> Fingerprint | None:
    """The state of a file or symbolic link; None for what is not one (any more)."""
    try:
        seen = os.lstat(path)
    except (OSError, ValueError):
        return None
    mode = seen.st_mode
    if mode & KIND != REGULAR and mode & KIND != LINK:
        return None
    return (seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino, mode)


def linked_folders(prefix: bytes, paths: Iterable[bytes]) -> tuple[bytes, ...]:
    """Those folders on the way to `paths` that are symbolic links out of the tree, each with a slash."""
    folders: set[bytes] = set()
    last = b""
    for path in paths:
        folder = path.rpartition(b"/")[0]
        if folder == last:
            continue
        last = folder
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition(b"/")[0]
    return tuple(folder + b"/" for folder in folders if os.path.islink(prefix + folder))


def is_same_kind(before: int, after: int) -> bool:
    """Whether two modes agree in what git records: file or link, executable or not."""
    return stat.S_IFMT(before) == stat.S_IFMT(after) and (before & 0o100) == (after & 0o100)


def agrees_with_git(mode: int, recorded: int, has_modes: bool = True) -> bool:
    """Whether a file's mode is what git's tree or index says (`has_modes`: executable bits count)."""
    if not has_modes:
        return stat.S_ISLNK(mode) == (recorded == LINK)
    return recorded == git_mode(mode)


def git_mode(mode: int) -> int:
    """The mode of a file or symbolic link as git records it."""
    if stat.S_ISLNK(mode):
        return LINK
    return 0o100755 if mode & 0o100 else 0o100644


async def blob_ids(
    root: bytes, wanted: Iterable[tuple[bytes, Fingerprint]], id_size: int, deadline: float = inf
) -> dict[bytes, tuple[bytes, ...]]:
    """Git's blob ids of files, newest first until 5000 files or 256 MiB have been read.

    The first id is that of the bytes as they are; a second one, where the text has CRLF line ends, that of
    the text with LF, which is what git may have stored.
    """
    found: dict[bytes, tuple[bytes, ...]] = {}
    budget = HASHED_BYTES
    newest = sorted(wanted, key=lambda each: -each[1][2])
    for path, seen in newest[:HASHED_FILES]:
        if seen[0] > HASHED_FILE_BYTES or seen[0] > budget:
            continue
        budget -= seen[0]
        if (content := _content(os.path.join(root, path), seen[4])) is not None:
            found[path] = _ids(content, id_size)
        if len(found) % 200 == 0:
            await breathe(deadline)
    return found


async def breathe(deadline: float) -> None:
    """Let the loop's other tasks go on, unless the time is over."""
    if monotonic() > deadline:
        raise StateError("looking for changes took too long")
    await sleep(0)


def _content(path: bytes, mode: int) -> bytes | None:
    try:
        if stat.S_ISLNK(mode):
            return os.readlink(path)
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            return file.read(HASHED_FILE_BYTES + 1)
    except OSError:
        return None


def _ids(content: bytes, id_size: int) -> tuple[bytes, ...]:
    own = blob_id(content, id_size)
    if b"\r\n" not in content:
        return (own,)
    return own, blob_id(content.replace(b"\r\n", b"\n"), id_size)


def blob_id(content: bytes, id_size: int) -> bytes:
    """The id git gives to these bytes."""
    import hashlib

    blob = b"blob %d\0" % len(content) + content
    if id_size == 32:
        return hashlib.sha256(blob).digest()
    return hashlib.sha1(blob, usedforsecurity=False).digest()
