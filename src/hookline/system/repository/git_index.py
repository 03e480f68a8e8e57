"""Reads git's index file itself: every tracked path with the stat data git noted, without running git."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from itertools import pairwise
from struct import Struct, error, pack, unpack_from
from zlib import crc32

from hookline.model.errors import StateError
from hookline.model.typing import Final, Iterable, Iterator
from hookline.system.repository.git import GITLINK
from hookline.system.workspace.fingerprints import FileState

Note = tuple[int, int, int, int, int, int, int, int, int, int, bytes, int]

SECONDS: Final = 0
MODE: Final = 6
BLOB: Final = 10
FLAGS: Final = 11
ASSUMED = 0x8000
EXTENDED = 0x4000
STAGE = 0x3000
SKIP_WORKTREE = 0x4000
INTENT_TO_ADD = 0x2000
NEVER = 0xFFFFFFFF  # no file was changed since

SMALLEST_ENTRY = 64  # bytes
MANY = 2000  # questions after which a table is quicker
_NAME_LENGTH = 0x0FFF
_PLAIN_LENGTH = 0x0200  # longer names than this are rare enough to be measured one by one
_HEADER = Struct(">4sII")
_ELSEWHERE = (b"link", b"sdir")
_LISTED = re.compile(
    rb"([0-7]+) ([0-9a-f]+) ([0-3])\t([^\0]*)\0  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n"
    rb"  dev: (\d+)\tino: (\d+)\n  uid: (\d+)\tgid: (\d+)\n  size: (\d+)\tflags: ([0-9a-f]+)\n"
)


class GitIndex:
    """The tracked paths below a folder of the repository, and for each what git noted.

    `content` is an index in git's version 2 or 3, made out of `file` when that is in another, `prefix` the
    folder (with its slash, or empty), `age_ns` when the file was written. `odd` are the entries, known once
    `places` was asked, that need a look: those
    in a state of their own (a merge, assumed unchanged, left out of the work tree), and those whose file was
    last changed at `since_s` or later. StateError when the content is damaged.
    """

    def __init__(self, content: bytes, id_size: int, age_ns: int, prefix: bytes, since_s: int) -> None:
        self.content = content
        self.file = content
        self.id_size = id_size
        self.age_ns = age_ns
        self.prefix = prefix
        self.since_s = since_s
        self.odd: list[int] = []
        self.is_partial = False
        self._fixed = Struct(f">10I{id_size}sH")
        self._all: list[int] | None = None
        self._end = 0
        self._asked = 0
        self._checksum: int | None = None
        self._by_path: dict[bytes, int] | None = None

    def places(self) -> list[int]:
        """Where the entries begin, in words of four bytes, in the order of their paths."""
        if self._all is None:
            try:
                self._all, self.odd, end = _walk(self.content, self._fixed.size, self.since_s)
                self.is_partial = _is_partial(self.content, end * 4, self.id_size)
            except (error, ValueError, IndexError) as fault:
                raise StateError("git's index is damaged") from fault
            self._end = end
            if self.prefix:
                self._narrow()
        return self._all

    def _narrow(self) -> None:
        assert self._all is not None
        after = self.prefix[:-1] + b"0"  # the character that follows a slash
        first = bisect_left(self._all, self.prefix, key=self._name)
        last = bisect_left(self._all, after, key=self._name)
        self._end = self._all[last] if last < len(self._all) else self._end
        self._all = self._all[first:last]
        self.odd = [at for at in self.odd if self._all and self._all[0] <= at <= self._all[-1]]

    def path(self, at: int) -> bytes:
        """The path of an entry, relative to the folder."""
        return self._name(at)[len(self.prefix) :]

    def note(self, at: int) -> Note:
        """What git noted of an entry."""
        note: Note = self._fixed.unpack_from(self.content, at * 4)
        return note

    def extended(self, at: int) -> int:
        """The second flag word that few entries have."""
        if not self.note(at)[FLAGS] & EXTENDED:
            return 0
        more: int = unpack_from(">H", self.content, at * 4 + self._fixed.size)[0]
        return more

    def place(self, path: bytes) -> int | None:
        """Where the entry of a path is; of a file in a merge, its first stage."""
        places, name = self.places(), self.prefix + path
        if self._by_path is not None:
            return self._by_path.get(path)
        self._asked += 1
        if self._asked > MANY:
            self._by_path = {self.path(at): at for at in reversed(places)}
        number = bisect_left(places, name, key=self._name)
        if number == len(places) or self._name(places[number]) != name:
            return None
        return places[number]

    def find(self, path: bytes) -> Note | None:
        """What git noted of a path."""
        at = self.place(path)
        return None if at is None else self.note(at)

    def state(self, path: bytes) -> FileState | None:
        """The state of a file that is as the index has it; its stat data is not known. None for a submodule."""
        note = self.find(path)
        return None if note is None or note[MODE] == GITLINK else ((0, 0, 0, 0, note[MODE]), note[BLOB])

    def files(self, folder: bytes = b"") -> Iterator[bytes]:
        """The paths of the files that begin with `folder`, in order; one in a merge comes once for each side."""
        places, start = self.places(), self.prefix + folder
        for number in range(bisect_left(places, start, key=self._name), len(places)):
            name = self._name(places[number])
            if not name.startswith(start):
                return
            if self.note(places[number])[MODE] != GITLINK:
                yield name[len(self.prefix) :]

    def is_read_from(self, file: bytes, age_ns: int, prefix: bytes) -> bool:
        """Whether reading this file again would tell the same."""
        return self.age_ns == age_ns and self.prefix == prefix and self.file == file

    def checksum(self) -> int:
        """The CRC of `content`."""
        if self._checksum is None:
            self._checksum = crc32(self.content)
        return self._checksum

    def differing(self, other: GitIndex | None) -> set[bytes]:
        """The paths for which the two record another content, mode or state."""
        if other is self:
            return set()
        mine, theirs = self._unequal(other) if other is not None else (self._entries(0), [])
        return {path for path, *_ in self._recorded(mine) ^ self._recorded(theirs)}

    def _unequal(self, other: GitIndex) -> tuple[list[bytes], list[bytes]]:
        """The entries of each that the other has not got, byte for byte."""
        mine: list[bytes] = []
        theirs: list[bytes] = []
        places, others = [*self.places(), self._end], [*other.places(), other._end]
        here = there = 0
        while here < len(places) - 1 and there < len(others) - 1:
            limit = 4 * min(places[-1] - places[here], others[-1] - others[there])
            same = _equal_run(self.content, places[here] * 4, other.content, others[there] * 4, limit)
            passed = bisect_right(places, places[here] + same // 4) - 1 - here
            here, there = here + passed, there + passed
            if passed:
                continue
            name, other_name = self._name(places[here]), other._name(others[there])
            if name <= other_name:
                mine.append(self.content[places[here] * 4 : places[here + 1] * 4])
                here += 1
            if name >= other_name:
                theirs.append(other.content[others[there] * 4 : others[there + 1] * 4])
                there += 1
        return mine + self._entries(here), theirs + other._entries(there)

    def _entries(self, first: int) -> list[bytes]:
        """The bytes of the entries from the one of this number on."""
        places = [*self.places()[first:], self._end]
        return [self.content[at * 4 : end * 4] for at, end in pairwise(places)]

    def _recorded(self, entries: Iterable[bytes]) -> set[tuple[bytes, int, bytes, int, bytes]]:
        """What is recorded in entries without what was only noted of their files."""
        found = set()
        for entry in entries:
            note = self._fixed.unpack_from(entry)
            start = self._fixed.size + (2 if note[FLAGS] & EXTENDED else 0)
            more = entry[self._fixed.size : start]
            path = entry[start : entry.index(b"\0", start)]
            found.add((path[len(self.prefix) :], note[MODE], note[BLOB], note[FLAGS] & STAGE, more))
        return found

    def _name(self, at: int) -> bytes:
        start = at * 4 + self._fixed.size
        if self.content[start - 2] & 0x40:
            start += 2
        return self.content[start : self.content.index(b"\0", start)]


def _equal_run(first: bytes, here: int, second: bytes, there: int, limit: int) -> int:
    """About how many bytes (never too many) are the same from these two places on."""
    done, size, growth = 0, 256, 4
    while done < limit:
        step = min(size, limit - done)
        at, other = here + done, there + done
        if first[at : at + step] == second[other : other + step]:
            done += step
            size *= growth
        elif step <= SMALLEST_ENTRY:
            break
        else:
            size, growth = step // 2, 1
    return done


def _walk(content: bytes, fixed: int, since_s: int) -> tuple[list[int], list[int], int]:
    """The place of every entry, of the odd ones, and of their end; `fixed` is an entry's size without its name."""
    from array import array

    signature, version, count = _HEADER.unpack_from(content)
    if signature != b"DIRC" or version not in (2, 3) or count > len(content) // fixed:
        raise ValueError("no index")
    # Entries are aligned to words of four bytes: one look gives a time, one more the flags.
    words = array("I", content[: len(content) & ~3])
    if sys.byteorder == "little":
        words.byteswap()
    sizes = {length: ((fixed + length + 8) & ~7) // 4 for length in range(_PLAIN_LENGTH)}
    flags_at, size_of = fixed // 4, sizes.get
    found: list[int] = []
    odd: list[int] = []
    keep, at = found.append, _HEADER.size // 4
    for _ in range(count):
        size = size_of(words[at + flags_at] >> 16)
        keep(at)
        if size is None or words[at] >= since_s:
            odd.append(at)
            size = size or _size(content, at * 4, fixed) // 4
        at += size
    return found, odd, at


def _is_partial(content: bytes, at: int, id_size: int) -> bool:
    """Whether an extension after the entries says that some are elsewhere."""
    while at + 8 <= len(content) - id_size:
        name, length = unpack_from(">4sI", content, at)
        if name in _ELSEWHERE:
            return True
        at += 8 + length
    return False


def _size(content: bytes, at: int, fixed: int) -> int:
    start = at + fixed + (2 if content[at + fixed - 2] & 0x40 else 0)
    return (content.index(b"\0", start) - at + 8) & ~7


def read_index(
    content: bytes, id_size: int, age_ns: int, prefix: bytes = b"", since_s: int = NEVER
) -> GitIndex | None:
    """The index in a file's `content`; None for a form that only git can read (split, sparse, damaged)."""
    try:
        signature, version, count = _HEADER.unpack_from(content)
        is_packed = signature == b"DIRC" and version == 4
        plain = _unpacked(content, count, id_size) if is_packed else content
        found = GitIndex(plain, id_size, age_ns, prefix, since_s)
        found.file = content
        found.places()
    except (error, ValueError, IndexError, StateError):
        return None
    return None if found.is_partial else found


def _unpacked(content: bytes, count: int, id_size: int) -> bytes:
    """Version 4, in which a path is told by how it differs from the one before, as version 3."""
    fixed = 42 + id_size
    parts = [_HEADER.pack(b"DIRC", 3, count)]
    at, path = _HEADER.size, b""
    for _ in range(count):
        start = at + fixed + (2 if content[at + fixed - 2] & 0x40 else 0)
        dropped, name = _varint(content, start)
        end = content.index(b"\0", name)
        path = path[: len(path) - dropped] + content[name:end]
        parts.append(_padded(content[at:start] + path))
        at = end + 1
    parts.append(content[at:])
    return b"".join(parts)


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


def listed_index(output: bytes, id_size: int, age_ns: int, prefix: bytes, since_s: int) -> GitIndex:
    """The same out of `git ls-files -s -z --debug`, whose paths are relative to the folder.

    StateError when not all of it can be read: git does not promise to keep the form.
    """
    entries = []
    read = 0
    for found in _LISTED.finditer(output):
        read += found.end() - found.start()
        mode, blob, stage, path, *numbers, word = found.groups()
        state = int(word, 16)
        more = state >> 16 & (SKIP_WORKTREE | INTENT_TO_ADD)
        flags = state & ASSUMED | int(stage) << 12 | (EXTENDED if more else 0)
        name = prefix + path
        seconds, nanos, changed, changed_nanos, device, inode, user, group, size = map(int, numbers)
        entry = pack(
            f">10I{id_size}sH", seconds, nanos, changed, changed_nanos, device & 0xFFFFFFFF,
            inode & 0xFFFFFFFF, int(mode, 8), user, group, size, bytes.fromhex(blob.decode()),
            flags | min(len(name), _NAME_LENGTH),
        )  # fmt: skip
        entries.append(_padded(entry + (pack(">H", more) if more else b"") + name))
    if read != len(output):
        raise StateError("git lists its index in a form that is not known")
    content = _HEADER.pack(b"DIRC", 3, len(entries)) + b"".join(entries) + bytes(id_size)
    return GitIndex(content, id_size, age_ns, prefix, since_s)


def _padded(entry: bytes) -> bytes:
    return entry + bytes(8 - len(entry) % 8)
