"""What `hookline check` finds in what a script takes in by `source`, and in letters, counters and codes."""

from __future__ import annotations

import json

import pytest
from tests.cli.test_check_scripts import codes, script
from tests.cli.test_check_words import PYTHON, SHELL, told
from tests.program import Program

STARTS = '#!/bin/bash\nHERE="$(cd "$(dirname "$0")" && pwd)"\nsource "$HERE/shared.sh" || exit 0\n'


def each_of(program: Program, hooks: list[tuple[str, str, str]]) -> list[list[str]]:
    """The codes for each script, by its agent and event."""
    for number, (_, _, text) in enumerate(hooks):
        program.write(f"{number}.sh", text, 0o755)
    return codes(
        program,
        [(agent, event, {"command": f"./{number}.sh"}) for number, (agent, event, _) in enumerate(hooks)],
    )


@pytest.mark.parametrize(
    ("made", "pattern", "wanted"),
    [
        ("tr '[:lower:]' '[:upper:]'", "DROP TABLE", []),
        ("tr a-z A-Z", "drop table", ["dead-pattern"]),
        ("tr '[:upper:]' '[:lower:]'", "drop table", []),
        ("tr A-Z a-z", "DROP TABLE", ["dead-pattern"]),
    ],
)
def test_letters_that_a_text_no_longer_has_are_told(
    program: Program, made: str, pattern: str, wanted: list[str]
) -> None:
    looks = f'echo "$all" | grep -q "{pattern}" && {{ echo no >&2; exit 2; }}\nexit 0\n'
    text = f'{SHELL}all=$(echo "$c" | {made})\n{looks}'
    assert told(program, "PreToolUse", "a.sh", text, matcher="Bash") == wanted
    changed = {"drop": "upper", "DROP": "lower"}[pattern[:4]] if wanted else "strip"
    seen = f"all = d['tool_input']['command'].{changed}()\nif '{pattern}' in all:\n    open('log', 'a').write('x')\n"
    assert told(program, "PostToolUse", "b.py", PYTHON + seen, matcher="Bash") == wanted


def test_a_text_that_python_wrote_as_json_may_stand_between_quotes(program: Program) -> None:
    start = "#!/bin/bash\nfound=$(git log --format=%s -3)\n"
    made = (
        'kept=$(python3 -c "\nimport json, sys\nprint(json.dumps(sys.stdin.read())[1:-1])\n" <<< "$found")\n'
    )
    says = 'printf \'{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "%s"}}\' "$kept"\n'
    assert told(program, "SessionStart", "a.sh", start + made + says) == []
    assert told(program, "SessionStart", "b.sh", start + says.replace("$kept", "$found")) == ["glued-json"]


def test_a_field_of_another_event_is_told_where_the_reader_has_a_way_out(program: Program) -> None:
    read = 'why=$(echo "$all" | python3 -c "import json,sys; print(json.load(sys.stdin).get(\'reason\'))" || echo "")\n'
    text = f'#!/bin/bash\nall=$(cat)\n{read}echo "$why" >> log\n'
    assert told(program, "Stop", "a.sh", text) == ["unsent-field"]
    assert told(program, "SessionEnd", "b.sh", text) == []


def test_words_for_the_model_where_cline_takes_none_are_told(program: Program) -> None:
    answer = '#!/bin/sh\ncat >> log\necho \'{"cancel": false, "contextModification": "read the plan"}\'\n'
    for event in ("TaskComplete", "UserPromptSubmit"):
        program.write(f".clinerules/hooks/{event}", answer, 0o755)
    found = {each["source"]: each["code"] for each in json.loads(program("check", "--json").stdout)}
    assert found == {".clinerules/hooks/TaskComplete": "wrong-answer"}


def test_how_a_command_ended_is_told_to_no_hook(program: Program) -> None:
    node = "const fs = require('fs');\nconst d = JSON.parse(fs.readFileSync(0, 'utf8'));\n"
    program.write("a.js", f"{node}fs.appendFileSync('log', String(d.exitCode === 0));\n")
    program.write("b.js", f"{node}fs.appendFileSync('log', d.exitCode ?? d.output);\n")
    sought = '#!/bin/bash\nall=$(cat)\necho "$all" | grep -o \'"exit_code":[0-9]*\' >> log\n'
    found = codes(
        program,
        [
            ("cursor", "afterShellExecution", {"command": "node a.js"}),
            ("cursor", "afterFileEdit", {"command": "node a.js"}),
            ("cursor", "afterShellExecution", {"command": "node b.js"}),
            ("cursor", "afterShellExecution", script(program, "c.sh", sought)),
        ],
    )
    assert found == [["unsent-field"], [], [], ["unsent-field"]]


def test_what_a_script_takes_in_is_looked_at_as_far_as_it_is_used(program: Program) -> None:
    program.write(
        "shared.sh",
        "set -e\n"
        'answer() {\n  local text="${2:-}"\n  if [ -n "$text" ]; then\n'
        '    echo "{\\"continue\\": $1, \\"message\\": \\"$text\\"}"\n'
        '  else\n    echo "{\\"continue\\": $1}"\n  fi\n}\n'
        'field() {\n  local path="$1"\n  jq -r "$path // empty"\n}\n'
        'note() {\n  local words="$1"\n  echo "please look: $words" >&2\n}\n',
    )
    spoken = f'{STARTS}cat >> log\nanswer true "all is well"\n'
    read = f'{STARTS}said=$(field .response)\necho "$said" >> log\n'
    counts = f"{STARTS}n=0\nfor f in *.md; do\n  ((n++))\ndone\necho $n >> log\n"
    assert each_of(
        program,
        [
            ("cursor", "beforeSubmitPrompt", spoken),
            ("cursor", "beforeSubmitPrompt", spoken.replace(' "all is well"', "")),
            ("windsurf", "post_cascade_response", read),
            ("windsurf", "post_cascade_response", read.replace(".response", ".tool_info.response")),
            ("cursor", "afterFileEdit", counts),
            ("cursor", "afterFileEdit", counts.replace("((n++))", "n=$((n + 1))")),
        ],
    ) == [["wrong-answer"], [], ["unsent-field"], [], ["lost-exit"], []]


