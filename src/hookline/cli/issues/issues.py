"""`hookline issues`: create issues, work on them, see what is left."""

from __future__ import annotations

import asyncio
import sys
from argparse import ArgumentParser
from typing import Any

from hookline.agents.cli_process import PROGRAMS, program_from, why_unavailable
from hookline.cli import common
from hookline.cli.actions import Action, run_action
from hookline.cli.issues.run import run as _run
from hookline.cli.render import counted
from hookline.hosts.issues.files import Draft, create_issue, prepare_workspace
from hookline.hosts.issues.run_log import RateLimits, executions
from hookline.hosts.issues.settings import read_settings
from hookline.hosts.issues.targets import standings
from hookline.model.errors import ConfigError
from hookline.model.rendering import iso_time
from hookline.system import files


def _create(parser: ArgumentParser, arguments: list[str]) -> int:
    parser.add_argument("-t", "--title", required=True, help="one line")
    parser.add_argument("-d", "--description", default="", help="what it is about")
    parser.add_argument("-a", "--acceptance", action="append", default=[], help="a criterion; repeatable")
    parser.add_argument("--details", default="", help="requirements")
    parser.add_argument("--json", action="store_true", help="the new issue as an object")
    options = parser.parse_args(arguments)
    draft = Draft(options.title, options.description, tuple(options.acceptance), options.details)
    issue = create_issue(common.place_of(options.workspace), draft)
    if options.json:
        common.print_json(
            {"number": issue.number, "title": issue.title, "file": issue.file, "plan": issue.plan_file}
        )
        return 0
    common.print_line(f"✓ Created issue #{issue.number}: {issue.file}")
    return 0


def _status(parser: ArgumentParser, arguments: list[str]) -> int:
    parser.add_argument("issue", nargs="?", type=int, help="one issue by its number")
    parser.add_argument("--history", action="store_true", help="what was executed when")
    parser.add_argument("--json", action="store_true", help="as an object")
    options = parser.parse_args(arguments)
    workspace = common.place_of(options.workspace)
    found = [s for s in standings(workspace) if options.issue in (None, s.number)]
    if options.issue is not None and not found:
        raise ConfigError(f"there is no issue {options.issue}", "`hookline issues list` shows the issues")
    runs = [run for run in executions(workspace) if options.issue in (None, run.get("issue"))]
    left = [s for s in found if not s.done]
    if options.json:
        shown = {
            "total": len(found),
            "completed": len(found) - len(left),
            "pending": [_plain(s) for s in left],
        }
        common.print_json({**shown, **({"history": runs} if options.history else {})})
        return 0
    issues = counted(len(found), "issue")
    sys.stdout.write(f"{len(found) - len(left)} of {issues} completed, {len(left)} pending\n")
    for standing in left:
        common.print_line(f"  #{standing.number}  {standing.title}")
    for run in runs if options.history or options.issue is not None else ():
        common.print_line(f"{run.get('timestamp')}  #{run.get('issue')}  {run.get('status')}")
    return 0


def _list(parser: ArgumentParser, arguments: list[str]) -> int:
    parser.add_argument("-s", "--status", choices=("pending", "completed"), help="only these")
    parser.add_argument("--json", action="store_true", help="a list of objects")
    options = parser.parse_args(arguments)
    every = [_plain(s) for s in standings(common.place_of(options.workspace))]
    found = [entry for entry in every if options.status in (None, entry["status"])]
    if found or options.json:
        rows = [(f"#{e['number']}", e["status"], e["file"] or "-", e["title"]) for e in found]
        common.print_rows(options.json, found, ("issue", "status", "file", "title"), rows)
    else:
        common.say("no issues; `hookline issues create -t TITLE` writes the first one")
    return 0


def _init(parser: ArgumentParser, arguments: list[str]) -> int:
    made = prepare_workspace(common.place_of(parser.parse_args(arguments).workspace))
    for path in made:
        common.print_line(f"✓ Created {path}")
    if not made:
        common.print_line("· All of it is there")
    return 0


def _providers(parser: ArgumentParser, arguments: list[str]) -> int:
    parser.add_argument("--clear", action="store_true", help="forget the limits that were noted")
    parser.add_argument("--json", action="store_true", help="a list of objects")
    options = parser.parse_args(arguments)
    found = asyncio.run(_standing_of_providers(common.place_of(options.workspace), options.clear))
    rows = [
        (e["name"], "yes" if e["available"] else "no", e["limited_until"] or "-", e["why"] or "")
        for e in found
    ]
    common.print_rows(options.json, found, ("provider", "available", "rests until", "why not"), rows)
    return 0


async def _standing_of_providers(workspace: str, clear: bool) -> list[dict[str, Any]]:
    environment, limits = files.environment(), RateLimits(files.home())
    settings = read_settings(workspace, files.home(), environment)
    known = {**PROGRAMS, **{name: program_from(name, entry) for name, entry in settings.programs.items()}}
    found: list[dict[str, Any]] = []
    for name in settings["providers"]:
        if clear:
            limits.clear(name)
        why = await why_unavailable(known[name], workspace, environment) if name in known else "not known"
        free_ms = limits.free_at_ms(name, settings["rateLimitCooldown"])
        rests = iso_time(free_ms / 1000) if free_ms is not None else None
        found.append({"name": name, "available": not why, "why": why or None, "limited_until": rests})
    return found


def _plain(standing: Any) -> dict[str, Any]:
    status = "completed" if standing.done else "pending"
    return {"number": standing.number, "title": standing.title, "status": status, "file": standing.file}


ACTIONS = {
    "create": Action(
        "write an issue, its plan and its line in TODO.md",
        'hookline issues create -t "Add a login page" -d "Users sign in by e-mail."',
        _create,
    ),
    "run": Action(
        "work on the next, a number, a range `2-5`, a name, a file, or --all",
        "hookline issues run --all --model scripted:turns.yml",
        _run,
        more="AutoAgent's hooks run around each. Exits 1 when one of them failed.",
    ),
    "status": Action("what is left, and what one issue came to", "hookline issues status", _status),
    "list": Action("all issues", "hookline issues list --json", _list),
    "providers": Action(
        "who could work on issues here, and who rests", "hookline issues providers", _providers
    ),
    "init": Action(
        "make the folders, TODO.md, AGENT.md and links for Claude and Gemini",
        "hookline issues init",
        _init,
        more="What is there stays.",
    ),
}


def run(arguments: list[str]) -> int:
    """Finds the action and runs it."""
    return run_action("issues", ACTIONS, arguments)
