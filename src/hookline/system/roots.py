"""Which folder is the project: one rule for config, trust, environment and working directory."""

from __future__ import annotations

import os

from hookline.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MARKERS = (
    ".hookline", ".discobot", ".iteratr.hooks.yml", ".autoagent", ".gen", ".mycode", ".claude", ".cocode",
    ".gemini", ".codex", ".cursor",
)  # fmt: skip


class Root(Record):
    """`kind`: git (a `.git` folder), worktree (a `.git` file), marker (hook config) or none."""

    path: str
    kind: str


def find_root(start: str) -> Root:
    """The nearest folder at or above `start` with `.git`, else the nearest with hook config, else `start`.

    Runs no git. A home directory's own agent settings do not make it a project.
    """
    start = real_folder(start)
    home = marked = ""
    for folder in _upward(start):
        git = f"{folder.rstrip(os.sep)}/.git"
        if os.path.isdir(git):
            return Root(folder, "git")
        if os.path.isfile(git):
            return Root(folder, "worktree")
        home = home or real_folder(os.path.expanduser("~"))
        if not marked and folder != home and any(os.path.lexists(os.path.join(folder, m)) for m in MARKERS):
            marked = folder
    return Root(marked, "marker") if marked else Root(start, "none")


def real_folder(path: str) -> str:
    """As `os.path.realpath`; the kernel is asked at once, instead of about every folder on the way."""
    try:
        handle = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, AttributeError, ValueError):
        return os.path.realpath(path)
    try:
        found = os.readlink(f"/proc/self/fd/{handle}")
    except OSError:
        return os.path.realpath(path)
    finally:
        os.close(handle)
    return os.path.realpath(path) if found.endswith(" (deleted)") else found


def _upward(folder: str) -> Iterator[str]:
    yield folder
    while (above := os.path.dirname(folder)) != folder:
        folder = above
        yield folder
