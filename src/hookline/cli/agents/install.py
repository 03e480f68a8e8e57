"""`hookline install TARGET` and `hookline uninstall TARGET`: for git, and for every agent."""

from __future__ import annotations

import sys
from argparse import Namespace

from hookline.cli import common
from hookline.cli.agents.install_agent import install_agent, uninstall_agent
from hookline.cli.render import visible
from hookline.dialects import agent_names
from hookline.installing import githooks
from hookline.model.errors import UsageError
from hookline.system.loops.loop import run

TARGETS = ("git", *agent_names())
SCOPES = ("user", "project", "local")


def install(arguments: list[str]) -> int:
    """Makes git, or an agent, call hookline."""
    return _carried_out("install", "Makes git, or an agent, call hookline as its hook.", arguments)


def uninstall(arguments: list[str]) -> int:
    """Puts back what was there before `install`."""
    return _carried_out("uninstall", "Puts back what was there before `install`.", arguments)


def _carried_out(command: str, summary: str, arguments: list[str]) -> int:
    parser = common.parser(command, summary, f"hookline {command} git --dry-run")
    parser.add_argument(
        "target", choices=TARGETS, metavar="TARGET", help=f"whose hooks: {', '.join(TARGETS)}"
    )
    parser.add_argument(
        "--scope", choices=SCOPES, default="project", help="which settings file (default: project)"
    )
    parser.add_argument("--dry-run", action="store_true", help="print the changes, make none")
    if command == "install":
        parser.add_argument(
            "--adopt",
            action="store_true",
            help="let hookline run the agent's own hooks too; uninstall undoes it",
        )
    options = parser.parse_args(arguments)
    if options.target == "git" and (options.scope == "user" or getattr(options, "adopt", False)):
        flag = "--scope user" if options.scope == "user" else "--adopt"
        raise UsageError(
            f"{command} git: `{flag}` means nothing to git's hooks, which stand in each repository"
        )
    if command == "install":
        return _install_git(options) if options.target == "git" else install_agent(options)
    return _uninstall_git(options) if options.target == "git" else uninstall_agent(options)


def _install_git(options: Namespace) -> int:
    """Installs the pre-commit hook and lets git show that it fires; 1 when it does not."""
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


def _uninstall_git(options: Namespace) -> int:
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
