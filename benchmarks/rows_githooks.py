"""Row 11: what a pre-commit hook adds to a commit, ours beside a bare hook and beside other hook managers.

Ours is measured alone, and where the resident process answers it.

Each variant has a repository of its own with the same hook script, and commits one changed file; the script
leaves a line behind, and a commit without that line does not count. `lefthook`, `husky` and `pre-commit` are
measured where they are on PATH. Run `python -m benchmarks.rows_githooks`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from .rows_process import Measure, Row, interleaved, quick_third

SCRIPT = "#!/bin/sh\n#---\n# name: Ran\n# type: pre-commit\n#---\necho ran >> .git/ran\n"
NAME = "commit, one hook: ours / a bare sh hook"
OVER_LEFTHOOK_S = 0.020
LEFTHOOK = "pre-commit:\n  commands:\n    ran:\n      run: .discobot/hooks/ran.sh\n"
PRE_COMMIT = """repos:
- repo: local
  hooks:
  - {id: ran, name: ran, entry: .discobot/hooks/ran.sh, language: system, always_run: true, pass_filenames: false}
"""


class Repository:
    """A repository whose commits are timed; `ran` is how often its hook did."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder / name
        home = folder / f"home of {name}"
        home.mkdir(exist_ok=True)
        self.environment = {
            "HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "b", "GIT_AUTHOR_EMAIL": "b@localhost",
            "GIT_COMMITTER_NAME": "b", "GIT_COMMITTER_EMAIL": "b@localhost",
        }  # fmt: skip
        self.folder.mkdir()
        self.run("git", "init", "-q")
        self.write(".discobot/hooks/ran.sh", SCRIPT)

    def run(self, *command: str) -> str:
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
        return done.stdout

    def write(self, name: str, text: str, mode: int = 0o755) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)

    @property
    def ran(self) -> int:
        path = self.folder / ".git/ran"
        return path.read_text().count("ran") if path.exists() else 0

    def measure(self, runs: int = 1) -> Measure:
        """Seconds of a commit, whose hook must have run that often."""
        count = 0

        def measure() -> float:
            nonlocal count
            count += 1
            (self.folder / "file").write_text(str(count))
            self.run("git", "add", "-A")
            before = self.ran
            began = time.perf_counter()
            self.run("git", "commit", "-q", "-m", "x")
            spent = time.perf_counter() - began
            assert self.ran == before + runs, f"{self.folder.name}: the hook did not run"
            return spent

        return measure


def bare(repository: Repository) -> None:
    repository.write(".git/hooks/pre-commit", SCRIPT)


def hookline(repository: Repository) -> None:
    for command in (("trust", "--yes"), ("install", "git")):
        repository.run(sys.executable, "-I", "-m", "hookline", *command)


def resident(repository: Repository) -> None:
    hookline(repository)
    repository.run(sys.executable, "-I", "-m", "hookline", "resident", "start")


def lefthook(repository: Repository) -> None:
    repository.write("lefthook.yml", LEFTHOOK, 0o644)
    repository.run("lefthook", "install")


def husky(repository: Repository) -> None:
    repository.write("package.json", "{}", 0o644)
    repository.run("husky")
    repository.write(".husky/pre-commit", ".discobot/hooks/ran.sh\n")


def pre_commit(repository: Repository) -> None:
    repository.write(".pre-commit-config.yaml", PRE_COMMIT, 0o644)
    repository.run("pre-commit", "install")


PEERS: dict[str, Callable[[Repository], None]] = {
    "lefthook": lefthook,
    "husky": husky,
    "pre-commit": pre_commit,
}


def row11(rounds: int = 20) -> Row:
    """Whole commits: ours over one with a bare hook; the goal is 20 ms more than lefthook's, where that is."""
    folder = Path(tempfile.mkdtemp(prefix="githooks-"))
    helped = Repository(folder, "resident")
    try:
        without = Repository(folder, "without")
        variants: dict[str, Measure] = {"without": without.measure(runs=0)}
        found = {name: make for name, make in PEERS.items() if shutil.which(name)}
        for name, make in {"limit": bare, "hookline": hookline, "resident": resident, **found}.items():
            repository = helped if name == "resident" else Repository(folder, name)
            make(repository)
            variants[name] = repository.measure()
        return _row(interleaved(variants, rounds))
    finally:
        helped.run(sys.executable, "-I", "-m", "hookline", "resident", "stop")
        shutil.rmtree(folder)


def _row(taken: dict[str, list[float]]) -> Row:
    limit, without = taken["limit"], quick_third(taken["without"])
    added = {who: quick_third(times) - without for who, times in taken.items() if who != "without"}
    ratios = {who: median(a / b for a, b in zip(times, limit, strict=True)) for who, times in taken.items()}
    more = ", ".join(f"{who} {spent * 1000:.1f}" for who, spent in added.items())
    lefthooks = added.get("lefthook")
    return {
        "name": NAME,
        "ratio": round(ratios.pop("hookline"), 2),
        "goal": "lefthook + 20 ms",
        "met": added["hookline"] <= lefthooks + OVER_LEFTHOOK_S if lefthooks is not None else None,
        "quick_ratio": round(quick_third(taken["hookline"]) / quick_third(limit), 2),
        "limit_ms": round(median(limit) * 1000, 3),
        "load": round(os.getloadavg()[0], 1),
        "peers": {who: round(ratio, 2) for who, ratio in ratios.items() if who != "limit"},
        "note": f"ms added to a commit: {more}".replace("limit", "bare hook"),
    }


if __name__ == "__main__":
    print(row11())
