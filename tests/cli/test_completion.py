"""Shell completion: what may stand where a word is being typed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
from tests.program import Program


def completed(program: Program, *words: str) -> list[str]:
    return program("completion", "--words", *words).stdout.splitlines()


def test_commands_options_events_dialects_and_hooks_are_completed(program: Program) -> None:
    program.write(
        ".claude/settings.json",
        json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}),
    )
    (known,) = [hook["id"] for hook in json.loads(program("list", "--json").stdout)]
    assert completed(program, "his") == ["history"]
    assert completed(program, "history", "--f") == ["--failed"]
    assert completed(program, "fire", "PreToolU") == ["PreToolUse"]
    assert completed(program, "list", "--dialect", "gem") == ["gemini"]
    assert completed(program, "why", "claude:") == completed(program, "disable", "cl") == [known]
    assert completed(program, "show", "la") == ["last"]
    assert completed(program, "nonsense", "--x") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_script_is_one_its_shell_reads(program: Program, shell: str) -> None:
    text = program("completion", shell).stdout
    assert "hookline completion --words" in text
    if shutil.which(shell) is not None:
        subprocess.run([shell, "-n"], input=text.encode(), check=True, timeout=60)


def test_bash_completes_with_it(program: Program) -> None:
    folder = program.home / "bin"
    folder.mkdir()
    (folder / "hookline").write_text(f'#!/bin/sh\nexec {sys.executable} -m hookline "$@"\n')
    (folder / "hookline").chmod(0o755)
    script = (
        'eval "$(hookline completion bash)"; COMP_WORDS=(hookline hist); COMP_CWORD=1; '
        '_hookline; echo "$COMPREPLY"'
    )
    done = subprocess.run(
        ["bash", "-c", script], cwd=program.workspace, capture_output=True, text=True, timeout=60,
        env={**program.environment, "PATH": f"{folder}:{program.environment['PATH']}"},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("history\n", "")
