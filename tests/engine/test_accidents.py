"""Exit 2 that a shell or a program gives for a fault of its own denies, and a person is told what it looks like."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

PARSER = "import argparse, sys; argparse.ArgumentParser().parse_args(['--y'])"
ACCIDENTS = {
    "if then fi (": "its shell could not read it",
    "bash -c 'if then fi ('": "its shell could not read it",
    '"$CLAUDE_PROJECT_DIR"/half.sh': "its shell could not read it",
    "python3 /nowhere/x.py": "`python3` did not find its script",
    "python3 -Z": "`python` could not do its work",
    f'python3 -c "{PARSER}"': "arguments that it does not take",
    "grep -q x /no/such": "`grep` could not do its work",
    "grep --nope x": "`grep` could not do its work",
    "bash -c '[ 1 -eq x ]'": "a test in it could not be made",
    "sh -c '[ 1 -eq x ]'": "a test in it could not be made",
}
MEANT = (
    "exit 2",
    "echo 'Syntax error: write tests first' >&2; exit 2",
    "echo 'usage: no force push here, see --help' >&2; exit 2",
    "echo 'Use ./dev --help for what may run' >&2; exit 2",
    "grep -q x /no/such || { echo 'Error: not on main' >&2; exit 2; }",
    "f=bad; bash -n $f.sh || exit 2",
    "echo 'a.py:3: error: expected an option' >&2; exit 2",
)


def denied(program: Program, command: str, event: str = "PreToolUse") -> list[str]:
    """The notes about a hook that ended with 2."""
    program.write("half.sh", "#!/bin/bash\nif true; then\n", 0o755)
    program.write("bad.sh", "if (\n")
    hooks = {event: [{"hooks": [{"type": "command", "command": command}]}]}
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    done = program("fire", event, "--json", stdin='{"tool_name": "Bash", "tool_input": {"command": "ls"}}')
    (hook,) = json.loads(done.stdout)["hooks"]
    assert hook["exit_code"] == 2 and (done.returncode == 2 or event != "PreToolUse")
    return [note for note in hook.get("notes", ()) if "accident" in note]


@pytest.mark.parametrize("command", ACCIDENTS)
def test_an_exit_2_that_nobody_meant_denies_and_is_told(program: Program, command: str) -> None:
    (note,) = denied(program, command)
    assert ACCIDENTS[command] in note
    assert "looks like an accident" in program("show", "last").stdout
    assert denied(program, command, "Stop") == [note]


@pytest.mark.parametrize("command", MEANT)
def test_a_denial_that_is_meant_is_left_alone(program: Program, command: str) -> None:
    assert denied(program, command) == []
