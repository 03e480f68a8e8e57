"""`hookline bridge`: the command an agent calls as its hook."""

from __future__ import annotations

import os
import sys

from hookline.cli.commands import read_words
from hookline.model.errors import UsageError
from hookline.model.record import Record
from hookline.system import files
from hookline.system.clock import monotonic

_SUMMARY = """Called by a coding agent as its hook (`hookline install AGENT` writes that): reads the agent's payload on
stdin, runs the workspace's hooks of all other dialects, answers in the agent's own format.

AGENT is one of {agents}.
discobot is for git hooks (`--event pre-commit`).
NAME is a canonical event (`PreToolUse`) or the agent's own (`BeforeTool`)."""


class Options(Record):
    """The command line."""

    agent: str = ""
    event: str = ""
    workspace: str = ""
    waited_s: float = 0.0
    background: bool = False
    help: bool = False


def run(arguments: list[str]) -> int:
    """Answers one call; the exit code is 0 but where the agent's format itself asks for another."""
    began = monotonic()
    options = read_options(arguments)
    if options.help:
        return _help()
    from hookline.dialects import git_names, is_agent

    if options.agent in git_names():
        return _git_hook(options)
    from hookline.cli.agents.bridge_answer import answer, refuse_stranger

    if not is_agent(options.agent):
        return refuse_stranger(options.agent, options.event, options.workspace)
    if options.background:
        from hookline.hosts.bridge.background import run_background

        return run_background(sys.stdin.read(), files.environment())
    if not options.event:
        raise UsageError("bridge: `--event` is missing", "see `hookline bridge --help`")
    return answer(options.agent, options.event, options.workspace, began, options.waited_s)


def _help() -> int:
    from hookline.cli.common import parser
    from hookline.dialects import agent_names, git_names

    example = "hookline bridge claude --event PreToolUse < payload.json"
    made = parser("bridge", _SUMMARY.replace("{agents}", ", ".join((*agent_names(), *git_names()))), example)
    made.add_argument("agent", metavar="AGENT", help="who calls")
    made.add_argument("--event", metavar="NAME", required=True, help="the event that is reported")
    made.print_help()
    return 0


def read_options(arguments: list[str]) -> Options:
    """The options of one command line. Raises UsageError.

    Behind a `#` stands the mark of our entries, which an agent that starts a line without a shell hands over as words.
    """
    given = arguments[: arguments.index("#")] if "#" in arguments else arguments
    words, said = read_words(
        "bridge", given, ("-h", "--help", "--background"), ("--event", "--workspace", "--waited")
    )
    wants_help = "-h" in said or "--help" in said
    if len(words) != 1 and not wants_help:
        from hookline.dialects import agent_names, git_names

        agents = ", ".join((*agent_names(), *git_names()))
        raise UsageError(f"bridge: expected one agent, found {len(words)}", f"agents: {agents}")
    event, workspace, waited = (said.get(name, [""])[-1] for name in ("--event", "--workspace", "--waited"))
    return Options(
        agent=words[0] if words else "",
        event=event,
        waited_s=_seconds(waited or "0"),
        workspace=workspace and os.path.abspath(workspace),
        background="--background" in said,
        help=wants_help,
    )


def _seconds(milliseconds: str) -> float:
    """What a client that asked the resident first has used of the agent's time."""
    if not (milliseconds.isascii() and milliseconds.isdigit()):
        raise UsageError(f"bridge: `--waited` takes milliseconds, found `{milliseconds}`")
    return int(milliseconds) / 1000


def _git_hook(options: Options) -> int:
    from hookline.hosts.precommit import bridge

    return bridge(options.event, options.workspace or None)
