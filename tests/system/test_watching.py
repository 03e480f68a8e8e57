"""Watching says exactly what a full scan says, and seldom needs one."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.repositories import Repository, shield

from hookline.system.workspace import watching as watching_module
from hookline.system.workspace.changes import Changes, Snapshot, changed_since, scan
from hookline.system.workspace.fingerprints import git_mode
from hookline.system.workspace.watching import Watcher

Work = Callable[[Watcher], Awaitable[None]]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine events may be late, which a full scan would answer."""
    monkeypatch.setattr(watching_module, "COOKIE_WAIT_S", 60.0)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    shield(monkeypatch, tmp_path)
    made = Repository(tmp_path / "work")
    for name in ("a.txt", "src/b.py", "src/deep/c.py", "x y.txt"):
        made.write(name)
    made.write(".gitignore", "*.log\nout/\n")
    made.commit()
    return made


def watching(repository: Repository, work: Work) -> None:
    async def run() -> None:
        watcher = Watcher(str(repository.path))
        await watcher.start()
        try:
            await work(watcher)
        finally:
            await watcher.close()

    asyncio.run(run())


def comparable(snapshot: Snapshot) -> tuple[object, ...]:
    states = {}
    for path in snapshot.paths():
        state = snapshot.state(path)
        assert state is not None, path
        states[path] = (git_mode(state[0][4]), state[1])
    return states, sorted(snapshot.dirty), sorted(snapshot.gone), snapshot.missing, snapshot.head


def test_a_write_a_new_file_and_a_deletion_are_known_without_a_full_scan(repository: Repository) -> None:
    async def work(watcher: Watcher) -> None:
        repository.write("a.txt", "other\n")
        repository.write("src/new.py")
        repository.write("src/noise.log")
        (repository.path / "x y.txt").unlink()
        changes = await watcher.changed()
        assert changes == Changes(("a.txt", "src/new.py"), ("x y.txt",), changes.cutoff_ns)
        assert not await watcher.changed()
        assert watcher.full_scans == 1

    watching(repository, work)


def test_putting_a_file_back_makes_it_clean_again(repository: Repository) -> None:
    async def work(watcher: Watcher) -> None:
        repository.write("a.txt", "other\n")
        assert (await watcher.scan()).dirty == (b"a.txt",)
        repository.write("a.txt", "x\n")
        assert (await watcher.scan()).dirty == ()
        (repository.path / "a.txt").unlink()
        assert (await watcher.scan()).gone == (b"a.txt",)
        repository.write("a.txt", "x\n")
        again = await watcher.scan()
        assert (again.dirty, again.gone, watcher.full_scans) == ((), (), 1)

    watching(repository, work)


def test_folders_that_move_carry_their_files(repository: Repository) -> None:
    async def work(watcher: Watcher) -> None:
        (repository.path / "src").rename(repository.path / "lib")
        changes = await watcher.changed()
        assert changes.changed == ("lib/b.py", "lib/deep/c.py")
        assert changes.deleted == ("src/b.py", "src/deep/c.py")
        shutil.rmtree(repository.path / "lib")
        assert (await watcher.changed()).deleted == ("lib/b.py", "lib/deep/c.py")
        assert watcher.full_scans == 1

    watching(repository, work)


@pytest.mark.parametrize("what", ["commit", "stage", "ignore", "nested"])
def test_what_paths_alone_cannot_tell_is_looked_at_whole(repository: Repository, what: str) -> None:
    async def work(watcher: Watcher) -> None:
        repository.write("src/new.py")
        if what == "commit":
            repository.commit()
        elif what == "stage":
            repository.git("add", "src/new.py")
        elif what == "ignore":
            repository.write(".gitignore", "new.py\n")
        else:
            Repository(repository.path / "inner")
        seen = await watcher.scan()
        assert comparable(seen) == comparable(await scan(str(repository.path)))
        assert watcher.full_scans == 2

    watching(repository, work)


@pytest.mark.parametrize("what", ["commit", "branch", "exclude", "personal", "file mode"])
def test_what_happens_outside_of_a_watched_worktree_is_seen(
    repository: Repository, tmp_path: Path, what: str
) -> None:
    repository.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    beside = tmp_path / "side"

    def git(*arguments: str) -> None:
        repository.git("-C", str(beside), *arguments)

    deeds: dict[str, Callable[[], object]] = {
        "commit": lambda: git("commit", "--quiet", "--all", "--message=more"),
        "branch": lambda: git("symbolic-ref", "HEAD", "refs/heads/none"),
        "exclude": lambda: repository.write(".git/info/exclude", "new*\n"),
        "personal": lambda: repository.write("../.config/git/ignore", "new*\n"),
        "file mode": lambda: git("config", "core.fileMode", "false"),
    }

    async def run() -> None:
        (beside / "new.py").write_text("1")
        watcher = Watcher(str(beside))
        await watcher.start()
        (beside / "a.txt").write_text("other\n")
        await watcher.scan()
        assert watcher.full_scans == 1
        deeds[what]()
        assert comparable(await watcher.scan()) == comparable(await scan(str(beside)))
        assert watcher.full_scans == 2
        await watcher.close()

    asyncio.run(run())


