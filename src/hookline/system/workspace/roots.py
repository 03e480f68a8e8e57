"""Which folder is the project: one rule for config, trust, environment and working directory."""

from __future__ import annotations

import os
import stat
import time

from hookline.model.record import Record
from hookline.model.typing import Iterator
from hookline.system import files
from hookline.system.workspace.freshness import State, settled, states_of

MARKERS = (
    ".hookline", ".discobot", ".iteratr.hooks.yml", ".autoagent", ".gen", ".mycode", ".claude", ".cocode",
    ".gemini", ".codex", ".cursor", ".github", ".qwen", ".openhands", ".agents", ".deepagents", "crush.json",
    ".crush.json", ".factory", ".qoder", ".augment", ".grok", ".devin", ".abacusai", ".cortex", ".snowflake",
    ".reasonix", ".tabnine", ".opencode", ".kilo", ".pi", ".omp", ".amp", ".vibe", ".kiro", ".amazonq", ".clinerules",
    ".cline", ".windsurf",
)  # fmt: skip
_MOST_KNOWN = 256
_known: dict[str, tuple[list[State], bool]] = {}  # what a folder holds changes with its state


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
        if kind := _kind_of_repository(folder):
            return Root(folder, kind)
        home = home or real_folder(files.home())
        if not marked and folder != home and has_hooks(folder):
            marked = folder
    return Root(marked, "marker") if marked else Root(start, "none")


def around(folder: str) -> Root | None:
    """The nearest project that may have hook config and that the folder of another one is in."""
    home = real_folder(files.home())
    while (above := os.path.dirname(folder)) != folder:
        found = find_root(above)
        if found.kind == "none" or found.path == home:
            return None
        if has_hooks(found.path):
            return found
        folder = found.path
    return None


def has_hooks(folder: str) -> bool:
    """Whether there may be hook config of any agent; looked for again only where the folder changed."""
    now, state = time.time_ns(), states_of((folder,))
    known = _known.get(folder)
    if known is not None and known[0] == state:
        return known[1]
    found = any(map(os.path.lexists, [f"{folder}/{marker}" for marker in MARKERS]))
    if settled(state, now):
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[folder] = (state, found)
    return found


def _kind_of_repository(folder: str) -> str:
    try:
        mode = os.stat(f"{folder.rstrip(os.sep)}/.git").st_mode
    except (OSError, ValueError):
        return ""
    return "git" if stat.S_ISDIR(mode) else "worktree" if stat.S_ISREG(mode) else ""


def standing(path: str) -> str:
    """The nearest folder at or above `path` that is there; empty when that is only the root of the file system."""
    while not os.path.isdir(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return "" if path == os.path.dirname(path) else path


def real_folder(path: str) -> str:
    """As `os.path.realpath`."""
    try:
        handle = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, AttributeError, ValueError):
        return os.path.realpath(path)
    try:
        return files.path_of(handle, path)
    finally:
        os.close(handle)


def _upward(folder: str) -> Iterator[str]:
    yield folder
    while (above := os.path.dirname(folder)) != folder:
        folder = above
        yield folder
