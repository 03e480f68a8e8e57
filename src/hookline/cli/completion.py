"""`hookline completion SHELL`: what bash, zsh and fish need to complete commands, options, hooks and events."""

from __future__ import annotations

import re
import sys
from contextlib import redirect_stdout
from io import StringIO

from hookline.checking.codes import known_codes
from hookline.cli import common
from hookline.cli.commands import COMMANDS
from hookline.cli.docs import topics
from hookline.cli.hooks.listing import usable
from hookline.dialects import agent_names, names
from hookline.engine.opening import open_engine
from hookline.model.errors import HooklineError
from hookline.model.events import EventKind
from hookline.system.modules import text_beside

SHELLS = ("bash", "zsh", "fish")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def run(arguments: list[str]) -> int:
    """Prints a script for a shell; with `--words`, what may stand where the last word stands, one on a line."""
    if arguments[:1] == ["--words"]:
        sys.stdout.write("".join(f"{word}\n" for word in candidates(arguments[1:])))
        return 0
    parser = common.parser(
        "completion",
        "Prints what a shell needs to complete hookline's commands, options, hooks and events.\n\n"
        'bash: `eval "$(hookline completion bash)"` in ~/.bashrc; zsh: the same in ~/.zshrc, behind compinit;\n'
        "fish: `hookline completion fish > ~/.config/fish/completions/hookline.fish`.",
        "hookline completion bash",
        "taken as by every command; the script is the same for all",
    )
    parser.add_argument("shell", choices=SHELLS, help="for which shell")
    shell = parser.parse_args(arguments).shell
    sys.stdout.write(text_beside(__name__, f"completion.{shell}"))
    return 0


def candidates(words: list[str]) -> list[str]:
    """What the last of these words, which may be empty, can become."""
    *before, last = words or [""]
    workspace = None
    while "--workspace" in before[:-1]:
        place = before.index("--workspace")
        workspace = before[place + 1]
        del before[place : place + 2]
    if not before:
        known = [*COMMANDS, "help", "--version"]
    elif last.startswith("-"):
        known = _options(*before[:2])
    elif before[-1] == "--dialect":
        known = list(names())
    elif before[-1] == "--event":
        known = _events()
    elif before[-1] == "--hook":
        known = _hooks(workspace)
    else:
        known = _arguments(before[0], len(before) - 1, workspace)
    return [word for word in known if word.startswith(last)]


def _arguments(command: str, place: int, workspace: str | None) -> list[str]:
    """What a command's first argument can be, or, for a conversion, its second."""
    if place and (command, place) != ("convert", 1):
        return []
    match command:
        case "why" | "disable" | "enable":
            return _hooks(workspace)
        case "show":
            return [*_hooks(workspace), "last"]
        case "fire" | "explain":
            return _events()
        case "install" | "uninstall":
            return ["git", *agent_names()]
        case "bridge":
            return list(agent_names())
        case "convert" | "schema":
            return list(names())
        case "rule":
            return list(known_codes())
        case "docs":
            return list(topics())
        case "help":
            return list(COMMANDS)
        case "completion":
            return list(SHELLS)
    return []


def _events() -> list[str]:
    return [kind.value for kind in EventKind if kind is not EventKind.NoSuchEvent]


def _options(command: str, *action: str) -> list[str]:
    """The options that the help of the command, or of its action, names."""
    if command not in COMMANDS:
        return []
    told = StringIO()
    try:
        with redirect_stdout(told):
            COMMANDS[command].load()([*action, "--help"])
    except (SystemExit, HooklineError):
        pass
    return sorted(set(_OPTION.findall(told.getvalue())))


def _hooks(workspace: str | None) -> list[str]:
    try:
        opened = open_engine(common.workspace_of(workspace), history=False)
    except HooklineError:
        return []
    return [spec.id for spec in usable(opened.hooks.specs)]
