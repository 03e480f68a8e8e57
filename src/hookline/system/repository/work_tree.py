"""Where a workspace stands in its repository, and what tells that this has changed without asking git."""

from __future__ import annotations

import os

from hookline.model.errors import StateError
from hookline.model.record import Record
from hookline.system.files import environment, read_text
from hookline.system.loops.loop import gather
from hookline.system.repository.git import read_git

Mark = tuple[str, int, int, int]

REF_DEPTH = 5
TEXT_LIMIT = 64 * 1024


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

    @property
    def root(self) -> str:
        """The top of the work tree."""
        return os.path.normpath(os.path.join(self.workspace, *[".."] * self.prefix.count(b"/")))


async def find_place(workspace: str, timeout_s: float) -> Place:
    """Ask git where the workspace stands; StateError when it does not answer in time."""
    where, modes = await gather([
        # Before the first commit git fails at the last word, having said all else, and repeats it.
        read_git(
            workspace, "rev-parse", "--is-inside-work-tree", "--show-cdup", "--show-object-format",
            "--path-format=absolute", "--git-path", "index", "HEAD^{commit}", timeout_s=timeout_s,
        ),
        read_git(workspace, "config", "--type=bool", "--get", "core.fileMode", timeout_s=timeout_s),
    ])  # fmt: skip
    if where.fault == "timed-out":
        raise too_slow(timeout_s)
    lines = where.output.removesuffix(b"\n").split(b"\n", 3)
    if len(lines) < 4 or lines[0] != b"true":
        return Place("folder", workspace, has_git=where.fault != "no-git")
    index_path, _, commit = lines[3].rpartition(b"\n")
    id_size = 32 if lines[2] == b"sha256" else 20
    head = commit.decode() if len(commit) == 2 * id_size else None
    prefix = _prefix(workspace, lines[1])
    has_modes = modes.output.strip() != b"false"
    return Place("git", workspace, head, prefix, os.fsdecode(index_path), id_size, has_modes)


def _prefix(workspace: str, upward: bytes) -> bytes:
    """The workspace as seen from the root of its repository; `upward` is git's `../../`."""
    depth = upward.count(b"../")
    return b"".join(part + b"/" for part in os.fsencode(workspace).split(b"/")[-depth:]) if depth else b""


def index_age(place: Place) -> int:
    """When git's index was last replaced, ns; 0 when there is none."""
    try:
        return os.stat(place.index_path).st_mtime_ns if place.kind == "git" else 0
    except OSError:
        return 0


def common_folder(place: Place) -> str:
    """The folder of what all work trees of a repository share."""
    own = os.path.dirname(place.index_path)
    return os.path.normpath(os.path.join(own, read_text(os.path.join(own, "commondir"), 4096).text.strip()))


def marks(place: Place) -> tuple[object, ...]:
    """Equal at two moments only if HEAD, the index, the settings and the ignore rules outside the workspace
    were the same.
    """
    own, common = os.path.dirname(place.index_path), common_folder(place)
    watched = [
        place.index_path,
        os.path.join(common, "packed-refs"),
        os.path.join(common, "reftable", "tables.list"),
        os.path.join(own, "reftable", "tables.list"),
        os.path.join(common, "config"),
        os.path.join(own, "config.worktree"),
        os.path.join(common, "info", "exclude"),
        *_personal(),
        *_ignore_files_above(place),
    ]
    return (*_head(own, common), *map(_mark, watched))


def _head(own: str, common: str) -> list[str]:
    """What HEAD says, and the ref it names, and so on."""
    said = [read_text(os.path.join(own, "HEAD"), TEXT_LIMIT).text]
    while said[-1].startswith("ref:") and len(said) < REF_DEPTH:
        name = said[-1].removeprefix("ref:").strip()
        texts = [read_text(os.path.join(folder, name), TEXT_LIMIT).text for folder in {own, common}]
        said.append(max(texts))
    return said


def _personal() -> list[str]:
    """The user's own git settings and ignore file."""
    variables = environment()
    home = variables.get("HOME", "")
    config = os.path.join(variables.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "git")
    settings = variables.get("GIT_CONFIG_GLOBAL") or os.path.join(home, ".gitconfig")
    return [settings, os.path.join(config, "config"), os.path.join(config, "ignore")]


def _ignore_files_above(place: Place) -> list[str]:
    above, found = place.workspace, []
    for _ in range(place.prefix.count(b"/")):
        above = os.path.dirname(above)
        found.append(os.path.join(above, ".gitignore"))
    return found


def _mark(path: str) -> Mark:
    try:
        seen = os.stat(path)
    except OSError:
        return (path, 0, 0, 0)
    return (path, seen.st_ino, seen.st_size, seen.st_mtime_ns)


def too_slow(timeout_s: float) -> StateError:
    return StateError(f"looking for changes took longer than {timeout_s:g} s")
