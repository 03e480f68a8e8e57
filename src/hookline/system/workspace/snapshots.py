"""Keeps a snapshot of a workspace in a compact file: git's index as it was, and columns of numbers for the rest."""

from __future__ import annotations

import json
import os
from zlib import crc32

from hookline.model.errors import StateError
from hookline.model.short_json import read_json
from hookline.model.typing import Any
from hookline.system.files import FilePath, is_file, list_dir, read_bytes, remove, write_atomic
from hookline.system.repository.git_index import GitIndex
from hookline.system.workspace.changes import Snapshot
from hookline.system.workspace.fingerprints import FileState

SCHEMA = 2
LIMIT = 1 << 30
_COLUMNS = "QqqQQ"  # as in Fingerprint; times may lie before 1970, inodes use all 64 bits


def save_snapshot(path: FilePath, snapshot: Snapshot) -> None:
    """Replace the file at `path`, mode 0600; StateError when it cannot be written.

    The index lies beside it and is written only when it is another one: it is nearly all there is to write.
    """
    states, missing = _packed(snapshot), b"\0".join(sorted(snapshot.missing))
    body = states + missing
    index = _save_index(os.fspath(path), snapshot.index)
    head = {
        "schema": SCHEMA, "workspace": snapshot.workspace, "kind": snapshot.kind, "head": snapshot.head,
        "cutoff_ns": snapshot.cutoff_ns, "newest_ns": snapshot.newest_ns, "id_size": snapshot.id_size,
        "count": len(snapshot.files), "sizes": [len(states), len(missing)], "crc": crc32(body),
        "index": index,
    }  # fmt: skip
    write_atomic(path, json.dumps(head).encode() + b"\n" + body, mode=0o600, fsync=False)
    _remove_others(os.fspath(path), index)


def load_snapshot(path: FilePath) -> Snapshot | None:
    """The snapshot at `path`, without what was dirty then; None when there is none that can be relied on."""
    content = read_bytes(path, LIMIT).content
    first, _, body = content.partition(b"\n")
    try:
        head = read_json(first)
        if head["schema"] != SCHEMA or head["crc"] != crc32(body):
            return None
        end = head["sizes"][0]
        return Snapshot(
            head["workspace"], head["kind"], head["head"], head["cutoff_ns"], head["newest_ns"],
            head["id_size"], _files(body[:end], head["count"], head["id_size"]),
            _load_index(os.fspath(path), head["id_size"], head["index"]),
            frozenset(filter(None, body[end:].split(b"\0"))),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, IndexError):
        return None


def _save_index(path: str, index: GitIndex | None) -> dict[str, Any] | None:
    if index is None:
        return None
    crc = index.checksum()
    name = f"{path}.index-{index.age_ns:x}-{crc:08x}"
    if not is_file(name):
        write_atomic(name, index.content, mode=0o600, fsync=False)
    return {
        "name": os.path.basename(name), "crc": crc, "age_ns": index.age_ns, "since_s": index.since_s,
        "prefix": os.fsdecode(index.prefix),
    }  # fmt: skip


def _load_index(path: str, id_size: int, known: dict[str, Any] | None) -> GitIndex | None:
    """ValueError when it is not the one that was saved."""
    if known is None:
        return None
    place = os.path.join(os.path.dirname(path), known["name"])
    content = read_bytes(place, LIMIT).content
    if crc32(content) != known["crc"]:
        _drop(place)  # so that it is written anew
        raise ValueError("another index")
    return GitIndex(content, id_size, known["age_ns"], os.fsencode(known["prefix"]), known["since_s"])


def _remove_others(path: str, known: dict[str, Any] | None) -> None:
    folder, name = os.path.split(path)
    kept = known["name"] if known is not None else ""
    for entry in list_dir(folder or ".").entries:
        if entry.name.startswith(f"{name}.index-") and entry.name != kept:
            _drop(os.path.join(folder, entry.name))


def _drop(path: str) -> None:
    try:
        remove(path)
    except StateError:
        return  # it takes space, and is never read


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
