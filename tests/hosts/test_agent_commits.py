"""An agent that switches git's hooks off in its shells: the pre-commit hooks run before its `git commit`."""

from __future__ import annotations

import json

import pytest
from tests.hosts.test_githooks import Repository
from tests.program import Program

CHECK = """#!/bin/sh
#---
# name: no notes
# type: pre-commit
#---
for file in $DISCOBOT_STAGED_FILES; do
  if grep -n "TO[D]O" "$file"; then echo "finish $file first"; exit 1; fi
done
"""


def told(program: Program, line: str, agent: str = "gemini", event: str = "BeforeTool") -> str:
    call = {
        "tool_name": "run_shell_command" if agent == "gemini" else "Bash",
        "tool_input": {"command": line},
    }
    payload = {"session_id": "s", "cwd": str(program.workspace), "hook_event_name": event, **call}
    done = program("bridge", agent, "--event", event, stdin=json.dumps(payload))
    return done.stdout + done.stderr


@pytest.fixture
def repository(program: Program) -> Repository:
    """One file is staged and clean, one is not staged and has a note in it."""
    found = Repository(program)
    program.write(".discobot/hooks/notes.sh", CHECK, 0o755)
    (found.root / "clean.py").write_text("done\n")
    found.git("add", "clean.py")
    (found.root / "open.py").write_text("TODO\n")
    return found


@pytest.mark.parametrize(
    ("line", "denied"),
    [
        ("git commit -m x", False),
        ("git add open.py && git commit -m x", True),
        ("git commit -qam x", False),
        ("sh -c 'git add .; git -C . commit -m x'", True),
        ("git add . && git commit --no-verify -m x", False),
        ("git add . && git log --grep=commit", False),
    ],
)
def test_what_a_commit_would_take_is_judged_before_it(
    program: Program, repository: Repository, line: str, denied: bool
) -> None:
    said = told(program, line)
    assert ("finish open.py first" in said) is denied, said
    assert bool(said.strip()) is denied


def test_what_is_staged_is_judged_and_where_git_asks_itself_nothing_is(
    program: Program, repository: Repository
) -> None:
    repository.git("add", "open.py")
    answer = json.loads(told(program, "git commit -m x"))
    assert (answer["decision"], "finish open.py first" in answer["reason"]) == ("deny", True)
    assert told(program, "git commit -m x", "claude", "PreToolUse").strip() == ""
