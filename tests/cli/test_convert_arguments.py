"""`hookline convert` of programs with arguments, and of scripts that leave a call to other code."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

GUARD = """#!/bin/bash
[ "$1" = "it's \\$5 & \\"more\\"" ] && [ "$2" = "$CLAUDE_PROJECT_DIR/rules" ] && [ "$3" = '${OTHER}' ] || exit 0
grep -q 'rm -rf' && { echo no >&2; exit 2; }
exit 0
"""


@pytest.mark.parametrize("target", ["cursor", "hookline"])
def test_folders_among_arguments_are_filled_in_by_the_shell_where_no_agent_does(
    program: Program, target: str
) -> None:
    program.write("hooks of ours/guard.sh", GUARD, 0o755)
    root = "${CLAUDE_PROJECT_DIR}"
    words = ['it\'s $5 & "more"', f"{root}/rules", "${OTHER}"]
    entry = {"type": "command", "command": f"{root}/hooks of ours/guard.sh", "args": words}
    config = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}
    program.write("old.json", json.dumps(config))
    place = {"cursor": ".cursor/hooks.json", "hookline": ".hookline/hooks.toml"}[target]
    (program.workspace / place).parent.mkdir()
    done = program("convert", "claude", target, "old.json", "-o", place)
    fired = json.loads(program("fire", "--json", "Bash", "rm -rf build").stdout)
    told = done.returncode == 1 and "weaker" in done.stderr
    assert fired["verdict"] == "deny" or told, done.stderr
    if target == "cursor":
        assert (done.returncode, fired["verdict"]) == (0, "deny")


def test_a_call_that_is_handed_on_to_other_code_is_told_where_it_comes_as_a_patch(program: Program) -> None:
    guard = (
        "#!/usr/bin/env python3\nimport json, sys\nfrom ours.rules import check\n"
        "call = json.load(sys.stdin)\ntool_input = call['tool_input']\nsys.exit(check(call['tool_name'], tool_input))\n"
    )
    hooks = {"PreToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "./guard.py"}]}]}
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    program.write("guard.py", guard, 0o755)
    told = "hands on `tool_input` of a file's change, which Codex CLI sends as a patch"
    done = program("convert", "claude", "codex")
    assert done.returncode == 1 and told in done.stderr
    program.write(
        "guard.py",
        guard.replace("sys.exit(check(call['tool_name'], tool_input))", "check(tool_input)"),
        0o755,
    )
    assert told not in program("convert", "claude", "codex").stderr
