"""What `hookline check` sees behind the script that a line starts, and in scripts of fish, PowerShell and `cmd`."""

from __future__ import annotations

import json
from typing import Any

from tests.cli.test_check_scripts import Hook, codes
from tests.program import Program

PROJECT = '"$CLAUDE_PROJECT_DIR"'
WEAK = {
    "py": "import json, sys\nd = json.load(sys.stdin)\nif 'mkfs' in d['tool_input']['command']:\n"
    "    print('BLOCKED: disks', file=sys.stderr)\n    sys.exit(1)\n",
    "ps1": "$d = [Console]::In.ReadToEnd() | ConvertFrom-Json\nif ($d.tool_input.command -match 'mkfs') {\n"
    "  [Console]::Error.WriteLine('BLOCKED: disks')\n  exit 1\n}\n",
}  # fmt: skip
STARTERS = {
    "a.ps1": 'Set-StrictMode -Version 3\n& "$PSScriptRoot\\inner\\guard.ps1"\nexit $LASTEXITCODE\n',
    "b.ps1": "$in = [Console]::In.ReadToEnd()\n$in | python (Join-Path $PSScriptRoot 'inner/guard.py')\n",
    "c.cmd": '@echo off\r\nsetlocal\r\npy -3 "%~dp0inner\\guard.py" %*\r\nexit /b %ERRORLEVEL%\r\n',
    "d.sh": '#!/bin/bash\nset -eu\nHERE="$(cd "$(dirname "$0")" && pwd)"\nTOP="$(cd "$HERE/.." && pwd)"\ncd "$TOP"\n'
    'exec python3 "$TOP/hooks/inner/guard.py" "$@"\n',
}  # fmt: skip


def starts(name: str) -> dict[str, Any]:
    runs = {"ps1": "pwsh -File ", "cmd": "cmd //c ", "sh": "bash "}[name.rpartition(".")[2]]
    return {"command": f"{runs}{PROJECT}/hooks/{name}", "matcher": "Bash"}


def test_the_script_behind_a_starter_of_any_shell_is_read(program: Program) -> None:
    hooks: list[Hook] = [("claude", "PreToolUse", starts(name)) for name in STARTERS]
    for name, text in STARTERS.items():
        program.write(f"hooks/{name}", text, 0o755)
    missing = codes(program, hooks)
    assert missing == [["missing-script"]] * len(hooks)
    for ending, text in WEAK.items():
        program.write(f"hooks/inner/guard.{ending}", text)
    assert codes(program, hooks) == [["weak-exit"]] * len(hooks)
    does_more = STARTERS["a.ps1"] + "if ($LASTEXITCODE -ne 0) { exit 2 }\n"
    program.write("hooks/a.ps1", does_more.replace("exit $LASTEXITCODE\n", ""))
    looks_first = 'if (Test-Path "$PSScriptRoot/more.ps1") {\n  & "$PSScriptRoot/more.ps1"\n}\n'
    program.write("hooks/b.ps1", looks_first)
    assert codes(program, hooks[:2]) == [[], []]


def test_a_script_behind_a_starter_belongs_to_all_its_hooks(program: Program) -> None:
    program.write("hooks/a.sh", '#!/bin/bash\nexec pwsh -File "$(dirname "$0")/inner/a.ps1"\n', 0o755)
    looks = "if ($d.tool_name -eq '%s') { [Console]::Error.WriteLine('Blocked: not here'); exit 2 }\n"
    text = WEAK["ps1"].partition("\n")[0] + "\n" + looks % "Glob" + looks % "WebFetch"
    program.write("hooks/inner/a.ps1", text)
    hooks: list[Hook] = [
        ("claude", "PreToolUse", {**starts("a.sh"), "matcher": each}) for each in ("Bash", "Glob", "WebFetch")
    ]
    assert codes(program, hooks) == [[], [], []]
    assert codes(program, hooks[:2]) == [["unsent-value"]] * 2


def test_paths_of_cmd_are_followed(program: Program) -> None:
    program.write("hooks/there.py", "import sys\nsys.exit(0)\n")
    hooks: list[Hook] = [
        ("gemini", "BeforeTool", {"command": f'python "%GEMINI_PROJECT_DIR%\\hooks\\{name}.py"'})
        for name in ("there", "gone")
    ]
    assert codes(program, hooks) == [[], ["missing-script"]]


def test_files_that_code_in_a_line_starts_are_looked_for(program: Program) -> None:
    program.write("hooks/there.py", "print('the shelf is full')\n")
    python = (
        "python3 -c \"import os, runpy; runpy.run_path(os.path.join(os.environ['%s'], 'hooks', '%s.py'))\""
    )
    node = "node -e \"require(require('path').join(process.env.CLAUDE_PROJECT_DIR, 'hooks', 'gone.cjs'))\""
    lines = (
        python % ("CLAUDE_PROJECT_DIR", "gone"),
        python % ("CLAUDE_PROJECT_DIR", "there"),
        python % ("X", "gone"),
    )
    hooks: list[Hook] = [("claude", "SessionStart", {"command": each}) for each in (*lines, node)]
    assert codes(program, hooks) == [["missing-script"], [], [], ["missing-script"]]


def test_a_script_beside_a_wrong_path_is_told_to_be_no_program(program: Program) -> None:
    for name, mode in (("idle", 0o644), ("ready", 0o755)):
        program.write(f"scripts/{name}.sh", "#!/bin/sh\nexit 0\n", mode)
        codes(program, [("copilot", "sessionEnd", {"bash": f"./hooks/{name}.sh"})])
        told = json.loads(program("check", "--json").stdout)
        hint = next(each["hint"] for each in told if each["code"] == "missing-program")
        assert hint.startswith(f"did you mean `scripts/{name}.sh`?") and ("chmod" in hint) == (mode == 0o644)


