"""`hookline completion SHELL`: what bash, zsh and fish need to complete commands, options, hooks and events."""

from __future__ import annotations

import re
import sys
from contextlib import redirect_stdout
from io import StringIO

from hookline.cli import common
from hookline.cli.commands import COMMANDS
from hookline.cli.hooks.listing import usable
from hookline.dialects import names
from hookline.engine.opening import open_engine
from hookline.model.errors import HooklineError
from hookline.model.events import EventKind

SHELLS = ("bash", "zsh", "fish")
_TAKES_HOOK = ("why", "disable", "enable", "show")
_TAKES_EVENT = ("fire", "explain")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")

_BASH = """\
_hookline() {
    local IFS=$'\\n'
    COMPREPLY=($(hookline completion --words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
    [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
    declare -F __ltrim_colon_completions >/dev/null && __ltrim_colon_completions "${COMP_WORDS[COMP_CWORD]}"
}
complete -F _hookline hookline
"""
_ZSH = """\
#compdef hookline
_hookline() {
    local -a found
    found=(${(f)"$(hookline completion --words "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( $#found )); then compadd -a found; else _files; fi
}
compdef _hookline hookline
"""
_FISH = """\
complete -c hookline -f -a '(hookline completion --words (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
"""
_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


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
        workspace=False,
    )
    parser.add_argument("shell", choices=SHELLS, help="for which shell")
    sys.stdout.write(_SCRIPTS[parser.parse_args(arguments).shell])
    return 0


def candidates(words: list[str]) -> list[str]:
    """What the last of these words, which may be empty, can become."""
    *before, last = words or [""]
    if not before:
        known = [*COMMANDS, "help", "--version"]
    elif last.startswith("-"):
        known = _options(before[0])
    elif before[-1] == "--dialect":
        known = list(names())
    elif before[-1] == "--event" or (before[0] in _TAKES_EVENT and len(before) == 1):
        known = [kind.value for kind in EventKind if kind is not EventKind.NoSuchEvent]
    elif before[-1] == "--hook" or (before[0] in _TAKES_HOOK and len(before) == 1):
        known = [*_hooks(), *(["last"] if before[0] == "show" else [])]
    elif before[0] == "completion":
        known = list(SHELLS)
    else:
        known = []
    return [word for word in known if word.startswith(last)]


def _options(command: str) -> list[str]:
    """The options that the command's own help names."""
    if command not in COMMANDS:
        return []
    told = StringIO()
    try:
        with redirect_stdout(told):
            COMMANDS[command].load()(["--help"])
    except (SystemExit, HooklineError):
        pass
    return sorted(set(_OPTION.findall(told.getvalue())))


def _hooks() -> list[str]:
    try:
        opened = open_engine(common.workspace_of(None), history=False)
    except HooklineError:
        return []
    return [spec.id for spec in usable(opened.hooks.specs)]
