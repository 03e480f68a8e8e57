"""Which repository a workspace belongs to, the same for its linked worktrees and clones; and its names in the store."""

from __future__ import annotations

import os

from hookline.model.record import Record
from hookline.model.typing import Any, Callable, Mapping
from hookline.state.paths import kept_path, path_of
from hookline.state.trust.trust_file import TrustFile, part, section
from hookline.system.files import read_head

Names = tuple[str, ...]
RootCommit = Callable[[str], str | None]


class Repository(Record):
    """`place` is the folder git keeps for all worktrees, or the workspace itself where there is no git."""

    place: str
    is_git: bool = False

    @property
    def kept(self) -> str:
        """The place, as decisions about it are kept under."""
        return kept_path(self.place)

    @property
    def by_place(self) -> str:
        return f"path:{self.kept}"


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
    known = places.get(repository.kept)
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


class KeptNames:
    """The names of one workspace, the best one first; git is asked as seldom as can be."""

    def __init__(self, file: TrustFile, workspace: str, root_commit: RootCommit | None) -> None:
        self.repository = find_repository(workspace)
        self._file = file
        self._workspace = workspace
        self._root_commit = root_commit

    def kept(self) -> list[dict[str, Any]]:
        """The parts of the trust file that are about this repository."""
        return self._file.holding(self._kept_now)

    def resolved(self) -> Names:
        """The names for a decision that is made now."""
        place = part(part(self._file.read(), "places"), self.repository.kept)
        known = {self.repository.kept: place} if place.get("root") else {}
        return identities(self.repository, self._workspace, known, self._root_commit)

    def was_strict(self) -> bool:
        """What the journal says was decided last of this repository; git is asked only where somebody decided."""
        decided = [entry for entry in self._file.log.entries() if entry.action in ("strict", "relax")]
        names = self.resolved() if decided else ()
        ours = [each for each in decided if each.repository in names or each.workspace == self._workspace]
        return bool(ours) and ours[-1].action == "strict"

    def remember(self, content: dict[str, Any], names: Names) -> None:
        """Notes which first commit the clone at this place has, and forgets places that are gone."""
        if not self.repository.is_git:
            return
        places = section(content, "places")
        for gone in [place for place in places if not os.path.exists(path_of(place))]:
            del places[gone]
        root = names[0].removeprefix("git:") if names[0].startswith("git:") else ""
        places[self.repository.kept] = {"mark": place_mark(self.repository.place), "root": root}

    def _kept_now(self) -> list[dict[str, Any]]:
        repositories = part(self._file.read(), "repositories")
        if not repositories:
            return []
        return [found for name in self._names(repositories) if (found := part(repositories, name))]

    def _names(self, repositories: Mapping[str, Any]) -> Names:
        places = part(self._file.read(), "places")
        # git is asked once for each clone, and only if any decision could be found under its answer.
        worth = any(name.startswith("git:") for name in repositories)
        names = identities(self.repository, self._workspace, places, self._root_commit if worth else None)
        if worth and self._root_commit and self.repository.is_git and self.repository.kept not in places:
            self._file.change_quietly(lambda content: self.remember(content, names))
        return names


def _common_folder(folder: str, marker: str) -> str:
    line = _first_line(marker)
    if not line.startswith("gitdir:"):
        return ""
    own = os.path.join(folder, line.removeprefix("gitdir:").strip())
    common = _first_line(os.path.join(own, "commondir"))
    return os.path.realpath(os.path.join(own, common) if common else own)


def _first_line(path: str) -> str:
    return os.fsdecode(read_head(path, 4096).content).split("\n", 1)[0].strip()
