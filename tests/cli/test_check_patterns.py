"""What `hookline check` says of scripts that a line starts by a pattern of names, in a loop, or as a folder."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

GUARD = '#!/bin/bash\ncmd=$(jq -r .tool_input.command)\nif [[ "$cmd" == *mkfs* ]]; then echo "no" >&2; exit 2; fi\n'
WRONG = GUARD.replace(".command", ".cmd")
FOLDER = '"$CLAUDE_PROJECT_DIR"/guards'
KEPT = 'input=$(cat); for f in {}; do echo "$input" | bash "$f" || exit $?; done'
RUNNER = '#!/bin/bash\ninput=$(cat)\nfor hook in "$(dirname "$0")"/guards/*.sh; do\n'
RUNNER += '  echo "$input" | bash "$hook" || exit {}\ndone\n'


def told(program: Program, line: str) -> set[str]:
    hook = {"type": "command", "command": line}
    hooks = {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    return {each["code"] for each in json.loads(program("check", "--json").stdout)} - {"fragile-rule"}


@pytest.mark.parametrize(
    "line",
    [
        f'for f in {FOLDER}/*.sh; do bash "$f"; done', f'for f in {FOLDER}/*; do [ -x "$f" ] && "$f" || exit $?; done',
        f"{FOLDER}/on*.sh", f"bash {FOLDER}/o?e.sh", f'for n in one; do {FOLDER}/"$n".sh; done',
        f'for f in $(ls {FOLDER}/*.sh); do bash "$f"; done', KEPT.format(f"{FOLDER}/*.sh"),
        f"run-parts --regex '\\.sh$' {FOLDER}", f'cd {FOLDER} && for f in *.sh; do . "./$f"; done',
        '"$CLAUDE_PROJECT_DIR"/run.sh',
    ],
)  # fmt: skip
def test_the_scripts_of_a_pattern_are_looked_at(program: Program, line: str) -> None:
    program.write("run.sh", RUNNER.format("$?"), 0o755)
    program.write("guards/one.sh", WRONG, 0o755)
    assert "unsent-field" in told(program, line)
    program.write("guards/one.sh", GUARD, 0o755)
    assert "unsent-field" not in told(program, line)


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        (f'for f in {FOLDER}/*.sh; do bash "$f"; done', {"lost-exit", "no-input"}),
        (f'for f in {FOLDER}/*.sh; do bash "$f" || exit $?; done', {"no-input"}),
        (f"{FOLDER}/one.sh && {FOLDER}/two.sh", {"no-input"}),
        (KEPT.format(f"{FOLDER}/*.sh"), set()),
        (f"{FOLDER}/*.sh", {"passed-over"}),
        (f"bash {FOLDER}/*.sh", {"passed-over"}),
        (f"bash {FOLDER}/t*.sh", set()),
        (f"find {FOLDER} -name '*.sh' -exec bash {{}} \\;", {"lost-exit", "no-input"}),
        (f"ls {FOLDER}/*.sh | xargs -n1 bash", {"lost-exit"}),
        (f"run-parts {FOLDER}", {"passed-over"}),
        (f"run-parts --regex '\\.sh$' {FOLDER}", {"lost-exit", "no-input"}),
        (f'for f in {FOLDER}/*.py; do python3 "$f"; done', {"missing-script"}),
        (f'for f in {FOLDER}/*.py; do [ -e "$f" ] && python3 "$f"; done', set()),
        (f"chmod +x {FOLDER}/*.sh; {FOLDER}/one.sh", set()),
        (f"find {FOLDER} -name '*.bak' -exec rm {{}} \\; ; {FOLDER}/one.sh", set()),
        (f"shellcheck {FOLDER}/*.sh", set()),
        (f"cat {FOLDER}/*.sh > /dev/null; {FOLDER}/one.sh", set()),
    ],
)
def test_of_several_scripts_each_is_to_be_run_and_heard(program: Program, line: str, codes: set[str]) -> None:
    for name in ("one", "two"):
        program.write(f"guards/{name}.sh", GUARD, 0o755)
    assert told(program, line) == codes


def test_a_script_whose_runner_judges_by_itself_is_not_told_of(program: Program) -> None:
    program.write("run.sh", RUNNER.format("2"), 0o755)
    program.write("guards/one.sh", GUARD.replace("exit 2", "exit 1"), 0o755)
    assert told(program, '"$CLAUDE_PROJECT_DIR"/run.sh') == set()
    program.write("run.sh", RUNNER.format("$?"), 0o755)
    assert told(program, '"$CLAUDE_PROJECT_DIR"/run.sh') == {"weak-exit"}


@pytest.mark.parametrize(
    "line", ['for f in /*/*/*/*/*/*/*.sh; do bash "$f"; done', "bash ../../../*/*/*/*/*/*/*/*.sh"]
)
def test_a_pattern_about_the_whole_disk_is_not_followed(program: Program, line: str) -> None:
    hook = {"type": "command", "command": line}
    program.write(".claude/settings.json", json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}}))
    done = program("check")
    assert not done.stdout and done.stderr.startswith("1 hook, 0 errors"), done


def test_a_pattern_that_a_table_holds_need_not_stand_at_the_beginning(program: Program) -> None:
    guard = (
        "$d = [Console]::In.ReadToEnd() | ConvertFrom-Json\n"
        "$rules = @(\n    [pscustomobject]@{ id = 'pipe'; pattern = '\\bcurl\\b[^;&|]*\\|\\s*sh\\b' }\n)\n"
        "foreach ($rule in $rules) {\n    if ($d.toolArgs.command -match $rule.pattern) {\n"
        "        @{ permissionDecision = 'deny'; permissionDecisionReason = 'No.' } | ConvertTo-Json\n"
        "        exit 0\n    }\n}\n"
    )
    program.write("guard.ps1", guard)
    entry = {"type": "command", "powershell": "pwsh -File ./guard.ps1"}
    program.write(".github/hooks/a.json", json.dumps({"version": 1, "hooks": {"preToolUse": [entry]}}))
    told = [each["message"] for each in json.loads(program("check", "--json").stdout)]
    found = [each for each in told if "curl" in each]
    assert len(found) == 1 and "| bash" in found[0] and "cd x" not in found[0]
