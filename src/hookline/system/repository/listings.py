"""Which files a workspace has: as git sees it, or by walking where there is no git."""

from __future__ import annotations

import os

from hookline.model.errors import StateError
from hookline.model.record import Record
from hookline.model.typing import Any
from hookline.system.clock import new_run_id
from hookline.system.files import ensure_dir, list_dir, read_bytes, remove_tree
from hookline.system.processes.orphans import run_folder
from hookline.system.repository.git import GITLINK, NO_FILE, GitResult, empty_tree, raw_entries, read_git
from hookline.system.repository.git_index import GitIndex, listed_index, read_index
from hookline.system.repository.work_tree import Place, common_folder, too_slow

INDEX_LIMIT = 1 << 30
TICK_NS = 2_000_000_000  # the coarsest time stamps in use: FAT
# Skipped where no git is there to say what is ignored.
IGNORED = frozenset((
    b".git", b".hg", b".svn", b"node_modules", b"__pycache__", b".venv", b"venv", b".tox", b".mypy_cache",
    b".pytest_cache", b".ruff_cache", b".cache", b".DS_Store",
))  # fmt: skip


# The user's own settings may name filters, too.
_OWN = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


class Staged(Record):
    """A path whose entry in the index is not HEAD's: `mode` and `blob` are HEAD's, 0 and empty for a new one;
    `is_tracked` whether the index has a file there.
    """

    path: bytes
    mode: int
    blob: bytes
    is_tracked: bool


class Moved(Record):
    """A tracked path whose file is missing, or is not as git noted it; `mode` and `blob` are the index's.

    `is_settled` is False in a merge, where there is no such thing.
    """

    path: bytes
    mode: int
    blob: bytes
    is_settled: bool


async def tracked_files(place: Place, known: GitIndex | None, timeout_s: float) -> GitIndex | None:
    """The index; None where there is none. It is `known` itself when nothing was written since.

    Odd in it are files last changed (in whole seconds) when the index of `known`, or itself, was written:
    git compares seconds, so that such a file may have been written again without git noticing.
    """
    found = read_bytes(place.index_path, INDEX_LIMIT) if place.kind == "git" else None
    if found is None or found.state == "missing":
        return None
    age_ns = found.mtime_ns
    if known is not None and known.is_read_from(found.content, age_ns, place.prefix):
        return known
    since_ns = min(age_ns, known.age_ns) if known is not None else age_ns
    since_s = max(since_ns - TICK_NS, 0) // 1_000_000_000
    parsed = read_index(found.content, place.id_size, age_ns, place.prefix, since_s)
    if parsed is not None:
        return parsed
    listed = await _told_in_time(place.workspace, "ls-files", "-s", "-z", "--debug", timeout_s=timeout_s)
    if not listed.ok:
        raise StateError(f"git cannot read its index in `{place.workspace}`: {listed.message}")
    return listed_index(listed.output, place.id_size, age_ns, place.prefix, since_s)


async def moved_files(place: Place, timeout_s: float) -> tuple[Moved, ...]:
    """The tracked files that git does not find as it noted them, told by their stat data.

    Git reads a file that changed in the second in which the index was written, and would filter it as the
    repository says. So it is asked from within a repository of our own, which says nothing; submodules are
    left out, as git would ask for their status.
    """
    if place.kind != "git" or not os.path.exists(place.index_path):
        return ()
    own = _empty_repository(place.id_size, place.has_modes, place.index_path)
    try:
        found = await _told_in_time(
            place.workspace, "diff-files", "--raw", "-z", "--no-renames", "--relative", "--no-abbrev",
            "--ignore-submodules=all", *([] if not place.prefix else ["--", "."]),
            timeout_s=timeout_s, index_file=place.index_path, settings=_OWN | {
                "GIT_DIR": own, "GIT_WORK_TREE": place.root,
                "GIT_OBJECT_DIRECTORY": os.path.join(common_folder(place), "objects"),
            },
        )  # fmt: skip
    finally:
        remove_tree(own)
    if not found.ok:
        raise StateError(f"git cannot read its index in `{place.workspace}`: {found.message}")
    return tuple(
        Moved(path, mode, bytes.fromhex(blob), status in b"MDT")
        for mode, _, blob, status, path in raw_entries(found.output)
        if mode != GITLINK
    )


