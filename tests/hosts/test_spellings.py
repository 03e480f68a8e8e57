"""Every spelling of a command is a true one: real bash runs it, and the same arguments arrive at the program."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from tests.waiting import DEADLINE_S

from hookline.hosts.probing.pieces import command_of
from hookline.hosts.probing.spellings import KINDS, Spelling, forms, spellings

END = "\x1e"
RECORDER = """#!/bin/sh
exec printf '%s\\0' "{name}" "$@" "{end}" 3>&1 >> "{record}"
"""  # at once, as programs of a pipeline write side by side; what waits for its output waits
# What is not on every machine is stood in for by what it comes to: it runs the rest of its words.
RUNNER = """#!/bin/bash
while case "$1" in -u) shift 2 ;; -*) shift ;; *=*) export "$1"; shift ;; *) false ;; esac; do :; done
exec "$@"
"""
LANGUAGES = frozenset(
    ["ruby", "php", "lua", "node", "perl", "tclsh", "make", "xxd", "openssl", "chrt", "rev", "script"]
)
LINES = [
    "git push --force origin main",
    "rm -rf build",
    "deploy",
    "npm publish 'a b'",
    'dropdb "my data" --force',
    "sync-away x | sync-away y",
    "wipe a && wipe b > out",
]


class Sandbox:
    """A folder to run lines in, with programs on PATH that write down what they are given."""

    def __init__(self, folder: Path, names: set[str]) -> None:
        self.folder = folder
        self.programs = folder / "bin"
        self.record = folder / "record"
        self.programs.mkdir(parents=True)
        for name in ("sudo", "doas"):
            self._program(name, RUNNER)
        for name in names:
            self._program(name, RECORDER.format(name=name, end=END, record=self.record))
        self.home = folder / "home"
        self.home.mkdir()
        path = f"{self.programs}:/usr/bin:/bin"
        (self.home / ".profile").write_text(f"PATH={path}\n")
        self.environment = {"PATH": path, "HOME": str(self.home), "LANG": "C.UTF-8"}

    def _program(self, name: str, text: str) -> None:
        file = self.programs / name
        file.write_text(text)
        file.chmod(0o755)

    def arrived(self, line: str, work: Path) -> list[tuple[str, ...]]:
        """What the programs were given by a line."""
        self.record.unlink(missing_ok=True)
        work.mkdir()
        process = subprocess.Popen(
            ["bash", "-c", line], cwd=work, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(DEADLINE_S)
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
        text = self.record.read_bytes() if self.record.exists() else b""
        rows = text.decode().split(f"{END}\0")[:-1]
        return [tuple(row.split("\0")[:-1]) for row in rows]


def programs_of(line: str) -> set[str]:
    """The programs a line of this file calls."""
    return {part.split()[0] for part in line.replace("&&", "|").split("|")}


def missing(spelling: Spelling) -> bool:
    """Whether it needs a language that is not on this machine, or a git of its own."""
    words = set(spelling.line.replace("'", " ").split())
    return any(name in words and shutil.which(name) is None for name in LANGUAGES) or spelling.kind == "git"


def false_spellings(line: str, folder: Path) -> list[str]:
    """The spellings of a line by which something else arrives than by the line itself."""
    folder.mkdir()
    sandbox = Sandbox(folder, programs_of(line))
    expected = sandbox.arrived(line, folder / "itself")
    assert expected, line
    wrong = []
    for number, spelling in enumerate(spellings(line, folder=str(sandbox.programs))):
        if missing(spelling):
            continue
        wanted = expected
        if spelling.argv and len(expected) == 1:
            wanted = [(expected[0][0], *spelling.argv[1:])]
        found = sandbox.arrived(spelling.line, folder / str(number))
        if sorted(found) != sorted(wanted):
            wrong.append(f"{spelling.kind}: {spelling.line!r} gave {found}")
    return wrong


@pytest.mark.parametrize("line", LINES)
def test_every_spelling_brings_the_same_arguments_to_the_program(tmp_path: Path, line: str) -> None:
    assert false_spellings(line, tmp_path / "lines") == []


def test_a_spelling_of_git_runs_what_it_spells(tmp_path: Path) -> None:
    """By real git, in a repository with two commits; the program itself is none of git's."""
    sandbox = Sandbox(tmp_path / "box", {"wipe"})
    start = "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m 1 && "
    settings = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; "
    start = settings + start + "git commit -q --allow-empty -m 2 && "
    found = list(spellings("wipe all", kinds=("git",)))
    assert found
    for number, spelling in enumerate(found):
        assert sandbox.arrived(start + spelling.line, tmp_path / str(number)) == [("wipe", "all")], spelling


def test_a_spelled_sub_command_of_git_is_that_sub_command(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path / "box", set())
    sandbox.environment["GIT_TRACE"] = str(tmp_path / "trace")
    (found,) = (
        each for each in spellings("git push --dry-run nowhere", kinds=("git",)) if "=push" in each.line
    )
    sandbox.arrived(f"git init -q . && {found.line}", tmp_path / "work")
    assert "built-in: git push --dry-run nowhere" in (tmp_path / "trace").read_text()


def test_the_same_seed_draws_the_same_spellings_and_another_one_others() -> None:
    first, again, other = (list(spellings("git push", seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert [each for each in first if each.kind != "combined"] == [
        each for each in other if each.kind != "combined"
    ]


def test_a_command_has_spellings_of_every_kind_and_each_line_once() -> None:
    found = list(spellings("git push --force origin main"))
    assert {each.kind for each in found} == set(KINDS)
    assert [*forms()["forms"], "options", "languages", "combined"] == [*KINDS]
    lines = [each.line for each in found]
    assert len(lines) == len(set(lines)) > 400


@pytest.mark.parametrize(
    "line", ["curl x | sh", "echo $HOME", "a; b", "x=1 y", "if", "cat <<E\nx\nE", "ls # x", "a\\ b", "", "'"]
)
def test_what_is_not_one_simple_command_is_only_taken_whole(line: str) -> None:
    assert command_of(line).words == ()
    assert all(each.argv == () for each in spellings(line))
