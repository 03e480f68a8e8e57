"""The files of another repository at one revision, fetched without running anything of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from tempfile import mkdtemp

from hookline.model.errors import StateError
from hookline.model.record import Record
from hookline.system.files import temporary_dir
from hookline.system.loops import loop
from hookline.system.processes.process import ProcessRequest, run_process
from hookline.system.removal import remove_tree
from hookline.system.repository.git import (
    HARDENED,
    NO_HOOKS,
    OUTPUT_LIMIT,
    READ_TIMEOUT_S,
    GitResult,
    reading_environment,
    told,
)

FETCH_TIMEOUT_S = 300.0
MOST_FILES = 200
MOST_BYTES = 2 * 1024 * 1024
# The user's own ssh and https are used; what an address could name as a program is not.
_REACHED = tuple(
    word
    for name in ("https", "http", "ssh", "git", "file")
    for word in ("-c", f"protocol.{name}.allow=always")
)
_QUIET = (
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    "-c",
    "fetch.fsckObjects=true",
    "-c",
    "transfer.bundleURI=false",
)


class Tree(Record):
    """The plain files of a commit by path, and which of them can be executed; links and gitlinks are left out."""

    commit: str
    files: Mapping[str, bytes]
    executable: frozenset[str] = frozenset()


def fetch_tree(address: str, rev: str = "", cwd: str = "") -> Tree:
    """The files at `rev` (a branch, tag or commit; empty: what the repository shows first).

    `address` is whatever git can reach. Nothing is checked out, no hook, filter or submodule is used. Raises
    StateError in words of git.
    """
    folder = mkdtemp(prefix="hookline-pack-", dir=temporary_dir())
    try:
        return loop.run(_fetched(address, rev, folder, cwd))
    finally:
        remove_tree(folder)


async def _fetched(address: str, rev: str, folder: str, cwd: str) -> Tree:
    if address.startswith("-") or rev.startswith("-"):
        raise StateError(f"`{address if address.startswith('-') else rev}` is an option and no address")
    place = os.path.join(cwd, address) if os.path.isdir(os.path.join(cwd, address)) else address
    await _git(folder, "init", "-q", "--bare", "--template=", ".")
    words = ("fetch", "-q", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")
    await _git(folder, *words, "--", place, f"+{rev or 'HEAD'}:refs/heads/pack")
    commit = (await _git(folder, "rev-parse", "--verify", "refs/heads/pack^{commit}")).decode().strip()
    return await _tree(folder, commit)


async def _tree(folder: str, commit: str) -> Tree:
    listed = (await _git(folder, "ls-tree", "-r", "-z", "-l", commit)).split(b"\0")[:-1]
    rows = [(entry.split(b"\t", 1)[0].split(), os.fsdecode(entry.split(b"\t", 1)[1])) for entry in listed]
    plain = [(mode, name, path, int(size)) for (mode, _, name, size), path in rows if mode.startswith(b"100")]
    if len(plain) > MOST_FILES or sum(size for *_, size in plain) > MOST_BYTES:
        raise StateError(
            f"a pack has at most {MOST_FILES} files and {MOST_BYTES >> 20} MiB, this repository has {len(plain)} files",
            "give the pack a repository of its own",
        )
    found = {path: await _git(folder, "cat-file", "blob", name.decode()) for _, name, path, _ in plain}
    return Tree(commit, found, frozenset(path for mode, _, path, _ in plain if mode == b"100755"))


async def _git(folder: str, *arguments: str) -> bytes:
    request = ProcessRequest(
        argv=(*HARDENED, *_REACHED, *_QUIET, *NO_HOOKS, *arguments), cwd=folder, env=reading_environment(),
        timeout_s=FETCH_TIMEOUT_S if arguments[0] == "fetch" else READ_TIMEOUT_S, head_limit=OUTPUT_LIMIT,
    )  # fmt: skip
    found: GitResult = told(await run_process(request), arguments[0])
    if not found.ok:
        raise StateError(found.message, found.hint or None)
    return found.output
