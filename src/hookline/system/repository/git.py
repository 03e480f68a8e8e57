"""Looks into git repositories without trusting them: no code, filter, hook or prompt of theirs is run."""

from __future__ import annotations

import os

from hookline.model.record import Record, replace
from hookline.model.typing import Iterator, Mapping, Sequence
from hookline.system.files import environment
from hookline.system.loops.loop import run_unheard
from hookline.system.processes.process import ProcessRequest, ProcessResult, run_process
from hookline.system.repository.git_location import LOCATION

READ_TIMEOUT_S = 60.0
OUTPUT_LIMIT = 1 << 30
GITLINK = 0o160000
NO_FILE = (0, GITLINK)

# Each of these makes git run something, or look elsewhere, because a repository or a parent process says so.
HARDENED = (
    "git", "--no-optional-locks", "--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false",
    "-c", "protocol.allow=never", "-c", "submodule.recurse=false", "-c", "safe.directory=*",
)  # fmt: skip
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")
KEPT = ("GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")


class GitResult(Record):
    """One git call. `fault` is empty when it succeeded, else a stable code with words."""

    output: bytes = b""
    fault: str = ""
    message: str = ""
    hint: str = ""
    error: str = ""
    exit_code: int | None = 0

    @property
    def ok(self) -> bool:
        return not self.fault


class StagedFiles(Record):
    """What the next commit changes: paths relative to the folder asked about, gitlinks left out."""

    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()


