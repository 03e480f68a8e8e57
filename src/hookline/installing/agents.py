"""Puts hookline into an agent's config as its hook, and takes it out again.

Reading, planning and writing are apart: a `Change` says what would be written, and only `carry_out` writes,
in one step, with a copy of what was there kept outside the project.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Collection, Iterator, Mapping
from shlex import quote
from time import strftime

from hookline.dialects import agent_dialect, agent_names, dialect, is_agent
from hookline.dialects.editing.adopting import put_back, take_out, why_staying
from hookline.dialects.editing.installing import install, installed, uninstall
from hookline.model.errors import ConfigError, HooklineError, StateError, UsageError
from hookline.model.events import EventKind
from hookline.model.record import Record, replace
from hookline.model.short_json import on_one_line
from hookline.system import files
from hookline.system.locks import file_lock
from hookline.system.loops.loop import run
from hookline.system.processes.process import ProcessRequest, run_process
from hookline.system.workspace.differences import unified

SCOPES = ("project", "local", "user")


class Place(Record):
    """The config file of one agent in one scope; `shown` is how people know it."""

    agent: str
    scope: str
    path: str
    shown: str


class Adopted(Record):
    """The file that an agent's own hooks move to (`text` None: it goes), and what to put back later, beside it.

    `count` are the hooks that move, `staying` those that the agent goes on running itself.
    """

    path: str
    text: str | None
    record: str = ""
    count: int = 0
    staying: int = 0

    @property
    def record_path(self) -> str:
        return self.path + ".before"


class Change(Record):
    """What becomes of a config file. `before` and `after` are None where there is no file.

    `events` are the native events our entries stand for, afterwards; `folders` go with the file. `backup` is
    the copy of what was there, once carried out. `adopted` are the agent's own hooks that move with it, if any;
    `beside` the further files that it takes, and `mode` that of a file which is run.
    """

    place: Place
    before: str | None
    after: str | None
    events: tuple[str, ...] = ()
    folders: int = 0
    backup: str = ""
    adopted: Adopted | None = None
    beside: tuple[Change, ...] = ()
    mode: int | None = None

    @property
    def changed(self) -> bool:
        taken_back = self.adopted is not None and self.adopted.text is None
        return taken_back or self.before != self.after or any(each.changed for each in self.beside)


def place_of(
    agent: str, scope: str, workspace: str, home: str, variables: Mapping[str, str] | None = None
) -> Place:
    """Where an agent's config of that scope is. Raises UsageError where the agent has no such scope."""
    if not is_agent(agent):
        raise UsageError(f"install: no agent `{agent}`", f"agents: {', '.join(agent_names())}")
    files_of = dialect(agent).profile.files
    shown = (
        {}
        if files_of is None
        else {"project": files_of.project, "local": files_of.local, "user": files_of.user}
    )
    if not shown.get(scope):
        known = ", ".join(each for each in SCOPES if shown.get(each))
        raise UsageError(f"install: {title_of(agent)} has no scope `{scope}`", f"scopes: {known}")
    if files_of is None or scope != "user":
        return Place(agent, scope, os.path.join(workspace, shown[scope]), shown[scope])
    moved = (variables or {}).get(files_of.variable, "") if files_of.variable else ""
    path = os.path.join(moved or os.path.join(home, files_of.folder), files_of.user)
    return Place(agent, scope, path, path if moved else f"~/{files_of.folder}/{files_of.user}")


def title_of(agent: str) -> str:
    """The agent's name as people write it."""
    return dialect(agent).title


def launcher() -> str:
    """The start of every entry's command: the small client where it is installed, else this Python.

    Both by absolute path. `-I` keeps a project's own modules and variables out, and costs less than any other
    way to start.
    """

    client = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), "hookline-bridge")
    if os.access(client, os.X_OK):
        return quote(client)
    return f"{quote(os.path.abspath(sys.executable))} -I -m hookline"