async def other_files(place: Place, timeout_s: float) -> tuple[bytes, ...]:
    """The files that git neither tracks nor ignores."""
    if place.kind != "git":
        return await _folder_listing(place.workspace, place.has_git, timeout_s)
    found = await _told_in_time(
        place.workspace, "ls-files", "-o", "--exclude-standard", "-z", timeout_s=timeout_s
    )
    if not found.ok:
        raise StateError(f"git cannot list the files of `{place.workspace}`: {found.message}")
    return tuple(path for path in found.output.split(b"\0")[:-1] if not path.endswith(b"/"))


async def staged_entries(place: Place, timeout_s: float) -> tuple[Staged, ...]:
    """What is staged against HEAD, against nothing before the first commit."""
    if place.kind != "git":
        return ()
    found = await _told_in_time(
        place.workspace, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--relative",
        "--no-abbrev", place.head or await empty_tree(place.workspace), timeout_s=timeout_s,
    )  # fmt: skip
    return tuple(
        Staged(path, 0, b"", True)
        if old in NO_FILE
        else Staged(path, old, bytes.fromhex(blob), new not in NO_FILE)
        for old, new, blob, _, path in raw_entries(found.output)
        if old not in NO_FILE or new not in NO_FILE
    )


async def _told_in_time(folder: str, *arguments: str, timeout_s: float, **more: Any) -> GitResult:
    """As `read_git`. Raises StateError where it takes too long."""
    found = await read_git(folder, *arguments, timeout_s=timeout_s, **more)
    if found.fault == "timed-out":
        raise too_slow(timeout_s)
    return found


async def _folder_listing(workspace: str, has_git: bool, timeout_s: float) -> tuple[bytes, ...]:
    """With git at hand, its ignore rules hold in a folder that is no repository, too."""
    if not has_git:
        return tuple(_walk(os.fsencode(workspace)))
    empty = _empty_repository()
    try:
        found = await _told_in_time(
            workspace, f"--git-dir={empty}", "--work-tree=.", "ls-files", "-o", "--exclude-standard", "-z",
            timeout_s=timeout_s,
        )  # fmt: skip
    finally:
        remove_tree(empty)
    if not found.ok:
        return tuple(_walk(os.fsencode(workspace)))
    names = [name for name in found.output.split(b"\0")[:-1] if not name.endswith(b"/")]
    return tuple(name for name in names if IGNORED.isdisjoint(name.split(b"/")))


def _empty_repository(id_size: int = 20, has_modes: bool = True, index_path: str = "") -> str:
    """A repository with no settings of its own, in which a split index finds its other half."""
    # Named as the folders of runs are, so that the sweep after a kill finds it
    empty = ensure_dir(run_folder(new_run_id()), 0o700)
    settings = f"[core]\n\trepositoryFormatVersion = 1\n\tfileMode = {str(has_modes).lower()}\n"
    if id_size == 32:
        settings += "[extensions]\n\tobjectFormat = sha256\n"
    try:
        for name in ("objects", "refs"):
            os.mkdir(os.path.join(empty, name))
        for name, text in (("HEAD", "ref: refs/heads/none\n"), ("config", settings)):
            with open(os.path.join(empty, name), "w") as file:
                file.write(text)
        for half in _shared_halves(index_path):
            os.symlink(half, os.path.join(empty, os.path.basename(half)))
    except OSError as error:
        remove_tree(empty)
        raise StateError(f"cannot prepare a look at the changes: {error}") from error
    return empty


def _shared_halves(index_path: str) -> list[str]:
    """What split indexes have in common."""
    folder = os.path.dirname(index_path)
    entries = list_dir(folder).entries if folder else ()
    return [os.path.join(folder, entry.name) for entry in entries if entry.name.startswith("sharedindex.")]


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
