"""Which folder is the project: one rule for config, trust, environment and working directory."""

from __future__ import annotations

import os

from hookline.model.record import Record

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
    start = os.path.realpath(start)
    home = os.path.realpath(os.path.expanduser("~"))
    marked = ""
    for folder in _upward(start):
        git = os.path.join(folder, ".git")
        if os.path.isdir(git):
            return Root(folder, "git")
        if os.path.isfile(git):
            return Root(folder, "worktree")
        if not marked and folder != home and any(os.path.lexists(os.path.join(folder, m)) for m in MARKERS):
            marked = folder
    return Root(marked, "marker") if marked else Root(start, "none")


def _upward(folder: str) -> list[str]:
    found = [folder]
    while os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
        found.append(folder)
    return found
