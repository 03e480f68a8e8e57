"""Which files a workspace has: as git sees it, or by walking where there is no git."""

from __future__ import annotations

import os

from hookline.model.errors import StateError
from hookline.model.record import Record
from hookline.system.files import read_bytes
from hookline.system.git import GITLINK, NO_FILE, empty_tree, read_git
from hookline.system.git_index import GitIndex, below, listed_index, read_index
from hookline.system.loop import gather

INDEX_LIMIT = 1 << 30
# Skipped where no git is there to say what is ignored.
IGNORED = frozenset((
    b".git", b".hg", b".svn", b"node_modules", b"__pycache__", b".venv", b"venv", b".tox", b".mypy_cache",
    b".pytest_cache", b".ruff_cache", b".cache", b".DS_Store",
))  # fmt: skip


class Place(Record):
    """Where a workspace stands: `kind` is git or folder; `prefix` is its path in the repository.

    `head` is the commit checked out, None before the first. `index_path` is git's index, `has_modes` whether
    the executable bit means something (`core.fileMode`),
    `has_git` whether there is a git to ask at all.
    """

    kind: str
    workspace: str
    head: str | None = None
    prefix: bytes = b""
    index_path: str = ""
    id_size: int = 20
    has_modes: bool = True
    has_git: bool = True


class Others(Record):
    """Files that git does not track, and (path, mode in HEAD or 0, blob id in HEAD) of what is staged."""

    paths: tuple[bytes, ...] = ()
    staged: tuple[tuple[bytes, int, bytes], ...] = ()


async def find_place(workspace: str, timeout_s: float) -> Place:
    """Ask git where the workspace stands; StateError when it does not answer in time."""
    where, modes, head = await gather([
        read_git(
            workspace, "rev-parse", "--is-inside-work-tree", "--show-cdup", "--show-object-format",
            "--path-format=absolute", "--git-path", "index", timeout_s=timeout_s,
        ),
        read_git(workspace, "config", "--type=bool", "--get", "core.fileMode", timeout_s=timeout_s),
        read_git(workspace, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", timeout_s=timeout_s),
    ])  # fmt: skip
    if where.fault == "timed-out":
        raise _too_slow(timeout_s)
    lines = where.output.split(b"\n", 3)
    if not where.ok or lines[0] != b"true":
        return Place("folder", workspace, has_git=where.fault != "no-git")
    return Place(
        "git", workspace, head.output.decode().strip() if head.ok else None, _prefix(workspace, lines[1]),
        os.fsdecode(lines[3].removesuffix(b"\n")), 32 if lines[2] == b"sha256" else 20,
        modes.output.strip() != b"false",
    )  # fmt: skip


def _prefix(workspace: str, upward: bytes) -> bytes:
    """The workspace as seen from the root of its repository; `upward` is git's `../../`."""
    depth = upward.count(b"../")
    return b"".join(part + b"/" for part in os.fsencode(workspace).split(b"/")[-depth:]) if depth else b""


async def tracked_files(place: Place, timeout_s: float) -> tuple[GitIndex, int]:
    """The index and its age in ns: stat data noted at or after it proves nothing."""
    found = read_bytes(place.index_path, INDEX_LIMIT) if place.kind == "git" else None
    if found is None or found.state == "missing":
        return GitIndex([], [], {}), 0
    parsed = read_index(found.content, place.id_size)
    if parsed is not None:
        return below(parsed, place.prefix), found.mtime_ns
    listed = await read_git(place.workspace, "ls-files", "-t", "-s", "-z", timeout_s=timeout_s)
    if listed.fault == "timed-out":
        raise _too_slow(timeout_s)
    if not listed.ok:
        raise StateError(f"git cannot read its index in `{place.workspace}`: {listed.message}")
    return listed_index(listed.output), found.mtime_ns


def index_age(place: Place) -> int:
    """When git's index was last replaced, ns; 0 when there is none."""
    try:
        return os.stat(place.index_path).st_mtime_ns if place.kind == "git" else 0
    except OSError:
        return 0


async def other_files(place: Place, timeout_s: float) -> Others:
    """What git tells of files it does not track, and of what is staged against HEAD."""
    if place.kind != "git":
        return Others(await _folder_listing(place.workspace, place.has_git, timeout_s))
    base = place.head or await empty_tree(place.workspace)
    others, staged = await gather([
        read_git(place.workspace, "ls-files", "-o", "--exclude-standard", "-z", timeout_s=timeout_s),
        read_git(
            place.workspace, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--relative",
            "--no-abbrev", base, timeout_s=timeout_s,
        ),
    ])  # fmt: skip
    if "timed-out" in (others.fault, staged.fault):
        raise _too_slow(timeout_s)
    if not others.ok:
        raise StateError(f"git cannot list the files of `{place.workspace}`: {others.message}")
    names = tuple(path for path in others.output.split(b"\0")[:-1] if not path.endswith(b"/"))
    return Others(names, _staged(staged.output))


def _staged(output: bytes) -> tuple[tuple[bytes, int, bytes], ...]:
    fields = output.split(b"\0")
    found = []
    for head, path in zip(fields[0::2], fields[1::2], strict=False):
        before, after, blob = head.split(b" ", 3)[:3]
        modes = int(before[1:], 8), int(after, 8)
        if not (modes[0] in NO_FILE and modes[1] in NO_FILE):
            found.append((path, 0 if modes[0] == GITLINK else modes[0], bytes.fromhex(blob.decode())))
    return tuple(found)


async def _folder_listing(workspace: str, has_git: bool, timeout_s: float) -> tuple[bytes, ...]:
    """With git at hand, its ignore rules hold in a folder that is no repository, too."""
    if not has_git:
        return tuple(_walk(os.fsencode(workspace)))
    from shutil import rmtree

    empty = _empty_repository()
    try:
        found = await read_git(
            workspace, f"--git-dir={empty}", "--work-tree=.", "ls-files", "-o", "--exclude-standard", "-z",
            timeout_s=timeout_s,
        )  # fmt: skip
    finally:
        rmtree(empty, ignore_errors=True)
    if found.fault == "timed-out":
        raise _too_slow(timeout_s)
    if not found.ok:
        return tuple(_walk(os.fsencode(workspace)))
    names = [name for name in found.output.split(b"\0")[:-1] if not name.endswith(b"/")]
    return tuple(name for name in names if IGNORED.isdisjoint(name.split(b"/")))


def _empty_repository() -> str:
    from tempfile import mkdtemp

    empty = mkdtemp(prefix="hookline-")
    for name in ("objects", "refs"):
        os.mkdir(os.path.join(empty, name))
    with open(os.path.join(empty, "HEAD"), "w") as file:
        file.write("ref: refs/heads/none\n")
    return empty


def _walk(root: bytes) -> list[bytes]:
    found: list[bytes] = []
    for folder, folders, names in os.walk(root):
        folders[:] = [
            name
            for name in folders
            if name not in IGNORED and not os.path.lexists(os.path.join(folder, name, b".git"))
        ]
        lead = os.path.relpath(folder, root) + b"/"
        lead = b"" if lead == b"./" else lead
        found.extend(lead + name for name in names if name not in IGNORED)
        found.extend(lead + name for name in folders if os.path.islink(os.path.join(folder, name)))
    return found


def _too_slow(timeout_s: float) -> StateError:
    return StateError(f"looking for changes took longer than {timeout_s:g} s")