def test_words_beside_a_line_that_takes_none_are_followed(program: Program) -> None:
    entry = {"command": "python3", "args": ["tools/none.py"]}
    program.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": {"stop": [entry]}}))
    found = [each["code"] for each in json.loads(program("check", "--json").stdout)]
    assert sorted(found) == ["missing-script", "unknown-key"]


FISH = '#!/usr/bin/env fish\nset in (cat)\nset tool (echo "$in" | jq -r .tool_name)\n'


def test_scripts_of_fish_are_read(program: Program) -> None:
    broken = f'{FISH}printf \'{{"systemMessage": "first\\nsecond"}}\'\n'
    whole = f'{FISH}printf \'{{"systemMessage": "first\\\\nsecond"}}\\n\'\n'
    glued = (
        f'{FISH}set bad "a\\.b" "c"\nfor each in $bad\n'
        '    printf \'{"decision": "deny", "reason": "has %s"}\' "$each"\nend\n'
    )
    other = f'{FISH}if test "$tool" = "replace" -o "$tool" = "create_file"\n    date >> log\nend\n'
    texts = {
        "a": (broken, ["wrong-answer"]), "b": (whole, []), "c": (glued, ["glued-json"]), "d": (other, ["idle-name"]),
    }  # fmt: skip
    hooks: list[Hook] = []
    for name, (text, _) in texts.items():
        program.write(f"{name}.sh", text, 0o755)
        hooks.append(("gemini", "BeforeTool", {"command": f'"$GEMINI_PROJECT_DIR"/{name}.sh'}))
    assert codes(program, hooks) == [wanted for _, wanted in texts.values()]


def test_a_script_is_read_however_the_line_puts_its_path_together(program: Program) -> None:
    program.write("hooks/guard.py", WEAK["py"])
    up = 'R="$PWD"; while [ ! -d "$R/hooks" ]; do R="$(dirname "$R")"; done; exec python3 "$R/hooks/guard.py"'
    combined = "pwsh -Command \"& ([IO.Path]::Combine((git rev-parse --show-toplevel), 'hooks/guard.py'))\""
    lines = (f"sh -c '{up}'", combined, "python3 /home/$USER/here/hooks/guard.py", "cat $X/hooks/guard.py")
    hooks: list[Hook] = [("claude", "PreToolUse", {"command": line, "matcher": "Bash"}) for line in lines]
    assert ["weak-exit" in each for each in codes(program, hooks)] == [True, True, True, False]


def test_the_scripts_of_hooks_that_only_a_mistake_in_the_file_keeps_from_running_are_read(
    program: Program,
) -> None:
    program.write(".cursor/hooks/seen.sh", "#!/bin/sh\njq -r .file >> log\n", 0o755)
    once = {"command": ".cursor/hooks/seen.sh"}
    program.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": {"afterFileEdit": once}}))
    old = {"name": "a", "when": {"type": "fileEdited"}, "then": {"type": "runCommand", "command": "ruff ."}}
    program.write(".kiro/hooks/a.json", json.dumps(old, indent=1))
    found = json.loads(program("check", "--json").stdout)
    told = [(each["source"], each["line"], each["code"]) for each in found]
    assert told == [
        (".cursor/hooks.json", 1, "wrong-type"), (".cursor/hooks.json", 1, "unsent-field"),
        (".kiro/hooks/a.json", 3, "missing-key"),
    ]  # fmt: skip


def test_words_that_only_report_are_no_mistake_even_where_nobody_can_read_any(program: Program) -> None:
    program.write("end.sh", "#!/bin/sh\ndate >> log\necho 'Session end logged'\n", 0o755)
    program.write("edit.sh", "#!/bin/sh\nblack . 2>/dev/null\necho formatted\n", 0o755)
    hook = {"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/end.sh'}
    edit = {"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/edit.sh'}
    hooks = {"SessionEnd": [{"hooks": [hook]}], "PostToolUse": [{"matcher": "Edit", "hooks": [edit]}]}
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    assert json.loads(program("check", "--json").stdout) == []


def test_what_a_script_prints_is_not_the_hooks_where_another_takes_it_and_answers(program: Program) -> None:
    starts = "import json, os, subprocess, sys\nhere, name = os.path.dirname(__file__), sys.argv[1]\n"
    starts += "done = subprocess.run(['sh', os.path.join(here, name)], stdout=subprocess.PIPE, text=True)\n"
    program.write("h/by.py", f"{starts}print(json.dumps({{'systemMessage': done.stdout}}))\n")
    program.write("h/through.py", f"{starts}print(done.stdout)\n")
    shell = '#!/bin/bash\nfound=$(sh "$(dirname "$0")/$1")\n'
    shell += "jq -n --arg found \"$found\" '{systemMessage: $found}'\n"
    program.write("h/by.sh", shell, 0o755)
    program.write("h/note.sh", "#!/bin/sh\necho 'Remember to write down what is open.'\n", 0o755)
    root = '"$(git rev-parse --show-toplevel)"/h'
    lines = [f"python3 {root}/by.py note.sh", f"python3 {root}/through.py note.sh", f"{root}/by.sh note.sh"]
    hooks: list[Hook] = [("codex", "PreCompact", {"command": line}) for line in lines]
    assert codes(program, hooks) == [[], ["unread-output"], []]
