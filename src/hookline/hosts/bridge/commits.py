"""Commits of an agent that switches git's own hooks off: the pre-commit hooks run before its `git commit` does."""

from __future__ import annotations

import os

from hookline.engine.filehooks import DIFF_LIMIT
from hookline.engine.opening import Opened
from hookline.hosts.bridge.call import speaker_of
from hookline.model.events import Event, EventKind, event_from_payload
from hookline.model.record import replace
from hookline.model.results import Decision
from hookline.shell import read_commands
from hookline.system.repository.git import staged_files
from hookline.system.repository.listings import moved_files, other_files
from hookline.system.repository.work_tree import find_place
from hookline.system.workspace.differences import staged_differences

LISTING_S = 10.0
# What git takes between its name and the command's, with a word behind
_WITH_WORD = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"})


def commits_past_git(event: Event, opened: Opened, agent: str) -> bool:
    """Whether the call may commit, and git will not ask the pre-commit hooks that are here."""
    line = event.tool_input.get("command")
    if event.kind is not EventKind.PreToolUse or not isinstance(line, str) or "commit" not in line:
        return False
    if not opened.engine.hooks.of_kind(EventKind.PreCommit) or not speaker_of(agent).profile.clears_git_hooks:
        return False
    return any(_subcommand(command.argv or ()) == "commit" for command in read_commands(line).commands)


async def judged_commit(event: Event, opened: Opened, budget_s: float) -> Decision:
    """What the pre-commit hooks say of what is staged; of all that has changed, where the line may stage more."""
    place = event.workspace
    staged = await staged_files(place)
    changed, deleted = set(staged.changed), set(staged.deleted)
    more = _staging(str(event.get("tool_input").get("command")))
    if more:
        tree = await find_place(place, LISTING_S)
        found = [moved.path for moved in await moved_files(tree, LISTING_S)]
        others = await other_files(tree, LISTING_S) if more == "all" else ()
        for path in map(os.fsdecode, (*found, *others)):
            (changed if os.path.lexists(os.path.join(place, path)) else deleted).add(path)
    payload = {"files": sorted(changed), "deleted_files": sorted(deleted), "session_id": event.session_id}
    commit = event_from_payload(EventKind.PreCommit, payload, workspace=place, cwd=place, at=event.at)
    if any(spec.handler == "agent" for spec in opened.engine.hooks.of_kind(EventKind.PreCommit)):
        paths = (*sorted(deleted), *sorted(changed))
        diff = await staged_differences(place, paths, DIFF_LIMIT, None)
        commit = replace(commit, extra={**commit.extra, "diff": diff})
    decision = await opened.engine.fire(commit, budget_s=budget_s)
    return replace(decision, contexts=(), reprompt=None)


def _subcommand(argv: tuple[str, ...]) -> str:
    """`commit` of `git -C . commit -m x` that asks hooks at all; empty for what is no git."""
    if not argv or os.path.basename(argv[0]) != "git":
        return ""
    words = iter(argv[1:])
    for word in words:
        if word in _WITH_WORD:
            next(words, None)
        elif not word.startswith("-"):
            rest = tuple(words)
            return "" if word == "commit" and {"--no-verify", "-n", "--dry-run"} & {*rest} else word
    return ""


def _staging(line: str) -> str:
    """What the line may put into the commit beside what the index holds: all, tracked files, or nothing."""
    more = ""
    for command in read_commands(line).commands:
        argv = command.argv
        if argv is None or _subcommand(argv) in ("add", "rm", "mv", "stage", "apply", "reset"):
            return "all"
        rest = argv[argv.index("commit") + 1 :] if _subcommand(argv) == "commit" else ()
        short = (word for word in rest if word[:1] == "-" and word[:2] != "--")
        if {"--all", "--", "--include", "--only"} & {*rest} or any("a" in word for word in short):
            more = "tracked"
    return more
