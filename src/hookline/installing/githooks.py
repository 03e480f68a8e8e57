"""Stands in git's pre-commit hook: installs, chains what was there, proves that it fires, takes itself away."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Iterator

from hookline.hosts.precommit import PROBE_ANSWER
from hookline.model.errors import ConfigError, HooklineError
from hookline.model.record import Record
from hookline.model.short_json import on_one_line
from hookline.system import files
from hookline.system.processes.process import ProcessRequest, run_process
from hookline.system.repository.git import git_path, is_repository, read_git, without_location
from hookline.system.workspace.differences import unified

MARK = "# discobot:managed"
HOOK = "pre-commit"
BLOCK_START = "# >>> hookline: discobot:managed >>>"
BLOCK_END = "# <<< hookline <<<"
# `-m hookline` would do the same, after importing what it takes to find a program by its name (5 ms)
PROGRAM = "import sys; from hookline.cli.main import entry; sys.exit(entry())"


class Change(Record):
    """One file to write (`content`), to move (`move_to`) or to remove; the order of changes matters.

    `mode` None keeps the file's own. `words` say it to a person.
    """

    path: str
    words: str
    content: str | None = None
    move_to: str = ""
    mode: int | None = None


class Plan(Record):
    """What an install or uninstall would do, and what the user should know besides."""

    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()


async def plan_install(workspace: str) -> Plan:
    """The changes that make git call us before a commit in `workspace`; none when it does already.

    Where the hook lives is git's own answer, so worktrees, submodules and `core.hooksPath` need no special
    case. Raises ConfigError outside a repository.
    """
    folder = await _hooks_folder(workspace)
    husky = _husky_hook(folder)
    command = await _command(workspace, _launcher())
    if husky is not None:
        return _plan_block(husky, command)
    path = os.path.join(folder, HOOK)
    text = script(command)
    found, before = read_hook(path)
    notes = tuple(_manager_notes(before))
    if found.state != "unreadable" and not before.strip():
        return Plan((Change(path, f"write {path}", text, mode=0o755),), notes)
    if MARK in before:
        if before == text and found.mode & stat.S_IXUSR:
            return Plan((), ("the hook is installed already",))
        return Plan((*_edits_kept(path, before), Change(path, f"renew {path}", text, mode=0o755)), notes)
    original = _free_name(path)
    kept = Change(path, f"keep the existing hook as {original}", move_to=original)
    return Plan((kept, Change(path, f"write {path}", text, mode=0o755)), (*notes, *_mode_notes(found)))


async def plan_uninstall(workspace: str) -> Plan:
    """The changes that put everything back as it was before the first install."""
    folder = await _hooks_folder(workspace)
    husky = _husky_hook(folder)
    if husky is not None:
        return _plan_unblock(husky)
    path = os.path.join(folder, HOOK)
    text = read_hook(path)[1]
    if MARK not in text:
        return Plan((), ("no git hook of ours is installed",))
    kept = tuple(_edits_kept(path, text))
    originals = tuple(_originals(path))
    if not originals:
        return Plan(kept or (Change(path, f"remove {path}"),))
    back = Change(originals[0], f"put {originals[0]} back as {path}", move_to=path)
    notes = tuple(f"{name} stays: it came after the first original" for name in originals[1:])
    return Plan((*kept, back), notes)


def apply(plan: Plan) -> None:
    """Carries out the changes in order, each in one step on disk: at no moment does git find no hook where one was."""
    replaced = {change.move_to or change.path for change in plan.changes if change.move_to or change.content}
    for change in plan.changes:
        if change.move_to and change.path in replaced:
            _name_too(change.path, change.move_to)
        elif change.move_to:
            os.rename(change.path, change.move_to)
        elif change.content is None:
            files.remove(change.path)
        else:
            files.ensure_dir(os.path.dirname(change.path))
            follow = not any(other.path == change.path for other in plan.changes if other.move_to)
            files.write_atomic(change.path, change.content, mode=change.mode, follow=follow)


def _name_too(path: str, name: str) -> None:
    """Gives a file another name, under which it stays when something else takes its place."""
    try:
        os.link(path, name, follow_symlinks=False)
    except FileExistsError:
        pass  # somebody who was killed came this far
    except OSError:  # a file system without such links
        os.rename(path, name)


async def probe(workspace: str) -> str:
    """Empty when git really calls our hook here; else why not, in words.

    Git itself is asked to run the hook (git 2.36 and newer); nothing is committed. Under husky that would
    run the user's own checks too, so there only the files are looked at.
    """
    folder = await _hooks_folder(workspace)
    husky = _husky_hook(folder)
    if husky is not None:
        stub, _ = read_hook(os.path.join(folder, HOOK))
        if BLOCK_START not in read_hook(husky)[1] or not stub.mode & stat.S_IXUSR:
            return f"{husky} does not call hookline, or husky's own {HOOK} is missing"
        return ""
    path = os.path.join(folder, HOOK)
    found, text = read_hook(path)
    if MARK not in text or not found.mode & stat.S_IXUSR:
        return f"{path} does not call hookline, or is not executable"
    return await _probe_commit(workspace, path)


def diff(plan: Plan) -> str:
    """The changes as a unified diff, moves and removals as one line each."""

    lines: list[str] = []
    for change in plan.changes:
        if change.move_to:
            lines.append(f"rename {on_one_line(change.path)} -> {on_one_line(change.move_to)}")
        elif change.content is None:
            lines.append(f"remove {on_one_line(change.path)}")
        else:
            moved = any(other.path == change.path and other.move_to for other in plan.changes)
            before = "" if moved else read_hook(change.path)[1]
            name = on_one_line(change.path)
            lines.extend(unified(before, change.content, name, name))
    return "\n".join(lines) + "\n" if lines else ""


def script(command: str) -> str:
    """The hook file. `command` is a safely quoted shell line that runs our hooks."""
    return f"""#!/bin/sh
{MARK}
# Made by hookline. Runs the pre-commit hooks of .discobot/hooks; `hookline uninstall git` takes it away.
case $0 in */*) folder=${{0%/*}} ;; *) folder=. ;; esac
[ -n "$HOOKLINE_PROBE" ] || for original in "$folder/{HOOK}.original" "$folder/{HOOK}".original.[0-9]*; do
  [ -f "$original" ] || continue
  if [ -x "$original" ]; then
    "$original" "$@" || exit $?
  else
    echo "hookline: $original is not executable and was not run, as git would not have run it" >&2
  fi
done
{command} </dev/null
status=$?
case $status in
  0 | 2 | 130 | 143) exit $status ;;
esac
echo "hookline: the pre-commit hooks could not be run (status $status); the commit goes on" >&2
echo "hookline: \\`hookline install git\\` puts this right, \\`hookline uninstall git\\` removes it" >&2
exit 0
"""


async def _hooks_folder(workspace: str) -> str:
    if not await is_repository(workspace):
        raise ConfigError(f"{workspace} is no git repository", "run `git init` first")
    folder = await git_path(workspace, "hooks")
    if folder is None:
        raise HooklineError("git does not say where its hooks are")
    return folder


def _launcher() -> tuple[str, ...]:
    """The small client, which asks the resident where there is one; without it this Python."""
    client = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), "hookline-bridge")
    return (client,) if os.access(client, os.X_OK) else (sys.executable, "-I", "-c", PROGRAM)


async def _command(workspace: str, launcher: tuple[str, ...]) -> str:
    """The shell line; the workspace is found at run time, so that every worktree runs its own hooks."""
    found = await read_git(workspace, "rev-parse", "--show-prefix")
    prefix = os.fsdecode(found.output.removesuffix(b"\n")).rstrip("/") if found.ok else ""
    place = f'"$PWD"/{shlex.quote(prefix)}' if prefix else '"$PWD"'
    words = " ".join(shlex.quote(word) for word in launcher)
    return f"{words} bridge discobot --event {HOOK} --workspace {place}"


def _free_name(path: str, word: str = "original") -> str:
    """A name no original has: the first one is never overwritten. One that the very file has already is it."""
    name, count = f"{path}.{word}", 0
    while os.path.lexists(name) and not os.path.samestat(os.lstat(name), os.lstat(path)):
        count += 1
        name = f"{path}.{word}.{count}"
    return name


def _edits_kept(path: str, text: str) -> Iterator[Change]:
    """Moves a hook of ours away in which somebody has changed more than the command."""
    start, end = script("\0").split("\0")
    command = text.removeprefix(start).removesuffix(end)
    if start + command + end != text or "\n" in command:
        kept = _free_name(path, "edited")
        yield Change(path, f"{path} has been edited by hand: keep it as {kept}", move_to=kept)


def _originals(path: str) -> Iterator[str]:
    name, count = f"{path}.original", 0
    while os.path.lexists(name):
        yield name
        count += 1
        name = f"{path}.original.{count}"


def read_hook(path: str) -> tuple[files.FileBytes, str]:
    """A file and its text: a hook in no UTF-8 is one all the same, and is written back as it was."""
    found = files.read_bytes(path)
    return found, found.content.decode("utf-8", "surrogateescape")


def _mode_notes(found: files.FileBytes) -> Iterator[str]:
    if not found.mode & stat.S_IXUSR:
        yield "the existing hook is not executable, so git did not run it, and neither will we"


def _manager_notes(text: str) -> Iterator[str]:
    """What a hook manager found at the place does when it is run again."""
    for word, name, again in (
        ("lefthook", "lefthook", "`lefthook install` replaces our hook"),
        ("pre-commit.com", "pre-commit", "`pre-commit install -f` replaces our hook"),
        ("husky", "husky", "a new husky install replaces our hook"),
    ):
        if word in text and MARK not in text:
            yield f"the existing hook is {name}'s; it still runs first, but {again}: install git again then"
            return


# -- husky keeps its stubs for itself; its users' own file is where one adds a line ------------------------


def _husky_hook(folder: str) -> str | None:
    """The user's file when husky owns the hooks folder (`.husky/_`), else None."""
    above = os.path.dirname(folder)
    if os.path.basename(folder) == "_" and os.path.basename(above) == ".husky":
        return os.path.join(above, HOOK)
    return None


def _block(command: str) -> str:
    return f"{BLOCK_START}\n{command} </dev/null || exit $?\n{BLOCK_END}\n"


def _plan_block(path: str, command: str) -> Plan:
    found, before = read_hook(path)
    if found.state == "unreadable":
        raise ConfigError(f"`{path}` {found.reason}", "put it right first; nothing was changed")
    text = _without_block(before)
    separator = "" if not text or text.endswith("\n") else "\n"
    wanted = f"{text}{separator}{_block(command)}"
    if wanted == before:
        return Plan((), ("the hook is installed already",))
    words = f"add a marked block to {path}, which husky runs"
    return Plan((Change(path, words, wanted, mode=None if found.mode else 0o755),))


def _plan_unblock(path: str) -> Plan:
    before = read_hook(path)[1]
    text = _without_block(before)
    if text == before:
        return Plan((), ("no git hook of ours is installed",))
    if not text:
        return Plan((Change(path, f"remove {path}"),))
    return Plan((Change(path, f"take our block out of {path}", text),))


def _without_block(text: str) -> str:
    start, end = text.find(BLOCK_START), text.find(BLOCK_END)
    if start < 0 or end < start:
        return text
    return text[:start] + text[end + len(BLOCK_END) :].removeprefix("\n")


async def _probe_commit(workspace: str, path: str) -> str:
    """Lets git itself run the hook; told to by HOOKLINE_PROBE, our part only answers and runs nothing."""

    environment = {**without_location(files.environment()), "HOOKLINE_PROBE": "1"}
    result = await run_process(
        ProcessRequest(("git", "hook", "run", HOOK), workspace, environment, timeout_s=30)
    )
    if PROBE_ANSWER in result.stdout.text + result.stderr.text:
        return ""
    words = (result.launch_error or result.stderr.text or result.stdout.text).strip()[-200:]
    return f"git did not reach hookline through {path}: {words}"