def launcher_fault(found: str) -> str | None:
    """Why that launcher would not start hookline, or None; runs it."""

    request = ProcessRequest(
        argv=(*shlex.split(found), "--version"), env=dict(files.environment()), cwd="/", timeout_s=30
    )
    result = run(run_process(request))
    if result.launch_error:
        return result.launch_error
    said = result.stdout.text.strip()
    if result.exit_code == 0 and said.startswith("hookline "):
        return None
    return (result.stderr.text.strip().splitlines() or [f"exit code {result.status_code}"])[-1]


def planned_install(place: Place, kinds: Collection[EventKind], found_launcher: str) -> Change:
    """The config with our entries. Raises ConfigError, naming the file, where they cannot be put in."""
    before = _text(place)
    folders = 0 if before is not None else _missing_folders(place.path)
    try:
        after = install(agent_dialect(place.agent), before, found_launcher, kinds, folders)
        events = tuple(entry.native for entry in installed(agent_dialect(place.agent), after))
    except HooklineError as error:
        raise _refused(place, error) from error
    if not agent_dialect(place.agent).profile.style.scripts:
        return Change(place, before, after, events)
    others = [native for native in events if native != os.path.basename(place.path)]
    beside = tuple(_sibling(place, native, after) for native in others)
    return Change(place, before, after, events, beside=beside, mode=0o755)


def _sibling(place: Place, native: str, wanted: str) -> Change:
    """The executable of another event. Raises ConfigError where somebody else's stands in its place."""
    there = _beside(place, native)
    before = _text(there)
    if before and not installed(agent_dialect(place.agent), before):
        words = "this is a hook that hookline did not write; there can be one for each event"
        raise _refused(there, ConfigError(words))
    return Change(there, before, wanted, mode=0o755)


def _beside(place: Place, native: str) -> Place:
    path, shown = (os.path.join(os.path.dirname(each), native) for each in (place.path, place.shown))
    return replace(place, path=path, shown=shown)


def planned_adoption(place: Place, adopted: str, kinds: Collection[EventKind], found_launcher: str) -> Change:
    """The config with our entries instead of the agent's own hooks, which move to the file `adopted`.

    With nothing to move it is `planned_install`. Raises ConfigError like it, UsageError where none can be moved.
    """
    if why := cannot_adopt(place):
        writes = f"; `hookline convert {place.agent} hookline` writes them as hookline's own"
        is_program = agent_dialect(place.agent).profile.style.program is not None
        raise UsageError(f"install: {why}", f"install without `--adopt`{'' if is_program else writes}")
    before = _text(place)
    try:
        own = planned_uninstall(place, adopted).after
        taken = take_out(agent_dialect(place.agent), own or "")
        if own is None or not taken.count:
            return planned_install(place, kinds, found_launcher)
        after = install(
            agent_dialect(place.agent), taken.left, found_launcher, {*kinds, *taken.kinds}, adopted=True
        )
        events = tuple(entry.native for entry in installed(agent_dialect(place.agent), after))
    except HooklineError as error:
        raise _refused(place, error) from error
    record = json.dumps({"schema": 1, "before": own, "left": taken.left, "hooks": taken.hooks})
    moved = Adopted(adopted, taken.hooks, record, taken.count, taken.staying)
    return Change(place, before, after, events, adopted=moved)


def cannot_adopt(place: Place) -> str:
    """Why none of the agent's own hooks can be moved behind hookline; empty when they can."""
    return why_staying(agent_dialect(place.agent), place.shown)


def planned_uninstall(place: Place, adopted: str = "") -> Change:
    """The config without our entries, with the hooks that were moved to the file `adopted`, where there is one.

    The file itself goes when we made it and nothing else is in it.
    """
    before = _text(place)
    try:
        after, folders = (None, 0) if before is None else uninstall(agent_dialect(place.agent), before)
        hooks = _text(replace(place, path=adopted, shown=adopted)) if adopted else None
        if hooks is None:
            return Change(place, before, after, (), folders, beside=tuple(_ours_beside(place)))
        moved = Adopted(adopted, None)
        after = _put_back(place, after, hooks, moved.record_path)
    except HooklineError as error:
        raise _refused(place, error) from error
    return Change(place, before, after, adopted=moved)


