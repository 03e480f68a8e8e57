"""Reads git's index file itself: every tracked path with the stat data git noted, without running git."""

from __future__ import annotations

from struct import Struct, error, unpack_from

from hookline.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    # ctime, its ns, mtime, its ns, device, inode, mode, user, group, size, blob id, flags: as git stores them
    Note = tuple[int, int, int, int, int, int, int, int, int, int, bytes, int]

MODE: Final = 6
BLOB: Final = 10
FLAGS: Final = 11
EXTENDED = 0x4000
STAGE = 0x3000
SKIP_WORKTREE = 0x4000
INTENT_TO_ADD = 0x2000

_HEADER = Struct(">4sII")
_UNSUPPORTED = (b"link", b"sdir")


class GitIndex(Record):
    """The tracked paths of a repository in git's order, and for each what git noted.

    `extended` holds the second flag word of the few entries that have one. The stat data of an entry that
    is not older than the index itself proves nothing: the file may have been written again in the same tick.
    """

    paths: list[bytes]
    notes: list[Note]
    extended: dict[bytes, int]


def read_index(content: bytes, id_size: int) -> GitIndex | None:
    """The index in `content`; None for a form that only git can read (split, sparse, damaged)."""
    try:
        signature, version, count = _HEADER.unpack_from(content)
        if signature != b"DIRC" or version not in (2, 3, 4) or count > len(content) // 60:
            return None
        found, end = _entries(content, version, count, id_size)
        _check_extensions(content, end, id_size)
        return found
    except (error, ValueError, IndexError):
        return None


def _entries(content: bytes, version: int, count: int, id_size: int) -> tuple[GitIndex, int]:
    found = GitIndex([], [], {})
    fixed = Struct(f">10I{id_size}sH")
    unpack, find, size = fixed.unpack_from, content.index, fixed.size
    keep_path, keep_note, extended = found.paths.append, found.notes.append, found.extended
    at, path, more = _HEADER.size, b"", 0
    for _ in range(count):
        note = unpack(content, at)
        start = at + size
        if note[11] & EXTENDED:
            more = unpack_from(">H", content, start)[0]
            start += 2
        if version == 4:
            dropped, start = _varint(content, start)
            end = find(b"\0", start)
            path = path[: len(path) - dropped] + content[start:end]
            at = end + 1
        else:
            end = find(b"\0", start)
            path = content[start:end]
            at += (end - at + 8) & ~7
        if note[11] & EXTENDED:
            extended[path] = more
        keep_path(path)
        keep_note(note)
    return found, at


def _check_extensions(content: bytes, at: int, id_size: int) -> None:
    while at + 8 <= len(content) - id_size:
        name, length = unpack_from(">4sI", content, at)
        if name in _UNSUPPORTED:
            raise ValueError(name)
        at += 8 + length


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """A number as git's pack format writes offsets, and where it ends."""
    byte = content[at]
    at += 1
    value = byte & 127
    while byte & 128:
        byte = content[at]
        at += 1
        value = ((value + 1) << 7) | (byte & 127)
    return value, at


def listed_index(output: bytes) -> GitIndex:
    """The same out of `git ls-files -t -s -z`, where nothing is known of the stat data."""
    found = GitIndex([], [], {})
    for line in output.split(b"\0")[:-1]:
        head, _, path = line.partition(b"\t")
        tag, mode, blob, stage = head.split(b" ")
        flags = int(stage) << 12
        found.paths.append(path)
        found.notes.append((0, 0, 0, 0, 0, 0, int(mode, 8), 0, 0, -1, bytes.fromhex(blob.decode()), flags))
        if tag == b"S":
            found.extended[path] = SKIP_WORKTREE
    return found


def below(index: GitIndex, prefix: bytes) -> GitIndex:
    """The entries in the folder `prefix` (with its slash), their paths relative to it."""
    if not prefix:
        return index
    cut = len(prefix)
    kept = [number for number, path in enumerate(index.paths) if path.startswith(prefix)]
    extended = {path[cut:]: more for path, more in index.extended.items() if path.startswith(prefix)}
    return GitIndex([index.paths[n][cut:] for n in kept], [index.notes[n] for n in kept], extended)
