"""What is not committed, as patches; compared here, as git would run the repository's own filters on it."""

from __future__ import annotations

import os
from io import StringIO

from hookline.model.record import Record
from hookline.model.typing import Awaitable, Callable, Iterable, Iterator, Sequence
from hookline.system.files import read_bytes
from hookline.system.repository.git import read_git

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
    found = read_bytes(place, COMPARED_LIMIT)
    after = None if found.state == "unreadable" else found.content
    return _compared(path, status, old.output if old.ok else b"", after)


async def staged_patch(workspace: str, path: str, full: bool, index_file: str | None) -> Patch:
    """The same of what is staged, whatever the file itself holds by now."""
    old = await read_git(workspace, "cat-file", "blob", f"HEAD:./{path}")
    new = await read_git(workspace, "cat-file", "blob", f":./{path}", index_file=index_file)
    status = "deleted" if not new.ok else "modified" if old.ok else "added"
    before, after = (each.output if each.ok else b"" for each in (old, new))
    return _compared(path, status, before, after) if full else Patch(path, status)


async def differences(workspace: str, paths: Iterable[str], limit: int) -> str:
    """The patches of several files in one text; those that do not fit into `limit` bytes are only named."""
    return await _joined(paths, limit, lambda path, full: patch_of(workspace, path, full))


async def staged_differences(
    workspace: str, paths: Iterable[str], limit: int, index_file: str | None = None
) -> str:
    """The same of what is staged; `index_file` is the index of a commit under way."""
    return await _joined(paths, limit, lambda path, full: staged_patch(workspace, path, full, index_file))


async def _joined(
    paths: Iterable[str], limit: int, patch_for: Callable[[str, bool], Awaitable[Patch]]
) -> str:
    parts: list[str] = []
    room = limit
    for path in paths:
        patch = await patch_for(path, room > 0)
        size = len(patch.text.encode("utf-8", "replace"))
        fits = bool(patch.text) and size <= room
        parts.append(patch.text if fits else f"{patch.status}: {path} (difference not shown)\n")
        room -= size if fits else 0
    return "".join(parts)


def _compared(path: str, status: str, before: bytes, after: bytes | None) -> Patch:
    if after is None or max(len(before), len(after)) > COMPARED_LIMIT:
        return Patch(path, status, is_large=True)
    if b"\0" in before or b"\0" in after:
        return Patch(path, status, is_binary=True)
    old, new = (text.decode("utf-8", "replace") for text in (before, after))
    lines = list(unified(old, new, f"a/{path}", f"b/{path}"))
    text = "".join(f"{line}\n" for line in lines)
    return Patch(path, status, text, _count(lines, "+"), _count(lines, "-"))


def unified(old: str, new: str, before: str, after: str, around: int = 3) -> Iterator[str]:
    """The lines of a unified diff. Only a newline ends one, as for git and for what runs the text: a carriage
    return stays in its line, and a last line without an end is told."""
    from difflib import unified_diff

    for line in unified_diff(_lines(old), _lines(new), before, after, n=around):
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _lines(text: str) -> list[str]:
    return StringIO(text, newline="\n").readlines()


def _count(lines: Sequence[str], sign: str) -> int:
    return sum(line.startswith(sign) for line in lines[2:])
