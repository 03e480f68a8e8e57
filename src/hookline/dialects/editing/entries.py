"""An entry of ours in an agent's config, whatever the config is."""

from __future__ import annotations

import os.path
import re
import sys

from hookline.dialects import OWN_ENTRY
from hookline.model.record import Record

ENTRY = re.compile(OWN_ENTRY)
ADOPTED = "a"  # among the letters of an entry: hooks of the file were moved behind us


class Entry(Record):
    """One entry of ours: where it stands, its command, and what was made for it.

    `made` is a word of letters: `e` the event's list, `h` the object `hooks`, `v` the version, `d` the
    document, `f` the file, and a `p` for each folder above it; `a` that the agent's own hooks were taken out.
    """

    native: str
    group: int
    handler: int | None
    command: str
    made: str
    alone: bool

    @property
    def start(self) -> str:
        """What starts hookline, as a shell reads it."""
        found = ENTRY.match(self.command)
        return found["start"] if found else ""


def is_of_workspace(start: str, workspace: str, home: str) -> bool:
    """Whether what an entry starts may be a file that the workspace brings, and so not known to be hookline.

    A hookline that was installed into an environment inside of the workspace is known by running just now. A Python
    that is not kept apart (`-I`, `-P`) takes modules from the folder it starts in.
    """
    if re.search(r"[ \t]-m[ \t]", start) and not re.search(r"[ \t]-[A-Za-z]*[IP]", start):
        return True
    words = re.sub(r"^(?:uvx|pipx[ \t]+run)[ \t]+|[ \t]+-\w.*$", "", start)
    program = re.sub(
        r"^(?:~|\$HOME)(?=/)", lambda _: home, re.sub("['\"]", "", words.replace("'\"'\"'", "\0"))
    )
    program = program.replace("\0", "'")
    if "/" not in program:
        return False
    if os.path.normpath(program).startswith(("/proc/", "/dev/")):
        return True  # another place for each who looks, so before its links are resolved
    lies_in = os.path.realpath(os.path.dirname(program))
    inside = f"{lies_in}/".startswith(os.path.join(os.path.realpath(workspace), ""))
    return inside and lies_in != os.path.realpath(os.path.dirname(sys.executable))


def ours(agent: str, command: object) -> re.Match[str] | None:
    """What a command of ours says; None for any other, and for another agent's."""
    found = ENTRY.match(command) if isinstance(command, str) else None
    return found if found and found["agent"] == agent else None


def call_of(agent: str, launcher: str, native: str) -> str:
    """The command of an entry: hookline, asked about this event."""
    return f"{launcher} bridge {agent} --event {native} # hookline"
