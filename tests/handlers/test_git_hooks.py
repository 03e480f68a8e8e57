"""The built-in git hooks, on real repositories with a bare remote on disk."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.handlers.builders import hook
from tests.repositories import Repository, shield

from hookline.handlers import handler_for
from hookline.handlers.base import Around
from hookline.model.hooks import GitCommit, GitPush, HandlerInput
from hookline.system.loops import loop as loops

if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.model.hooks import Action
    from hookline.model.results import RawResult

HOSTILE = 'x\'; touch PWNED; echo "$(id)" `touch PWNED2` #\\ $&'
MESSAGE = "Complete issue #{{issueNumber}}: {{issueTitle}}"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    shield(monkeypatch, tmp_path / "home")
    return Repository(tmp_path / "r")


def carry_out(
    action: Action, folder: Path, title: str = "Fix it", drive: Any = asyncio.run, **changes: Any
) -> RawResult:
    given = HandlerInput(
        payload={"issueNumber": 7}, cwd="/", variables={"issueNumber": "7", "issueTitle": title}
    )
    around = Around(env=dict(os.environ), workspace=str(folder), **changes)
    raw: RawResult = drive(handler_for(action)(action, hook(action), given, around))
    return raw


@pytest.mark.parametrize("drive", [asyncio.run, loops.run], ids=["asyncio", "poll loop"])
@pytest.mark.parametrize("branch", ["main", "feature/x", "fix.2"])
def test_a_commit_takes_every_change_and_answers_its_short_hash(
    repository: Repository, branch: str, drive: Any
) -> None:
    repository.git("checkout", "-q", "-B", branch)
    repository.write("dir/a b", "1")
    raw = carry_out(GitCommit(MESSAGE), repository.path, drive=drive)
    short = repository.git("rev-parse", "--short", "HEAD")
    assert (raw.exit_code, raw.value, raw.stdout) == (0, {"commit": short}, f"committed {short}\n")
    assert repository.git("log", "-1", "--format=%B") == "Complete issue #7: Fix it"
    assert repository.git("status", "--porcelain") == ""
    assert raw.command == "git commit --file=- (Complete issue #7: Fix it)"


@pytest.mark.parametrize(
    "title", [HOSTILE, "-n --amend", "# starts like a comment", "two\nlines {{issueNumber}}"]
)
def test_a_hostile_title_arrives_verbatim_in_the_message(repository: Repository, title: str) -> None:
    repository.write("a")
    carry_out(GitCommit("{{issueTitle}}"), repository.path, title)
    assert repository.git("log", "-1", "--format=%B") == title
    assert not list(repository.path.glob("PWNED*"))


def test_only_what_is_staged_is_committed_when_asked(repository: Repository) -> None:
    repository.write("a")
    repository.write("b")
    repository.git("add", "a")
    assert carry_out(GitCommit(MESSAGE, stage="staged"), repository.path).exit_code == 0
    assert repository.git("status", "--porcelain") == "?? b"


def test_nothing_to_commit_is_told_and_no_failure(repository: Repository) -> None:
    raw = carry_out(GitCommit(MESSAGE), repository.path)
    words = "there is nothing to commit, so nothing was committed"
    assert (raw.exit_code, raw.stdout, raw.notes) == (0, words + "\n", (words,))
    assert repository.git("rev-list", "--count", "HEAD") == "1"


@pytest.mark.parametrize("action", [GitCommit(MESSAGE), GitPush()])
def test_without_a_repository_it_is_skipped_with_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: Action
) -> None:
    shield(monkeypatch, tmp_path / "home")
    raw = carry_out(action, tmp_path)
    assert (raw.exit_code, len(raw.notes)) == (0, 1)
    assert raw.notes[0].startswith("this folder is not in a git repository, so nothing was ")


@pytest.mark.parametrize("what", ["merge", "rebase", "cherry-pick"])
def test_what_the_user_has_not_finished_is_left_alone(repository: Repository, what: str) -> None:
    """Staging all of it would take the conflict marks for its resolution."""
    repository.write("c", "base\n")
    repository.git("add", "c")
    repository.git("commit", "-qm", "base")
    main = repository.git("rev-parse", "--abbrev-ref", "HEAD")
    repository.git("checkout", "-qb", "side")
    repository.write("c", "side\n")
    repository.git("commit", "-qam", "side")
    repository.git("checkout", "-q", main)
    repository.write("c", "main\n")
    repository.git("commit", "-qam", "main")
    before = repository.git("rev-parse", "HEAD")
    subprocess.run(["git", what, "side"], cwd=repository.path, capture_output=True)
    at = repository.git("rev-parse", "HEAD")
    status = repository.git("status", "--porcelain")
    repository.write("new", "x")
    raw = carry_out(GitCommit("auto"), repository.path)
    assert raw.failed and "in the middle of" in raw.stderr
    assert repository.git("rev-parse", "HEAD") == at and repository.git("rev-parse", main) == before
    assert repository.git("status", "--porcelain").replace("?? new", "").strip() == status.strip()


@pytest.mark.parametrize("message", ["", " \n", "{{issueTitle}}"])
def test_an_empty_message_is_a_failure(repository: Repository, message: str) -> None:
    repository.write("a")
    raw = carry_out(GitCommit(message), repository.path, title=" ")
    assert (raw.exit_code, raw.stderr) == (1, "the commit message is empty\nhint: set `message`\n")


def refuse(repository: Repository) -> None:
    script = repository.path / ".git" / "hooks" / "pre-commit"
    script.parent.mkdir(exist_ok=True)
    script.write_text("#!/bin/sh\necho 'lint: no' >&2\nexit 2\n")
    script.chmod(0o755)


def lock(repository: Repository) -> None:
    (repository.path / ".git" / "index.lock").touch()


def forget_identity(repository: Repository) -> None:
    repository.git("config", "--unset", "user.email")
    repository.git("config", "user.useConfigOnly", "true")


def sign(repository: Repository, kind: str, key: str = "") -> None:
    repository.git("config", "commit.gpgSign", "true")
    repository.git("config", "gpg.format", kind)
    repository.git("config", "gpg.program", "/no/such/gpg")
    if key:
        repository.git("config", "user.signingKey", key)


def nest(repository: Repository) -> None:
    inner = repository.path / "inner"
    inner.mkdir()
    repository.git("init", "--quiet", str(inner))
    (inner / "file").touch()


UNSIGNED = "git could not sign the commit\n"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda repository: sign(repository, "openpgp"), f"{UNSIGNED}fatal: cannot run /no/such/gpg"),
        (lambda repository: sign(repository, "ssh"), f"{UNSIGNED}fatal: either user.signingkey"),
        (lambda repository: sign(repository, "ssh", "/no/key"), UNSIGNED),
        (nest, "`git add` failed:\nerror: 'inner/' does not have a commit checked out"),
    ],
)
def test_what_no_git_hook_refused_is_not_blamed_on_one(
    repository: Repository, spoil: Callable[[Repository], None], words: str
) -> None:
    repository.write("a")
    spoil(repository)
    raw = carry_out(GitCommit(MESSAGE), repository.path)
    assert raw.exit_code == 1 and raw.stderr.startswith(words)
    assert "hint: " in raw.stderr and "git hook" not in raw.stderr


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (refuse, "`git commit` failed:\nlint: no\nhint: mostly a git hook refused it: "),
        (lock, "another git process holds the index lock\nhint: wait for it; if none runs, remove"),
        (forget_identity, "git does not know who commits\nhint: set `git config user.name`"),
    ],
)
def test_a_commit_git_refuses_is_a_failure_with_a_next_step(
    repository: Repository, spoil: Callable[[Repository], None], words: str
) -> None:
    """Never exit 2, which would block."""
    repository.write("a")
    spoil(repository)
    raw = carry_out(GitCommit(MESSAGE), repository.path)
    assert raw.exit_code == 1
    assert raw.stderr.startswith(words)
    assert repository.git("rev-list", "--count", "HEAD") == "1"


def test_without_verification_a_failing_git_hook_does_not_matter(repository: Repository) -> None:
    repository.write("a")
    refuse(repository)
    assert carry_out(GitCommit(MESSAGE, no_verify=True), repository.path).exit_code == 0


def test_an_outer_gits_repository_is_not_committed_to(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repository(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.path / ".git" / "index"))
    repository.write("a")
    carry_out(GitCommit(MESSAGE), repository.path)
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert other.git("rev-list", "--count", "HEAD") == "1"
    assert repository.git("rev-list", "--count", "HEAD") == "2"


def test_a_git_hook_of_ours_knows_how_deep_it_is(repository: Repository) -> None:
    script = repository.path / ".git" / "hooks" / "pre-commit"
    script.parent.mkdir(exist_ok=True)
    script.write_text('#!/bin/sh\necho "$HOOKLINE_DEPTH" > "$HOME/depth"\n')
    script.chmod(0o755)
    home = Path(os.environ["HOME"])
    home.mkdir(exist_ok=True)
    repository.write("a")
    carry_out(GitCommit(MESSAGE), repository.path)
    assert (home / "depth").read_text() == "1\n"


def test_a_commit_out_of_time_is_ended_and_told(repository: Repository) -> None:
    """The hook's time applies."""
    script = repository.path / ".git" / "hooks" / "pre-commit"
    script.parent.mkdir(exist_ok=True)
    script.write_text("#!/bin/sh\nexec sleep 3600\n")
    script.chmod(0o755)
    repository.write("a")
    raw = carry_out(GitCommit(MESSAGE), repository.path, timeout_s=1.0)
    assert (raw.timed_out, raw.status_code) == (True, 124)


