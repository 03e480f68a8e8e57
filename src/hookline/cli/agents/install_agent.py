"""Installs hookline as the hook of a coding agent."""

from __future__ import annotations

import os.path
import re
import sys
from argparse import Namespace
from collections.abc import Callable

from hookline.cli.common import name_untrusted, say, warn
from hookline.cli.common import place_of as folder_of
from hookline.cli.hooks.listing import usable
from hookline.cli.render import counted, visible
from hookline.dialects import dialect
from hookline.engine.adopted import adopted_path
from hookline.engine.loading import places_for
from hookline.engine.opening import Opened, open_engine
from hookline.installing.agents import (
    Change,
    Place,
    cannot_adopt,
    carry_out,
    difference,
    launcher,
    launcher_fault,
    place_of,
    planned_adoption,
    planned_install,
    planned_uninstall,
    title_of,
)
from hookline.installing.findings import adopted_faults, file_faults, kinds_with_hooks, needs
from hookline.model.errors import StateError
from hookline.system import files

ATTEMPTS = 10


def install_agent(options: Namespace) -> int:
    """Puts our entries into the agent's config; says what the agent still needs."""
    opened = _opened(options)
    place = _place(options, opened)
    start = launcher()
    if not options.dry_run and (fault := launcher_fault(start)):
        raise StateError(
            f"`{start}` does not start hookline: {fault}", "install hookline into that Python first"
        )
    kinds = kinds_with_hooks(opened.hooks, place.agent)

    def planned() -> Change:
        if options.adopt:
            return planned_adoption(place, _adopted(place, opened), kinds, start)
        return planned_install(place, kinds, start)

    if options.dry_run:
        return _show(planned())
    done = _carried_out(planned, opened)
    if not done.changed:
        say(f"{place.shown}: already installed, nothing changed")
    else:
        events = counted(len(done.events), "event")
        say(f"{place.shown}: hookline is now called for {events} of {title_of(place.agent)}")
        _say_backup(done)

    if options.adopt:
        _say_adopted(done, title_of(place.agent))
    opened = _opened(options)
    for found in (
        *file_faults(place, opened.hooks),
        *adopted_faults(place, opened.workspace, files.environment()),
    ):
        warn(found.message + (f"; {found.hint}" if found.hint else ""))
    for need in needs(place):
        say(f"next: {need}")
    say("for fast answers, once per login: `hookline resident start`")
    _say_what_is_called(opened, place, adopted=options.adopt)
    name_untrusted(opened)
    return 0


def _say_what_is_called(opened: Opened, place: Place, adopted: bool) -> None:
    """Says when there is nothing to bridge yet, and what the agent goes on running or circumvents itself."""
    specs = usable(opened.hooks.specs)
    bridged = opened.hooks.with_specs(specs.__contains__).behind(place.agent).specs
    own = [spec for spec in specs if spec not in bridged and not spec.origin.bridge]
    title = title_of(place.agent)
    if own:
        say(
            f"{title} goes on running {counted(len(own), 'hook')} of its own itself; hookline does not run them"
        )
    if not bridged:
        move = (
            ""
            if adopted or cannot_adopt(place)
            else f", `hookline install {place.agent} --adopt` moves the agent's own"
        )
        say(
            "there is no hook of another dialect here yet, so hookline has nothing to run; "
            f"`hookline init` writes some{move}"
        )
    if dialect(place.agent).profile.clears_git_hooks:
        say(
            f"{title} starts every shell with `core.hooksPath` empty, so that git asks no hook of ours there: "
            "pre-commit hooks run before its `git commit` instead"
        )


def uninstall_agent(options: Namespace) -> int:
    """Takes our entries out; the file goes too when we made it."""
    opened = _opened(options)
    place = _place(options, opened)
    if options.dry_run:
        return _show(planned_uninstall(place, _adopted(place, opened)))
    lost = tuple(adopted_faults(place, opened.workspace, files.environment()))
    done = _carried_out(lambda: planned_uninstall(place, _adopted(place, opened)), opened)
    for fault in lost:
        warn(f"{fault.message}, so they are not put back; look for a copy in {_backups(opened)}")
    edited = _edited_lines(done)
    if edited:
        words = f"still calls hookline by an entry that was edited, in line {', '.join(map(str, edited))}"
        warn(f"{done.place.shown} {words}; take it out by hand")
    if not done.changed:
        say(f"{done.place.shown}: hookline is not installed here, nothing changed")
        return 0
    left = "our other entries are out" if edited else "as it was without hookline"
    what = "removed, nothing else was in it" if done.after is None else left
    say(f"{done.place.shown}: {what}")
    _say_backup(done)
    return 0


def _edited_lines(done: Change) -> list[int]:
    """The lines that call us in words that `install` does not write, and that an uninstall so leaves alone."""
    call = re.compile(rf"hookline(?:-bridge)?[\"'\\]*[ \t]+bridge[ \t]+{re.escape(done.place.agent)}\b")
    return [at for at, line in enumerate((done.after or "").splitlines(), 1) if call.search(line)]


def _carried_out(plan: Callable[[], Change], opened: Opened) -> Change:
    """Plans anew when another program was faster; raises StateError when that goes on."""
    for _ in range(ATTEMPTS - 1):
        change = plan()
        try:
            return carry_out(change, _backups(opened))
        except StateError:
            if plan().before == change.before:  # it was not for a change of the file
                raise
    return carry_out(plan(), _backups(opened))


def _opened(options: Namespace) -> Opened:
    return open_engine(folder_of(options.workspace), history=False)


def _place(options: Namespace, opened: Opened) -> Place:
    return place_of(options.target, options.scope, opened.workspace, opened.paths.home, files.environment())


def _adopted(place: Place, opened: Opened) -> str:
    config_home = places_for(opened.workspace).config_home
    return adopted_path(place.agent, place.scope, place.path, opened.workspace, config_home)


def _backups(opened: Opened) -> str:
    return os.path.join(opened.paths.state_home, "backups")


def _show(change: Change) -> int:
    sys.stdout.write(visible(difference(change), keep="\n\t"))
    if not change.changed:
        say(f"{change.place.shown}: nothing would change")
    return 0


def _say_adopted(done: Change, title: str) -> None:
    if (moved := done.adopted) is None:
        say(f"{done.place.shown} has no hook that hookline could run in place of {title}: nothing moved")
        return
    say(f"{counted(moved.count, 'hook')} moved to {moved.path}: hookline runs them, once they are trusted")
    if moved.staying:
        kinds = "no command, at an event of no use here, or with a longer time limit than hookline is given"
        say(f"{counted(moved.staying, 'hook stays', 'hooks stay')} with {title} ({kinds})")


def _say_backup(done: Change) -> None:
    if done.backup:
        say(f"the file as it was is kept in {done.backup}")
