"""`hookline demo`: a whole turn with hooks of five dialects, as a person would start it."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.test_past import on_terminal
from tests.program import Program
from tests.waiting import DEADLINE_S

PATH_WITHOUT = ":".join(
    folder for folder in os.environ["PATH"].split(":") if shutil.which("hookline", path=folder) is None
)
NO_NETWORK = ["unshare", "--net", *(() if os.geteuid() == 0 else ("--map-root-user",))]


@functools.cache
def cannot_part_from_the_network() -> bool:
    try:
        return subprocess.run([*NO_NETWORK, "true"], capture_output=True).returncode != 0
    except OSError:
        return True


def play(program: Program, tmp_path: Path) -> tuple[str, Path]:
    """What the demo prints, and its project; without a network where the system can take it away."""
    temporary = tmp_path / "t m p"
    temporary.mkdir()
    alone = [] if cannot_part_from_the_network() else NO_NETWORK
    done = subprocess.run(
        [*alone, sys.executable, "-m", "hookline", "demo"],
        capture_output=True, text=True, cwd=program.workspace, timeout=DEADLINE_S,
        env={**program.environment, "TMPDIR": str(temporary), "HOOKLINE_TRUST": ""},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    (root,) = temporary.glob("hookline-demo-*")
    return done.stdout, root / "greeter"


def in_order(text: str, *parts: str) -> bool:
    place = 0
    for part in parts:
        place = text.find(part, place)
        if place < 0:
            raise AssertionError(f"{part!r} does not come in its turn in:\n{text}")
    return True


def test_the_demo_plays_a_turn_in_which_every_dialect_has_its_say(program: Program, tmp_path: Path) -> None:
    """A cocode guard, a GenCode formatter, a Discobot file hook, an AutoAgent validation, an iteratr pipe."""
    shown, project = play(program, tmp_path)
    assert in_order(
        shown,
        "✓ SessionStart: Check the tools",
        "⊘ PreToolUse: no-forced-deletes",
        "refusing to run 'rm -rf build'",
        "✓ PostToolUse: format",
        "✗ FilesChanged: Docstrings",
        "function greet has no docstring",
        '[Discobot Hook Failed] "Docstrings"',
        "✓ FilesChanged: Docstrings",
        "⊘ PreExecutionEnd: sh .autoagent/validate.sh",
        "does not answer 'Hello, Ada!'",
        "✓ PreExecutionEnd: sh .autoagent/validate.sh",
        "✓ PostIteration:",
        "Nothing: the lint has no findings.",
    )
    assert (project / "greet.py").read_text() == (
        'def greet(name):\n    """A greeting for `name`."""\n    return f"Hello, {name}!"\n'
    )
    assert not (project / "build").exists()


def test_the_demo_ends_with_a_table_of_what_ran_and_where_to_look_next(
    program: Program, tmp_path: Path
) -> None:
    shown, project = play(program, tmp_path)
    rows = shown.partition("what ran\n")[2]
    for row in (
        r"⊘  no-forced-deletes +cocode:PreToolUse +~/\.config/cocode/hooks\.toml:1 +.* +deny\n +refusing to run",
        r"✗  Docstrings +discobot:file +\.discobot/hooks/docstrings\.sh:1 +.* +re-prompt\n +greet\.py:1:",
        r"✓  python3 tools/lint.py .* +iteratr:post_iteration +\.iteratr\.hooks\.yml:4 +.* +context\n",
    ):
        assert re.search(row, rows), row
    assert "12 hook runs" in rows
    assert f"where to look next:\n  cd '{project}'\n" in rows


def test_the_demo_plays_to_its_end_on_a_narrow_terminal(program: Program) -> None:
    """Where the table has no room, each run is a few lines."""
    program.environment.update(HOOKLINE_TRUST="", TMPDIR=str(program.home))
    lines = on_terminal(program, 40, "demo")
    rows = lines[lines.index("what ran") :]
    assert sum(line.startswith("  hook ") for line in rows) == 12
    assert any("refusing to run" in line for line in rows)
    ran = next(place for place, line in enumerate(lines) if line.startswith("12 hook runs in "))
    said = [line.rpartition("\033[K")[2] for line in lines[:ran]]
    assert not [line for line in said if len(line) > 40 and " " in line.strip()]


@pytest.mark.parametrize("installed", [True, False])
def test_what_the_demo_says_to_try_next_works(program: Program, tmp_path: Path, installed: bool) -> None:
    """Also from a clone, where no PATH leads to the program, and below a folder whose name has a blank."""
    tools = tmp_path / "bin"
    tools.mkdir()
    if installed:
        (tools / "hookline").write_text(f'#!/bin/sh\nexec {sys.executable} -m hookline "$@"\n')
        (tools / "hookline").chmod(0o755)
    program.environment["PATH"] = f"{tools}:{PATH_WITHOUT}"
    shown, _project = play(program, tmp_path)
    lines = [line.strip() for line in shown.partition("where to look next:\n")[2].splitlines()]
    wanted = [line.partition("          ")[0] for line in lines[: lines.index("in your own project:")]]
    assert ("PATH=" in shown) is not installed
    done = subprocess.run(
        ("sh", "-e"),
        input="\n".join(wanted),
        env=program.environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert in_order(done.stdout, "PreToolUse", "deny", "no-forced-deletes", "would run")


def test_the_demo_leaves_the_users_own_home_alone(program: Program, tmp_path: Path) -> None:
    play(program, tmp_path)
    assert list(program.home.iterdir()) == []


def test_without_git_the_demo_says_what_it_needs(program: Program, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "sh").symlink_to("/bin/sh")
    done = program("demo", environment={"PATH": str(tools), "TMPDIR": str(tmp_path)})
    assert done.returncode == 1
    assert "the demo needs git on PATH" in done.stderr
    assert list(tmp_path.glob("hookline-demo-*")) == []


GUARD = (
    '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]}]}}'
)


def test_here_plays_on_a_copy_with_the_hooks_found_in_it(program: Program, tmp_path: Path) -> None:
    """Also hooks that git ignores come along; the project itself is not touched."""
    program.write("src/main.py", "print('hi')\n")
    program.write(".gitignore", ".gen/\n")
    program.write(".gen/settings.json", GUARD)
    before = sorted(str(path) for path in program.workspace.rglob("*") if ".git/" not in str(path))
    done = program("demo", "--here", environment={"TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert in_order(
        done.stdout, "Bash     rm -rf", "⊘ PreToolUse: exit 2", "src/hookline_demo_main.py is written"
    )
    assert in_order(done.stdout, "what ran", "gencode:PreToolUse", "nothing there was touched")
    assert sorted(str(path) for path in program.workspace.rglob("*") if ".git/" not in str(path)) == before


def test_here_runs_no_hook_that_nobody_trusts(program: Program, tmp_path: Path) -> None:
    program.write(".gen/settings.json", GUARD)
    done = program("demo", "--here", environment={"TMPDIR": str(tmp_path), "HOOKLINE_TRUST": ""})
    assert done.returncode == 0, done.stderr
    assert "1 hook will not run until you `hookline trust` them: gencode:PreToolUse:" in done.stderr
    assert "no hook had anything to do" in done.stdout
