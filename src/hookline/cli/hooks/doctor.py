"""`hookline doctor`: can the hooks run here, and what to do where they cannot."""

from __future__ import annotations

import glob
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from http.client import HTTPException
from shutil import which
from time import localtime, strftime
from urllib.parse import urlsplit
from urllib.request import urlopen

from hookline.checking.commands.beside import sourced_and_missing
from hookline.checking.files.git_hooks import GIT_HOOKS
from hookline.checking.files.plugins import with_plugins
from hookline.checking.workspace import lines_of
from hookline.cli import common, flags
from hookline.cli.history.opened import opened_history
from hookline.cli.hooks.check import home_of
from hookline.cli.hooks.diagnosis import (
    ERROR,
    NOTE,
    WARNING,
    Finding,
    config_findings,
    hook_findings,
    kept_findings,
    path_findings,
    state_findings,
    trust_findings,
    variable_findings,
)
from hookline.cli.hooks.listing import opened_for, usable
from hookline.cli.hooks.problems import fault_lines
from hookline.cli.render import counted, laid_out, visible, wants_colour
from hookline.dialects import agent_names, names, readable
from hookline.engine.opening import Opened
from hookline.engine.unfinished import keep_unfinished
from hookline.installing.findings import standings
from hookline.installing.githooks import BLOCK_START, MARK, read_hook
from hookline.model.errors import make_executable, unix_line_ends
from hookline.model.events import EventKind
from hookline.model.record import fields_of, replace
from hookline.model.typing import Any
from hookline.state.paths import Paths
from hookline.system import files
from hookline.system.loops import loop
from hookline.system.processes.orphans import sweep_all
from hookline.system.repository.git import git_path, is_repository

MONITOR_PORT = 8222
TIMEOUT_S = 5.0
MOST_BYTES = 4 << 20
USUAL_S = 120.0  # nats-server's own, which older ones do not tell
_LOST = "after a power failure or a crash of the machine acknowledged writes of that time may be lost"
_HINT = "set `jetstream { sync_interval: always }` in its configuration, or replicate streams over several servers"


def run(arguments: list[str]) -> int:
    """Prints what was found; 1 when something cannot work."""
    parser = common.parser(
        "doctor", "Can the hooks run here? Says what to do where not.", "hookline doctor --json"
    )
    parser.add_argument("--json", action="store_true", help="a JSON list of findings")
    flags.add_bus(parser, "also whether this NATS server keeps what it acknowledged")
    parser.add_argument(
        "--bus-monitor", metavar="URL", help="its monitoring address (default: port 8222 there)"
    )
    options = parser.parse_args(arguments)
    if options.bus_monitor and not options.bus:
        parser.error("`--bus-monitor` is the address of a bus: name that with `--bus`")
    swept = _sweep()  # before anything else opens the workspace and does it silently
    opened = opened_for(options)
    found = [*swept, *findings(opened, options.json)]
    if options.bus:
        found += bus_findings(options.bus, options.bus_monitor)
    if options.json:
        common.print_json([fields_of(each) for each in found])
    else:
        _print(found, opened)
    return 1 if any(each.severity == ERROR for each in found) else 0


def findings(opened: Opened, whole: bool) -> Iterator[Finding]:
    """Everything found, in the order a person would mend it; unless `whole` what repeats in a file is told once."""
    variables = opened.engine.environment
    search_path = variables.get("PATH") or os.defpath
    specs = usable(opened.hooks.specs)
    yield from variable_findings(variables)
    yield from path_findings(search_path)
    written = replace(opened, hooks=with_plugins(opened.hooks))
    yield from config_findings(written, whole)
    lines = {line.entry.spec.id: line for line in lines_of(written.hooks, home_of(opened))}
    looked_at = usable(written.hooks.specs)
    found = [each for spec in looked_at for each in hook_findings(spec, lines.get(spec.id), search_path)]
    yield from found
    if any(each.message.endswith("is not on PATH") for each in found):
        yield Finding(NOTE, "search-path", "PATH", f"programs are looked for in {search_path}")
    yield from state_findings(opened)
    yield from trust_findings(opened, specs)
    yield from _git_findings(opened)
    yield from _cleared_git_hooks(opened, search_path)
    yield from _agent_findings(opened, search_path)
    yield from kept_findings(opened)


_ENDINGS = (".sh", ".py", ".js", ".bash", ".rb", ".pl")


