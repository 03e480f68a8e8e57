"""What `hookline check` says of hooks of git that a project keeps in a folder of its own."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

HOOK = "#!/bin/sh\nmake check\n"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("package.json", '{"scripts": {"prepare": "git config core.hooksPath .githooks"}}'),
        ("Makefile", "setup:\n\tgit config --local core.hooksPath ./.githooks\n"),
        ("README.md", "Once: `git config core.hooksPath .githooks`.\n"),
        ("scripts/setup.sh", "git config core.hooksPath .githooks/\n"),
    ],
)
def test_a_hook_of_git_that_is_not_executable_is_told(program: Program, file: str, text: str) -> None:
    program.write(file, text)
    program.write(".githooks/pre-push", HOOK, 0o644)
    program.write(".githooks/commit-msg", HOOK, 0o755)
    program.write(".githooks/shared.sh", HOOK, 0o644)
    found = json.loads(program("check", "--json").stdout)
    assert [(each["source"], each["code"], each["hint"]) for each in found] == [
        (".githooks/pre-push", "not-executable", "run `chmod +x .githooks/pre-push`")
    ]


def test_a_folder_that_git_is_not_told_of_or_whose_hooks_are_made_executable_is_none_of_it(
    program: Program,
) -> None:
    program.write("hooks/pre-push", HOOK, 0o644)
    program.write(".githooks/pre-push", HOOK, 0o644)
    program.write("Makefile", "setup:\n\tgit config core.hooksPath .githooks\n\tchmod +x .githooks/*\n")
    assert json.loads(program("check", "--json").stdout) == []
