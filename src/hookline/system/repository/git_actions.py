"""Commits, pushes and fetches on the user's behalf: what of their own git takes part in each."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from tempfile import mkdtemp

from hookline.model.errors import StateError
from hookline.model.record import Record, replace
from hookline.system.files import environment, temporary_dir
from hookline.system.loops import loop
from hookline.system.modules import text_beside
from hookline.system.processes.process import ProcessRequest, run_process
from hookline.system.removal import remove_tree
from hookline.system.repository.git import (
    HARDENED,
    NO_HOOKS,
    OUTPUT_LIMIT,
    READ_TIMEOUT_S,
    GitResult,
    branch,
    head_commit,
    read_git,
    reading_environment,
    told,
    without_location,
)

ACTION_TIMEOUT_S = 600.0
PUSH_TIMEOUT_S = 120.0

# What is in the git folder while something is unfinished
_UNFINISHED = {
    "MERGE_HEAD": "a merge", "rebase-merge": "a rebase", "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick", "REVERT_HEAD": "a revert",
}  # fmt: skip
FETCH_TIMEOUT_S = 300.0
MOST_FILES = 200
MOST_BYTES = 2 * 1024 * 1024
# The user's own ssh and https are used; what an address could name as a program is not.
_REACHED = tuple(
    word
    for name in ("https", "http", "ssh", "git", "file")
    for word in ("-c", f"protocol.{name}.allow=always")
)
_QUIET = (
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    "-c",
    "fetch.fsckObjects=true",
    "-c",
    "transfer.bundleURI=false",
)


async def stage_all(
    folder: str, timeout_s: float = ACTION_TIMEOUT_S, env: Mapping[str, str] | None = None
) -> GitResult:
    """Stage every change, deletion and new file of the repository. `env` replaces our own environment.

    Nothing is staged while the user is in the middle of a merge, a rebase or the like (fault `unfinished`).
    """
    if unfinished := await _unfinished(folder):
        return unfinished
    return await _act(folder, ("add", "--all", "--", ":/"), timeout_s=timeout_s, env=env)


async def commit(
    folder: str,
    message: str,
    *,
    no_verify: bool = False,
    timeout_s: float = ACTION_TIMEOUT_S,
    env: Mapping[str, str] | None = None,
) -> GitResult:
    """Commit what is staged; `output` is the new commit's short hash.

    The message goes in by stdin and is kept as it is. Faults: `nothing-to-commit`, `no-identity`,
    `index-locked`, `unmerged`, `unfinished`, `unsigned`, `not-a-repository`, `timed-out`, and `failed` (mostly
    a git hook's refusal).
    """
    if unfinished := await _unfinished(folder):
        return unfinished
    if not await _has_staged(folder):
        inside = await read_git(folder, "rev-parse", "--is-inside-work-tree")
        if not inside.ok:
            return inside
        return GitResult(fault="nothing-to-commit", message="there is nothing to commit", exit_code=1)
    options = ("--no-verify",) if no_verify else ()
    done = await _act(
        folder, ("commit", "--quiet", *options, "--cleanup=whitespace", "--file=-"),
        stdin=message.encode("utf-8", "surrogateescape"), timeout_s=timeout_s, env=env,
    )  # fmt: skip
    if not done.ok:
        return done
    short = await read_git(folder, "rev-parse", "--short", "HEAD")
    return replace(done, output=short.output.strip())


async def _unfinished(folder: str) -> GitResult | None:
    """The fault of a merge, rebase, pick or revert that only the user may end; staging would hide its conflicts."""
    place = await read_git(folder, "rev-parse", "--absolute-git-dir")
    if not place.ok:
        return None
    git = place.output.decode("utf-8", "surrogateescape").rstrip("\n")
    for name, what in _UNFINISHED.items():
        if os.path.exists(os.path.join(git, name)):
            words = f"the user is in the middle of {what}; nothing was committed"
            hint = "end it, or take it back with `--abort`, then commit"
            return GitResult(fault="unfinished", message=words, hint=hint, exit_code=1)
    return None


async def push(
    folder: str,
    remote: str = "origin",
    ref: str | None = None,
    *,
    no_verify: bool = False,
    timeout_s: float = PUSH_TIMEOUT_S,
    env: Mapping[str, str] | None = None,
) -> GitResult:
    """Push the current branch (or `ref`) to `remote`, setting the upstream where there is none.

    Faults: `detached`, `unknown-remote`, `no-commit`, `auth`, `network`, `rejected`, `refused` (with the
    remote's own words), `remote-gone`, `unknown-ref`, `bad-name`, `timed-out`, `failed`.
    Nothing is asked, nothing is tried twice.
    """
    if remote.startswith("-") or (ref or "").startswith("-"):
        return GitResult(fault="bad-name", message=f"`{remote}` `{ref or ''}` is no remote and branch")
    inside = await read_git(folder, "rev-parse", "--is-inside-work-tree")
    if not inside.ok:
        return inside
    if fault := await _unready(folder, remote, ref):
        return fault
    verify = ("--no-verify",) if no_verify else ()
    start = (*await _ssh_without_questions(folder), "push", "--porcelain", *verify)
    if ref is not None:
        return await _act(folder, (*start, remote, ref), timeout_s=timeout_s, env=env)
    current = await branch(folder)
    upstream = await read_git(folder, "rev-parse", "--verify", "--quiet", "@{upstream}")
    options = () if upstream.ok else ("--set-upstream",)
    target = f"HEAD:refs/heads/{current}"
    return await _act(folder, (*start, *options, remote, target), timeout_s=timeout_s, env=env)


async def _ssh_without_questions(folder: str) -> tuple[str, ...]:
    """Options that keep ssh from asking, unless the user has an ssh command of their own."""
    own = await read_git(folder, "config", "--get", "core.sshCommand")
    return () if own.ok and own.output.strip() else ("-c", "core.sshCommand=ssh -o BatchMode=yes")


async def _unready(folder: str, remote: str, ref: str | None) -> GitResult | None:
    """Why a push cannot even be tried."""
    if await head_commit(folder) is None:
        return GitResult(fault="no-commit", message="there is no commit to push yet", exit_code=1)
    if ref is None and await branch(folder) is None:
        return GitResult(
            fault="detached", message="HEAD is detached: there is no current branch to push",
            hint="check out a branch, or name one", exit_code=1,
        )  # fmt: skip
    is_address = "/" in remote or ":" in remote
    if not is_address and not (await read_git(folder, "remote", "get-url", remote)).ok:
        return GitResult(
            fault="unknown-remote", message=f"there is no remote `{remote}`",
            hint=f"add it with `git remote add {remote} ADDRESS`", exit_code=1,
        )  # fmt: skip
    return None


async def _has_staged(folder: str) -> bool:
    if await head_commit(folder) is None:
        return bool((await read_git(folder, "ls-files", "-z")).output)
    return (await read_git(folder, "diff-index", "--cached", "--quiet", "HEAD")).exit_code == 1


async def _act(
    folder: str,
    arguments: tuple[str, ...],
    *,
    stdin: bytes | None = None,
    timeout_s: float,
    env: Mapping[str, str] | None,
) -> GitResult:
    result = await run_process(
        ProcessRequest(
            argv=("git", *arguments), cwd=folder, env=_acting_environment(env), stdin=stdin,
            timeout_s=timeout_s, grace_s=10.0,
        )
    )  # fmt: skip
    command = next(word for word in arguments if word in ("add", "commit", "push"))
    done = told(result, command)
    if done.fault != "failed":
        return done
    words = f"{done.error}\n{result.stdout.text}"
    last_words = words.strip()[-4000:]
    for fault, row in tomllib.loads(text_beside(__name__, "git_faults.toml")).items():
        if re.search(row["says"], words):
            more = _remote_words(words) if fault == "refused" else [last_words] if fault == "unsigned" else []
            return replace(done, fault=fault, message="\n".join((row["message"], *more)), hint=row["hint"])
    return replace(done, message=f"`git {command}` failed:\n{last_words}")


def _remote_words(words: str) -> list[str]:
    """What the remote itself said, and why it says it refused, up to 4000 characters."""
    lines = [line.rstrip() for line in words.splitlines()]
    said = [line for line in lines if line.startswith("remote:") and line != "remote:"]
    reasons = [
        line.partition("[remote rejected]")[2].strip() for line in lines if "[remote rejected]" in line
    ]
    return "\n".join((*said, *reasons))[-4000:].splitlines()


def _acting_environment(env: Mapping[str, str] | None) -> dict[str, str]:
    """The user's own, without an outer repository and without anything that would ask."""
    own = without_location(environment() if env is None else env)
    own.update({"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8", "LANGUAGE": ""})
    return own


class Tree(Record):
    """The plain files of a commit by path, and which of them can be executed; links and gitlinks are left out."""

    commit: str
    files: Mapping[str, bytes]
    executable: frozenset[str] = frozenset()


def fetch_tree(address: str, rev: str = "", cwd: str = "") -> Tree:
    """The files at `rev` (a branch, tag or commit; empty: what the repository shows first).

    `address` is whatever git can reach. Nothing is checked out, no hook, filter or submodule is used. Raises
    StateError in words of git.
    """
    folder = mkdtemp(prefix="hookline-pack-", dir=temporary_dir())
    try:
        return loop.run(_fetched(address, rev, folder, cwd))
    finally:
        remove_tree(folder)


async def _fetched(address: str, rev: str, folder: str, cwd: str) -> Tree:
    if address.startswith("-") or rev.startswith("-"):
        raise StateError(f"`{address if address.startswith('-') else rev}` is an option and no address")
    place = os.path.join(cwd, address) if os.path.isdir(os.path.join(cwd, address)) else address
    await _git(folder, "init", "-q", "--bare", "--template=", ".")
    words = ("fetch", "-q", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")
    await _git(folder, *words, "--", place, f"+{rev or 'HEAD'}:refs/heads/pack")
    commit = (await _git(folder, "rev-parse", "--verify", "refs/heads/pack^{commit}")).decode().strip()
    return await _tree(folder, commit)


async def _tree(folder: str, commit: str) -> Tree:
    listed = (await _git(folder, "ls-tree", "-r", "-z", "-l", commit)).split(b"\0")[:-1]
    rows = [(entry.split(b"\t", 1)[0].split(), os.fsdecode(entry.split(b"\t", 1)[1])) for entry in listed]
    plain = [(mode, name, path, int(size)) for (mode, _, name, size), path in rows if mode.startswith(b"100")]
    if len(plain) > MOST_FILES or sum(size for *_, size in plain) > MOST_BYTES:
        raise StateError(
            f"a pack has at most {MOST_FILES} files and {MOST_BYTES >> 20} MiB, this repository has {len(plain)} files",
            "give the pack a repository of its own",
        )
    found = {path: await _git(folder, "cat-file", "blob", name.decode()) for _, name, path, _ in plain}
    return Tree(commit, found, frozenset(path for mode, _, path, _ in plain if mode == b"100755"))


async def _git(folder: str, *arguments: str) -> bytes:
    request = ProcessRequest(
        argv=(*HARDENED, *_REACHED, *_QUIET, *NO_HOOKS, *arguments), cwd=folder, env=reading_environment(),
        timeout_s=FETCH_TIMEOUT_S if arguments[0] == "fetch" else READ_TIMEOUT_S, head_limit=OUTPUT_LIMIT,
    )  # fmt: skip
    found: GitResult = told(await run_process(request), arguments[0])
    if not found.ok:
        raise StateError(found.message, found.hint or None)
    return found.output
