"""The history of this user, for the commands that ask about it."""

from __future__ import annotations

from hookline.cli import common
from hookline.model.errors import UsageError
from hookline.model.results import Verdict
from hookline.model.typing import Any
from hookline.state.history import History
from hookline.state.outputs import Outputs
from hookline.state.paths import Paths
from hookline.system import files

VERDICTS = tuple(verdict.word for verdict in Verdict)
LAST = "last"


def opened_history() -> History:
    """It is made when something is first recorded."""
    paths = Paths.from_environment(files.environment())
    return History(paths.history_file, warn=common.warn, outputs=Outputs(paths.outputs))


def run_named(name: str, kept: History, workspace: str | None) -> dict[str, Any]:
    """The decision a person means by an id, `last` or a hook; those of all workspaces for None. UsageError for none."""
    found = None if name == LAST else kept.get(name)
    if found is None:
        hook = None if name == LAST else name
        found = next(iter(kept.runs(hook=hook, workspace=workspace, limit=1)), None)
    if found is None:
        what = "nothing has run here" if name == LAST else f"no run `{name}`, nor a hook that ran"
        raise UsageError(what, "`hookline history` lists what ran")
    return found
