"""What `hookline check` says of slips: another agent's calls, errors in place of denials, quotes around a `*`."""

from __future__ import annotations

import pytest
from tests.cli.test_check_scripts import Hook, codes, script
from tests.program import Program

BASH, PYTHON = "#!/bin/bash\n", "#!/usr/bin/env python3\nimport json, sys\nd = json.load(sys.stdin)\n"
NODE = "const d = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"
FILE, CALL = "file=$(jq -r .tool_input.file_path)\n", "cmd=$(jq -r .tool_input.command)\n"
NO = 'echo "no" >&2; exit 2'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{PYTHON}if 'mkfs' in d['tool_input']['command']:\n", True),
        (f"{PYTHON}given = d.get('tool_input', {{}})\nif 'mkfs' in given.get('command', ''):\n", True),
        (
            f"{PYTHON}if 'mkfs' in (d.get('command') or d.get('tool_input', {{}}).get('command', '')):\n",
            False,
        ),
        (f"{PYTHON}command = d['command']\nif 'mkfs' in command:\n", False),
    ],
)
def test_a_script_for_another_agents_calls_is_told(program: Program, text: str, told: bool) -> None:
    program.write("a.py", f"{text}    print(json.dumps({{'permission': 'deny', 'user_message': 'no'}}))\n")
    hooks: list[Hook] = [("cursor", "beforeShellExecution", {"command": "python3 ./a.py"})]
    assert ("unsent-field" in codes(program, hooks)[0]) is told


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.py", f"{PYTHON}if 'mkfs' in str(d):\n    raise Exception('mkfs is blocked')\n", "weak-exit"),
        (
            "a.py",
            f"{PYTHON}if 'mkfs' in str(d):\n    raise PermissionError(f'{{d}} is not allowed')\n",
            "weak-exit",
        ),
        ("a.py", f"{PYTHON}try:\n    raise Exception('blocked')\nexcept Exception:\n    sys.exit(2)\n", ""),
        ("a.py", f"{PYTHON}if not d:\n    raise ValueError('empty input')\n", ""),
        (
            "a.js",
            f"{NODE}if (/mkfs/.test(d.tool_input.command)) throw new Error('mkfs is forbidden');\n",
            "weak-exit",
        ),
        ("a.js", f"{NODE}const f = () => {{\n  console.error('no');\n  return 2;\n}};\nf();\n", "lost-exit"),
        (
            "a.js",
            f"{NODE}const f = () => {{\n  console.error('no');\n  return 2;\n}};\nprocess.exit(f());\n",
            "",
        ),
        ("a.js", f"{NODE}const f = (x) => {{\n  return 2;\n}};\nconsole.error(f(d));\n", ""),
    ],
)
def test_a_denial_by_an_error_or_a_value_is_none(program: Program, name: str, text: str, code: str) -> None:
    hook = {**script(program, name, text), "matcher": "Bash"}
    hook["command"] = f"{'node' if name == 'a.js' else 'python3'} {hook['command']}"
    assert codes(program, [("claude", "PreToolUse", hook)])[0] == ([code] if code else [])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f'{FILE}if [[ "$file" == "*.env" ]]; then {NO}; fi\n', True),
        (f"{FILE}if [[ $file != '*.md' && -n $file ]]; then {NO}; fi\n", True),
        (f'{FILE}case "$file" in\n  "*.env") {NO};;\nesac\n', True),
        (f"{FILE}case $file in */a|'*.env') {NO};; esac\n", True),
        (f'{FILE}if [[ "$file" == *".env" || "$file" == *"*"* ]]; then {NO}; fi\n', False),
        (f'{FILE}case "$file" in\n  *".key"|*\'.pem\') {NO};;\n  *) ls $(find . -name "*.x");;\nesac\n', False),
        (f'{FILE}case a in b) ;; esac\nn=(\n  "*.env"\n  "*.key")\n[[ "${{n[*]}}" == *"$file"* ]] && exit 2\n', False),
        (f'{CALL}if [[ "$cmd" == "*" ]]; then {NO}; fi\n', False),
    ],
)  # fmt: skip
def test_a_star_in_quotes_is_a_letter(program: Program, text: str, told: bool) -> None:
    hook = {**script(program, "a.sh", BASH + text), "matcher": "Edit|Write"}
    assert ("dead-pattern" in codes(program, [("claude", "PreToolUse", hook)])[0]) is told


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("^(package-lock.json|.env)$", True), ("^src/", True), ("^(src|lib)/", True), ("^.*/src/", False),
        ("(^|/)src/", False), (r"\.env$", False), ("^/etc/", False), ("^(.*/)?.env$", False),
    ],
)  # fmt: skip
def test_a_line_that_looks_for_a_relative_path_is_told(program: Program, pattern: str, told: bool) -> None:
    line = f"jq -r .tool_input.file_path | grep -qE '{pattern}' && {{ {NO}; }} || exit 0"
    hooks: list[Hook] = [("claude", "PreToolUse", {"command": line, "matcher": "Edit|Write"})]
    assert ("dead-pattern" in codes(program, hooks)[0]) is told