@pytest.fixture
def remote(repository: Repository, tmp_path: Path) -> Repository:
    path = tmp_path / "remote"
    subprocess.run(["git", "init", "--quiet", "--bare", str(path)], check=True)
    repository.git("remote", "add", "origin", str(path))
    return repository


def test_a_push_sets_the_upstream_where_there_is_none(remote: Repository) -> None:
    remote.git("checkout", "-q", "-b", "feature/x")
    raw = carry_out(GitPush(), remote.path)
    assert (raw.exit_code, raw.stdout) == (0, "pushed feature/x to origin\n")
    assert raw.value == {"remote": "origin", "branch": "feature/x"}
    assert remote.git("rev-parse", "--abbrev-ref", "@{upstream}") == "origin/feature/x"
    assert remote.git("ls-remote", "origin", "feature/x").split()[0] == remote.git("rev-parse", "HEAD")


def test_a_named_branch_is_pushed_instead_of_the_current_one(remote: Repository) -> None:
    remote.git("branch", "side")
    assert carry_out(GitPush(branch="side"), remote.path).stdout == "pushed side to origin\n"
    assert "refs/heads/main" not in remote.git("ls-remote", "origin")


def test_a_push_without_verification_skips_the_pre_push_hook(remote: Repository) -> None:
    script = remote.path / ".git" / "hooks" / "pre-push"
    script.parent.mkdir(exist_ok=True)
    script.write_text("#!/bin/sh\necho 'not today' >&2\nexit 1\n")
    script.chmod(0o755)
    refused = carry_out(GitPush(), remote.path)
    assert (refused.exit_code, "not today" in refused.stderr) == (1, True)
    assert carry_out(GitPush(no_verify=True), remote.path).exit_code == 0


