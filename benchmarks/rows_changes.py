"""What changed among 100,000 files: a look from cold against `git status`, and a watcher against the clock.

Rows as in `rows_process`: every round runs all variants in turn, and answers are checked.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from hookline.system.loops.loop import run
from hookline.system.workspace.changes import Snapshot, changed_since, scan

from .rows_engine import compared
from .rows_process import Measure, Row, quick_third

FILES = 100_000
WATCHED_MS = 5.0
ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
STATUS = ("--no-optional-locks", "status", "--porcelain=v2", "-z", "-uall")


def row8(files: int = FILES, rounds: int = 15) -> list[Row]:
    """Edited and new files found with nothing known, with a snapshot, and while watching."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        root.mkdir()
        make_tree(root, files)
        return [_cold(root, files, rounds), *asyncio.run(_watched(root, files, rounds))]


def make_tree(root: Path, files: int) -> None:
    """A committed tree of folders with 100 files each; then 5 edits, 2 new files and ignored ones."""
    for number in range(files):
        folder = root / f"src/part{number // 5000:03d}/module{number // 100 % 50:02d}"
        if number % 100 == 0:
            folder.mkdir(parents=True)
        (folder / f"file_{number % 100:03d}.py").write_text(f"value = {number}\n")
    (root / ".gitignore").write_text("*.log\n")
    run_git(root, "init", "--quiet")
    run_git(root, "config", "gc.auto", "0")
    run_git(root, "add", "--all")
    run_git(root, "-c", "user.name=n", "-c", "user.email=e@localhost", "commit", "--quiet", "--message=all")
    time.sleep(1.1)  # so that git's index is older than the edits, as it mostly is
    run_git(root, "status")
    for number in range(5):
        (root / f"src/part000/module00/file_{number:03d}.py").write_text("edited\n")
    for number in range(2):
        (root / f"src/new{number}.py").write_text("new\n")
    for number in range(files // 10):
        (root / f"src/part000/module00/noise{number}.log").write_text("")


def run_git(root: Path, *arguments: str) -> bytes:
    done = subprocess.run(["git", *arguments], cwd=root, env=ENVIRONMENT, capture_output=True, check=True)
    return done.stdout


def _cold(root: Path, files: int, rounds: int) -> Row:
    known: list[Snapshot] = []

    def status() -> None:
        assert run_git(root, *STATUS).count(b"\0") == 7

    def cold() -> None:
        snapshot = run(scan(str(root)))
        found = changed_since(None, snapshot)
        assert len(found.changed) == 7, found
        known[:] = [snapshot]

    def warm() -> None:
        found = changed_since(known[0], run(scan(str(root), known[0])))
        assert found.changed == ("src/new0.py",), found

    def write_and_look() -> float:
        (root / "src/new0.py").write_text(f"{time.time_ns()}\n")
        return timed(warm)

    variants: dict[str, Measure] = {
        "limit": lambda: timed(status),
        "hookline": lambda: timed(cold),
        "hookline with a snapshot": write_and_look,
        "find": lambda: timed(lambda: newer_files(root)),
    }
    note = f"limit: git {' '.join(STATUS)}"
    return compared(f"8 what changed of {files} files", 1.15, variants, rounds, note)


async def _watched(root: Path, files: int, rounds: int) -> list[Row]:
    """From the write to the exact set of changes, by a watcher that follows the tree."""
    try:
        from hookline.system.workspace.watching import Watcher

        watcher = Watcher(str(root))
        await watcher.start()
    except Exception as error:
        note = f"skipped: {error}"
        return [{"name": "8 after a write, watched", "ratio": None, "goal": 1.0, "peers": {}, "note": note}]
    deeds: dict[str, Callable[[Path], object]] = {
        "an edit": lambda path: path.write_text(f"{time.time_ns()}\n"),
        "a new file": lambda path: path.with_name(f"{path.stem}_new.py").write_text("new\n"),
        "a deletion": lambda path: path.unlink(),
    }
    taken: dict[str, list[float]] = {name: [] for name in deeds}
    for number in range(rounds):
        for name, deed in deeds.items():
            path = root / f"src/part000/module01/file_{number % 100:03d}.py"
            began = time.perf_counter()
            deed(path)
            found = await watcher.changed()
            taken[name].append(time.perf_counter() - began)
            assert len((*found.changed, *found.deleted)) == 1, (name, found)
    assert watcher.full_scans == 1
    await watcher.close()
    return [_after(name, files, times) for name, times in taken.items()]


def _after(name: str, files: int, times: list[float]) -> Row:
    spent = median(times) * 1000
    return {
        "name": f"8 after {name} among {files} files, watched", "ratio": round(spent / WATCHED_MS, 2), "goal": 1.0,
        "met": spent <= WATCHED_MS, "quick_ratio": round(quick_third(times) * 1000 / WATCHED_MS, 2),
        "note": f"{spent:.1f} ms; the goal is {WATCHED_MS:g} ms", "load": round(os.getloadavg()[0], 1), "peers": {},
    }  # fmt: skip


def newer_files(root: Path) -> None:
    subprocess.run(["find", root / "src", "-newer", root / ".git/index"], capture_output=True, check=True)


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    for row in row8(int(sys.argv[1]) if len(sys.argv) > 1 else FILES):
        print(row)
