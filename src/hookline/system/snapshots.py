"""Keeps a snapshot of a workspace in a compact file: git's index as it was, and columns of numbers for the rest."""

from __future__ import annotations

import json
import os
from zlib import crc32

from hookline.system.changes import Snapshot
from hookline.system.files import read_bytes, write_atomic
from hookline.system.git_index import GitIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.system.files import FilePath
    from hookline.system.fingerprints import FileState

SCHEMA = 2
LIMIT = 1 << 30
_COLUMNS = "QqqQQ"  # as in Fingerprint; times may lie before 1970, inodes use all 64 bits


def save_snapshot(path: FilePath, snapshot: Snapshot) -> None:
    """Replace the file at `path`, mode 0600; StateError when it cannot be written."""
    states, missing = _packed(snapshot), b"\0".join(sorted(snapshot.missing))
    index = snapshot.index
    body = b"".join((states, missing, index.content if index is not None else b""))
    head = {
        "schema": SCHEMA, "workspace": snapshot.workspace, "kind": snapshot.kind, "head": snapshot.head,
        "cutoff_ns": snapshot.cutoff_ns, "newest_ns": snapshot.newest_ns, "id_size": snapshot.id_size,
        "count": len(snapshot.files), "sizes": [len(states), len(missing)], "crc": crc32(body),
        "index": None if index is None else [index.age_ns, os.fsdecode(index.prefix), index.since_s],
    }  # fmt: skip
    write_atomic(path, json.dumps(head).encode() + b"\n" + body, mode=0o600, fsync=False)


def load_snapshot(path: FilePath) -> Snapshot | None:
    """The snapshot at `path`, without what was dirty then; None when there is none that can be relied on."""
    content = read_bytes(path, LIMIT).content
    first, _, body = content.partition(b"\n")
    try:
        head = json.loads(first)
        if head["schema"] != SCHEMA or head["crc"] != crc32(body):
            return None
        end, rest = head["sizes"][0], sum(head["sizes"])
        return Snapshot(
            head["workspace"], head["kind"], head["head"], head["cutoff_ns"], head["newest_ns"],
            head["id_size"], _files(body[:end], head["count"], head["id_size"]),
            _index(body[rest:], head["id_size"], head["index"]),
            frozenset(filter(None, body[end:rest].split(b"\0"))),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, IndexError):
        return None


def _index(content: bytes, id_size: int, known: list[Any] | None) -> GitIndex | None:
    if known is None:
        return None
    age_ns, prefix, since_s = known
    return GitIndex(content, id_size, age_ns, os.fsencode(prefix), since_s)


def _packed(snapshot: Snapshot) -> bytes:
    from array import array

    states = snapshot.files.values()
    columns = zip(*(seen for seen, _ in states), strict=True)
    numbers = b"".join(array(kind, column).tobytes() for kind, column in zip(_COLUMNS, columns, strict=False))
    unknown = bytes(snapshot.id_size)
    ids = b"".join(blob or unknown for _, blob in states)
    return numbers + ids + b"\0".join(snapshot.files)


def _files(body: bytes, count: int, id_size: int) -> dict[bytes, FileState]:
    from array import array

    if not count:
        return {}
    size = 8 * count
    columns = []
    for column, kind in enumerate(_COLUMNS):
        numbers = array(kind)
        numbers.frombytes(body[column * size : (column + 1) * size])
        columns.append(numbers)
    at = len(_COLUMNS) * size
    unknown = bytes(id_size)
    ids = [body[start : start + id_size] for start in range(at, at + count * id_size, id_size)]
    paths = body[at + count * id_size :].split(b"\0")
    states = zip(paths, zip(*columns, strict=True), ids, strict=True)
    return {path: (seen, b"" if blob == unknown else blob) for path, seen, blob in states}
