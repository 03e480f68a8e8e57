"""A tool call as what it does: the commands of a shell line, or the effects of any other tool."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial

from hookline.dialects.tools import ARGUMENTS, SHELLS, Rows, call_names
from hookline.model.events import Event
from hookline.model.record import Record, replace
from hookline.model.typing import Any, TypeVar
from hookline.shell import read_commands
from hookline.shell.effects.acts import Deeds, Effect, Where, opaque_of, taken_apart
from hookline.shell.programs.arguments import Arguments, Taken
from hookline.shell.programs.inner import inner_of
from hookline.shell.programs.table import programs as table
from hookline.shell.reading import Command, Hole
from hookline.system import files
from hookline.system.loops.work_limit import TookTooLong
from hookline.system.patterns.late import late

T = TypeVar("T")

LONGEST_SCRIPT = 65_536
MOST_TRIES = 2  # to tell of a call; the first rule may have had little of its time left
KNOWN_CALLS = 4  # all rules of an event ask about the same call
MOST_USERS = 20  # of one line whose homes are looked up
_USERS = late(r"~([A-Za-z_][\w.-]*)")
# Variables whose values need not be known to say what they are not: a rule's file or option.
_USUAL: Mapping[str, str] = {
    "GITHUB_OUTPUT": "/tmp/.github/output", "GITHUB_ENV": "/tmp/.github/env", "GITHUB_PATH": "/tmp/.github/path",
    "GITHUB_STEP_SUMMARY": "/tmp/.github/summary", "RUNNER_TEMP": "/tmp/.runner", "TMPDIR": "/tmp",
}  # fmt: skip
# What a shell's call says beside its folder and variables
_OF_LINES = frozenset(("command", "description", "timeout", "run_in_background"))


class Call(Record):
    """What one tool call does. `line` is empty and `taken` has one entry for a tool that is no shell.

    What the commands do is told when it is first asked for (`tell`), as most rules are about other programs.
    `unknowns` says what may run and could not be read at all, `opaque` what no reader sees into. `prose`: a shell
    refuses the line, and it has no program in it that anything is known of. `code_words`: what is taken for words where
    it stands (`sh -c "cd $X; make"`), as it would be in a line of its own; who allows something does not take it so.
    `before`: letters of `line` that say what the call sets for it, and are none of the agent's.
    """

    line: str
    where: Where
    taken: tuple[Taken, ...]
    tell: Callable[[], tuple[Deeds, ...]]
    unknowns: tuple[str, ...] = ()
    opaque: tuple[str, ...] = ()
    is_shell: bool = False
    prose: bool = False
    code_words: tuple[str, ...] = ()
    before: int = 0

    @property
    def deeds(self) -> tuple[Deeds, ...]:
        return self.tell()

    @property
    def distinct(self) -> Sequence[int]:
        """The places of commands that differ: of those that are repeated, the first stands for all."""
        count = len(self.taken)
        if count == 1 or all(each.like == at for at, each in enumerate(self.taken)):
            return range(count)
        found: dict[object, int] = {}
        for at, each in enumerate(self.deeds):
            plain = not each.command.via and not each.command.redirections
            found.setdefault((each.like, id(each.effects)) if plain else at, at)
        return tuple(found.values())


_latest: list[tuple[Event, object, Call | TookTooLong]] = []


def call_of(event: Event, programs: str = "", tools: Rows | None = None) -> Call | None:
    """What an event's tool call does; None if it is no tool call. `programs` and `tools` are a user's own rows."""
    rows, tries = (programs, tools), 0
    for known, asked, call in _latest:
        if known is event and asked == rows:
            tries += 1
            if tries == MOST_TRIES or not isinstance(call, TookTooLong):
                return _in_time(call)
    found: Call | TookTooLong | None
    try:
        found = _read(event, programs, tools or {})
    except TookTooLong as error:
        found = error
    if found is not None:
        _latest.insert(0, (event, rows, found))
        del _latest[KNOWN_CALLS:]
    return None if found is None else _in_time(found)


def _in_time(told: T | TookTooLong) -> T:
    """What was told of a call. Raises TookTooLong where that took too long, as it would for each rule anew."""
    if isinstance(told, TookTooLong):
        raise TookTooLong(str(told))
    return told


def _read(event: Event, programs: str, tools: Rows) -> Call | None:
    name = event.get("tool_name")
    given = event.get("tool_input")
    if not isinstance(name, str):
        return None
    name, given = name.strip(), given if isinstance(given, dict) else {}
    workspace = event.workspace or event.cwd or os.sep
    where = Where(event.cwd or workspace, workspace, files.home(), {})
    if folds_case(workspace):
        where = Where(where.cwd.lower(), workspace.lower(), where.home.lower(), {}, True)
    if name in SHELLS:
        shell = "powershell" if name == "PowerShell" else "bash"
        return _of_line(_line_of(name, given), shell, where, programs, _set_for(given, where))
    from hookline.dialects.hookline.tool_acts import effects_of_tool, lines_of_tool

    effects = tuple(effects_of_tool(call_names(event), given, tools))
    if lines := list(lines_of_tool(name, given, tools)):
        call = _of_line("\n".join(lines), "bash", where, programs, _set_for(given, where))
        return _with_effects(call, effects) if effects else call
    deeds = (Deeds(Command(()), Arguments(), 0, effects),)
    return Call("", where, deeds, lambda: deeds)


def _with_effects(call: Call, effects: tuple[Effect, ...]) -> Call:
    """A line that a tool runs, and behind it what the tool does besides: of several calls in one, each does its own."""
    own = Deeds(Command(()), Arguments(), len(call.taken), effects)
    return replace(call, taken=(*call.taken, own), tell=lambda: (*call.tell(), own))


def _line_of(name: str, given: Mapping[str, Any]) -> str:
    line = given.get("command")
    if line and ARGUMENTS.isdisjoint(given) and isinstance(line, str):
        return line
    from hookline.dialects.unlisted_tools import line_of_list, line_of_shell

    if line and ARGUMENTS.isdisjoint(given) and isinstance(line, list):
        return line_of_list(line)
    return line_of_shell(name, given)  # an agent of somebody's own may call it `cmd`


@lru_cache(maxsize=64)
def folds_case(folder: str) -> bool:
    """Whether the file system takes `A` and `a` for one name, as most Macs' do.

    Asked of the folder's own name, or of the next above it that has letters.
    """
    above, name = os.path.split(folder)
    other = os.path.join(above, name.swapcase())
    if other == folder:
        return bool(name) and folds_case(above)
    try:
        return os.path.samestat(os.lstat(folder), os.lstat(other))
    except (OSError, ValueError):
        return False


# What no shell of Unix has: `Remove-Item C:\Users` in it would be another path.
_CMDLET = late(r"\s*(?:[A-Z][a-z]+-[A-Z]\w+|iwr|irm|iex(?=\s*\())(?=[\s(])")
_BEGIN_CMDLETS = frozenset(
    ["Add", "Clear", "Copy", "Disable", "Enable", "Format", "Get", "Install", "Invoke", "Move", "New", "Out",
     "Register", "Remove", "Rename", "Restart", "Set", "Start", "Stop", "Uninstall", "Unregister"]
)  # fmt: skip


def _set_for(given: Mapping[str, Any], where: Where) -> str:
    """What stands before a line: where the call has it run, and with which variables."""
    if given.keys() <= _OF_LINES:
        return ""
    from hookline.dialects.unlisted_tools import set_before

    return set_before(given, where.cwd, where.home)


def _of_line(line: str, shell: str, where: Where, programs: str, before: str = "") -> Call:
    line = before + line
    variables = {"HOME": where.home, "PWD": where.cwd, "@": "", **_USUAL}
    if "~" in line:
        for at, name in enumerate(dict.fromkeys(_USERS.findall(line))):
            variables[f"~{name}"] = os.path.expanduser(f"~{name}") if at < MOST_USERS else f"/home/{name}"
    begins = line.lstrip()[:12]  # few lines need more of a look
    if begins.partition("-")[0] in _BEGIN_CMDLETS or begins.startswith(("iwr", "irm", "iex")):
        shell = "powershell" if _CMDLET.match(line) else shell
    inner = partial(inner_of, more=programs, alias=partial(_alias, where))
    reading = read_commands(
        line, shell, where.cwd, variables, open_script=partial(_script, where), inner_of=inner
    )
    taken = taken_apart(reading, programs)
    told: list[tuple[Deeds, ...] | TookTooLong] = []

    def tell() -> tuple[Deeds, ...]:
        if not told or (len(told) < MOST_TRIES and isinstance(told[-1], TookTooLong)):
            try:
                told.append(_told()(taken, line, programs))
            except TookTooLong as error:
                told.append(error)
        return _in_time(told[-1])

    opaque = dict.fromkeys([hole.why for hole in reading.opaque] if reading.opaque else ())
    for each in taken:
        if words := opaque_of(each.given, programs):
            opaque[f"`{words}`"] = None
    unknowns: list[str] = []
    code_words: list[str] = []
    for hole in reading.unknowns:
        (code_words if hole.outside else unknowns).append(reason(hole))
    if len(taken) > 1:
        unknowns += _remade(taken, tell, programs, where.cwd)
    prose = False
    if unknowns:
        from hookline.dialects.hookline.prose import is_prose

        prose = is_prose(line, reading, table(programs))
    told_of = (tuple(unknowns), tuple(opaque), True, prose, tuple(code_words))
    return Call(line, where, taken, tell, *told_of, before=len(before))


@cache
def _told() -> Callable[[Sequence[Taken], str, str], tuple[Deeds, ...]]:
    from hookline.dialects.hookline.links import linked
    from hookline.shell.effects.commands import done_by

    return lambda taken, line, programs: linked(done_by(taken, line, programs))


def _remade(
    taken: Sequence[Taken], tell: Callable[[], tuple[Deeds, ...]], programs: str, cwd: str
) -> list[str]:
    """What a line runs that it has written before, as far as nobody can tell what that is."""
    from hookline.shell.effects.remade import remade, runs_files

    if not runs_files(taken[1:]):
        return []
    from hookline.shell.effects.outputs import may_write

    return list(remade(tell(), cwd)) if any(may_write(each, programs) for each in taken[:-1]) else []


def reason(hole: Hole) -> str:
    """Why a piece of a line is not known, and which."""
    return hole.why if not hole.text or hole.text in hole.why else f"{hole.why} (`{hole.text}`)"


def _script(where: Where, path: str) -> str | None:
    """The text of a script of the workspace."""
    try:
        full = os.path.realpath(os.path.join(where.cwd, path))
    except (OSError, ValueError):  # a NUL, or half a pair of surrogates
        return None
    if not full.startswith(os.path.realpath(where.workspace).rstrip("/") + "/"):
        return None
    found = files.read_text(full, LONGEST_SCRIPT)
    return found.text if found.state == "text" else None


def _alias(where: Where, name: str) -> str:
    """What git's own alias of that name stands for, by the repository's settings and the user's."""
    places = (
        f"{where.workspace}/.git/config",
        f"{where.home}/.gitconfig",
        f"{where.home}/.config/git/config",
    )
    for place in places:
        section = ""
        for line in files.read_text(place, LONGEST_SCRIPT).text.splitlines():
            key, equals, value = line.strip().partition("=")
            if key.startswith("["):
                section = key.strip("[] ").lower()
            elif equals and section == "alias" and key.strip().lower() == name.lower():
                return value.strip().strip('"').replace('\\"', '"')
    return ""