def detach(repository: Repository) -> None:
    repository.git("checkout", "-q", "--detach")


def lose_remote(repository: Repository) -> None:
    repository.git("remote", "set-url", "origin", str(repository.path.parent / "gone"))


def forget_remote(repository: Repository) -> None:
    repository.git("remote", "remove", "origin")


def fall_behind(repository: Repository) -> None:
    repository.git("push", "-q", "origin", "main")
    repository.git("commit", "-q", "--amend", "--allow-empty", "-m", "another first")


def unplug(repository: Repository) -> None:
    repository.git("remote", "set-url", "origin", "http://127.0.0.1:9/x.git")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (detach, "HEAD is detached: there is no current branch to push\nhint: check out a branch, or name"),
        (lose_remote, "there is no repository at the remote's address\nhint: check `git remote -v`\n"),
        (fall_behind, "the remote rejected the push\nhint: fetch and merge or rebase, then push again\n"),
        (unplug, "the remote cannot be reached\nhint: check the network, then push again\n"),
        (forget_remote, "there is no remote `origin`\nhint: add it with `git remote add origin ADDRESS`\n"),
    ],
)  # fmt: skip
def test_a_push_that_fails_says_why_and_what_to_do(
    remote: Repository, spoil: Callable[[Repository], object], words: str
) -> None:
    spoil(remote)
    raw = carry_out(GitPush(), remote.path)
    assert raw.exit_code == 1
    assert raw.stderr.startswith(words)
