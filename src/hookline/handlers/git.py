"""Runs the built-in git hooks: commit what changed, push what was committed."""

from __future__ import annotations

import time

from hookline.handlers.base import Around
from hookline.handlers.command import expand_arguments
from hookline.handlers.environment import DEPTH, next_depth
from hookline.model.hooks import GitCommit, GitPush, HandlerInput, HookSpec
from hookline.model.record import replace
from hookline.model.results import RawResult, Timings
from hookline.system.repository import git_actions
from hookline.system.repository.git import GitResult, branch, staged_files

# Not what the user asked for, and yet nothing went wrong.
SKIPPED = frozenset({"nothing-to-commit", "not-a-repository"})
NOT_STARTED = "no-git"
HINTS = {
    "add": "mostly git cannot read a file, or a folder is a repository without a commit: mend that, or ignore it",
    "commit": "mostly a git hook refused it: mend what it says, or set `noVerify` to skip git hooks",
    "push": "mostly a git hook refused it: mend what it says, then push again",
    "timed-out": "raise the hook's `timeout`, or look for a git hook that waits",
}


async def run_git_commit(action: GitCommit, spec: HookSpec, given: HandlerInput, around: Around) -> RawResult:
    """Commits the workspace's changes; `value` is `{"commit": short hash}`.

    Placeholders of the message are plain text and reach git on stdin, never a shell. Nothing to commit
    and no repository are told in `notes` and are no failure; what git refuses is `exit_code` 1 with a next
    step in `stderr`.
    """
    (message,) = expand_arguments((action.message,), replace(given, placeholders="braces"))
    subject = message.strip().partition("\n")[0]
    run = _Run(f"git commit --file=- ({subject})", around, given)
    if not message.strip():
        return run.failed("the commit message is empty", "set `message`")
    if action.stage == "all":
        staged = await git_actions.stage_all(run.folder, run.left_s(), run.env)
        if not staged.ok:
            return run.told(staged, "add")
    facts: dict[str, object] = {"message": message, "files": ()}
    if around.on_commit is not None:
        staged_now = await staged_files(run.folder)
        facts["files"] = (*staged_now.changed, *staged_now.deleted)
        if facts["files"] and (refusal := await around.on_commit(facts)):
            return run.failed(f"the commit was blocked: {refusal}", "")
    done = await git_actions.commit(
        run.folder, message, no_verify=action.no_verify, timeout_s=run.left_s(), env=run.env
    )
    short = done.output.decode("utf-8", "replace").strip()
    if done.ok and around.on_commit is not None:
        await around.on_commit({**facts, "commit_hash": short})
    return run.told(done, "commit", f"committed {short}", {"commit": short})


async def run_git_push(action: GitPush, spec: HookSpec, given: HandlerInput, around: Around) -> RawResult:
    """Pushes a branch of the workspace once, asking nobody; `value` is `{"remote": …, "branch": …}`."""
    run = _Run(f"git push {action.remote} {action.branch}", around, given)
    ref = None if action.branch in ("", "current") else action.branch
    done = await git_actions.push(
        run.folder, action.remote, ref, no_verify=action.no_verify, timeout_s=run.left_s(), env=run.env
    )
    name = ref or (await branch(run.folder) or "HEAD" if done.ok else "")
    pushed = {"remote": action.remote, "branch": name}
    return run.told(done, "push", f"pushed {name} to {action.remote}", pushed)


class _Run:
    """One built-in under way: where, until when, and the result so far."""

    def __init__(self, command: str, around: Around, given: HandlerInput) -> None:
        self.folder = around.workspace or given.cwd or "."
        # git runs hooks of its own, which may be ours
        self.env = {**around.env, DEPTH: next_depth(around.env)}
        self.timeout_s = around.timeout_s
        self.began = time.monotonic()
        self.raw = RawResult(command=command, started_at=time.time())

    def left_s(self) -> float:
        if self.timeout_s is None:
            return git_actions.ACTION_TIMEOUT_S
        return max(self.timeout_s - (time.monotonic() - self.began), 0.0)

    def told(self, done: GitResult, command: str, words: str = "", value: object = None) -> RawResult:
        """The result of a git call; `words` and `value` are for its success."""
        if done.ok:
            return self._ended(exit_code=0, status_code=0, stdout=f"{words}\n", value=value)
        if done.fault in SKIPPED:
            skipped = f"{done.message}, so nothing was {'pushed' if command == 'push' else 'committed'}"
            return self._ended(exit_code=0, status_code=0, stdout=f"{skipped}\n", notes=(skipped,))
        if done.fault == NOT_STARTED:
            return self._ended(launch_error=f"{done.message}; {done.hint}", status_code=127)
        if done.fault == "timed-out":
            hint = f"{done.message}; {HINTS['timed-out']}"
            return self._ended(timed_out=True, status_code=124, stderr=hint)
        return self.failed(done.message, done.hint or (HINTS[command] if done.fault == "failed" else ""))

    def failed(self, message: str, hint: str) -> RawResult:
        words = f"{message}\nhint: {hint}" if hint else message
        return self._ended(exit_code=1, status_code=1, stderr=f"{words}\n")

    def _ended(self, **facts: object) -> RawResult:
        return replace(self.raw, timings=Timings(run=time.monotonic() - self.began), **facts)