def _ours_beside(place: Place) -> Iterator[Change]:
    """The executables of ours at the other events of an agent that has one for each."""
    agent = agent_dialect(place.agent)
    for row in agent.rows if agent.profile.style.scripts else ():
        there = _beside(place, row.native)
        if there.path != place.path and (text := _text(there)) and installed(agent, text):
            yield Change(there, text, None)


def _put_back(place: Place, text: str | None, hooks: str, record_path: str) -> str:
    """The very bytes from before, unless the config or the moved hooks have been edited since."""
    try:
        record = json.loads(files.read_text(record_path).text)
        if hooks == record["hooks"] and text in (record["left"], record["before"]):  # there still, or again
            return str(record["before"])
    except (ValueError, RecursionError, KeyError, TypeError):
        pass  # lost or damaged: the hooks themselves are all there
    return put_back(agent_dialect(place.agent), text or "", hooks)


def carry_out(change: Change, backups: str) -> Change:
    """Writes the change, after a copy of the old file into the folder `backups`.

    Raises StateError when the file has changed since it was read, or cannot be written.
    """

    if not change.changed:
        return change
    for each in change.beside:
        carry_out(each, backups)
    path, adopted = change.place.path, change.adopted
    files.ensure_dir(os.path.dirname(path))
    with file_lock(path):
        if _text(change.place) != change.before:
            raise StateError(f"`{change.place.shown}` has just been changed by another program", "try again")
        backup = _keep(change, backups) if change.before is not None else ""
        if adopted is not None and adopted.text is not None:  # first: better twice than lost
            files.ensure_dir(os.path.dirname(adopted.path))
            files.write_atomic(adopted.record_path, adopted.record, mode=0o600)
            files.write_atomic(adopted.path, adopted.text, mode=0o600)
        if change.after is None:
            files.remove(path)
        else:
            files.write_atomic(path, change.after, mode=change.mode)
        if adopted is not None and adopted.text is None:
            files.remove(adopted.path)
            files.remove(adopted.record_path)
            shared = (
                change.place.scope == "project"
            )  # then the settings' own folders, the agent's, and two of ours
            _remove_folders(adopted.path, change.place.shown.count("/") + 3 if shared else 2)
    if change.after is None:
        _remove_folders(path, change.folders)
    return replace(change, backup=backup)


def difference(change: Change) -> str:
    """The change as a unified diff; empty when there is none."""
    return "".join(map(_difference, (change, *change.beside)))


def _difference(change: Change) -> str:
    shown = on_one_line(change.place.shown)
    old = f"a/{shown}" if change.before is not None else "/dev/null"
    new = f"b/{shown}" if change.after is not None else "/dev/null"
    return "".join(f"{line}\n" for line in unified(change.before or "", change.after or "", old, new))


def _text(place: Place) -> str | None:
    found = files.read_text(place.path)
    if found.state == "missing" and not found.is_symlink:
        return None
    if found.state not in ("text", "empty"):
        raise ConfigError(f"`{place.shown}` {found.reason}", "put it right first; nothing was changed")
    return found.text


def _refused(place: Place, error: HooklineError) -> ConfigError:
    words = error.message.removeprefix("error: ").lstrip(": ")
    return ConfigError(f"{place.shown}: {words}", "correct it by hand first; nothing was changed")


def _missing_folders(path: str) -> int:
    count, folder = 0, os.path.dirname(path)
    while not os.path.isdir(folder):
        count, folder = count + 1, os.path.dirname(folder)
    return count


def _keep(change: Change, backups: str) -> str:
    """A private copy of the file as it was, named after its place and the time."""

    files.ensure_dir(backups, 0o700)
    stem = change.place.path.strip(os.sep).replace(os.sep, "-")[-120:]
    path = os.path.join(backups, f"{strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{stem}")
    files.write_atomic(path, change.before or "", mode=0o600)
    return path


def _remove_folders(path: str, count: int) -> None:
    """The folders made for the file, as far up as they are empty."""
    for _ in range(count):
        path = os.path.dirname(path)
        try:
            os.rmdir(path)
        except OSError:
            return