def test_an_ignore_file_above_the_workspace_counts(repository: Repository) -> None:
    async def run() -> None:
        (repository.path / "src" / "new.py").write_text("1")
        watcher = Watcher(str(repository.path / "src"))
        await watcher.start()
        assert b"new.py" in (await watcher.scan()).files
        repository.write(".gitignore", "new.py\n")
        assert b"new.py" not in (await watcher.scan()).files
        assert watcher.full_scans == 2
        await watcher.close()

    asyncio.run(run())


def test_new_files_are_judged_by_the_ignore_rules_alone(repository: Repository) -> None:
    Repository(repository.path / "nested").write("known.py")
    repository.git("add", ".gitignore")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},mod")
    names = [":(top)x.py", "*.py", "a\nb", "-z", " ", "src/!x", "new/deep/er.py"]

    async def work(watcher: Watcher) -> None:
        for name in names:
            repository.write(name)
        for name in ("src/x.log", "out/x", "new/out/y", "nested/new.py", "mod/z"):
            repository.write(name)
        assert set((await watcher.changed()).changed) == set(names)
        assert comparable(await watcher.scan()) == comparable(await scan(str(repository.path)))
        assert watcher.full_scans == 1

    watching(repository, work)


def test_names_that_are_no_text_are_not_lost(repository: Repository) -> None:
    async def work(watcher: Watcher) -> None:
        repository.write(b"odd \xff\n.py")
        repository.write("q\"'$(id) é.py")
        assert len((await watcher.changed()).changed) == 2

    watching(repository, work)


def test_the_commit_checked_out_is_known_without_git(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(watcher: Watcher) -> None:
        first = repository.git("rev-parse", "HEAD").strip()
        with monkeypatch.context() as without_git:
            without_git.setenv("PATH", "/nonexistent")
            assert await watcher.head() == first
        repository.write("a.txt", "other\n")
        repository.commit()
        assert await watcher.head() == repository.git("rev-parse", "HEAD").strip() != first
        repository.git("checkout", "-q", "--detach", first)
        assert await watcher.head() == first

    watching(repository, work)


def test_a_watcher_that_has_not_begun_looks_at_everything(repository: Repository) -> None:
    async def run() -> None:
        watcher = Watcher(str(repository.path))
        before = await watcher.scan()
        repository.write("a.txt", "other\n")
        assert changed_since(before, await watcher.scan()).changed == ("a.txt",)
        assert await watcher.head() == before.head
        await watcher.close()

    asyncio.run(run())


def test_without_a_repository_every_scan_is_a_full_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shield(monkeypatch, tmp_path)
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a").write_text("1")

    async def run() -> None:
        watcher = Watcher(str(folder))
        await watcher.start()
        (folder / "b").write_text("2")
        assert (await watcher.changed()).changed == ("b",)
        await watcher.close()

    asyncio.run(run())


@pytest.mark.parametrize("seed", range(6))
def test_any_sequence_of_changes_ends_as_a_full_scan_sees_it(repository: Repository, seed: int) -> None:
    random_ = random.Random(seed)
    names = [f"{folder}{name}" for folder in ("", "src/", "src/deep/", "new/", "out/") for name in "abcd"]

    def step() -> None:
        name = random_.choice(names)
        path = repository.path / name
        kind = random_.randrange(7)
        if kind < 3:
            if not path.parent.is_dir():
                path.parent.unlink(missing_ok=True)
            if path.is_dir():
                shutil.rmtree(path)
            repository.write(name, random_.choice(("x\n", "y\n", "")))
        elif kind == 3 and path.is_file():
            path.unlink()
        elif kind == 4 and path.is_file():
            path.chmod(random_.choice((0o755, 0o644)))
        elif kind == 5 and path.is_file():
            path.rename(path.with_name(random_.choice("efgh")))
        elif kind == 6 and path.parent != repository.path and path.parent.is_dir():
            shutil.rmtree(path.parent)

    async def work(watcher: Watcher) -> None:
        for _ in range(5):
            for _ in range(random_.randrange(1, 6)):
                step()
            assert comparable(await watcher.scan()) == comparable(await scan(str(repository.path)))
        assert watcher.full_scans == 1

    watching(repository, work)
    assert not os.path.exists(repository.path / ".git/index.lock")  # noqa: PTH110
