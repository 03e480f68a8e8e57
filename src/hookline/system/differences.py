"""What is not committed, as patches; compared here, as git would run the repository's own filters on it."""

from __future__ import annotations

import os

from hookline.model.record import Record
from hookline.system.files import read_bytes
from hookline.system.git import read_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COMPARED_LIMIT = 512 * 1024


class Patch(Record):
    """One file against HEAD. `status`: added, modified or deleted; `text` is empty for what is no text."""

    path: str
    status: str
    text: str = ""
    additions: int = 0
    deletions: int = 0
    is_binary: bool = False
    is_large: bool = False


async def patch_of(workspace: str, path: str, full: bool = True) -> Patch:
    """The difference of one file, given by its path in the workspace; without `full` only its status."""
    place = os.path.join(workspace, path)
    old = await read_git(workspace, "cat-file", "blob", f"HEAD:./{path}")
    status = "deleted" if not os.path.lexists(place) else "modified" if old.ok else "added"
    if not full:
        return Patch(path, status)
    before = old.output if old.ok else b""
    found = read_bytes(place, COMPARED_LIMIT)
    if len(before) > COMPARED_LIMIT or found.state == "unreadable":
        return Patch(path, status, is_large=True)
    if b"\0" in before or b"\0" in found.content:
        return Patch(path, status, is_binary=True)
    lines = _lines(path, before, found.content)
    return Patch(path, status, "".join(lines), _count(lines, "+"), _count(lines, "-"))


async def differences(workspace: str, paths: Iterable[str], limit: int) -> str:
    """The patches of several files in one text; those that do not fit into `limit` bytes are only named."""
    parts: list[str] = []
    room = limit
    for path in paths:
        patch = await patch_of(workspace, path, room > 0)
        size = len(patch.text.encode("utf-8", "replace"))
        fits = bool(patch.text) and size <= room
        parts.append(patch.text if fits else f"{patch.status}: {path} (difference not shown)\n")
        room -= size if fits else 0
    return "".join(parts)


def _lines(path: str, before: bytes, after: bytes) -> list[str]:
    from difflib import unified_diff

    old, new = (text.decode("utf-8", "replace").splitlines(keepends=True) for text in (before, after))
    lines = unified_diff(old, new, f"a/{path}", f"b/{path}")
    return [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]


def _count(lines: Sequence[str], sign: str) -> int:
    return sum(line.startswith(sign) for line in lines[2:])
