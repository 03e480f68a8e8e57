"""From `--bus` and `--data-dir` to an event log."""

from __future__ import annotations

import os

from hookline.model.errors import UsageError, Warn, unheard
from hookline.state.eventlog import EventLog, SqliteEventLog
from hookline.state.eventlog_nats import NatsEventLog
from hookline.system import files

FILE = "events.db"
SCHEMES = ("nats://", "tls://")


def open_log(data_dir: str, bus: str | None = None, warn: Warn = unheard) -> EventLog:
    """The log on the server `bus`, or else the file in `data_dir`. Raises UsageError for another URL."""
    if bus is None:
        _keep_out_of_git(data_dir)
        return SqliteEventLog(os.path.join(data_dir, FILE), warn=warn)
    if not bus.startswith(SCHEMES):
        raise UsageError(f"--bus: expected a URL such as `nats://127.0.0.1:4222`, found `{bus}`")

    return NatsEventLog(bus, warn=warn)


def _keep_out_of_git(data_dir: str) -> None:
    """A session's log is no part of the project: the folder ignores itself."""
    files.ensure_dir(data_dir)
    ignore = os.path.join(data_dir, ".gitignore")
    if not os.path.exists(ignore):
        files.write_atomic(ignore, "*\n", fsync=False)
