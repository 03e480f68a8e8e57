"""Whatever happens between two looks, every way of looking says what reading all files before and after says."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.repositories import Repository, shield

from hookline.system.workspace.changes import Changes, Snapshot, changed_since, dirty_files, scan
from hookline.system.workspace.snapshots import load_snapshot, save_snapshot
from hookline.system.workspace.watching import Watcher

Files = dict[str, tuple[int, bytes]]
NAMES = [f"{folder}{name}" for folder in ("", "src/", "src/deep/", "out/") for name in ("a", "b c", "d.log")]
OLD = 1_000_000_000_000_000_000


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    shield(monkeypatch, tmp_path)
    inner = Repository(tmp_path / "inner")
    inner.write("i.txt")
    inner.commit()
    made = Repository(tmp_path / "work")
    made.write(".gitignore", "*.log\nout/\n")
    for name in ("a", "src/a", "src/b c", "src/deep/a", "src/deep/é"):
        made.write(name, f"{name}\n")
    made.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "mod")
    made.commit()
    made.git("branch", "side")
    return made


def all_files(repository: Repository) -> Files:
    """Kind and content of every file that git tracks or would track, read without any memory."""
    listed = subprocess.run(
        ["git", "ls-files", "-c", "-o", "--exclude-standard", "-z"], cwd=repository.path,
        capture_output=True, check=True,
    ).stdout  # fmt: skip
    found = {}
    for name in map(os.fsdecode, listed.split(b"\0")[:-1]):
        path = repository.path / name
        if not os.path.lexists(path) or any(folder.is_symlink() for folder in path.parents):
            continue
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            found[name] = (0, os.readlink(path).encode())  # noqa: PTH115 - a link may name anything
        elif stat.S_ISREG(mode):
            found[name] = (1 + bool(mode & 0o100), path.read_bytes())
    return found


def expected(repository: Repository, before: Files, after: Files) -> tuple[set[str], set[str]]:
    gone = {name for name in before.keys() - after.keys() if not is_file(repository.path / name)}
    return {name for name, state in after.items() if before.get(name) != state}, gone


def is_file(path: Path) -> bool:
    return not any(folder.is_symlink() for folder in path.parents) and (path.is_symlink() or path.is_file())


def status(repository: Repository) -> set[str]:
    lines = subprocess.run(
        ["git", "status", "--porcelain", "-z", "-uall", "--no-renames", "--ignore-submodules=all"],
        cwd=repository.path, capture_output=True, check=True,
    ).stdout.split(b"\0")[:-1]  # fmt: skip
    return {os.fsdecode(line[3:]) for line in lines}


class Hand:
    """Does one random thing after the other to a repository."""

    def __init__(self, repository: Repository, seed: int) -> None:
        self.repository = repository
        self.chance = random.Random(seed)

    def act(self) -> None:
        deeds: list[Callable[[], None]] = [
            self.write, self.write, self.rewrite_secretly, self.touch, self.remove, self.move, self.flip,
            self.link, self.stage, self.commit, self.stash, self.change_branch, self.unstage,
            self.drop_folder, self.disturb_submodule, self.refresh, self.hide,
        ]  # fmt: skip
        self.chance.choice(deeds)()

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.repository.path, capture_output=True, check=False)

    def some(self) -> Path:
        return self.repository.path / self.chance.choice(NAMES)

    def some_file(self) -> Path | None:
        tracked = [path for path in map(self.repository.path.joinpath, NAMES) if is_file(path)]
        return self.chance.choice(tracked) if tracked else None

    def write(self) -> None:
        path = self.some()
        for folder in (path.parent, path.parent.parent):
            if folder.is_symlink() or folder.is_file():
                folder.unlink()
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.chance.choice(("x\n", "y\n", "", "longer\n")))

    def rewrite_secretly(self) -> None:
        """The same size, in place, with its time put back."""
        if (path := self.some_file()) is not None and not path.is_symlink():
            seen = path.stat()
            path.write_bytes(bytes(byte ^ 1 for byte in path.read_bytes()))
            os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))

    def touch(self) -> None:
        if (path := self.some_file()) is not None:
            os.utime(path, ns=(OLD, self.chance.choice((OLD, 2 * OLD))), follow_symlinks=False)

    def remove(self) -> None:
        if (path := self.some_file()) is not None:
            path.unlink()

    def move(self) -> None:
        path, target = self.some_file(), self.some()
        if path is not None and target.parent.is_dir() and not target.is_dir():
            path.replace(target)

    def flip(self) -> None:
        if (path := self.some_file()) is not None and not path.is_symlink():
            path.chmod(path.stat().st_mode ^ 0o111)

    def link(self) -> None:
        if (path := self.some_file()) is not None:
            path.unlink()
            path.symlink_to(self.chance.choice(("a", "nowhere")))

    def stage(self) -> None:
        self.git("add", "--", str(self.some()))

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=more")

    def stash(self) -> None:
        self.git("stash", "--include-untracked")
        if self.chance.random() < 0.5:
            self.git("stash", "pop")

    def change_branch(self) -> None:
        self.git("checkout", "--quiet", self.chance.choice(("main", "side")))

    def unstage(self) -> None:
        self.git("rm", "--quiet", "--cached", "--", str(self.some()))

    def drop_folder(self) -> None:
        if (folder := self.some().parent) != self.repository.path and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)

    def disturb_submodule(self) -> None:
        if (self.repository.path / "mod" / ".git").exists():
            (self.repository.path / "mod" / "i.txt").write_text(self.chance.choice("12"))

    def refresh(self) -> None:
        self.git("status")

    def hide(self) -> None:
        flag = self.chance.choice(("--assume-unchanged", "--no-assume-unchanged", "--intent-to-add"))
        name = str(self.some())
        self.git(*(["add", flag] if flag == "--intent-to-add" else ["update-index", flag]), "--", name)


def told(changes: Changes) -> tuple[set[str], set[str]]:
    return set(changes.changed), set(changes.deleted)


@pytest.mark.parametrize("seed", range(10))
def test_every_way_of_looking_tells_exactly_what_changed(
    repository: Repository, tmp_path: Path, seed: int
) -> None:
    hand = Hand(repository, seed)

    async def look(known: Snapshot | None) -> Snapshot:
        return await scan(str(repository.path), known)

    async def run() -> None:
        watcher = Watcher(str(repository.path))
        await watcher.start()
        try:
            before, kept, watched = all_files(repository), await look(None), await watcher.scan()
            for _ in range(5):
                save_snapshot(tmp_path / "kept", kept)
                for _ in range(hand.chance.randrange(1, 6)):
                    hand.act()
                watched, watched_before = await watcher.scan(), watched
                fresh, current, stored = await look(None), await look(kept), load_snapshot(tmp_path / "kept")
                assert stored is not None
                after = all_files(repository)
                truth = expected(repository, before, after)
                assert told(changed_since(kept, current)) == truth, "with the last snapshot at hand"
                assert told(changed_since(stored, await look(stored))) == truth, "with the stored snapshot"
                assert told(changed_since(kept, fresh)) == truth, "with no help for the look"
                assert told(changed_since(watched_before, watched)) == truth, "watched"
                dirty = dirty_files(watched)
                assert told(dirty) == told(dirty_files(fresh)) == told(dirty_files(current))
                for snapshot in (fresh, current, watched):
                    assert set(map(os.fsdecode, snapshot.paths())) == after.keys()
                before, kept = after, current
        finally:
            await watcher.close()

    asyncio.run(run())
    hidden = subprocess.run(["git", "ls-files", "-v"], cwd=repository.path, capture_output=True, check=True)
    if not any(line[:1].islower() for line in hidden.stdout.splitlines()):
        first = dirty_files(asyncio.run(look(None)))
        there = {name for name in status(repository) if is_file(repository.path / name)}
        assert set(first.changed) == there
