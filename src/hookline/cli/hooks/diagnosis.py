"""What keeps the hooks of a workspace from running, told before it does: each finding says what to do."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping

from hookline.checking.lines import HookLine
from hookline.checking.starting import start_problems
from hookline.checking.workspace import problems_of
from hookline.cli.hooks.check import home_of, unasked_models
from hookline.cli.hooks.listing import agent_of
from hookline.cli.hooks.problems import told_once
from hookline.cli.render import counted
from hookline.engine.opening import Opened, unasked
from hookline.installing.packs import pack_problems
from hookline.model.errors import StateError
from hookline.model.hooks import HookSpec
from hookline.model.record import Record
from hookline.state.database import Database
from hookline.system import files
from hookline.system.clock import now
from hookline.system.patterns.late import late

_TEMPORARY = late(r"\..+\.[0-9a-f]{12}\.tmp")  # as `system.files` calls what is to replace a file
_LONGEST_WRITE_S = 86400.0
ERROR, WARNING, NOTE = "error", "warning", "note"


class Finding(Record):
    """One thing found. `severity`: error (cannot work), warning (probably not meant), note."""

    severity: str
    code: str
    subject: str
    message: str
    hint: str = ""


def hook_findings(spec: HookSpec, line: HookLine | None, search_path: str) -> Iterator[Finding]:
    """Whether the programs of a hook are there and can start; our own entries are `install`'s affair."""
    if spec.origin.bridge or line is None:
        return
    for problem in start_problems(line, search_path):
        yield _finding(problem.severity, problem.code, spec, problem.message, problem.hint)


def state_findings(opened: Opened) -> Iterator[Finding]:
    """Folders and a history of our own that cannot be used, and full disks."""
    for folder, what in ((opened.paths.state_home, "history"), (opened.paths.config_home, "trust")):
        above = folder
        while not os.path.lexists(above) and above != os.path.dirname(above):
            above = os.path.dirname(above)
        hint = "mend it, or point XDG_STATE_HOME and XDG_CONFIG_HOME somewhere else"
        if not os.path.isdir(above) or not os.access(above, os.W_OK | os.X_OK):
            words = f"`{above}` cannot be written, so no {what} is kept"
            yield Finding(ERROR, "state-unwritable", folder, words, hint)
        elif (space := os.statvfs(above)).f_blocks and not space.f_bavail:
            yield Finding(ERROR, "state-unwritable", folder, f"the disk is full, so no {what} is kept", hint)
    history = Database(opened.paths.history_file)
    try:
        if history.exists:
            history.look(
                lambda connection: connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            )
    except StateError as error:
        yield Finding(
            ERROR, "state-unwritable", history.path, error.message, "move it away to begin a new history"
        )
    finally:
        history.close()


def path_findings(search_path: str) -> Iterator[Finding]:
    """Entries of PATH that cannot be meant."""
    for entry in search_path.split(":"):
        if not os.path.isabs(entry):
            message = (
                f"the entry `{entry}` depends on the current folder: a repository could put programs there"
            )
            yield Finding(WARNING, "relative-path", "PATH", message, "remove it")
        elif not os.path.isdir(entry):
            yield Finding(NOTE, "missing-folder", "PATH", f"`{entry}` does not exist")


def variable_findings(variables: Mapping[str, str]) -> Iterator[Finding]:
    """Variables that do not mean what they seem to."""
    home = variables.get("HOME", "")
    if not os.path.isabs(home):
        message = f"`{home}` is no whole path, so `{files.home(variables)}` is taken for the home folder"
        yield Finding(WARNING, "bad-variable", "HOME", message, "set it to a path that begins with `/`")
    trust = variables.get("HOOKLINE_TRUST", "")
    if trust not in ("", "workspace"):
        message = f"`{trust}` has no meaning, so nothing more is trusted"
        yield Finding(WARNING, "bad-variable", "HOOKLINE_TRUST", message, "the only value is `workspace`")
    if trust == "workspace":
        yield Finding(NOTE, "trusting", "HOOKLINE_TRUST", "every hook of the workspace runs unreviewed")
    switch = variables.get("DISCOBOT_HOOKS_ENABLED", "true")
    if switch != "true":
        message = f"is `{switch}`, so Discobot's hooks are off"
        yield Finding(WARNING, "switched-off", "DISCOBOT_HOOKS_ENABLED", message, "unset it")
    if variables.get("HOOKLINE_ENV", "") not in ("", "clean"):
        yield Finding(WARNING, "bad-variable", "HOOKLINE_ENV", "has no meaning", "the only value is `clean`")
    temporary = files.temporary_dir()
    if not os.access(temporary, os.W_OK | os.X_OK):
        yield Finding(ERROR, "no-temporary", "TMPDIR", f"`{temporary}` cannot be written", "set TMPDIR")