def _sweep() -> Iterable[Finding]:
    left = sweep_all(Paths.from_environment(files.environment()).presence)
    keep_unfinished(replace(left, processes=()), opened_history(), common.warn)
    found = []
    if left.processes:
        pids = ", ".join(map(str, left.processes))
        found.append(
            Finding(WARNING, "orphans", "processes", f"ended what a killed hookline had left running: {pids}")
        )
    if left.folders:
        message = f"removed {counted(len(left.folders), 'folder')} that a killed hookline had left"
        parents = sorted({os.path.dirname(folder) for folder in left.folders})
        found.append(Finding(NOTE, "leftover", ", ".join(parents), message))
    return found


def _git_findings(opened: Opened) -> Iterator[Finding]:
    wanted = any(spec.kind == EventKind.PreCommit for spec in usable(opened.hooks.specs))
    if loop.run(is_repository(opened.workspace)):
        usual = os.path.join(opened.workspace, ".git", "hooks")
        folder = loop.run(git_path(opened.workspace, "hooks")) or usual
        yield _git_hook_finding(folder, wanted)
        yield from _skipped_git_hooks(folder, os.path.isdir(folder) or wanted or folder == usual)
    elif wanted:
        message = "there are pre-commit hooks and no repository"
        yield Finding(ERROR, "no-repository", "git", message, "run `git init`")


def _cleared_git_hooks(opened: Opened, search_path: str) -> Iterator[Finding]:
    """Agents that switch git's hooks off in everything they run, so that no commit of theirs calls us."""
    if not any(spec.kind == EventKind.PreCommit for spec in usable(opened.hooks.specs)):
        return
    read = {entry.dialect for entry in opened.hooks.loaded if entry.state == "text"}
    for agent in readable(agent_names(), profiles=True):
        clears = agent.profile.clears_git_hooks and not any(
            spec.origin.bridge == agent.name for spec in opened.hooks.specs
        )
        if clears and (agent.name in read or which(agent.profile.program, path=search_path)):
            message = "it runs git with an empty `core.hooksPath`, so its commits skip the pre-commit hooks"
            hint = f"`hookline install {agent.name}`: then they run before its `git commit`"
            yield Finding(WARNING, "git-hooks-cleared", agent.title, message, hint)


def _skipped_git_hooks(folder: str, is_there: bool) -> Iterator[Finding]:
    """People's own scripts in git's hooks folder that git passes over, and a folder that is set and missing."""
    if not is_there:
        message = f"`core.hooksPath` names `{folder}`, which does not exist: git runs no hook"
        yield Finding(
            WARNING, "no-hooks-folder", "git", message, "create it, as by installing what it belongs to"
        )
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*"))):
        name, ending = os.path.splitext(os.path.basename(path))
        meant = "" if name in GIT_HOOKS or ending else _git_hook_meant(name)
        if meant:
            message = f"git runs no `{name}`: the hook is called `{meant}`"
            yield Finding(ERROR, "unread-file", "git", message, f"rename it to `{meant}`")
        if name not in GIT_HOOKS or ending == ".sample" or not os.path.isfile(path):
            continue
        text = read_hook(path)[1]
        first = text.split("\n", 1)[0]
        if ending:
            if ending in _ENDINGS and not os.path.exists(path.removesuffix(ending)):
                message = f"git runs no `{name}{ending}`: the name of a hook has no ending"
                yield Finding(ERROR, "unread-file", "git", message, f"rename it to `{name}`")
        elif not os.access(path, os.X_OK) and not _is_ours(text):
            message = f"`{path}` is not executable, so git skips it"
            yield Finding(ERROR, "not-executable", "git", message, make_executable(path))
        elif first.endswith("\r"):
            message = f"the first line of `{path}` has a Windows line end, so git cannot start it"
            yield Finding(ERROR, "crlf", "git", message, unix_line_ends(path))
        else:
            program = next(iter(first.removeprefix("#!").split()), "")
            if program.startswith("/") and not os.path.exists(program):
                message = f"`{path}` needs `{program}`, which is not there, so git cannot start it"
                hint = "install it or mend the first line"
                yield Finding(ERROR, "missing-interpreter", "git", message, hint)
            for missing in sourced_and_missing(text, path, {}):
                message = f"`{path}` reads `{missing}`, which does not exist, so it fails"
                yield Finding(ERROR, "missing-script", "git", message, "mend the path or add the file")


def _git_hook_meant(name: str) -> str:
    """The hook that a name stands for when it is spelled otherwise: `commit_msg`, `precommit`."""
    squashed = re.sub(r"[-_ ]", "", name).lower()
    return next((hook for hook in sorted(GIT_HOOKS) if hook.replace("-", "") == squashed), "")


