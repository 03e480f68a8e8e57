"""Shell completion: what may stand where a word is being typed."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import shutil
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from tests.program import Program
from tests.waiting import DEADLINE_S


def completed(program: Program, *words: str) -> list[str]:
    return program("completion", "--words", *words).stdout.splitlines()


def claude_hook(program: Program) -> str:
    """The id of a hook of Claude Code, which the workspace has from here on."""
    settings = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}
    program.write(".claude/settings.json", json.dumps(settings))
    (known,) = [hook["id"] for hook in json.loads(program("list", "--json").stdout)]
    return str(known)


def test_commands_options_events_dialects_and_hooks_are_completed(program: Program) -> None:
    known = claude_hook(program)
    assert completed(program, "his") == ["history"]
    assert completed(program, "history", "--f") == ["--failed"]
    assert completed(program, "task", "add", "--con") == ["--content"]
    assert completed(program, "fire", "PreToolU") == ["PreToolUse"]
    assert completed(program, "list", "--dialect", "gem") == ["gemini"]
    assert completed(program, "why", "claude:") == completed(program, "disable", "cl") == [known]
    assert completed(program, "show", "la") == ["last"]
    assert completed(program, "nonsense", "--x") == []
    assert completed(program, "install", "gi") == ["git"]
    assert completed(program, "convert", "claude", "gem") == completed(program, "schema", "gem") == ["gemini"]
    assert completed(program, "docs", "evid") == ["evidence"] and completed(program, "rule", "missing-k")


def test_the_workspace_that_is_named_is_the_one_whose_hooks_are_meant(
    program: Program, tmp_path: Path
) -> None:
    known = claude_hook(program)
    (tmp_path / "elsewhere").mkdir()
    words = ("completion", "--words", "--workspace", str(program.workspace), "why", "")
    assert program(*words, cwd=tmp_path / "elsewhere").stdout.splitlines() == [known]


INTERACTIVE = {
    "bash": (["bash", "--norc", "-i"], 'eval "$(hookline completion bash)"'),
    "zsh": (["zsh", "-f", "-i"], 'autoload -U compinit; compinit -D; eval "$(hookline completion zsh)"'),
    "fish": (["fish", "--no-config", "-i"], "hookline completion fish | source"),
}


@pytest.mark.parametrize("shell", INTERACTIVE)
def test_hooks_and_files_are_completed_where_a_person_presses_tab(program: Program, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here")
    known = claude_hook(program)
    folder = program.home / "bin"
    folder.mkdir()
    (folder / "hookline").write_text(f'#!/bin/sh\nexec {sys.executable} -m hookline "$@"\n')
    (folder / "hookline").chmod(0o755)
    environment = {**program.environment, "PATH": f"{folder}:{program.environment['PATH']}", "TERM": "xterm"}
    words, script = INTERACTIVE[shell]
    with Typing(words, program.workspace, environment) as typing:
        typing.types(f"{script}; echo RE''ADY\n", "READY")
        typing.types("hookline why claude:S\t", known)  # behind a colon, which ends a word in bash
        typing.types("\x15hookline check .cl\t", ".claude")


class Typing:
    """A shell on a terminal of its own, at whose keyboard somebody sits."""

    def __init__(self, words: list[str], folder: Path, environment: dict[str, str]) -> None:
        self._end, inner = pty.openpty()
        self._shell = subprocess.Popen(
            words, cwd=folder, env=environment, stdin=inner, stdout=inner, stderr=inner,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(inner)

    def types(self, keys: str, awaited: str) -> None:
        """Returns when `awaited` was shown after the keys."""
        os.write(self._end, keys.encode())
        shown, end = "", time.monotonic() + DEADLINE_S
        while awaited not in shown:
            ready, _, _ = select.select([self._end], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"{awaited!r} is not in {shown!r}"
            shown += os.read(self._end, 65536).decode("utf-8", "replace")

    def __enter__(self) -> Typing:
        return self

    def __exit__(self, *_: object) -> None:
        self._shell.kill()
        self._shell.wait()
        os.close(self._end)
