"""Whoever only looks at a workspace that nobody has reviewed starts nothing of it, by whichever command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.dialects.test_every_agent import WITH_CONFIG, config_of, config_place, project_file
from tests.program import Program
from tests.repositories import Repository, booby_trap

CALL = json.dumps({"tool_name": "Bash", "tool_input": {"command": "ls"}})
LOOKS = (
    "list --json", "check --strict", "doctor", "explain PreToolUse", "explain Bash ls", "trust", "trust --json",
    "trust --log", "trust requests", "trust request .claude/settings.json", "fire PreToolUse", "fire Stop",
    "fire SessionStart", "fire FilesChanged", "fire PreCommit", "bridge claude --event PreToolUse",
    "bridge codex --event Stop", "bridge cursor --event beforeShellExecution", "history", "stats", "sessions list",
    "attest", "probe --max 1", "test", "packs list", "packs verify", "convert claude hookline",
    "install git --dry-run", "install claude --dry-run", "uninstall claude --dry-run", "init --print", "issues list",
    "issues status", "config get", "task list", "resident status", "get .tool_name",
)  # fmt: skip


@pytest.fixture
def untrusted(program: Program) -> tuple[Program, Path, Path]:
    """A workspace with a hook of every agent, all of git's traps and programs named like those one looks for."""
    proof = program.home / "proof"
    program.environment |= {"HOOKLINE_TRUST": "", "HOOKLINE_RESIDENT": "off"}
    shutil.rmtree(program.workspace / ".git")
    repository = Repository(program.workspace)
    for name in WITH_CONFIG:
        place = config_place(program, name)
        if project_file(name) and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(config_of(name).replace("no shell today", f"no; touch {proof}"))
            place.chmod(0o755 if place.read_text().startswith("#!") else 0o644)
    booby_trap(repository, proof)
    for name in ("git", "sh", "bash", "env", "node"):
        program.write(name, f"#!/bin/sh\ntouch '{proof}'\n", 0o755)
    calls = program.home / "calls"
    program.environment["PATH"] = os.pathsep.join(
        [str(recorder(program.home, calls)), program.environment["PATH"]]
    )
    return program, proof, calls


def recorder(home: Path, calls: Path) -> Path:
    """A folder with a `git` that notes its words and becomes the real one."""
    folder = home / "bin"
    folder.mkdir()
    real = shutil.which("git")
    (folder / "git").write_text(
        f'#!/bin/sh\nprintf "%s " "$@" >> "{calls}"\necho >> "{calls}"\nexec {real} "$@"\n'
    )
    (folder / "git").chmod(0o755)
    return folder


@pytest.mark.parametrize("words", LOOKS)
def test_nothing_of_an_unreviewed_workspace_runs(untrusted: tuple[Program, Path, Path], words: str) -> None:
    program, proof, calls = untrusted
    done = program(*words.split(), stdin=CALL)
    assert done.returncode in (0, 1), done.stderr
    assert not proof.exists(), proof.read_text()
    for line in calls.read_text().splitlines() if calls.exists() else ():
        assert {"--no-optional-locks", "core.fsmonitor=false"} <= set(line.split()), line


def test_the_traps_work(untrusted: tuple[Program, Path, Path]) -> None:
    program, proof, calls = untrusted
    program("fire", "PreToolUse", stdin=CALL, environment={"HOOKLINE_TRUST": "workspace"})
    assert proof.exists()
    proof.unlink()
    subprocess.run(
        ["git", "status"], cwd=program.workspace, env=program.environment, check=True, capture_output=True
    )
    assert (proof.exists(), calls.exists()) == (True, True)