def config_findings(opened: Opened, whole: bool) -> Iterator[Finding]:
    """The problems of `hookline check`; unless `whole` those that say the same are one."""
    more = (*unasked_models(opened), *pack_problems(opened.hooks.loaded, opened.workspace))
    found = problems_of(opened.hooks, home_of(opened), more, programs=False)
    for problem in found if whole else told_once(found):
        yield Finding(problem.severity, problem.code, problem.where, problem.said, problem.hint)


def trust_findings(opened: Opened, specs: tuple[HookSpec, ...]) -> Iterator[Finding]:
    """Hooks that wait for a person or are not asked here, and a store that cannot be used."""
    if words := unasked(opened.workspace):
        yield Finding(WARNING, "outer-hooks", "workspace", words, "run it there, or take them over here")
    if opened.store.problem:
        yield Finding(
            ERROR,
            "trust-store",
            "trust",
            opened.store.problem,
            "mend it, or run `hookline trust`: it puts the file aside and asks anew",
        )
    if fault := opened.store.verify_log():
        yield Finding(ERROR, "trust-log", "trust", fault, "see `hookline trust --log`; review again")
    for state, when in (("untrusted", "after a review"), ("modified", "after a review of what changed")):
        waiting = [
            spec for spec in specs if not spec.origin.bridge and opened.trust.shown_state(spec) == state
        ]
        if waiting:
            shown = ", ".join(spec.id for spec in waiting[:5]) + (", …" if len(waiting) > 5 else "")
            message = f"hookline runs {counted(len(waiting), 'hook')} only {when}: {shown}"
            for agent, count in Counter(filter(None, map(agent_of, waiting))).items():
                message += f"; {agent} runs {counted(count, 'of them', 'of them')} itself all the same"
            yield Finding(WARNING, state, "trust", message, "review it with `hookline trust`")
    for spec in specs:
        if not spec.origin.bridge and (why := opened.trust.disabled_by(spec)):
            yield _finding(NOTE, "disabled", spec, why)


def kept_findings(opened: Opened) -> Iterator[Finding]:
    """Broken files that were set aside, and what killed writers left."""
    for folder in (opened.paths.state_home, opened.paths.config_home):
        for entry in files.list_dir(folder).entries:
            if ".corrupt-" in entry.name:
                hint = "nothing needs it any more: look at it, then remove it"
                yield Finding(NOTE, "set-aside", entry.path, "was broken and set aside", hint)
    yield from _unfinished(opened)


def _unfinished(opened: Opened) -> Iterator[Finding]:
    """What killed writers left beside the files that they were to replace: a write takes no day."""
    ours = (opened.paths.state_home, opened.paths.config_home)
    folders = [folder for start in ours for folder, _, _ in os.walk(start)]
    written = [os.path.dirname(loaded.source.path) for loaded in opened.hooks.loaded]
    for folder in dict.fromkeys((*folders, *written)):
        names = [entry.name for entry in files.list_dir(folder).entries if _TEMPORARY.fullmatch(entry.name)]
        old = [name for name in names if _age_s(os.path.join(folder, name)) > _LONGEST_WRITE_S]
        if old:
            words = (
                f"{counted(len(old), 'file')} of a write that was killed: `{'`, `'.join(sorted(old)[:3])}`"
            )
            yield Finding(NOTE, "unfinished-write", folder, words, "nothing needs it any more: remove it")


def _age_s(path: str) -> float:
    try:
        return now() - os.lstat(path).st_mtime
    except OSError:
        return 0.0


def _finding(severity: str, code: str, spec: HookSpec, message: str, hint: str = "") -> Finding:
    return Finding(severity, code, f"{spec.where} ({spec.id})", message, hint)
