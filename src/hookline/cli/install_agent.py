"""Installs hookline as the hook of Claude Code, Gemini CLI, Codex CLI, Cursor or GitHub Copilot."""

from __future__ import annotations

import os.path
import sys

from hookline.cli.common import name_untrusted, say, warn, workspace_of
from hookline.cli.render import counted
from hookline.hosts.install import (
    carry_out,
    difference,
    launcher,
    launcher_fault,
    place_of,
    planned_install,
    planned_uninstall,
    title_of,
)
from hookline.hosts.installed import file_faults, kinds_with_hooks, needs
from hookline.model.errors import StateError
from hookline.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from hookline.engine.opening import Opened
    from hookline.hosts.install import Change, Place


def install(options: Namespace) -> int:
    """Puts our entries into the agent's config; says what the agent still needs."""
    opened = _opened(options)
    place = _place(options, opened)
    start = launcher()
    if not options.dry_run and (fault := launcher_fault(start)):
        raise StateError(
            f"`{start}` does not start hookline: {fault}", "install hookline into that Python first"
        )
    change = planned_install(place, kinds_with_hooks(opened.hooks, place.agent), start)
    if options.dry_run:
        return _show(change)
    done = carry_out(change, _backups(opened))
    if not done.changed:
        say(f"{place.shown}: already installed, nothing changed")
    else:
        events = counted(len(done.events), "event")
        say(f"{place.shown}: hookline is now called for {events} of {title_of(place.agent)}")
        _say_backup(done)
    from hookline.engine.opening import reopen_hooks

    for found in file_faults(place, reopen_hooks(opened)):
        warn(found.message + (f"; {found.hint}" if found.hint else ""))
    for need in needs(place):
        say(f"next: {need}")
    name_untrusted(opened)
    return 0


def uninstall(options: Namespace) -> int:
    """Takes our entries out; the file goes too when we made it."""
    opened = _opened(options)
    change = planned_uninstall(_place(options, opened))
    if options.dry_run:
        return _show(change)
    done = carry_out(change, _backups(opened))
    if not done.changed:
        say(f"{done.place.shown}: hookline is not installed here, nothing changed")
        return 0
    what = "removed, nothing else was in it" if done.after is None else "as it was without hookline"
    say(f"{done.place.shown}: {what}")
    _say_backup(done)
    return 0


def _opened(options: Namespace) -> Opened:
    from hookline.engine.opening import open_engine

    return open_engine(workspace_of(options.workspace), history=False)


def _place(options: Namespace, opened: Opened) -> Place:
    return place_of(options.target, options.scope, opened.workspace, opened.paths.home, files.environment())


def _backups(opened: Opened) -> str:
    return os.path.join(opened.paths.state_home, "backups")


def _show(change: Change) -> int:
    sys.stdout.write(difference(change))
    if not change.changed:
        say(f"{change.place.shown}: nothing would change")
    return 0


def _say_backup(done: Change) -> None:
    if done.backup:
        say(f"the file as it was is kept in {done.backup}")
