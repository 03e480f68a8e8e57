"""What `hookline check` finds in code that hooks run: what does not parse, and exit codes that never arrive."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

CLAUDE = ".claude/settings.json"
GUARD = "#!/bin/bash\ncase $(cat) in *'rm -rf'*) echo no >&2; exit 2;; esac\n"


def told(program: Program, commands: list[str], event: str = "PreToolUse") -> list[list[str]]:
    """The codes for each command, the hooks of one file a line each."""
    hooks = ",\n".join(json.dumps({"type": "command", "command": command}) for command in commands)
    program.write(CLAUDE, f'{{"hooks": {{"{event}": [{{"hooks": [\n{hooks}\n]}}]}}}}')
    found = json.loads(program("check", "--json").stdout)
    return [
        sorted(each["code"] for each in found if each["line"] == line) for line in range(2, len(commands) + 2)
    ]


def test_a_line_that_does_not_parse_is_an_error(program: Program) -> None:
    broken = [
        "if grep -q 'rm; then exit 2; fi",
        "if grep -q rm; then exit 2",
        "case $(cat) in *rm*) exit 2;;",
        'jq -r ".tool_input.command | grep rm',
        "cat >/dev/null; (exit 2",
        "while read x; do echo $x; fi",
        "python3 -c 'import sys; sys.exit(2'",
        "grep -q rm && | exit 2",
    ]
    assert told(program, broken) == [["bad-syntax"]] * len(broken)
    sound = [
        "if grep -q 'rm'; then exit 2; fi",
        "case $(cat) in (*rm*) exit 2;; esac",
        "cat <<'E' >/dev/null\nit's (fine\nE\nexit 0",
        "python3 -c 'import sys; sys.exit(2 if \"rm\" in sys.stdin.read() else 0)'",
        "node -e 'if (1) { process.exit(0)'",  # nobody here reads JavaScript
        "cat >/dev/null; x=\"it's\" # don't",
    ]
    assert told(program, sound) == [[]] * len(sound)


@pytest.mark.parametrize(
    ("name", "text", "broken"),
    [
        ("a.sh", "#!/bin/bash\nif [[ $(cat) == *rm* ]]; then\n  exit 2\n", True),
        ("a.sh", "#!/usr/bin/env -S bash -e\nf() {\n  exit 2\n", True),
        ("a", '#!/bin/sh\necho "half\nexit 2\n', True),
        ("a.sh", "#!/usr/bin/env zsh\nprint -l ${(f)x} (#i)*.c(\n", False),
        ("a.sh", "#!/bin/bash\nfor x in a; do [[ $x == (b|c) ]] && exit 2; done\n", False),
        ("a.py", "import sys\nif 'rm' in sys.stdin.read()\n    sys.exit(2)\n", True),
        ("a.py", "#!/usr/bin/env python3\nimport sys\nprint 'no'\nsys.exit(2)\n", True),
        ("a.py", "#!/usr/bin/env ruby\nputs 'x' if true\n", False),
        ("a.py", "import sys\ntype Names = list[str]\nsys.exit(2)\n", False),  # a newer Python reads it
        ("a.py", "import re\nre.compile('\\d')\n", False),
    ],
)
def test_a_script_that_does_not_parse_is_an_error(
    program: Program, name: str, text: str, broken: bool
) -> None:
    program.write(name, text if text.startswith("#!") else "#!/usr/bin/env python3\n" + text, 0o755)
    [found] = told(program, [f'"$CLAUDE_PROJECT_DIR"/{name}'], "PostToolUse")
    assert found == (["bad-syntax"] if broken else [])


def test_a_guard_whose_exit_code_is_taken_away_is_an_error(program: Program) -> None:
    program.write("guard.sh", GUARD, 0o755)
    guard = '"$CLAUDE_PROJECT_DIR"/guard.sh'
    lost = [
        f"{guard} || true",
        f"{guard} 2>/dev/null || exit 0",
        f"{guard}; exit 0",
        f"{guard} &",
        f"{guard} | tee -a log",
        f"cat | {guard} | cat",
        f"[ -x {guard} ] && {guard} || :",
        f"{{ bash {guard}; }} || echo ignored",
        f"{guard}\necho done",
    ]
    assert told(program, lost) == [["lost-exit"]] * len(lost)
    kept = [
        guard,
        f"cat | {guard}",
        f"{guard} && echo fine >&2",
        f"[ -x {guard} ] || exit 0; {guard}",
        f"chmod +x {guard}; {guard}",
        f"{guard} || exit $?",
        f"{guard} || exit 2",
        f"bash -c 'set -o pipefail; {guard} | tee -a log'",
        f"{guard}; code=$?; exit $code",
        f"if ! {guard}; then exit 2; fi; exit 0",
    ]
    assert told(program, kept) == [[]] * len(kept)
    assert told(program, lost[:1], "PostToolUse") == [[]]  # nothing is to be blocked any more
    program.write("guard.sh", '#!/bin/sh\necho \'{"decision": "block"}\'\n', 0o755)
    assert told(program, lost[:1]) == [[]]  # its answer is what it prints
