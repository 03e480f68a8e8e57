"""Commands of several actions, each with options of its own: found by name, and listed in the command's help."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from typing import NamedTuple

from hookline.cli.common import WORKSPACE, parser
from hookline.model.errors import UsageError


class Action(NamedTuple):
    """One action: what it does, an example, and what adds its options to a parser, reads the words and runs it."""

    summary: str
    example: str
    run: Callable[[ArgumentParser, list[str]], int]
    takes: str = ""  # what stands behind its name in the list
    more: str = ""  # said in its own help alone


def run_action(
    command: str,
    actions: Mapping[str, Action],
    arguments: list[str],
    more: str = "",
    workspace: str = WORKSPACE,
) -> int:
    """Runs the action that comes first; lists them all when there is none. Raises UsageError for one unknown.

    `more` is said below the list, `workspace` is the help of that option.
    """
    if not arguments or arguments[0] in ("-h", "--help"):
        sys.stdout.write(_listed(command, actions, more, workspace))
        return 0
    name, *rest = arguments
    if name not in actions:
        names = ", ".join(f"`{each}`" for each in actions)
        raise UsageError(f"{command}: no subcommand `{name}`", f"there are {names}")
    found = actions[name]
    about = f"{found.summary[0].upper()}{found.summary[1:]}.{found.more and ' '}{found.more}"
    return found.run(parser(f"{command} {name}", about, found.example, workspace), rest)


def _listed(command: str, actions: Mapping[str, Action], more: str, workspace: str) -> str:
    named = [(f"{name} {action.takes}".strip(), action) for name, action in actions.items()]
    width = max(len(shown) for shown, _ in named)
    lines = "".join(f"  {shown:<{width}}  {action.summary}\n" for shown, action in named)
    example = next(iter(actions.values())).example
    said = f"{more}\n\n" if more else ""
    return (
        f"usage: hookline {command} COMMAND [options]\n\n{lines}\n{said}"
        f"--workspace DIR: {workspace}\n\nexample:\n  {example}\n"
    )
