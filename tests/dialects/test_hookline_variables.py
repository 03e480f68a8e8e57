"""What hooks of our own format find in their environment."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

GUARD = """
[[hooks]]
name = "guard"
event = "PreToolUse"
run = '''case "$HOOK_COMMAND" in *shred*) echo "not that" >&2; exit 2;; esac'''
"""


@pytest.mark.parametrize(
    "command",
    [
        "shred it" + " " * 17_000,
        "cat > notes.txt <<'E'\n" + "a long line of text\n" * 2_000 + "E\nshred it",
        "shred it\0 now",
        "shred it # " + "x" * 300_000,
    ],
)
def test_a_guard_finds_a_command_in_its_variable_however_long_it_is(program: Program, command: str) -> None:
    program.write(".hookline/hooks.toml", GUARD)
    payload = {"tool_name": "Bash", "tool_input": {"command": command}}
    done = program("fire", "PreToolUse", "--json", stdin=json.dumps(payload))
    assert (done.returncode, json.loads(done.stdout)["reason"]) == (2, "not that")


def test_a_value_that_the_system_does_not_take_is_cut_and_the_result_says_so(program: Program) -> None:
    program.write(".hookline/hooks.toml", GUARD)
    payload = {"tool_name": "Bash", "tool_input": {"command": "y" * 200_000}}
    (hook,) = json.loads(program("fire", "PreToolUse", "--json", stdin=json.dumps(payload)).stdout)["hooks"]
    assert hook["status"] == "ran"
    assert hook["notes"] == ["`HOOK_COMMAND` was cut from 200013 to 131071 bytes, the system's limit"]


def test_a_hook_is_not_told_of_the_event_that_runs_around_it(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nevent = "Stop"\noutput = "context"\n'
        "run = 'echo \"<$HOOK_EVENT$HOOK_COMMAND$HOOK_FILE$HOOK_UNSURE>\"'\n",
    )
    outer = {"HOOK_EVENT": "PreToolUse", "HOOK_COMMAND": "ls", "HOOK_FILE": "a.py", "HOOK_UNSURE": "1"}
    done = program("fire", "Stop", "--json", stdin="{}", environment=outer)
    assert json.loads(done.stdout)["hooks"][0]["stdout"] == "<Stop>\n"
