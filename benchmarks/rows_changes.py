"""Row 8: what changed among 100,000 files, ours against `git status`; row 10: loading hook configs with places.

python -m benchmarks.rows_changes [FILES]
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}


def make_tree(root: Path, files: int) -> None:
    """A committed tree of folders with 100 files each; then 5 edits, 2 new files and ignored ones."""
    for number in range(files):
        folder = root / f"src/part{number // 5000:03d}/module{number // 100 % 50:02d}"
        if number % 100 == 0:
            folder.mkdir(parents=True)
        (folder / f"file_{number % 100:03d}.py").write_text(f"value = {number}\n")
    (root / ".gitignore").write_text("*.log\n")
    run_git(root, "init", "--quiet")
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


def milliseconds(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = work()
    return (time.perf_counter() - start) * 1000, found


def change_row(files: int = 100_000, rounds: int = 7) -> dict[str, Any]:
    """Medians of rounds in which every variant ran once; fails when an answer is wrong."""
    from hookline.system.changes import detect
    from hookline.system.loop import run

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        root.mkdir()
        make_tree(root, files)
        times: dict[str, list[float]] = {"git_status": [], "cold": [], "warm": []}
        for _ in range(rounds):
            spent, listed = milliseconds(
                lambda: run_git(root, "--no-optional-locks", "status", "--porcelain=v2", "-z", "-uall")
            )
            times["git_status"].append(spent)
            assert listed.count(b"\0") == 7
            spent, (found, snapshot) = milliseconds(lambda: run(detect(str(root))))
            times["cold"].append(spent)
            assert len(found.changed) == 7, found
            (root / "src/new0.py").write_text(f"{spent}\n")
            spent, (found, _) = milliseconds(lambda before=snapshot: run(detect(str(root), before)))
            times["warm"].append(spent)
            assert found.changed == ("src/new0.py",), found
        times["watched"] = asyncio.run(watched(root, rounds))
    row: dict[str, Any] = {f"{name}_ms": round(median(each), 1) for name, each in times.items()}
    row["cold_to_git_status"] = round(row["cold_ms"] / row["git_status_ms"], 2)
    return {"files": files, **row, "load": os.getloadavg()[0]}


async def watched(root: Path, rounds: int) -> list[float]:
    """Milliseconds from a write to the exact set of changes, by a watcher that follows the tree."""
    from hookline.system.watching import Watcher

    watcher = Watcher(str(root))
    await watcher.start()
    taken = []
    for number in range(rounds):
        name = f"src/new{number % 2}.py"
        start = time.perf_counter()
        (root / name).write_text(f"{number} {start}\n")
        found = await watcher.changed()
        taken.append((time.perf_counter() - start) * 1000)
        assert found.changed == (name,), found
    assert watcher.full_scans == 1
    await watcher.close()
    return taken


def reading_row(hooks: int = 250) -> dict[str, float]:
    """Milliseconds to read `hooks` hooks with a place for every value, and the bare parser's."""
    import tomllib

    import tomlkit
    import yaml

    from hookline.dialects.reading import parse_json, parse_toml, parse_yaml

    hook = {"type": "command", "command": 'scripts/check.sh --flag "$CLAUDE_PROJECT_DIR"', "timeout": 5000}
    config = {"hooks": {"PreToolUse": [{"matcher": "Write|Edit", "hooks": [hook]} for _ in range(hooks)]}}
    as_json, as_yaml, as_toml = json.dumps(config, indent=2), yaml.safe_dump(config), tomlkit.dumps(config)
    variants: dict[str, Callable[[], object]] = {
        "json": lambda: parse_json(as_json, ""),
        "json_alone": lambda: json.loads(as_json),
        "yaml": lambda: parse_yaml(as_yaml, ""),
        "yaml_alone": lambda: yaml.load(as_yaml, Loader=yaml.CSafeLoader),
        "toml": lambda: parse_toml(as_toml, ""),
        "toml_alone": lambda: tomllib.loads(as_toml),
    }
    best = {name: min(milliseconds(work)[0] for _ in range(15)) for name, work in variants.items()}
    ours = sum(spent for name, spent in best.items() if not name.endswith("_alone"))
    alone = sum(spent for name, spent in best.items() if name.endswith("_alone"))
    return {**{name: round(spent, 2) for name, spent in best.items()}, "ratio": round(ours / alone, 2)}


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    print(json.dumps({"what changed": change_row(count), "reading": reading_row()}, indent=2))
