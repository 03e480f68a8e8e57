"""Which repository a workspace belongs to, the same for its linked worktrees and fresh clones."""

from __future__ import annotations

import os

from hookline.model.record import Record
from hookline.system.files import read_head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    RootCommit = Callable[[str], str | None]


class Repository(Record):
    """`place` is the folder git keeps for all worktrees, or the workspace itself where there is no git."""

    place: str
    is_git: bool = False

    @property
    def by_place(self) -> str:
        return f"path:{self.place}"


def find_repository(workspace: str) -> Repository:
    """Looks upward for `.git`, a folder or (worktree, submodule) a file; runs nothing."""
    folder = os.path.realpath(workspace)
    while True:
        marker = os.path.join(folder, ".git")
        if os.path.isdir(marker):
            return Repository(marker, True)
        if os.path.isfile(marker) and (place := _common_folder(folder, marker)):
            return Repository(place, True)
        parent = os.path.dirname(folder)
        if parent == folder:
            return Repository(os.path.realpath(workspace))
        folder = parent


def identities(
    repository: Repository,
    workspace: str,
    places: Mapping[str, Mapping[str, str]],
    root_commit: RootCommit | None,
) -> tuple[str, ...]:
    """Under what names decisions about this repository are kept, the best one first.

    `root_commit(workspace)` is asked only where `places` does not know the answer yet.
    """
    if not repository.is_git:
        return (repository.by_place,)
    known = places.get(repository.place)
    if known is not None and known.get("mark") == place_mark(repository.place):
        root = known.get("root", "")
    else:
        root = (root_commit(workspace) or "") if root_commit else ""
    return (f"git:{root}", repository.by_place) if root else (repository.by_place,)


def place_mark(place: str) -> str:
    """Changes when another folder takes the place's name."""
    try:
        found = os.stat(place)
    except OSError:
        return ""
    return f"{found.st_dev}:{found.st_ino}"


def _common_folder(folder: str, marker: str) -> str:
    line = _first_line(marker)
    if not line.startswith("gitdir:"):
        return ""
    own = os.path.join(folder, line.removeprefix("gitdir:").strip())
    common = _first_line(os.path.join(own, "commondir"))
    return os.path.realpath(os.path.join(own, common) if common else own)


def _first_line(path: str) -> str:
    return read_head(path, 4096).content.decode("utf-8", "surrogateescape").split("\n", 1)[0].strip()
