"""The workspace's files and changes for the turn host's clients; nothing outside, nothing of git's own."""

from __future__ import annotations

import errno
import os
import shutil
from base64 import b64encode
from typing import Any

from hookline.model.errors import HooklineError, StateError
from hookline.system.files import ensure_dir, list_dir, read_bytes, write_atomic
from hookline.system.repository.git import head_commit, is_repository, read_git
from hookline.system.workspace.changes import dirty_files, scan
from hookline.system.workspace.differences import Patch, patch_of

READ_LIMIT = 8 * 1024 * 1024
MOST_DIFFS = 300
DEEPEST = 256
HEX = frozenset("0123456789abcdef")
OF_THE_PATH = (
    errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.EACCES, errno.EPERM, errno.EROFS,
    errno.ELOOP, errno.EINVAL, errno.EILSEQ,
)  # fmt: skip


class Refused(HooklineError):
    """A request about the workspace that cannot be met; `status` is the HTTP one, `why` says more."""

    def __init__(self, words: str, status: int = 400, why: str = "") -> None:
        super().__init__(words)
        self.status = status
        self.why = why


def place_of(workspace: str, path: str) -> str:
    """The absolute place of a workspace path. Refused when it leads out, by its text or through a link."""
    root = os.path.realpath(workspace)
    if os.path.isabs(path) or not _is_name(path):
        raise Refused("path must be relative to the workspace")
    place = os.path.normpath(os.path.join(root, path))
    real = os.path.join(os.path.realpath(os.path.dirname(place)), os.path.basename(place))
    if place == root:
        return root
    for each in (place, real, os.path.realpath(place)):
        inside = os.path.relpath(each, root)
        if inside == os.curdir or inside.split(os.sep)[0] == os.pardir:
            raise Refused("path leads outside the workspace")
        if ".git" in (part.lower() for part in inside.split(os.sep)):
            raise Refused("path belongs to git")
    return place


def _is_name(path: str) -> bool:
    """Whether a file can be called so at all."""
    try:
        return b"\0" not in os.fsencode(path) and path.count("/") < DEEPEST
    except UnicodeEncodeError:  # half of a character
        return False


def listed(workspace: str, path: str) -> dict[str, Any]:
    """A folder's entries, folders first."""
    found = list_dir(place_of(workspace, path))
    if found.state != "listed":
        raise Refused(f"no folder `{path}`", 404)
    entries = [
        {"name": entry.name, "type": "directory" if entry.kind == "directory" else "file"}
        for entry in found.entries
        if entry.name.lower() != ".git"
    ]
    entries.sort(key=lambda entry: (entry["type"] != "directory", entry["name"]))
    return {"path": path or ".", "entries": entries}


async def searched(workspace: str, query: str, limit: int) -> dict[str, Any]:
    """Files git would show whose path holds the letters of `query` in order, the closest first."""
    snapshot = await scan(workspace)
    wanted = query.lower()
    ranked = []
    for path in map(os.fsdecode, snapshot.paths()):
        rank = _rank(wanted, path.lower())
        if rank is not None:
            ranked.append((rank, len(path), path))
    results = [{"path": path, "type": "file"} for _, _, path in sorted(ranked)[:limit]]
    return {"query": query, "results": results}


def read(workspace: str, path: str) -> dict[str, Any]:
    """A file's text, or its bytes in base64."""
    place = place_of(workspace, path)
    found = read_bytes(place, READ_LIMIT)
    if found.state == "missing" or os.path.isdir(place):
        raise Refused(f"no file `{path}`", 404)
    if found.state == "unreadable":
        raise Refused(f"`{path}` cannot be read: {found.reason}")
    try:
        content, encoding = found.content.decode("utf-8"), "utf8"
    except UnicodeDecodeError:
        content, encoding = b64encode(found.content).decode(), "base64"
    return {"path": path, "content": content, "encoding": encoding, "size": len(found.content)}


