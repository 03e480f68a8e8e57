"""Git is asked without trusting the repository, and acts for the user with readable failures."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.repositories import Repository, booby_trap, shield

from hookline.system.repository import git, git_actions
from hookline.system.repository.git import GitResult, StagedFiles


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    shield(monkeypatch, tmp_path / "home")
    return Repository(tmp_path / "r")


def ask(coroutine: object) -> object:
    return asyncio.run(coroutine)  # type: ignore[arg-type]  # any of ours


def test_a_repository_is_described(repository: Repository, tmp_path: Path) -> None:
    root = str(repository.path)
    assert ask(git.head_commit(root)) == repository.git("rev-parse", "HEAD")
    assert ask(git.branch(root)) == "main"
    assert ask(git.is_repository(root)) is True
    assert ask(git.is_repository(str(tmp_path))) is False
    assert ask(git.git_path(root, "hooks")) == f"{root}/.git/hooks"
    repository.git("checkout", "--quiet", "--detach")
    assert ask(git.branch(root)) is None


def test_a_repository_without_commits_has_a_branch_and_no_head(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shield(monkeypatch, tmp_path)
    root = str(Repository(tmp_path / "r", commit=False).path)
    assert (ask(git.head_commit(root)), ask(git.branch(root))) == (None, "main")


def test_the_hooks_folder_follows_hooks_path_and_worktrees(repository: Repository, tmp_path: Path) -> None:
    other = tmp_path / "other"
    repository.git("worktree", "add", "--quiet", str(other))
    assert ask(git.git_path(str(other), "hooks")) == f"{repository.path}/.git/hooks"
    repository.git("config", "core.hooksPath", "my hooks")
    assert ask(git.git_path(str(repository.path), "hooks")) == f"{repository.path}/my hooks"


def test_staged_files_are_paths_as_they_are(repository: Repository) -> None:
    repository.write("gone")
    repository.write("old")
    repository.commit()
    for name in ("a b", ' é"q', "sub/x\ny", b"\xff"):
        repository.write(name)
    (repository.path / "gone").unlink()
    (repository.path / "old").rename(repository.path / "moved")
    repository.git("add", "--all")
    repository.write("not staged")
    expected = {"a b", ' é"q', "sub/x\ny", os.fsdecode(b"\xff"), "moved"}
    found = ask(git.staged_files(str(repository.path)))
    assert isinstance(found, StagedFiles)
    assert (set(found.changed), found.deleted) == (expected, ("gone", "old"))
    assert ask(git.staged_files(str(repository.path / "sub"))) == StagedFiles(("x\ny",), ())


def test_staged_files_before_the_first_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shield(monkeypatch, tmp_path)
    repository = Repository(tmp_path / "r", commit=False)
    repository.write("a")
    repository.git("add", "a")
    assert ask(git.staged_files(str(repository.path))) == StagedFiles(("a",), ())


def test_a_partial_commit_is_read_from_its_own_index(repository: Repository, tmp_path: Path) -> None:
    repository.write("a")
    repository.write("b")
    repository.git("add", "--all")
    hook = repository.path / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\ncp "$GIT_INDEX_FILE" "{tmp_path}/index"\n')
    hook.chmod(0o755)
    repository.git("commit", "--quiet", "--message=a", "a")
    repository.git("reset", "--quiet", "--soft", "HEAD~1")
    found = ask(git.staged_files(str(repository.path), str(tmp_path / "index")))
    assert found == StagedFiles(("a",), ())


def test_a_submodule_is_not_a_staged_file(repository: Repository, tmp_path: Path) -> None:
    inner = Repository(tmp_path / "inner")
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "sub")
    assert ask(git.staged_files(str(repository.path))) == StagedFiles((".gitmodules",), ())


def test_outer_location_variables_never_reach_our_calls(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repository(tmp_path / "other")
    other.commit = lambda *_: ""  # type: ignore[method-assign]  # not used below
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.bare")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")
    repository_head = Path(repository.path / ".git" / "refs" / "heads" / "main").read_text().strip()
    assert ask(git.head_commit(str(repository.path))) == repository_head
    kept = git.without_location(os.environ)
    assert [name for name in kept if name.startswith("GIT_")] == ["GIT_CONFIG_NOSYSTEM"]


def test_looking_runs_nothing_of_a_hostile_repository(repository: Repository, tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    booby_trap(repository, proof)
    repository.git("status")
    assert proof.exists(), "the traps work"
    proof.unlink()
    root = str(repository.path)
    for coroutine in (
        git.head_commit(root), git.branch(root), git.is_repository(root), git.git_path(root, "hooks"),
        git.staged_files(root), git.read_git(root, "ls-files", "-s", "-z"),
        git.read_git(root, "ls-files", "-o", "--exclude-standard", "-z"), git.empty_tree(root),
    ):  # fmt: skip
        ask(coroutine)
    assert not proof.exists(), proof.read_text()


def test_a_folder_without_git_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shield(monkeypatch, tmp_path)
    found = ask(git.read_git(str(tmp_path), "ls-files"))
    assert isinstance(found, GitResult)
    assert (found.fault, found.message) == ("not-a-repository", "this folder is not in a git repository")
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = ask(git.read_git(str(tmp_path), "ls-files"))
    assert isinstance(missing, GitResult)
    assert (missing.fault, missing.hint) == ("no-git", "install git, or put it on PATH")


def commit(repository: Repository, message: str = "m", **options: bool) -> GitResult:
    async def both() -> GitResult:
        await git_actions.stage_all(str(repository.path))
        return await git_actions.commit(str(repository.path), message, **options)  # type: ignore[arg-type]  # one

    found = ask(both())
    assert isinstance(found, GitResult)
    return found


def push(repository: Repository, *arguments: str) -> GitResult:
    found = ask(git_actions.push(str(repository.path), *arguments))
    assert isinstance(found, GitResult)
    return found


def test_a_commit_keeps_its_message_and_answers_its_short_hash(repository: Repository) -> None:
    repository.write("a")
    message = "-n `id` $(id) \"q\" 'q' é\n\n# not a comment\nlast"
    done = commit(repository, message)
    assert (done.fault, done.output.decode()) == ("", repository.git("rev-parse", "--short", "HEAD"))
    assert repository.git("log", "-1", "--format=%B") == message


def test_a_first_commit_can_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shield(monkeypatch, tmp_path)
    repository = Repository(tmp_path / "r", commit=False)
    assert commit(repository).fault == "nothing-to-commit"
    repository.write("a")
    assert commit(repository).ok


def failing_hook(repository: Repository) -> None:
    hook = repository.path / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'lint: no' >&2\nexit 1\n")
    hook.chmod(0o755)


def hold_lock(repository: Repository) -> None:
    (repository.path / ".git" / "index.lock").touch()


def forget_identity(repository: Repository) -> None:
    repository.git("config", "--unset", "user.email")
    repository.git("config", "user.useConfigOnly", "true")


@pytest.mark.parametrize(
    ("spoil", "fault", "words"),
    [
        (failing_hook, "failed", "lint: no"),
        (hold_lock, "index-locked", "another git process holds the index lock"),
        (forget_identity, "no-identity", "git does not know who commits"),
    ],
)
def test_a_failed_commit_says_why(
    repository: Repository, spoil: Callable[[Repository], None], fault: str, words: str
) -> None:
    repository.write("a")
    repository.git("add", "a")
    spoil(repository)
    done = ask(git_actions.commit(str(repository.path), "m"))
    assert isinstance(done, GitResult)
    assert (done.fault, words in done.message, repository.git("rev-list", "--count", "HEAD")) == (
        fault,
        True,
        "1",
    )


def test_no_verify_passes_a_failing_hook(repository: Repository) -> None:
    repository.write("a")
    failing_hook(repository)
    assert commit(repository, no_verify=True).ok


def test_nothing_to_commit_and_no_repository_are_told(repository: Repository, tmp_path: Path) -> None:
    assert commit(repository) == GitResult(
        fault="nothing-to-commit", message="there is nothing to commit", exit_code=1
    )
    done = ask(git_actions.commit(str(tmp_path), "m"))
    assert isinstance(done, GitResult)
    assert done.fault == "not-a-repository"


def test_only_what_is_staged_is_committed_when_asked(repository: Repository) -> None:
    repository.write("a")
    repository.write("b")
    repository.git("add", "a")
    done = ask(git_actions.commit(str(repository.path), "m"))
    assert isinstance(done, GitResult)
    assert done.ok
    assert repository.git("status", "--porcelain") == "?? b"


def with_remote(repository: Repository, tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", "--bare", str(tmp_path / "remote")], check=True)
    repository.git("remote", "add", "origin", str(tmp_path / "remote"))
    return tmp_path / "remote"


def test_a_push_sets_the_upstream_once(repository: Repository, tmp_path: Path) -> None:
    with_remote(repository, tmp_path)
    assert push(repository).ok
    assert repository.git("rev-parse", "--abbrev-ref", "@{upstream}") == "origin/main"
    repository.write("a")
    commit(repository)
    assert push(repository).ok
    assert repository.git("rev-parse", "origin/main") == repository.git("rev-parse", "HEAD")


def test_a_named_branch_is_pushed_instead(repository: Repository, tmp_path: Path) -> None:
    remote = with_remote(repository, tmp_path)
    repository.git("branch", "side")
    assert push(repository, "origin", "side").ok
    assert (remote / "refs" / "heads" / "side").exists()
    assert not (remote / "refs" / "heads" / "main").exists()
    assert push(repository, "origin", "nope").fault == "unknown-ref"
    assert push(repository, "origin", "--mirror").fault == "bad-name"


def test_a_failed_push_says_why(repository: Repository, tmp_path: Path) -> None:
    remote = with_remote(repository, tmp_path)
    assert push(repository, "nope").fault == "unknown-remote"
    assert push(repository, str(tmp_path / "gone")).fault == "remote-gone"
    push(repository)
    subprocess.run(
        ["git", "clone", "--quiet", "--branch=main", str(remote), str(tmp_path / "clone")], check=True
    )
    other = Repository(tmp_path / "clone", commit=False)
    other.write("theirs")
    other.commit()
    other.git("push", "--quiet", "origin", "HEAD:main")
    repository.write("ours")
    commit(repository)
    assert push(repository).fault == "rejected"
    repository.git("checkout", "--quiet", "--detach")
    assert push(repository).fault == "detached"


def test_a_remote_that_refuses_the_connection_is_a_network_fault(repository: Repository) -> None:
    with socket.socket() as unused:  # taken, so that nobody else gets it, but not listening
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        assert push(repository, f"http://127.0.0.1:{port}/x.git").fault == "network"


def test_a_remote_that_wants_a_password_is_not_waited_for(repository: Repository) -> None:
    import threading
    from http.server import BaseHTTPRequestHandler, HTTPServer

    class Closed(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="x"')
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Closed) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            assert push(repository, f"http://127.0.0.1:{server.server_port}/x.git").fault == "auth"
        finally:
            server.shutdown()
            thread.join()
