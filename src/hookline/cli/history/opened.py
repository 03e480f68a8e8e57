"""The history of this user, for the commands that ask about it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from hookline.cli import common
from hookline.model.errors import StateError, UsageError
from hookline.model.results import Verdict
from hookline.model.typing import Any
from hookline.state.history import History
from hookline.state.outputs import Outputs
from hookline.state.paths import Paths
from hookline.system import files
from hookline.system.processes.orphans import sweep

VERDICTS = tuple(verdict.word for verdict in Verdict)
LAST = "last"
EVERYWHERE = "of every workspace, not only of this one"
WHEN = "a span (`2h`, `7d`), `today`, `yesterday`, a weekday, a date or a time stamp"


def opened_history() -> History:
    """It is made when something is first recorded; what a killed hookline had begun is in it as well."""
    paths = Paths.from_environment(files.environment())
    history = History(paths.history_file, warn=common.warn, outputs=Outputs(paths.outputs))
    if found := sweep(paths.presence):
        from hookline.engine.unfinished import keep_unfinished  # which reads all hooks

        keep_unfinished(found, history, common.warn)
    return history


def run_named(name: str, kept: History, workspace: str | None) -> dict[str, Any]:
    """The decision a person means by an id, `last` or a hook; those of all workspaces for None. UsageError for none."""
    found = None if name == LAST else kept.get(name)
    if found is None:
        hook = None if name == LAST else name
        found = next(iter(kept.runs(hook=hook, workspace=workspace, limit=1)), None)
    if found is None and kept.problem:
        raise StateError("the history cannot be read, so nobody can tell what ran")
    if found is None:
        what = "nothing has run here" if name == LAST else f"no run `{name}`, nor a hook that ran"
        raise UsageError(what, "`hookline history` lists what ran")
    return found


def add_filters(parser: ArgumentParser) -> None:
    """Which decisions are meant: of a session, an event, a verdict, a hook, a tool, since when, of which workspaces."""
    parser.add_argument("--session", metavar="ID", help="only that session")
    parser.add_argument("--event", metavar="EVENT", help="only that event")
    words = "only that answer: `deny`, `ask`, `allow`, …"
    parser.add_argument("--verdict", metavar="WORD", choices=VERDICTS, help=words)
    parser.add_argument("--since", metavar="WHEN", help=WHEN)
    parser.add_argument("--hook", metavar="HOOK", help="only decisions that concerned that hook (id or name)")
    parser.add_argument("--tool", metavar="TOOL", help="only calls of that tool")
    parser.add_argument("--failed", action="store_true", help="only decisions with a hook that failed")
    parser.add_argument("--all", action="store_true", help=EVERYWHERE)


def filters_of(options: Namespace, everywhere: bool) -> dict[str, Any]:
    """Those, as the history takes them."""
    event = None
    if options.event:
        from hookline.cli.hooks.fire import kind_named

        event = kind_named(options.event).value
    return {
        "session": options.session,
        "event": event,
        "verdict": options.verdict,
        "hook": options.hook,
        "tool": options.tool,
        "failed": options.failed,
        "since": since_of(options),
        "workspace": None if everywhere else common.workspace_of(options.workspace),
    }


def since_of(options: Namespace) -> float | None:
    if options.since is None:
        return None
    from hookline.state.since import parse_since

    return parse_since(options.since)