def write(workspace: str, path: str, content: bytes) -> dict[str, Any]:
    """Replaces or makes a file, and the folders above it."""
    place = place_of(workspace, path)
    if os.path.isdir(place):
        raise Refused(f"`{path}` is a folder")
    try:
        ensure_dir(os.path.dirname(place))
        write_atomic(place, content)
    except StateError as error:
        if isinstance(error.__cause__, OSError) and error.__cause__.errno in OF_THE_PATH:
            raise Refused(f"`{path}` cannot be written: {error.__cause__.strerror}") from error
        raise
    return {"path": path, "size": len(content)}


def delete(workspace: str, path: str) -> dict[str, Any]:
    """Removes a file, or a folder with all in it; a link itself, never what it names."""
    place = _changeable(workspace, path)
    is_folder = os.path.isdir(place) and not os.path.islink(place)
    try:
        shutil.rmtree(place) if is_folder else os.unlink(place)
    except OSError as error:
        raise Refused(f"`{path}` cannot be deleted: {error.strerror}") from error
    return {"path": path, "type": "directory" if is_folder else "file"}


def rename(workspace: str, old: str, new: str) -> dict[str, Any]:
    """Moves a file or folder to a place where nothing is."""
    source, target = _changeable(workspace, old), place_of(workspace, new)
    if os.path.lexists(target):
        raise Refused(f"`{new}` exists", 409)
    try:
        ensure_dir(os.path.dirname(target))
        os.rename(source, target)
    except OSError as error:
        raise Refused(f"`{old}` cannot be renamed: {error.strerror}") from error
    return {"oldPath": old, "newPath": new}


async def diff(workspace: str, path: str, full: bool) -> dict[str, Any]:
    """What is not committed, by file; `full` with patches."""
    if path:
        place_of(workspace, path)
    dirty = dirty_files(await scan(workspace))
    files: list[dict[str, Any]] = []
    for name in sorted((*dirty.deleted, *dirty.changed)):
        if not path or name == path or name.startswith(path.rstrip("/") + "/"):
            wanted = full and len(files) < MOST_DIFFS
            files.append(_as_json(await patch_of(workspace, name, wanted), wanted))
    added, removed = (sum(file.get(key, 0) for file in files) for key in ("additions", "deletions"))
    stats = {"filesChanged": len(files), "additions": added, "deletions": removed}
    return {"files": files, "stats": stats}


async def commits(workspace: str, parent: str) -> dict[str, Any]:
    """The commits on HEAD behind `parent` as patches."""
    if len(parent) not in (40, 64) or not HEX.issuperset(parent):
        raise Refused("invalid_parent")
    if not await is_repository(workspace):
        raise Refused("not_git_repo")
    head = await head_commit(workspace)
    if head is None or head == parent:
        raise Refused("no_commits", 404)
    if not (await read_git(workspace, "merge-base", "--is-ancestor", parent, head)).ok:
        raise Refused("parent_mismatch", 409)
    span = f"{parent}..{head}"
    plain = ("--no-ext-diff", "--no-textconv", "--binary", "--no-signature")
    patches = await read_git(workspace, "format-patch", "--stdout", *plain, span)
    count = await read_git(workspace, "rev-list", "--count", "--no-merges", span)
    return {
        "head": head,
        "commitCount": int(count.output or b"0"),
        "patches": patches.output.decode("utf-8", "replace"),
    }


def _as_json(patch: Patch, full: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"path": patch.path, "status": patch.status}
    if full:
        found.update(binary=patch.is_binary, tooLarge=patch.is_large, patch=patch.text)
        found.update(additions=patch.additions, deletions=patch.deletions)
    return found


def _changeable(workspace: str, path: str) -> str:
    place = place_of(workspace, path)
    if place == os.path.realpath(workspace):
        raise Refused("path is the workspace itself", 409)
    if not os.path.lexists(place):
        raise Refused(f"no file `{path}`", 404)
    return place


def _rank(wanted: str, path: str) -> int | None:
    """0 for the name itself, then parts of it, then letters in order; None when they do not occur."""
    name = path.rpartition("/")[2]
    if wanted in path:
        return 0 if name == wanted else 1 if name.startswith(wanted) else 2 if wanted in name else 3
    letters = iter(path)
    return 4 if all(letter in letters for letter in wanted) else None
