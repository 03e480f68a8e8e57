"""`hookline bench`: rows measured here and now, with their goals."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import benchmarks
from tests.program import Program


def test_a_row_has_its_ratio_and_goal(program: Program) -> None:
    done = program("bench", "7", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode in (0, 1), done.stderr
    assert [row["name"] for row in rows] == [
        "7 dispatch to 0 of 1000 callbacks", "7 dispatch to 10 of 1000 callbacks"
    ]  # fmt: skip
    assert all(row["ratio"] > 0 and row["goal"] > 0 and isinstance(row["met"], bool) for row in rows)


def test_an_unknown_row_is_refused(program: Program) -> None:
    done = program("bench", "99")
    assert (done.returncode, "rows: 1, 2, 3" in done.stderr) == (64, True)


def test_the_guards_are_measured_with_lines_of_ones_own(program: Program) -> None:
    program.write("stop", 'git push --force\n\n{"line": "rm -rf /", "what": "files"}\n{ git push -f; }\n')
    program.write("quiet", "ls\ngit status\n")
    done = program("bench", "guards", "--stop", "stop", "--harmless", "quiet", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["stop"]["lines"], found["stop"]["silent"]) == (0, 3, 0)
    assert (found["harmless"]["lines"], found["harmless"]["silent"]) == (2, 2)
    for name in ("missing", ".git"):
        done = program("bench", "guards", "--stop", name)
        assert done.returncode == 64 and f"`{name}`" in done.stderr and "Traceback" not in done.stderr


def test_no_program_of_the_workspace_is_run(program: Program) -> None:
    """As a compiler or a peer, with `.` or a folder of the workspace in PATH; and what was built is taken away."""
    for place in (".", "bin"):
        for name in ("cc", "gcc", "clang", "git", "node", "sh"):
            program.write(f"{place}/{name}", '#!/bin/sh\n: > "${0%/*}/ran"\nexit 1\n', 0o755)
    path = f".:bin:{program.workspace}/bin:{program.environment['PATH']}"
    temporary = program.home / "temporary"
    temporary.mkdir()
    done = program("bench", "5", environment={"PATH": path, "TMPDIR": str(temporary)}, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    assert list(temporary.iterdir()) == []
    assert not (program.workspace / "ran").exists() and not (program.workspace / "bin/ran").exists()


def test_every_row_loads() -> None:
    """What measures reaches further in than what is public, so a name that is gone there is seen here."""
    for path in sorted(Path(benchmarks.__file__).parent.glob("*.py")):
        importlib.import_module(f"benchmarks.{path.stem}")
