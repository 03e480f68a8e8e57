"""Where an agent's own hooks are while hookline runs them for it (`install AGENT --adopt`).

The hooks of one settings file stand in a file of the same dialect, which is read as if it were that file. Those of
a shared file are kept in the workspace, all others beside the user's own config.
"""

from __future__ import annotations

import os

from hookline.dialects.base import Loaded, Places, Source
from hookline.model.hooks import noted
from hookline.model.record import replace
from hookline.model.typing import Iterable, Iterator
from hookline.system import files

SHARED = ".hookline/adopted"


def adopted_path(agent: str, scope: str, path: str, workspace: str, config_home: str) -> str:
    """The file for the hooks taken out of the settings file `path`."""
    if scope == "project":
        return os.path.join(workspace, SHARED, agent, os.path.relpath(path, workspace))
    return os.path.join(config_home, "hookline", "adopted", agent, path.strip(os.sep).replace(os.sep, "-"))


def with_adopted(agent: str, sources: Iterable[Source], places: Places) -> Iterator[Source]:
    """The agent's sources, behind each the file with the hooks that were taken out of it, where there is one."""
    for source in sources:
        yield source
        if source.scope not in ("project", "local", "user") or source.format not in ("json", "jsonc"):
            continue
        path = adopted_path(agent, source.scope, source.path, places.workspace, places.config_home)
        if files.read_head(path).state == "missing":
            continue
        near = (places.workspace, "") if source.scope == "project" else (places.home, "~/")
        shown = near[1] + os.path.relpath(path, near[0])
        yield replace(source, path=path, shown=shown, adopted=True)


def marked(entry: Loaded) -> Loaded:
    """What was read from such a file, its hooks marked as ours to run."""
    if not entry.source.adopted:
        return entry
    return entry.changed(lambda spec: noted(spec, adopted=True))