def _is_ours(text: str) -> bool:
    return MARK in text or BLOCK_START in text


def _git_hook_finding(folder: str, wanted: bool) -> Finding:
    """What stands in git's hooks folder; `wanted` when there are hooks that git must call."""
    path = os.path.join(folder, "pre-commit")
    found, text = read_hook(path)
    ours = _is_ours(text)
    install = "run `hookline install git`"
    if wanted and not os.path.isdir(folder):
        message = f"the hooks folder `{folder}` does not exist"
        return Finding(WARNING, "no-hooks-folder", "git", message, install)
    if wanted and not ours:
        message = f"git does not call hookline: `{path}` is not ours"
        return Finding(WARNING, "not-installed", "git", message, install)
    if ours and not found.mode & 0o100:
        message = f"`{path}` is not executable, so git skips it"
        return Finding(ERROR, "not-executable", "git", message, make_executable(path))
    message = f"the hooks folder is `{folder}`" + ("; ours is in it" if ours else "")
    return Finding(NOTE, "hooks-folder", "git", message)


def _agent_findings(opened: Opened, search_path: str) -> Iterator[Finding]:
    agents = readable(names(), profiles=True)
    programs = {agent.profile.program: agent.title for agent in agents if agent.profile.program}
    for program, title in programs.items():
        path = which(program, path=search_path)
        if path:
            yield Finding(NOTE, "agent", title, f"found at `{path}`")

    home = opened.engine.environment.get("HOME", "")
    with opened_history() as history:
        for standing in standings(opened.hooks, home, opened.engine.environment, history):
            events = ", ".join(standing.events)
            when = _moment(standing.fired_at) if standing.fired_at else "it has not yet, in this workspace"
            words = f"{standing.place.shown} calls hookline at {events}; {when}"
            yield Finding(NOTE, "installed", standing.title, words)
            for fault in standing.faults:
                yield Finding(fault.severity, "install", standing.title, fault.message, fault.hint)


def _moment(at: float) -> str:
    return f"last at {strftime('%Y-%m-%d %H:%M:%S', localtime(at))}"


def _print(found: Iterable[Finding], opened: Opened) -> None:
    colour = wants_colour(sys.stdout)
    counts: Counter[str] = Counter()
    for each in found:
        counts[each.severity] += 1
        lines = fault_lines(each.severity, each.subject, each.message, each.code, each.hint, colour)
        sys.stdout.write("".join(f"{line}\n" for line in lines))
    hooks = counted(len(usable(opened.hooks.specs)), "hook")
    errors, warnings = counted(counts[ERROR], "error"), counted(counts[WARNING], "warning")
    sys.stdout.write(laid_out(f"{visible(opened.workspace)}: {hooks}, {errors}, {warnings}\n"))


def bus_findings(url: str, monitor: str | None) -> Iterator[Finding]:
    """What nats-server's monitoring says of JetStream's `sync_interval`: how long a write may be in memory only."""
    parts = urlsplit(url if "://" in url else f"nats://{url}")
    subject = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    address = (monitor or f"http://{_host(parts.hostname)}:{MONITOR_PORT}").rstrip("/")
    try:
        config = _config(f"{address}/jsz?config=true")
    except (OSError, HTTPException, ValueError) as error:
        words = f"`{address}` does not tell its `sync_interval` ({error}); unless it is `always`, {_LOST}"
        hint = f"name its monitoring address with `--bus-monitor`, and {_HINT}"
        yield Finding(WARNING, "bus-sync-unknown", subject, words, hint)
        return
    if not config:
        yield Finding(WARNING, "bus-no-jetstream", subject, "JetStream is off there", "start it with `-js`")
    elif config.get("sync_always"):
        yield Finding(
            NOTE, "bus-sync", subject, "`sync_interval` is `always`: what it acknowledged is on the disk"
        )
    else:
        seconds = config.get("sync_interval", USUAL_S * 1e9) / 1e9
        words = f"`sync_interval` is {seconds:g} s: {_LOST}"
        yield Finding(WARNING, "bus-sync", subject, words, _HINT)


def _config(address: str) -> dict[str, Any]:
    if urlsplit(address).scheme not in ("http", "https"):
        raise ValueError("no http address")
    with urlopen(address, timeout=TIMEOUT_S) as answer:
        found = json.loads(answer.read(MOST_BYTES))
    config = found.get("config") if isinstance(found, dict) else None
    return config if isinstance(config, dict) and not found.get("disabled") else {}


def _host(name: str | None) -> str:
    return f"[{name}]" if name and ":" in name else name or "127.0.0.1"
