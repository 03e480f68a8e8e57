"""The history of this user, for the commands that ask about it."""

from __future__ import annotations

from hookline.cli import common
from hookline.model.results import Verdict
from hookline.state.history import History
from hookline.state.paths import Paths
from hookline.system import files

VERDICTS = tuple(verdict.word for verdict in Verdict)


def opened_history() -> History:
    """It is made when something is first recorded."""
    return History(Paths.from_environment(files.environment(), files.home()).history_file, warn=common.warn)
