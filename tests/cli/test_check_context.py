"""What `hookline check` says of scripts whose context goes to the stream that the model is not given."""

from __future__ import annotations

import pytest
from tests.cli.test_check_scripts import Hook, codes, script
from tests.program import Program

BASH, PYTHON = "#!/bin/bash\n", "#!/usr/bin/env python3\nimport json, os, subprocess, sys\n"
BRANCH = (
    "branch = subprocess.run(['git', 'branch', '--show-current'], capture_output=True, text=True).stdout\n"
)
SAID = (
    f"{BRANCH}print(f'On {{branch}}', file=sys.stderr)\nprint('Use uv here', file=sys.stderr)\nsys.exit(0)\n"
)
NODE = "const { execSync } = require('child_process');\nconst b = execSync('git branch --show-current').toString();\n"


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.sh", f'{BASH}echo "On $(git branch --show-current)" >&2\ngit log --oneline -3 >&2\nexit 0\n', True),
        ("a.sh", f'{BASH}say() {{ echo "$1" >&2; }}\nsay "On main"\nif [ -f TODO.md ]; then\n  cat TODO.md 1>&2\nfi\n',
         True),
        ("a.sh", f"{BASH}cat >&2 <<EOF\nThis project uses uv.\nEOF\n", True),
        ("a.sh", f'{BASH}echo "reading" >&2\ngit log --oneline -3\n', False),
        ("a.sh", f'{BASH}echo "Installing" >&2\nnpm ci >/dev/null 2>&1\necho "Done" >&2\n', False),
        ("a.sh", f'{BASH}echo "Session began" >&2\ndate >> sessions.log\n', False),
        ("a.sh", f'{BASH}echo "no" >&2\nexit 2\n', False),
        ("a.sh", f'{BASH}exec 2>&1\necho "On main" >&2\n', False),
        ("a.py", PYTHON + SAID, True),
        ("a.py", PYTHON + SAID.replace(", file=sys.stderr)\nsys", ")\nsys"), False),
        ("a.py", f"{PYTHON}{SAID}subprocess.run(['npm', 'ci'])\n", False),
        ("a.py", f"{PYTHON}open('log', 'a').write('x')\n{SAID}", False),
        ("a.py", f"{PYTHON}{SAID.replace('exit(0)', 'exit(2)')}", False),
        ("a.js", f"{NODE}console.error(`On ${{b}}`);\nconsole.error('Use pnpm here');\n", True),
        ("a.js", f"{NODE}console.error('reading');\nconsole.error('done');\nconsole.log(b);\n", False),
    ],
)  # fmt: skip
def test_context_on_standard_error_is_seen_by_nobody(
    program: Program, name: str, text: str, told: bool
) -> None:
    hook = script(program, name, text)
    if name.endswith(".js"):
        hook = {"command": f"node {hook['command']}"}
    hooks: list[Hook] = [("claude", event, hook) for event in ("SessionStart", "UserPromptSubmit")]
    hooks.append(("claude", "SessionStart", {"command": f"{hook['command']} 2>&1"}))
    found = ["unread-output" in each for each in codes(program, hooks)]
    assert found[0] is told
    assert found[1] is told
    assert not found[2]
