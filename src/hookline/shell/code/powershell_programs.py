"""What programs of a PowerShell line run of their words (`python -c`, `sqlcmd -Q`, `'…' | bash`), as bash has them."""

from __future__ import annotations

from collections.abc import Callable
from shlex import join, quote

from hookline.model.record import replace
from hookline.shell.code.cmdlets import OTHER_SHELLS, RUNS_TEXT, STARTS, takes_code
from hookline.shell.code.powershell_files import in_order
from hookline.shell.reading import Command, Hole, InnerOf, Reading, Word
from hookline.system.patterns.late import late

_READ_ALREADY = frozenset((*RUNS_TEXT, *STARTS, "pwsh", "powershell", "echo", "write-host"))

_CMDLET = late(
    r"(?i)(?:add|assert|block|clear|close|compare|complete|compress|confirm|connect|convert|convertfrom|convertto|copy|debug"
    r"|disable|disconnect|dismount|edit|enable|enter|exit|expand|export|find|foreach|format|get|grant|group|import"
    r"|initialize|install|join|limit|lock|measure|merge|mount|move|new|open|optimize|out|pop|protect|publish|push"
    r"|read|receive|register|remove|rename|repair|request|reset|resolve|restart|restore|resume|revoke|save|search|select"
    r"|send|set|show|sort|split|start|stop|submit|suspend|switch|sync|tee|test|trace|unblock|undo|uninstall|unlock"
    r"|unregister|update|use|wait|watch|where|write)-[a-z]"
)


def with_inner(reading: Reading, inner_of: InnerOf, read_bash: Callable[[str], Reading]) -> Reading:
    """A reading, and behind each command what it starts."""
    commands: list[Command] = []
    unknowns = dict.fromkeys(reading.unknowns)
    sets: dict[str, Word] = {}  # variables that the line sets for the programs behind it
    for command, runs in in_order(reading.line, reading.commands):
        argv = command.argv or ("",)
        command = replace(command, assignments=tuple(sets.items())) if sets else command
        commands.append(command)
        if argv[0] == "export":
            name, _, value = argv[-1].partition("=")
            sets[name] = Word((value,))
        elif runs or _runs_more(command, inner_of):
            found = read_bash(runs or _in_bash(command))
            for each in found.commands[2 if runs else 1 :]:
                certain = command.certain and each.certain
                places = {"start": command.start, "end": command.end}
                commands.append(replace(each, via=(*command.via, *each.via), certain=certain, **places))
            unknowns |= dict.fromkeys(found.unknowns)
    return Reading(reading.line, tuple(commands), tuple[Hole, ...](unknowns))


def _runs_more(command: Command, inner_of: InnerOf) -> bool:
    argv = command.argv
    if (
        not argv
        or (argv[0].lower() in _READ_ALREADY and command.stdin is None)
        or (_CMDLET.match(argv[0]) and argv[0].lower() != "add-type")
    ):
        return False
    read = argv[0] in OTHER_SHELLS and any(takes_code(argv[0], text) for text in argv[1:])
    return not read and bool(inner_of(command))


def _in_bash(command: Command) -> str:
    fed = command.stdin.literal if command.stdin is not None else None
    sets = "".join(f"{name}={quote(value.literal or '')} " for name, value in command.assignments)
    return sets + join(command.argv or ()) + (f" <<< {quote(fed)}" if fed is not None else "")
