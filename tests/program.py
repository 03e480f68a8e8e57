"""The program as a real process, as a person would run it."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests import warm


class Program:
    """Runs `hookline` as a person would, in its own home and workspace."""

    def __init__(self, home: Path, workspace: Path) -> None:
        self.home = home
        self.workspace = workspace
        self.environment = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            **warm.STARTED_WITH,
            "HOOKLINE_TRUST": "workspace",
        }

    def __call__(
        self,
        *arguments: str,
        stdin: str | bytes = "",
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        timeout: float = 60,
    ) -> subprocess.CompletedProcess[str]:
        given = stdin if isinstance(stdin, bytes) else stdin.encode()
        variables = {**self.environment, **(environment or {})}
        if warm.can_start(variables):
            done = warm.run(arguments, given, cwd or self.workspace, variables, timeout)
        else:
            done = subprocess.run(
                [sys.executable, "-m", "hookline", *arguments],
                input=given,
                capture_output=True,
                cwd=cwd or self.workspace,
                env=variables,
                timeout=timeout,
            )
        out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    def write(self, path: str, text: str, mode: int | None = None) -> Path:
        """A file in the workspace."""
        file = self.workspace / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        if mode is not None:
            file.chmod(mode)
        return file


def steps(
    program: Program, *commands: tuple[str, ...], stdin: str = ""
) -> list[subprocess.CompletedProcess[str]]:
    """What came of commands, one after the other."""
    return [program(*words, stdin=stdin) for words in commands]


def stem(hook_id: str) -> str:
    """`gencode:Stop` of `gencode:Stop:b3f1a9`, whose end says what the hook is."""
    head, _, digest = hook_id.rpartition(":")
    assert len(digest) == 6 and digest[0] in "abcdef", hook_id
    return head


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """`hookline` with an empty home and a git workspace that is trusted."""
    home, workspace = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    shutil.copytree(_repository(), workspace)
    return Program(home, workspace)


@functools.cache
def _repository() -> Path:
    """An empty git repository to copy, as making one takes git ten times as long."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    made = Path(folder.name) / "work"
    subprocess.run(["git", "init", "-q", made], check=True, env={**os.environ, "HOME": folder.name})
    return made
