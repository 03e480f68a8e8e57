"""Commands of agents that split them into words and start them without a shell: as a line for `sh`, and back.

A line and not `argv`, because the agent fills in a leading `~` when it starts the program, and only a shell does so.
"""

from __future__ import annotations

import re
from shlex import join, quote, split

from hookline.model.hooks import Command

_HOME = re.compile(r"~[\w.-]*(?:/|$)")
# What is certainly a program, and no word of the shell's own.
_PROGRAMS = frozenset(
    (
        "bash",
        "bun",
        "deno",
        "node",
        "npx",
        "perl",
        "php",
        "python",
        "python3",
        "ruby",
        "sh",
        "uv",
        "uvx",
        "zsh",
    )
)


def read_words(command: str) -> Command:
    """What a shell runs so that it does what the agent does with `command`; a shell that it names runs its own line.

    Raises ValueError for a text that cannot be split, or holds no word.
    """
    words = split(command)
    if len(words) == 3 and words[0] in ("sh", "bash") and words[1] == "-c" and words[2].strip():
        return Command(words[2], shell=(words[0], "-c"))
    return Command(line_of(command))


def line_of(command: str) -> str:
    """A line by which a shell does what the agent does with `command`: `|` and `$X` are plain words, `~` is filled in.

    Raises ValueError for a text that cannot be split, or holds no word.
    """
    words = split(command)
    if not words:
        raise ValueError("it holds no word")
    home = _HOME.match(command.lstrip())
    if home is None:
        return join(words)
    rest = words[0][len(home[0]) :]
    return " ".join((home[0] + (quote(rest) if rest else ""), *map(quote, words[1:])))


def command_of(action: Command) -> str:
    """What an entry says so that the agent runs the same without a shell; a line that needs one gets its own."""
    if action.argv:
        return join(action.argv)
    return action.line if _is_words(action.line) else join((*action.shell, action.line))


def _is_words(line: str) -> bool:
    try:
        words = split(line)
        return bool(words) and line_of(line) == line and ("/" in words[0] or words[0] in _PROGRAMS)
    except ValueError:
        return False
