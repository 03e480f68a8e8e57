"""Puts hookline into an agent's config as its hook, and takes it out again.

Reading, planning and writing are apart: a `Change` says what would be written, and only `carry_out` writes,
in one step, with a copy of what was there kept outside the project (R55).
"""

from __future__ import annotations

import os
import sys

from hookline.dialects import dialect
from hookline.dialects.editing.installing import STYLES, install, installed, uninstall
from hookline.model.errors import ConfigError, HooklineError, UsageError
from hookline.model.record import Record, replace
from hookline.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from hookline.dialects.bridged import AgentDialect
    from hookline.model.events import EventKind

SCOPES = ("project", "local", "user")
# Where the config is: below the project, or below the user's folder (which a variable may move).
_PROJECT: Mapping[str, str] = {
    "claude": ".claude/settings.json",
    "gemini": ".gemini/settings.json",
    "codex": ".codex/hooks.json",
    "cursor": ".cursor/hooks.json",
    "copilot": ".github/hooks/hookline.json",
}
_LOCAL: Mapping[str, str] = {"claude": ".claude/settings.local.json"}
_USER: Mapping[str, tuple[str, str, str]] = {
    "claude": ("CLAUDE_CONFIG_DIR", ".claude", "settings.json"),
    "gemini": ("", ".gemini", "settings.json"),
    "codex": ("CODEX_HOME", ".codex", "hooks.json"),
    "cursor": ("", ".cursor", "hooks.json"),
    "copilot": ("COPILOT_HOME", ".copilot", "hooks/hookline.json"),
}


class Place(Record):
    """The config file of one agent in one scope; `shown` is how people know it."""

    agent: str
    scope: str
    path: str
    shown: str


class Change(Record):
    """What becomes of a config file. `before` and `after` are None where there is no file.

    `events` are the native events our entries stand for, afterwards; `folders` go with the file. `backup` is
    the copy of what was there, once carried out.
    """

    place: Place
    before: str | None
    after: str | None
    events: tuple[str, ...] = ()
    folders: int = 0
    backup: str = ""

    @property
    def changed(self) -> bool:
        return self.before != self.after


def place_of(
    agent: str, scope: str, workspace: str, home: str, variables: Mapping[str, str] | None = None
) -> Place:
    """Where an agent's config of that scope is. Raises UsageError where the agent has no such scope."""
    if agent not in STYLES:
        raise UsageError(f"install: no agent `{agent}`", f"agents: {', '.join(STYLES)}")
    if scope == "user":
        variable, folder, name = _USER[agent]
        moved = (variables or {}).get(variable, "") if variable else ""
        path = os.path.join(moved or os.path.join(home, folder), name)
        return Place(agent, scope, path, path if moved else f"~/{folder}/{name}")
    table = _LOCAL if scope == "local" else _PROJECT
    if scope not in SCOPES or agent not in table:
        known = ", ".join(each for each in SCOPES if each != "local" or agent in _LOCAL)
        raise UsageError(f"install: {title_of(agent)} has no scope `{scope}`", f"scopes: {known}")
    return Place(agent, scope, os.path.join(workspace, table[agent]), table[agent])


def title_of(agent: str) -> str:
    """The agent's name as people write it."""
    return dialect(agent).title


def launcher() -> str:
    """The start of every entry's command: the small client where it is installed, else this Python.

    Both by absolute path. `-I` keeps a project's own modules and variables out, and costs less than any other
    way to start.
    """
    from shlex import quote

    client = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), "hookline-bridge")
    if os.access(client, os.X_OK):
        return quote(client)
    return f"{quote(os.path.abspath(sys.executable))} -I -m hookline"


def launcher_fault(found: str) -> str | None:
    """Why that launcher would not start hookline, or None; runs it."""
    import shlex

    from hookline.system.loop import run
    from hookline.system.process import ProcessRequest, run_process

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
        after = install(_agent(place), before, found_launcher, kinds, folders)
        events = tuple(entry.native for entry in installed(_agent(place), after))
    except HooklineError as error:
        raise _refused(place, error) from error
    return Change(place, before, after, events)


def planned_uninstall(place: Place) -> Change:
    """The config without our entries; the file itself goes when we made it and nothing else is in it."""
    before = _text(place)
    if before is None:
        return Change(place, None, None)
    try:
        after, folders = uninstall(_agent(place), before)
    except HooklineError as error:
        raise _refused(place, error) from error
    return Change(place, before, after, (), folders)


def carry_out(change: Change, backups: str) -> Change:
    """Writes the change, after a copy of the old file into the folder `backups`.

    Raises StateError when the file has changed since it was read, or cannot be written.
    """
    from hookline.model.errors import StateError

    if not change.changed:
        return change
    path = change.place.path
    files.ensure_dir(os.path.dirname(path))
    with files.file_lock(path):
        if _text(change.place) != change.before:
            raise StateError(f"`{change.place.shown}` has just been changed by another program", "try again")
        backup = _keep(change, backups) if change.before is not None else ""
        if change.after is None:
            files.remove(path)
        else:
            files.write_atomic(path, change.after)
    if change.after is None:
        _remove_folders(path, change.folders)
    return replace(change, backup=backup)


def difference(change: Change) -> str:
    """The change as a unified diff; empty when there is none."""
    from difflib import unified_diff

    shown = change.place.shown
    old = f"a/{shown}" if change.before is not None else "/dev/null"
    new = f"b/{shown}" if change.after is not None else "/dev/null"
    before = (change.before or "").splitlines(keepends=True)
    after = (change.after or "").splitlines(keepends=True)
    lines = [
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in unified_diff(before, after, old, new)
    ]
    return "".join(lines)


def _agent(place: Place) -> AgentDialect:
    found: AgentDialect = dialect(place.agent)  # type: ignore[assignment]  # those of STYLES are agents'
    return found


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
    from time import strftime

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
