"""What `hookline check` says of arguments of a call that are read by a name which the agent's tools do not have."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

PYTHON = "#!/usr/bin/env python3\nimport json, sys\nd = json.load(sys.stdin)\n"
CANCELS = "    print(json.dumps({'cancel': True, 'errorMessage': 'no'}))\n    sys.exit(0)\n"
GIVEN = PYTHON + "given = d['tool_input']\n"
REFUSES = "    print('no', file=sys.stderr)\n    sys.exit(2)\n"
NODE = "const d = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"


def hints(program: Program) -> list[str]:
    return [
        each["hint"]
        for each in json.loads(program("check", "--json").stdout)
        if each["code"] == "unsent-field"
    ]


@pytest.mark.parametrize(
    ("code", "meant"),
    [
        ("if d['preToolUse']['parameters']['file_path'].endswith('.env'):\n", "path"),
        ("call = d.get('preToolUse', {})\ngiven = call.get('parameters', {})\nif given.get('file_path') == 'a':\n",
         "path"),
        ("given = d['preToolUse']['parameters']\nif 'mkfs' in given.get('cmd', ''):\n", "command"),
        ("given = d['preToolUse']['parameters']\nif given.get('path') == '.env':\n", ""),
        ("given = d['preToolUse']['parameters']\nif (given.get('path') or given.get('file_path')) == '.env':\n", ""),
        ("given = d['preToolUse']['parameters']\nif given.get('url') == 'x' or given.get('filePattern') == 'x':\n", ""),
    ],
)  # fmt: skip
def test_of_an_agent_without_matchers(program: Program, code: str, meant: str) -> None:
    program.write(".clinerules/hooks/PreToolUse", PYTHON + code + CANCELS, 0o755)
    assert hints(program) == ([f"it is `.preToolUse.parameters.{meant}`"] if meant else [])


@pytest.mark.parametrize(
    ("read", "told"),
    [
        ("content", True),
        ("new_content') or given.get('content", True),
        ("content') or given.get('diff", False),
    ],
)
def test_of_what_is_written_where_a_tool_has_it_under_another_name(
    program: Program, read: str, told: bool
) -> None:
    looks = (
        "call = d['preToolUse']\ngiven = call['parameters']\n"
        "if call['toolName'] in ('write_to_file', 'replace_in_file'):\n"
    )
    code = f"{looks}    if 'TODO' in (given.get('{read}') or ''):\n    {CANCELS.replace(chr(10), chr(10) + '    ')}\n"
    program.write(".clinerules/hooks/PreToolUse", PYTHON + code, 0o755)
    assert hints(program) == ["there it is `.preToolUse.parameters.diff`"] * told


@pytest.mark.parametrize(("read", "told"), [("status", True), ("result", False), ("success", False)])
def test_of_what_an_object_of_the_payload_has(program: Program, read: str, told: bool) -> None:
    program.write(".clinerules/hooks/PostToolUse", f"{PYTHON}print(d['postToolUse'].get('{read}'))\n", 0o755)
    found = json.loads(program("check", "--json").stdout)
    assert any(f"`.postToolUse.{read}`" in each["message"] for each in found) == told


def test_of_calls_in_an_object_of_an_object(program: Program) -> None:
    for name in ("command", "CommandLine"):
        program.write(
            "a.sh",
            f'#!/bin/bash\n[[ $(jq -r .toolCall.args.{name}) == *mkfs* ]] && echo \'{{"decision": "deny"}}\'\n',
        )
        hook = {"type": "command", "command": "bash ./a.sh"}
        guard = {"guard": {"PreToolUse": [{"matcher": "run_command", "hooks": [hook]}]}}
        program.write(".agents/hooks.json", json.dumps(guard))
        assert bool(hints(program)) == (name == "command")


@pytest.mark.parametrize(
    ("name", "text", "meant"),
    [
        ("a.py", f"{PYTHON}given = d.get('tool_input', {{}})\nif given.get('path') == 'a':\n{REFUSES}", "file_path"),
        ("a.py", f"{PYTHON}given = d['tool_input'] or {{}}\nif given['filename'] == '.env':\n{REFUSES}", "file_path"),
        ("a.py", f"{GIVEN}if given.get('file_path', given.get('path')) == '.env':\n{REFUSES}", ""),
        ("a.py", f"{GIVEN}other = {{'path': 1}}\nif other['path'] and given['content']:\n{REFUSES}", ""),
        ("a.js", f"{NODE}const given = d.tool_input ?? {{}};\nif (given.filePath) process.exit(2);\n", "file_path"),
        ("a.js", f"{NODE}const given = d.tool_input;\nif (given.file_path === '.env') process.exit(2);\n", ""),
    ],
)  # fmt: skip
def test_of_a_call_that_is_kept_under_a_name(program: Program, name: str, text: str, meant: str) -> None:
    program.write(name, text)
    hook = {
        "type": "command",
        "command": f'{"python3" if name == "a.py" else "node"} "$CLAUDE_PROJECT_DIR"/{name}',
    }
    program.write(
        ".claude/settings.json",
        json.dumps({"hooks": {"PreToolUse": [{"matcher": "Write", "hooks": [hook]}]}}),
    )
    assert hints(program) == ([f"it is `.tool_input.{meant}`"] if meant else [])
