"""What `hookline check` says of hooks as people write them, each mistake beside its like that is right."""

from __future__ import annotations

import json

from tests.program import Program

GUARD = """#!/bin/bash
input=$(cat)
cmd=$(echo "$input" | jq -r '.command // empty')
echo "$cmd" | grep -Eq 'git +push' && { echo '{"permission": "deny", "user_message": "no"}'; exit 0; }
case "$(echo "$input" | jq -r '.file_path // .tool_input.file_path')" in
  *.pem) echo '{"permission": "deny", "user_message": "no"}' ;;
esac
"""


def told(program: Program) -> list[tuple[str, str]]:
    """The paths and codes of what is found."""
    return [(each["path"], each["code"]) for each in json.loads(program("check", "--json").stdout)]


def test_a_guard_of_several_events_is_fragile_only_where_commands_come_to_it(program: Program) -> None:
    program.write(".cursor/hooks/guard.sh", GUARD, 0o755)
    line = {"command": ".cursor/hooks/guard.sh"}
    events = {
        "beforeReadFile": [line],
        "preToolUse": [{**line, "matcher": "Write|Grep"}, {**line, "matcher": "Write|Shell"}],
        "beforeShellExecution": [line],
    }
    program.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": events}))
    fragile = [path for path, code in told(program) if code == "fragile-rule"]
    assert fragile == ["hooks.preToolUse[1].command", "hooks.beforeShellExecution[0].command"]


def test_a_folder_in_a_powershell_text_is_no_script(program: Program) -> None:
    line = "Add-Content -Path ('log/days/' + (Get-Date -Format 'yyyy') + '.log') -Value 'end'"
    entry = {"type": "command", "powershell": line, "bash": "date"}
    program.write(".github/hooks/hooks.json", json.dumps({"version": 1, "hooks": {"sessionEnd": [entry]}}))
    assert told(program) == []
    program.write(
        ".github/hooks/hooks.json",
        json.dumps({"version": 1, "hooks": {"sessionEnd": [{**entry, "powershell": "./log/days.ps1"}]}}),
    )
    assert [code for _, code in told(program)] == ["missing-script"]


def test_words_for_two_agents_at_once_are_read_by_both(program: Program) -> None:
    text = (
        "const raw = require('fs').readFileSync(0, 'utf8');\nconst input = JSON.parse(raw);\nconst why = 'no';\n"
        "if (input.tool_input.command.includes('mkfs')) {\n  process.stdout.write(JSON.stringify({\n"
        "    permissionDecision: 'deny', permissionDecisionReason: why, additionalContext: why,\n"
        "    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny',\n"
        "      permissionDecisionReason: why, additionalContext: why },\n  }));\n}\n"
    )
    found = []
    for script in (text, text.replace("Reason: why, additionalContext: why }", "Reason: why }")):
        program.write("guard.js", script)
        entry = {"type": "command", "command": "node guard.js"}
        program.write(
            ".github/hooks/hooks.json", json.dumps({"version": 1, "hooks": {"PreToolUse": [entry]}})
        )
        found.append([code for _, code in told(program) if code != "fragile-rule"])
    assert found == [[], ["one-agent"]]
