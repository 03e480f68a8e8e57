"""`hookline install TARGET` and `hookline uninstall TARGET`: a row per target, a module behind each."""

from __future__ import annotations

from hookline.cli import common
from hookline.cli.agents import install_agent, install_git
from hookline.dialects import agent_names
from hookline.model.errors import UsageError

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
    module = install_git if options.target == "git" else install_agent
    code: int = getattr(module, command)(options)
    return code
