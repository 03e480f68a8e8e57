"""The target `git` of `hookline install` and `uninstall`."""

from __future__ import annotations

import sys
from argparse import Namespace

from hookline.cli import common
from hookline.cli.render import visible
from hookline.installing import githooks
from hookline.model.errors import UsageError
from hookline.system.loops.loop import run


def install(options: Namespace) -> int:
    """Installs the pre-commit hook and lets git show that it fires; 1 when it does not."""
    if options.adopt:
        raise UsageError(
            "install: `--adopt` is for agents", "git's own pre-commit hook is kept and run anyway"
        )
    workspace = common.place_of(options.workspace)
    plan = run(githooks.plan_install(workspace))
    _carry_out(plan, options.dry_run)
    if options.dry_run:
        return 0
    fault = run(githooks.probe(workspace))
    if fault:
        common.warn(fault)
        return 1
    common.say("git calls hookline before every commit here (`git commit --no-verify` skips all hooks)")
    return 0


def uninstall(options: Namespace) -> int:
    """Takes the hook away and puts the original back."""
    workspace = common.place_of(options.workspace)
    _carry_out(run(githooks.plan_uninstall(workspace)), options.dry_run)
    return 0


def _carry_out(plan: githooks.Plan, dry_run: bool) -> None:
    if dry_run:
        sys.stdout.write(visible(githooks.diff(plan), keep="\n\t"))
    else:
        githooks.apply(plan)
        for change in plan.changes:
            common.say(change.words)
    for note in plan.notes:
        common.say(f"note: {note}")