def without_location(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment without what an outer git call says about *its* repository and index."""
    return {
        name: value
        for name, value in variables.items()
        if name not in LOCATION and not name.startswith(("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"))
    }


def reading_environment(index_file: str | None = None) -> dict[str, str]:
    """What a hardened call sees: no `GIT_*` but where the installation and the user's own config are."""
    kept = {n: v for n, v in environment().items() if not n.startswith("GIT_") or n in KEPT}
    kept.update({
        "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1",
        "GIT_ATTR_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "LANGUAGE": "",
    })  # fmt: skip
    if index_file is not None:
        kept["GIT_INDEX_FILE"] = index_file
    return kept


async def read_git(
    folder: str,
    *arguments: str,
    stdin: bytes | None = None,
    timeout_s: float = READ_TIMEOUT_S,
    index_file: str | None = None,
    settings: Mapping[str, str] | None = None,
) -> GitResult:
    """Run a hardened, read-only git command in `folder`; its output is bytes, file names being bytes.

    Only for commands that neither compare nor filter file contents: `rev-parse`, `ls-files -s` and `-o`,
    `diff-tree`, `diff-index --cached`, `check-ignore`, `hash-object --no-filters`, `cat-file`; and
    `diff-files`, where the repository has no settings. `settings` are variables to add.
    """
    request = ProcessRequest(
        argv=(*HARDENED, *NO_HOOKS, *arguments), cwd=folder,
        env=reading_environment(index_file) | dict(settings or {}), stdin=stdin,
        timeout_s=timeout_s, head_limit=OUTPUT_LIMIT,
    )  # fmt: skip
    return told(await run_process(request), arguments[0])


def told(result: ProcessResult, command: str) -> GitResult:
    """The result of a finished git process, with the faults every command can have."""
    error = result.stderr.text.strip()
    plain = GitResult(result.stdout.kept, error=error, exit_code=result.exit_code)
    if result.launch_error is not None:
        hint = "install git, or put it on PATH" if result.launch_fault == "not-found" else ""
        words = f"git could not be started: {result.launch_error}"
        return replace(plain, fault="no-git", message=words, hint=hint)
    if result.timed_out:
        return replace(plain, fault="timed-out", message=f"`git {command}` did not end in time")
    if result.exit_code == 0:
        return plain
    if "not a git repository" in error:
        return replace(plain, fault="not-a-repository", message="this folder is not in a git repository")
    lines = error.splitlines() or [f"exit code {result.status_code}"]
    shown = next((line for line in lines if line.startswith("fatal: ")), lines[-1])  # advice follows it
    return replace(plain, fault="failed", message=f"`git {command}` failed: {shown.removeprefix('fatal: ')}")


async def ignored_paths(folder: str, paths: Sequence[bytes]) -> frozenset[bytes] | None:
    """Those of these untracked paths, relative to `folder`, that the ignore rules leave out; None: git failed.

    None of them may lie in a nested repository or beyond a symbolic link.
    """
    # `check-ignore` refuses the flag for literal names; nothing that begins with a dot is magic.
    names = b"".join(b"./" + path + b"\0" for path in paths)
    found = await read_git(
        folder, "--no-literal-pathspecs", "check-ignore", "-z", "--stdin", "--no-index", stdin=names
    )
    if found.exit_code not in (0, 1):
        return None
    return frozenset(name[2:] for name in found.output.split(b"\0")[:-1])


async def is_repository(folder: str) -> bool:
    """Whether `folder` is inside of a git work tree."""
    return (await read_git(folder, "rev-parse", "--is-inside-work-tree")).output.strip() == b"true"


async def head_commit(folder: str) -> str | None:
    """The commit that HEAD names; None before the first commit and outside of a repository."""
    found = await read_git(folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return found.output.decode().strip() if found.ok else None


def root_commit(folder: str) -> str | None:
    """The first commit of the history HEAD is on: what all clones of a repository have in common."""
    found = _waited_for(folder, "rev-list", "--max-parents=0", "--first-parent", "HEAD")
    return found.output.decode().strip() or None if found and found.ok else None


def is_tracked(path: str) -> bool:
    """Whether a file is in git's index."""
    found = _waited_for(os.path.dirname(path), "ls-files", "--error-unmatch", "--", os.path.basename(path))
    return found is not None and found.ok


def _waited_for(folder: str, *command: str) -> GitResult | None:
    """What git answers, for callers without a loop as well as within one."""
    from threading import Thread

    found: list[GitResult] = []
    # A thread of its own: the caller's may have a loop running already.
    asking = Thread(target=lambda: found.append(run_unheard(read_git(folder, *command))))
    asking.start()
    asking.join()
    return found[0] if found else None


async def branch(folder: str) -> str | None:
    """The current branch, also before its first commit; None when HEAD is detached."""
    found = await read_git(folder, "symbolic-ref", "--short", "--quiet", "HEAD")
    return os.fsdecode(found.output).strip() if found.ok else None


async def git_path(folder: str, name: str) -> str | None:
    """The absolute path git uses for `name` (`hooks`, `index`, …), whatever worktrees and settings say.

    `core.hooksPath` is respected here: `rev-parse` runs no hook.
    """
    request = ProcessRequest(
        argv=(*HARDENED, "rev-parse", "--path-format=absolute", "--git-path", name),
        cwd=folder, env=reading_environment(), timeout_s=READ_TIMEOUT_S,
    )  # fmt: skip
    found = told(await run_process(request), "rev-parse")
    return os.fsdecode(found.output.removesuffix(b"\n")) if found.ok else None


async def empty_tree(folder: str) -> str:
    """The id of the tree without files, in the repository's own hash."""
    found = await read_git(folder, "hash-object", "-t", "tree", "--stdin", stdin=b"")
    return found.output.decode().strip() or "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


async def staged_files(folder: str, index_file: str | None = None) -> StagedFiles:
    """What is staged against HEAD (the empty tree before the first commit), below `folder`.

    `index_file` is the `GIT_INDEX_FILE` of a commit under way: `git commit -a` and `git commit PATH` stage
    into an index of their own.
    """
    found = await _staged_against(folder, "HEAD", index_file)
    if not found.ok:
        base = await head_commit(folder) or await empty_tree(folder)
        found = await _staged_against(folder, base, index_file)
    changed, deleted = raw_changes(found.output)
    return StagedFiles(changed, deleted)


async def _staged_against(folder: str, base: str, index_file: str | None) -> GitResult:
    return await read_git(
        folder, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--relative", "--no-abbrev", base, "--",
        index_file=index_file,
    )  # fmt: skip


async def committed_since(folder: str, base: str) -> StagedFiles:
    """What commits changed and deleted below `folder` since `base`, a commit; empty is before the first one."""
    found = await read_git(
        folder, "diff-tree", "-r", "--raw", "-z", "--no-renames", "--relative", "--no-abbrev",
        base or await empty_tree(folder), "HEAD", "--",
    )  # fmt: skip
    return StagedFiles(*raw_changes(found.output))


def raw_changes(output: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Changed and deleted files of a `--raw -z` listing without renames; gitlinks left out."""
    changed: list[str] = []
    deleted: list[str] = []
    for before, after, _, _, path in raw_entries(output):
        if before not in NO_FILE or after not in NO_FILE:
            (deleted if after in NO_FILE else changed).append(os.fsdecode(path))
    return tuple(changed), tuple(deleted)


def raw_entries(output: bytes) -> Iterator[tuple[int, int, str, bytes, bytes]]:
    """Of each entry of such a listing: the modes before and after, the blob before, the status, and the path."""
    fields = output.split(b"\0")
    for head, path in zip(fields[0::2], fields[1::2], strict=False):
        before, after, blob, _, status = head[1:].split(b" ")
        yield int(before, 8), int(after, 8), blob.decode(), status, path