COUNTS = '#!/bin/bash\nset -euo pipefail\nn=0\nBODY[ "$n" -gt 3 ] && echo many >> log\nexit 0\n'


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("for f in *; do ((n++)); done\n", ["lost-exit"]),
        ("[ -f a ] && ((n++))\n", ["lost-exit"]),
        ("for f in *; do ((n++)) || true; done\n", []),
        ("for f in *; do ((++n)); done\n", []),
        ("more() {\n  ((n++))\n}\nmore || true\n", []),
    ],
)
def test_a_counter_that_ends_the_script_is_told(program: Program, body: str, wanted: list[str]) -> None:
    text = COUNTS.replace("BODY", body)
    assert told(program, "PostToolUse", "a.sh", text) == wanted
    assert told(program, "PostToolUse", "b.sh", text.replace("-euo", "-uo")) == []


def test_a_name_that_nothing_fills_in_is_told(program: Program) -> None:
    answer = 'cat <<\'END\'\n{"decision": "block", "reason": "not $c"}\nEND\nexit 0\n'
    assert told(program, "PreToolUse", "a.sh", SHELL + answer, matcher="Bash") == ["wrong-answer"]
    assert told(program, "PreToolUse", "b.sh", SHELL + answer.replace("$c", "this"), matcher="Bash") == []
    assert told(program, "PreToolUse", "c.sh", SHELL + answer.replace("$c", "$5 a day"), matcher="Bash") == []


@pytest.mark.parametrize(
    ("there", "looks", "wanted"),
    [(False, "", ["missing-script"]), (True, "", []), (False, '[ -x "$HERE/last.sh" ]', [])],
)
def test_a_script_that_another_becomes_in_a_branch_has_to_be_there(
    program: Program, there: bool, looks: str, wanted: list[str]
) -> None:
    if there:
        program.write("last.sh", "#!/bin/sh\ntrue\n", 0o755)
    here = '#!/bin/bash\nHERE="$(cd "$(dirname "$0")" && pwd)"\n'
    text = f'{here}if {looks or "[ -f todo ]"}; then\n  exec "$HERE/last.sh" --all\nfi\n'
    assert told(program, "Stop", "a.sh", text) == wanted


def test_a_refusal_in_another_language_that_ends_with_1_is_told(program: Program) -> None:
    text = (
        "$d = $input | ConvertFrom-Json\nif (Select-String -Path out.txt -Pattern key) {\n"
        '  Write-Host "[casa] BLOQUEADO: hay claves"\n  exit 1\n}\nWrite-Host "please look at out.txt"\n'
    )
    assert told(program, "Stop", "a.ps1", text) == ["weak-exit", "unread-output"]
    right = text.replace(
        'Write-Host "[casa] BLOQUEADO: hay claves"\n  exit 1',
        "[Console]::Error.WriteLine('BLOQUEADO')\n  exit 2",
    )
    assert told(program, "Stop", "b.ps1", right) == ["stop-loop", "unread-output"]


@pytest.mark.parametrize(
    ("runs", "says", "wanted"),
    [
        ('bash "$HERE/next.sh" || true', 'echo "synced"', ["wrong-answer"]),
        ('"$HERE/next.sh"', 'echo "synced"', ["wrong-answer"]),
        ('bash "$HERE/next.sh" >&2', 'echo "synced"', []),
        ('bash "$HERE/next.sh" >/dev/null 2>&1', 'echo "synced"', []),
        ('kept=$(bash "$HERE/next.sh")', 'echo "synced"', []),
        ('bash "$HERE/next.sh"', 'echo "synced" >&2', []),
        ('bash "$HERE/next.sh"', "date >> log", []),
    ],
)
def test_an_answer_behind_the_words_of_another_script_is_told(
    program: Program, runs: str, says: str, wanted: list[str]
) -> None:
    program.write("next.sh", f"#!/bin/bash\n{says}\n", 0o755)
    here = '#!/bin/bash\nHERE="$(cd "$(dirname "$0")" && pwd)"\n'
    answer = 'echo \'{"systemMessage": "look at the log"}\'\n'
    assert told(program, "Stop", "a.sh", f"{here}{runs}\n{answer}") == wanted
    assert told(program, "Stop", "b.sh", f"{here}{answer.strip()} >> log\n{runs}\n") in (
        [],
        ["unread-output"],
    )


def test_words_before_two_kinds_of_ends_are_both_told(program: Program) -> None:
    text = (
        '#!/bin/bash\nif [ -f open ]; then\n  echo "open work is left"\n  exit 2\nfi\n'
        'if [ ! -f notes ]; then\n  echo "please write notes"\n  exit 1\nfi\n'
    )
    found = [each for each in told(program, "Stop", "a.sh", text) if each != "stop-loop"]
    assert found == ["unread-output", "unread-output"]
    right = text.replace('left"', 'left" >&2').replace('notes"\n', 'notes" >&2\n')
    assert [each for each in told(program, "Stop", "b.sh", right) if each != "stop-loop"] == []
