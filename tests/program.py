"""The program as a real process, as a person would run it."""

from __future__ import annotations

import functools
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests import warm
from tests.waiting import DEADLINE_S

PIPES = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)


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

    def __call__(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """What came of the program with these arguments; `options` as `python` takes them."""
        return self.python("-m", "hookline", *arguments, **options)

    def python(
        self,
        *arguments: str,
        stdin: str | bytes = "",
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        timeout: float = DEADLINE_S,
    ) -> subprocess.CompletedProcess[str]:
        """What came of `-m hookline` or `-c CODE`, with arguments."""
        given = stdin if isinstance(stdin, bytes) else stdin.encode()
        with self._started(arguments, environment, cwd, **PIPES) as process:
            try:
                out, err = process.communicate(given, timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        out, err = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def start(
        self,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        **streams: Any,
    ) -> subprocess.Popen[Any]:
        """The program, left running; `streams` as `subprocess.Popen` takes them."""
        return self._started(("-m", "hookline", *arguments), environment, cwd, **streams)

    def _started(
        self, words: Sequence[str], environment: Mapping[str, str] | None, cwd: Path | None, **streams: Any
    ) -> subprocess.Popen[Any]:
        variables = {**self.environment, **(environment or {})}
        return warm.start(words, variables, cwd=cwd or self.workspace, **streams)

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
    workspace.mkdir()
    for path, content in _repository().items():
        if content is None:
            (workspace / path).mkdir()
        else:
            (workspace / path).write_bytes(content)
    return Program(home, workspace)


@functools.cache
def _repository() -> Mapping[str, bytes | None]:
    """The folders, and the files with their content, of an empty git repository: to make one takes git much longer."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True, env={**os.environ, "HOME": folder})
        found = sorted(path for path in Path(folder).rglob("*") if path.suffix != ".sample")
        return {
            str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in found
        }
