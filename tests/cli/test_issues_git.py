"""The git built-ins in real runs of issues, with a bare remote on disk."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.issue_project import Project, shell, write

COMMIT: dict[str, Any] = {"type": "git-commit", "message": "Complete issue #{{issueNumber}}: {{issueTitle}}"}
PUSH: dict[str, Any] = {"type": "git-push", "remote": "origin"}


def prepare(project: Project, *entries: dict[str, Any], remote: bool = False, **events: Any) -> None:
    project.create("One")
    project.configure({"PostExecutionEnd": list(entries), **events})
    if remote:
        project.git("init", "-q", "--bare", str(project.home / "remote.git"))
        project.git("remote", "add", "origin", str(project.home / "remote.git"))


def run(project: Project, *turns: dict[str, Any], **options: Any) -> Any:
    model = project.script(*(turns or (write("a.txt"), {"text": "ok"})))
    done = project("issues", "run", "1", "--model", model, **options)
    return done


def remote_log(project: Project, branch: str) -> list[str]:
    return project.git("-C", str(project.home / "remote.git"), "log", "--format=%s", branch).splitlines()


@pytest.mark.parametrize("branch", ["main", "feature/x", "fix.2"])
def test_commit_then_push_reach_the_remote_and_set_the_upstream(project: Project, branch: str) -> None:
    """Whatever the branch is called; what the run wrote is in the commit."""
    prepare(project, COMMIT, PUSH, remote=True)
    project.commit()
    project.git("checkout", "-q", "-B", branch)
    done = run(project)
    assert done.returncode == 0, done.stderr
    assert remote_log(project, branch) == ["Complete issue #1: One", "first"]
    assert project.git("rev-parse", "--abbrev-ref", "@{upstream}") == f"origin/{branch}"
    files = project.git("show", "--name-only", "--format=", "HEAD").splitlines()
    assert {"a.txt", "TODO.md", ".autoagent/status.json"} <= set(files)
    assert project.git("status", "--porcelain") == ""
    assert f"committed {project.git('rev-parse', '--short', 'HEAD')}" in done.stderr


def test_the_first_commit_of_a_repository_works(project: Project) -> None:
    """A root commit."""
    prepare(project, COMMIT, PUSH, remote=True)
    assert run(project).returncode == 0
    assert remote_log(project, "main") == ["Complete issue #1: One"]


def test_nothing_to_commit_is_told_and_fails_nothing(project: Project) -> None:
    prepare(project, {**COMMIT, "stage": "staged"})
    project.commit()
    done = run(project)
    assert (done.returncode, "there is nothing to commit" in done.stderr) == (0, True)
    assert project.git("rev-list", "--count", "HEAD") == "1"


@pytest.mark.parametrize("skips", [False, True])
def test_a_failing_pre_commit_hook_is_shown_unless_it_is_skipped(project: Project, skips: bool) -> None:
    """Shown, never blocking; the chain goes on."""
    prepare(project, {**COMMIT, "noVerify": skips}, shell('touch "$HOME/after"'))
    project.commit()
    hook = project.workspace / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho lint says no >&2\nexit 2\n")
    hook.chmod(0o755)
    done = run(project)
    assert (done.returncode, "lint says no" in done.stderr) == (0, not skips)
    assert project.git("rev-list", "--count", "HEAD") == ("2" if skips else "1")
    assert (project.home / "after").exists()


def test_a_missing_identity_is_told_with_the_next_step(project: Project) -> None:
    prepare(project, COMMIT)
    project.git("config", "--unset", "user.email")
    project.git("config", "user.useConfigOnly", "true")
    done = run(project)
    assert (done.returncode, "git does not know who commits" in done.stderr) == (0, True)


def test_git_acts_on_the_workspace_whatever_the_current_folder(project: Project) -> None:
    prepare(project, COMMIT)
    project.commit()
    model = project.script(write("a.txt"), {"text": "ok"})
    done = project("issues", "run", "--workspace", str(project.workspace), "--model", model, cwd=project.home)
    assert done.returncode == 0, done.stderr
    assert project.git("rev-list", "--count", "HEAD") == "2"


@pytest.mark.parametrize("title", ["-n --amend", "back`tick` $(id) \"quoted\" 'q'", "ünï 🙂 {{workspace}}"])
def test_the_title_is_the_message_verbatim(project: Project, title: str) -> None:
    project.create("x")
    path = project.workspace / "issues/1-x.md"
    path.write_text(path.read_text().replace("# Issue 1: x", f"# Issue 1: {title}"))
    project.configure({"PostExecutionEnd": [{"type": "git-commit", "message": "{{issueTitle}}"}]})
    assert run(project).returncode == 0
    assert project.git("log", "-1", "--format=%B") == title


def test_a_failed_issue_is_neither_committed_nor_pushed(project: Project) -> None:
    prepare(project, COMMIT, PUSH, remote=True, PreExecutionEnd=[shell("echo no >&2; exit 2")])
    project.commit()
    assert run(project).returncode == 1
    assert project.git("rev-list", "--count", "HEAD") == "1"
    assert project.git("-C", str(project.home / "remote.git"), "for-each-ref") == ""


def diverge(project: Project) -> None:
    project.git("push", "-q", "origin", "main")
    project.git("commit", "-q", "--allow-empty", "-m", "theirs")
    project.git("push", "-q", "origin", "main")
    project.git("reset", "-q", "--hard", "HEAD~1")


def test_a_remote_that_refuses_is_heard_in_its_own_words(project: Project) -> None:
    """To fetch and merge would not help."""
    prepare(project, COMMIT, PUSH, remote=True)
    project.commit()
    script = project.home / "remote.git/hooks/pre-receive"
    script.parent.mkdir(exist_ok=True)
    script.write_text("#!/bin/sh\necho 'no pushes'\necho 'on Fridays' >&2\nexit 1\n")
    script.chmod(0o755)
    done = run(project)
    assert (done.returncode, "fetch and merge" in done.stderr) == (0, False)
    for words in ("the remote's own rules refused the push", "remote: no pushes", "remote: on Fridays"):
        assert words in done.stderr


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda project: project.git("checkout", "-q", "--detach"), "HEAD is detached"),
        (lambda project: project.git("remote", "remove", "origin"), "there is no remote `origin`"),
        (diverge, "the remote rejected the push"),
        (
            lambda project: project.git("remote", "set-url", "origin", "http://127.0.0.1:9/x.git"),
            "the remote cannot be reached",
        ),
    ],
)
def test_a_push_that_fails_says_why_and_what_next(project: Project, spoil: Any, words: str) -> None:
    """Distinct, readable, not blocking, nothing asked."""
    prepare(project, COMMIT, PUSH, remote=True)
    project.commit()
    spoil(project)
    done = run(project)
    assert (done.returncode, words in done.stderr) == (0, True), done.stderr
    assert project.git("log", "-1", "--format=%s") == "Complete issue #1: One"


def test_a_named_branch_is_pushed_as_it_is(project: Project) -> None:
    prepare(project, COMMIT, {**PUSH, "branch": "main:review"}, remote=True)
    project.commit()
    assert run(project).returncode == 0
    assert remote_log(project, "review") == ["Complete issue #1: One", "first"]


@pytest.mark.parametrize("event", ["PreExecutionStart", "PreExecutionEnd", "Stop"])
def test_git_built_ins_are_refused_where_something_may_still_be_blocked(project: Project, event: str) -> None:
    prepare(project, **{event: [COMMIT]})
    project.commit()
    model = project.script(write("a.txt"), {"text": "ok"})
    assert project("issues", "run", "1", "--model", model).returncode == 1  # a guard that cannot run
    assert project("issues", "run", "1", "--untrusted", "skip", "--model", model).returncode == 0
    assert project.git("rev-list", "--count", "HEAD") == "1"


def test_commit_hooks_see_the_commit_and_can_block_it(project: Project) -> None:
    """PreGitCommit gets message and files and may block; PostGitCommit gets the hash."""
    record = {"type": "command", "command": 'cat >> "$HOME/commits.jsonl"; echo >> "$HOME/commits.jsonl"'}
    guard = shell("[ ! -e secret.txt ] || { echo a secret >&2; exit 2; }")
    project.create("One", "Two")
    project.configure(
        {"PostExecutionEnd": [COMMIT], "PreGitCommit": [record, guard], "PostGitCommit": [record]}
    )
    project.commit()
    model = project.script(write("a.txt"), {"text": "ok"}, write("secret.txt"), {"text": "ok"})
    done = project("issues", "run", "--all", "--model", model)
    assert (done.returncode, "the commit was blocked: a secret" in done.stderr) == (0, True), done.stderr
    told = [json.loads(line) for line in (project.home / "commits.jsonl").read_text().split("\n") if line]
    assert [entry["eventName"] for entry in told] == ["PreGitCommit", "PostGitCommit", "PreGitCommit"]
    assert told[0]["message"] == "Complete issue #1: One"
    assert "a.txt" in told[0]["stagedFiles"]
    assert project.git("rev-parse", "--short", "HEAD") == told[1]["commitHash"]
    assert project.git("log", "--format=%s").splitlines() == ["Complete issue #1: One", "first"]
