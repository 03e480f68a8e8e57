"""Real git repositories for tests, shielded from the settings of this machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest


class Repository:
    """A work tree and the git commands a test gives in it."""

    def __init__(self, path: Path, *, commit: bool = True) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "Tester")
        self.git("config", "user.email", "tester@localhost")
        if commit:
            self.git("commit", "--quiet", "--allow-empty", "--message=first")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=self.path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def write(self, name: str | bytes, text: str = "x\n") -> Path:
        path = os.fsencode(self.path) + b"/" + os.fsencode(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120 - names that are not text
        with open(path, "w") as file:
            file.write(text)
        return Path(os.fsdecode(path))

    def commit(self, message: str = "more") -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", f"--message={message}")
        return self.git("rev-parse", "HEAD")


def shield(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """A home of the test's own, and nothing of an outer git call."""
    for name in os.environ:
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def booby_trap(repository: Repository, proof: Path) -> None:
    """Everything by which a repository can make git run its code; each trap adds a line to `proof`."""
    trap = repository.path.parent / "trap.sh"
    trap.write_text(f'#!/bin/sh\necho "$0 $*" >> "{proof}"\ncat\n')
    trap.chmod(0o755)
    repository.write("tracked.txt", "same size 1\n")
    repository.write("plain", "plain\n")
    repository.commit()
    hooks = repository.path.parent / "trap-hooks"
    hooks.mkdir()
    for name in ("post-index-change", "pre-commit", "reference-transaction", "fsmonitor-watchman"):
        (hooks / name).write_text(trap.read_text())
        (hooks / name).chmod(0o755)
        inside = repository.path / ".git" / "hooks" / name
        inside.parent.mkdir(exist_ok=True)
        inside.write_text(trap.read_text())
        inside.chmod(0o755)
    for key, value in {
        "core.fsmonitor": str(trap), "core.hooksPath": str(hooks), "filter.evil.clean": str(trap),
        "filter.evil.smudge": str(trap), "filter.evil.process": str(trap), "diff.external": str(trap),
        "diff.evil.textconv": str(trap), "core.pager": str(trap), "core.sshCommand": str(trap),
        "core.editor": str(trap), "core.askPass": str(trap), "core.alternateRefsCommand": str(trap),
        "core.gitProxy": str(trap), "gpg.program": str(trap), "credential.helper": f"!{trap}",
    }.items():  # fmt: skip
        repository.git("config", key, value)
    (repository.path / ".gitattributes").write_text("* filter=evil diff=evil\n")
    repository.write("tracked.txt", "same size 2\n")
    repository.write("new.txt")
