"""What `hookline check` says of hooks that calls do not come to, and of hooks that stand where nobody reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.program import Program

GUARD = """#!/bin/bash
cmd=$(jq -r '.tool_input.command // .command // empty')
if echo "$cmd" | grep -qE 'git push .*--force|git clean -[a-z]*f|DROP TABLE'; then
  echo "Blocked: ask first." >&2
  exit 2
fi
"""


def told(program: Program, path: str, config: dict[str, Any], code: str) -> list[tuple[str, str]]:
    program.write(path, json.dumps(config))
    found = json.loads(program("check", "--json").stdout)
    return [(each["path"], each["message"]) for each in found if each["code"] == code]


def of_claude(*conditions: str) -> dict[str, Any]:
    line = {"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/guard.sh'}
    return {
        "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{**line, "if": each} for each in conditions]}]}
    }


def test_commands_that_a_condition_keeps_from_the_script_are_told(program: Program) -> None:
    program.write("guard.sh", GUARD, 0o755)
    few = of_claude("Bash(git push *--force*)", "Bash(git clean *)")
    [(path, message)] = told(program, ".claude/settings.json", few, "unsent-value")
    assert path.startswith("hooks.PreToolUse[0].hooks[0]")
    assert "DROP TABLE" in message and "git clean" not in message and "git push" not in message
    whole = of_claude("Bash(git push *)", "Bash(git clean *)", "Bash(psql *)")
    assert told(program, ".claude/settings.json", whole, "unsent-value") == []
    without = of_claude("Bash(git push *)")
    without["hooks"]["PreToolUse"][0]["hooks"].append(
        {"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/guard.sh'}
    )
    assert told(program, ".claude/settings.json", without, "unsent-value") == []


@pytest.mark.parametrize(
    ("matcher", "kept"),
    [
        ("git push|DROP TABLE", ["git clean -fd"]),
        ("git (push|clean)|drop", ["DROP TABLE"]),
        ("git (push|clean)|DROP", []),
        ("", []),
    ],
)
def test_commands_that_a_matcher_keeps_from_the_script_are_told(
    program: Program, matcher: str, kept: list[str]
) -> None:
    program.write("guard.sh", GUARD, 0o755)
    entry = {"command": "./guard.sh", **({"matcher": matcher} if matcher else {})}
    config = {"version": 1, "hooks": {"beforeShellExecution": [entry]}}
    found = told(program, ".cursor/hooks.json", config, "unsent-value")
    assert [[each in message for each in kept] for _, message in found] == (
        [[True] * len(kept)] if kept else []
    )


def test_the_matcher_of_a_hook_that_is_dropped_is_looked_at_as_well(program: Program) -> None:
    line = {"type": "command", "command": "true"}
    for matcher, found in ((r"replace.*\.go", 1), ("replace", 0)):
        flat = {"hooks": {"BeforeTool": [{"matcher": matcher, **line}]}}
        assert len(told(program, ".gemini/settings.json", flat, "dead-name")) == found


def test_a_hook_alone_in_its_file_is_read_as_if_it_stood_among_hooks(program: Program) -> None:
    program.write("guard.sh", "#!/bin/bash\njq -r .user_prompt >> log\n", 0o755)
    alone = {"name": "log", "events": ["UserPromptSubmit"], "timeout_seconds": 4, "bash": "./guard.sh"}
    path = ".github/hooks/log.json"
    assert told(program, path, alone, "missing-key")
    assert told(program, path, alone, "unsent-field")
    program.write("guard.sh", "#!/bin/bash\njq -r .prompt >> log\n", 0o755)
    assert told(program, path, alone, "missing-key")
    assert told(program, path, alone, "unsent-field") == []


def test_a_script_for_windows_that_is_missing_is_told_at_an_event_of_another_version(
    program: Program,
) -> None:
    program.write("a.sh", "#!/bin/sh\ndate >> log\n", 0o755)
    entry = {"type": "command", "command": "./a.sh", "windows": "powershell -File hooks/a.ps1"}
    config = {"version": 1, "hooks": {"SubagentStart": [entry]}}
    assert told(program, ".github/hooks/a.json", config, "missing-script")
    program.write("hooks/a.ps1", "Get-Date >> log\n")
    assert told(program, ".github/hooks/a.json", config, "missing-script") == []


def test_a_stop_hook_that_blocks_by_a_code_it_keeps_is_told(program: Program) -> None:
    keeps = "#!/bin/bash\nCODE=0\nif ! npm test >&2; then\n  CODE=2\nfi\nexit $CODE\n"
    program.write("end.sh", keeps, 0o755)
    line = {"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/end.sh'}
    config = {"hooks": {"Stop": [{"hooks": [line]}]}}
    assert told(program, ".claude/settings.json", config, "stop-loop")
    program.write("end.sh", keeps.replace("CODE=0", "jq -e .stop_hook_active && exit 0\nCODE=0"), 0o755)
    assert told(program, ".claude/settings.json", config, "stop-loop") == []
