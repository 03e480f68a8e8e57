"""Pre-commit hooks through real commits: `hookline install git` and what git then does."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.program import Program

PASSES = "#!/bin/sh\n#---\n# name: Passes\n# type: pre-commit\n#---\necho fine\n"
BLOCKS = "#!/bin/sh\n#---\n# name: Types\n# type: pre-commit\n#---\necho 'a.py:1: wrong type'\nexit 2\n"
HOOK = ".git/hooks/pre-commit"


class Repository:
    """A git repository whose commits run as a person's would."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.root = program.workspace
        self.git("config", "user.name", "Ada")
        self.git("config", "user.email", "ada@example.org")

    def git(
        self, *arguments: str, cwd: Path | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        environment = {**self.program.environment, "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            ["git", *arguments],
            cwd=cwd or self.root,
            env=environment,
            capture_output=True,
            text=True,
            check=check,
        )

    def hook(self, text: str, name: str = "check.sh") -> None:
        self.program.write(f".discobot/hooks/{name}", text, 0o755)

    def install(self, *more: str) -> subprocess.CompletedProcess[str]:
        return self.program("install", "git", *more)

    def commit(self, cwd: Path | None = None, *more: str) -> subprocess.CompletedProcess[str]:
        folder = cwd or self.root
        (folder / "a.py").write_text(os.urandom(8).hex())
        self.git("add", "a.py", cwd=folder)
        return self.git("commit", "-m", "change", *more, cwd=folder, check=False)

    def status(self) -> dict[str, dict[str, object]]:
        path = self.program.home / ".discobot/default/hooks/status.json"
        found: dict[str, dict[str, object]] = json.loads(path.read_text())["hooks"]
        return found


@pytest.fixture
def repository(program: Program) -> Repository:
    return Repository(program)


def test_a_passing_hook_lets_the_commit_through_and_is_counted(repository: Repository) -> None:
    """Status and log are kept for pre-commit hooks too."""
    repository.hook(PASSES)
    assert repository.install().returncode == 0
    text = (repository.root / HOOK).read_text()
    assert "# discobot:managed\n" in text
    assert (repository.root / HOOK).stat().st_mode & 0o111
    assert repository.commit().returncode == 0
    entry = repository.status()["check"]
    assert (entry["type"], entry["lastResult"], entry["runCount"]) == ("pre-commit", "success", 1)
    assert Path(str(entry["outputPath"])).read_text().startswith("fine")


def test_a_failing_hook_blocks_the_commit_with_its_words(repository: Repository) -> None:
    """Blocked, its output on stderr, later hooks not run."""
    repository.hook(BLOCKS, "1-types.sh")
    repository.hook(PASSES, "2-later.sh")
    repository.install()
    done = repository.commit()
    assert done.returncode != 0
    assert "a.py:1: wrong type" in done.stderr
    assert "pre-commit hook `Types` forbids the commit (exit status 2)" in done.stderr
    assert set(repository.status()) == {"1-types"}
    assert repository.git("log", check=False).returncode != 0
    assert repository.commit(None, "--no-verify").returncode == 0


def test_an_existing_hook_is_kept_and_runs_first(repository: Repository) -> None:
    """An original that fails blocks with its own status, and ours do not run."""
    original = b"#!/bin/sh\n# odd bytes \xff kept\ntest -f allow || { echo original says no >&2; exit 1; }\n"
    path = repository.root / HOOK
    path.write_bytes(original)
    path.chmod(0o750)
    repository.hook(PASSES)
    repository.install()
    kept = repository.root / ".git/hooks/pre-commit.original"
    assert kept.read_bytes() == original
    assert "original says no" in repository.commit().stderr
    assert not (repository.program.home / ".discobot/default/hooks/status.json").exists()
    (repository.root / "allow").touch()
    assert repository.commit().returncode == 0
    assert "check" in repository.status()
    repository.program("uninstall", "git")
    assert path.read_bytes() == original
    assert path.stat().st_mode & 0o777 == 0o750
    assert not kept.exists()


def test_a_second_foreign_hook_gets_a_number_and_both_run(repository: Repository) -> None:
    """The first original is never overwritten."""
    path = repository.root / HOOK
    for number in (1, 2):
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\necho original {number} >> ran\n")
        path.chmod(0o755)
        repository.install()
    repository.install()
    assert (repository.root / ".git/hooks/pre-commit.original").read_text().endswith("original 1 >> ran\n")
    assert (repository.root / ".git/hooks/pre-commit.original.1").read_text().endswith("original 2 >> ran\n")
    assert not (repository.root / ".git/hooks/pre-commit.original.2").exists()
    assert repository.commit().returncode == 0
    assert (repository.root / "ran").read_text() == "original 1\noriginal 2\n"


def test_an_original_that_is_not_executable_is_skipped_with_a_notice(repository: Repository) -> None:
    """Git ignored it, and so do we, but we say so."""
    (repository.root / HOOK).write_text("exit 1\n")
    (repository.root / HOOK).chmod(0o644)
    assert "not executable" in repository.install().stderr
    done = repository.commit()
    assert done.returncode == 0
    assert "is not executable and was not run" in done.stderr


def test_installing_twice_changes_nothing(repository: Repository) -> None:
    repository.install()
    before = (repository.root / HOOK).read_bytes()
    assert "installed already" in repository.install().stderr
    assert (repository.root / HOOK).read_bytes() == before
    assert repository.program("install", "git", "--dry-run").stdout == ""


def test_a_dry_run_prints_the_change_and_makes_none(repository: Repository) -> None:
    done = repository.install("--dry-run")
    assert (done.returncode, "+# discobot:managed" in done.stdout) == (0, True)
    assert not (repository.root / HOOK).exists()


def test_hooks_path_of_the_repository_is_where_the_hook_goes(repository: Repository) -> None:
    """Git ignores .git/hooks then."""
    repository.git("config", "core.hooksPath", "tools/git hooks")
    repository.hook(BLOCKS)
    assert repository.install().returncode == 0
    assert (repository.root / "tools/git hooks/pre-commit").exists()
    assert "wrong type" in repository.commit().stderr


def test_husky_keeps_its_stubs_and_gets_a_block_of_ours(repository: Repository) -> None:
    """Husky's own folder is made anew by husky, so our line goes into the user's file."""
    stub = '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n'
    find = 'n=$(basename "$0")\ns=$(dirname "$(dirname "$0")")/$n\n'
    runner = f'#!/usr/bin/env sh\n{find}[ -f "$s" ] && exec sh -e "$s"\n'
    repository.program.write(".husky/_/pre-commit", stub, 0o755)
    repository.program.write(".husky/_/h", runner, 0o755)
    user = repository.program.write(".husky/pre-commit", "")
    user.write_bytes(own := b"echo husky >> ran # caf\xe9\n")
    repository.git("config", "core.hooksPath", ".husky/_")
    repository.hook(BLOCKS)
    assert repository.install().returncode == 0
    assert (repository.root / ".husky/_/pre-commit").read_text() == stub
    assert "wrong type" in repository.commit().stderr
    assert (repository.root / "ran").read_text() == "husky\n"
    repository.install()
    assert user.read_bytes().count(b">>> hookline") == 1
    repository.program("uninstall", "git")
    assert user.read_bytes() == own
    user.unlink()
    os.mkfifo(user)
    assert "is a named pipe, not a file" in repository.install().stderr
    assert user.is_fifo()


def test_every_worktree_runs_its_own_hooks(repository: Repository) -> None:
    """`.git` is a file there, and the hooks folder is shared."""
    repository.hook(PASSES)
    repository.git("add", "-A")
    repository.git("commit", "-qm", "first", "--no-verify")
    tree = repository.root.parent / "second tree"
    repository.git("worktree", "add", "-q", str(tree), "-b", "second")
    (tree / ".discobot/hooks/check.sh").write_text(BLOCKS)
    done = repository.program("install", "git", cwd=tree)
    assert done.returncode == 0, done.stderr
    assert (repository.root / HOOK).exists()
    assert repository.commit().returncode == 0
    assert "wrong type" in repository.commit(tree).stderr


def test_a_hook_that_makes_its_own_repository_leaves_the_outer_index_alone(repository: Repository) -> None:
    """From a linked worktree git exports GIT_DIR; `git_env: false` keeps it from the hook's own git."""
    own = repository.root.parent / "own"
    own.mkdir()
    body = f'cd "{own}" && git init -q && echo x > inner && git add inner &&'
    commit = "git -c user.name=x -c user.email=x@y commit -qm inner --no-verify\n"
    front = "#!/bin/sh\n#---\n# type: pre-commit\n# git_env: false\n#---\n"
    repository.hook(front + f"{body} {commit}")
    repository.git("add", "-A")
    repository.git("commit", "-qm", "first", "--no-verify")
    tree = repository.root.parent / "linked"
    repository.git("worktree", "add", "-q", str(tree), "-b", "linked")
    repository.install()
    assert repository.commit(tree).returncode == 0
    files = repository.git("ls-tree", "-r", "--name-only", "HEAD", cwd=tree).stdout.split()
    assert files == [".discobot/hooks/check.sh", "a.py"]


def test_hooks_see_git_s_variables_and_what_is_staged(repository: Repository) -> None:
    """Type, session, workspace and the staged list; `GIT_INDEX_FILE` as githooks(5) promises."""
    front = "#!/bin/sh\n#---\n# type: pre-commit\n#---\n"
    names = ("DISCOBOT_HOOK_TYPE", "DISCOBOT_SESSION_ID", "DISCOBOT_STAGED_FILES", "GIT_INDEX_FILE")
    body = 'printf "%s|" ' + " ".join(f'"${name}"' for name in names) + "\n"
    repository.hook(front + body)
    repository.install()
    assert repository.commit().returncode == 0
    log = Path(str(repository.status()["check"]["outputPath"])).read_text()
    assert log.startswith("pre-commit|default|a.py|") and log.split("|")[3].strip()


def test_a_workspace_below_the_repository_root_runs_its_own_hooks(repository: Repository) -> None:
    """Any folder name, quoted safely."""
    name = 'it\'s $(touch PWNED) "x"'
    folder = repository.root / name
    (folder / ".discobot/hooks").mkdir(parents=True)
    (folder / ".discobot/hooks/check.sh").write_text(BLOCKS)
    (folder / ".discobot/hooks/check.sh").chmod(0o755)
    done = repository.program("install", "git", "--workspace", str(folder))
    assert done.returncode == 0, done.stderr
    assert "wrong type" in repository.commit().stderr
    assert list(repository.root.rglob("PWNED")) == []


def test_our_own_trouble_is_said_and_blocks_no_commit(repository: Repository) -> None:
    """A missing program, and a status that cannot be written."""
    repository.hook(PASSES)
    repository.install()
    home = repository.program.home
    (home / ".discobot").write_text("in the way")
    done = repository.commit()
    assert (done.returncode, "is not kept" in done.stderr) == (0, True)
    path = repository.root / HOOK
    text = path.read_text().replace("from hookline.", "from hookline_is_gone.")
    path.write_text(text.replace("/hookline-bridge", "/hookline-bridge-is-gone"))
    done = repository.commit()
    assert (done.returncode, "the commit goes on" in done.stderr) == (0, True)


def test_a_budget_bounds_commits_though_our_own_hooks_are_not_called(
    repository: Repository,
) -> None:
    """Only Discobot's hooks run at a commit, but `[budget]` is about every event."""
    repository.program.write(
        ".hookline/hooks.toml",
        '[budget]\nPreCommit = "300ms"\n[[hooks]]\nevent = "PreCommit"\nrun = "touch called"\n',
    )
    repository.hook("#!/bin/sh\n#---\n# name: Slow\n# type: pre-commit\n#---\nexec sleep 60\n")
    repository.install()
    done = repository.commit()
    assert "pre-commit hook `Slow` forbids the commit (killed at its time limit" in done.stderr
    assert not (repository.root / "called").exists()


def test_an_untrusted_hook_does_not_run_and_is_named(repository: Repository) -> None:
    repository.hook(BLOCKS)
    repository.install()
    repository.program.environment["HOOKLINE_TRUST"] = ""
    done = repository.commit()
    assert (done.returncode, "trust" in done.stderr) == (0, True)


def test_a_commit_that_a_strict_workspace_forbids_is_told_why(repository: Repository) -> None:
    repository.hook("#!/bin/sh\n#---\n# name: keep\n# typ: pre-commit\n#---\nexit 1\n")
    repository.install()
    done = repository.commit()
    assert (done.returncode, "guard `check` never runs" in done.stderr) == (0, True)
    assert repository.program("trust", "--strict").returncode == 0
    done = repository.commit()
    assert done.returncode != 0
    assert "the commit is forbidden: strict workspace: guard `check` did not decide" in done.stderr


def test_when_all_hooks_are_gone_commits_still_work(repository: Repository) -> None:
    repository.hook(PASSES)
    repository.install()
    (repository.root / ".discobot/hooks/check.sh").unlink()
    assert repository.commit().returncode == 0


@pytest.mark.parametrize("line", ["echo mine\n", "# a note\n"])
@pytest.mark.parametrize("again", ["install", "uninstall"])
def test_lines_added_to_our_hook_by_hand_are_kept(repository: Repository, again: str, line: str) -> None:
    repository.install()
    made = (repository.root / HOOK).read_text()
    edited = made.replace("status=$?", line + "status=$?")
    (repository.root / HOOK).write_text(edited)
    assert "pre-commit.edited" in repository.program(again, "git").stderr
    assert (repository.root / f"{HOOK}.edited").read_text() == edited
    assert (repository.root / HOOK).exists() == (again == "install")
    repository.program("uninstall", "git")
    assert not (repository.root / HOOK).exists()
    assert not (repository.root / f"{HOOK}.edited.1").exists()


def test_outside_a_repository_install_says_so(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    done = program("install", "git", "--workspace", str(folder))
    assert (done.returncode, "no git repository" in done.stderr) == (1, True)


# Ends the process the hard way before its n-th change of names in a hooks folder.
KILLED = """
import os, signal, sys
left = int(sys.argv.pop(1))
def look(event, arguments):
    global left
    if event in ("os.rename", "os.link", "os.remove") and "/hooks/pre-commit" in str(arguments[0]) + str(arguments[1]):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(look)
from hookline.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("linked", [False, True])
def test_an_install_that_is_killed_leaves_the_hook_that_was_there(
    repository: Repository, linked: bool, edited: bool
) -> None:
    """Between two of its steps there was no hook at all, and the user's own guard was gone without a word."""
    hook, own = repository.root / HOOK, "#!/bin/sh\necho mine >&2\nexit 1\n"
    repository.program.write("own" if linked else HOOK, own, 0o755)
    if linked:
        hook.symlink_to(repository.root / "own")

    def names() -> list[str]:
        return sorted(path.name for path in hook.parent.iterdir() if path.suffix not in (".sample", ".tmp"))

    def killed_everywhere(command: str) -> None:
        for step in range(1, 9):
            done = repository.program.python("-c", KILLED, str(step), command, "git")
            assert "mine" in repository.commit().stderr, (command, step, names())
            if done.returncode != -9:
                assert done.returncode == 0 and step > 1, done.stderr
                return
        raise AssertionError("it never came to its end")

    killed_everywhere("install")
    assert names() == ["pre-commit", "pre-commit.original"]
    if edited:
        hook.write_text(hook.read_text() + "# by hand\n")
    killed_everywhere("uninstall")
    assert names() == ["pre-commit", *(["pre-commit.edited"] if edited else [])]
    assert (hook.read_text(), hook.is_symlink()) == (own, linked)
