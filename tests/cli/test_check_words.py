"""What `hookline check` finds in the words of a script: on the wrong stream, glued together, or never reached."""

from __future__ import annotations

import pytest
from tests.cli.test_check_scripts import Hook, codes, script
from tests.program import Program

PYTHON = "#!/usr/bin/env python3\nimport json, sys\nd = json.load(sys.stdin)\n"
NODE = "const d = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"
SHELL = "#!/bin/bash\nc=$(jq -r .tool_input.command)\n"


def told(program: Program, event: str, name: str, text: str, **entry: str) -> list[str]:
    """The codes for one script, at one event of Claude Code."""
    hook: Hook = ("claude", event, {**script(program, name, text), **entry})
    if name.endswith((".js", ".ps1")):
        runs = {"js": "node", "ps1": "pwsh -File"}[name.rpartition(".")[2]]
        hook = ("claude", event, {"command": f'{runs} "$CLAUDE_PROJECT_DIR"/{name}', **entry})
    return codes(program, [hook])[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.sh", f'{SHELL}case $c in *mkfs*) echo "Blocked: mkfs"; exit 2;; esac\n'),
        (
            "b.py",
            f'{PYTHON}if "mkfs" in d["tool_input"]["command"]:\n    print("No disks")\n    sys.exit(2)\n',
        ),
        ("c.js", f"{NODE}if (/mkfs/.test(d.tool_input.command)) {{ console.log('no'); process.exit(2); }}\n"),
        ("d.ps1", '$d = $input | ConvertFrom-Json\nif ($d.tool_name) {\n  Write-Host "no"\n  exit 2\n}\n'),
    ],
)
def test_the_reason_of_a_denial_on_the_stream_that_is_not_read_is_told(
    program: Program, name: str, text: str
) -> None:
    assert told(program, "PreToolUse", name, text, matcher="Bash") == ["unread-output"]
    to_errors = (
        text.replace('mkfs";', 'mkfs" >&2;')
        .replace('disks")', 'disks", file=sys.stderr)')
        .replace("console.log", "console.error")
        .replace('Write-Host "no"', '[Console]::Error.WriteLine("no")')
    )
    assert to_errors != text
    assert told(program, "PreToolUse", name, to_errors, matcher="Bash") == []


def test_words_that_want_something_and_are_heard_by_nobody_are_told(program: Program) -> None:
    formats = "#!/bin/sh\nf=$(jq -r .tool_input.file_path)\nbiome format --write $f >/dev/null\n"
    lost = [
        ("PostToolUse", "a.sh", f'{formats}echo "please rerun the tests"\n'),
        ("PostToolUse", "b.sh", f'{formats}echo "WARNING: long" >&2\nexit 0\n'),
        ("Stop", "c.py", f'{PYTHON}open("log", "a").write("x")\nprint("Remember the docs")\n'),
        ("PostToolUse", "d.py", f'{PYTHON}print(f"must split {{d}}", file=sys.stderr)\n'),
    ]
    heard = [
        ("PostToolUse", "e.sh", f'{formats}echo "formatted"\n'),
        ("SessionStart", "f.sh", '#!/bin/sh\ntouch seen\necho "please read NOTES.md"\n'),
        ("PostToolUse", "g.sh", f'{formats}echo "must not" >&2\nexit 2\n'),
        ("PostToolUse", "h.sh", f'{formats}which jq || echo "install jq" >&2\n'),
        ("PostToolUse", "i.sh", '#!/bin/sh\nx=$(echo "please")\ntouch "$x"\n'),
        ("Stop", "j.py", f'{PYTHON}try:\n    d["x"]\nexcept KeyError:\n    print("must be")\n'),
        ("PostToolUse", "k.sh", '#!/bin/sh\n{\necho "you must"\n} >> log\n'),
    ]
    assert [told(program, *each) for each in lost] == [["unread-output"]] * 4
    assert [told(program, *each) for each in heard] == [[]] * 7


def test_answers_put_together_by_hand_are_told(program: Program) -> None:
    key = '"permissionDecision": "deny", "permissionDecisionReason"'
    says = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", ' + key + ': "not '
    braced = says.replace("{", "{{")
    glued = [
        ("a.py", f"{PYTHON}w = d['tool_input']['command']\nprint(f'{braced}{{w}}\"}}}}}}}}')\n"),
        ("b.py", f"{PYTHON}w = d['tool_input']['command']\nprint('{says}%s\"}}}}' % w)\n"),
        ("c.py", f"{PYTHON}w = d['tool_input']['command']\nprint('{braced}{{}}\"}}}}}}}}'.format(w))\n"),
        ("d.js", f'{NODE}const w = d.tool_input.command;\nconsole.log(`{says}${{w}}"}}}}`);\n'),
        ("e.sh", f'{SHELL}cat <<EOF\n{says}$c"}}}}\nEOF\n'),
    ]
    for name, text in glued:
        assert told(program, "PreToolUse", name, text, matcher="Bash") == ["glued-json"], name
    made = "print(json.dumps({'decision': 'block', 'reason': f'not {w}'}))"
    whole = [
        ("f.py", f"{PYTHON}w = d['tool_input']['command']\n{made}\n"),
        ("g.sh", f"{SHELL}cat <<'EOF'\n{says}now\"}}}}\nEOF\n"),
        ("h.sh", f'{SHELL}r=$(jq -Rs . <<< "$c")\ncat <<EOF\n{says[:-6]}$r}}}}\nEOF\n'),
    ]
    for name, text in whole:
        assert told(program, "PreToolUse", name, text, matcher="Bash") == [], name


def test_what_a_shell_does_otherwise_than_it_reads_is_told(program: Program) -> None:
    stop = '#!/bin/bash\n[ "$(jq -r .stop_hook_active)" = true ] && exit 0\n'
    payload = 'c=$(echo "$PAYLOAD" | jq -r .tool_input.command)\n'
    ends = 'then\n  echo "red" >&2\n  exit 2\nfi\n'
    wrong = [
        (f"{stop}o=$(make test 2>&1 | tail -5)\nif [ ${{PIPESTATUS[0]}} -ne 0 ]; {ends}", "lost-exit"),
        (f"{stop}o=$(make test 2>&1 | tail -5)\nif [ $? -ne 0 ]; {ends}", "lost-exit"),
        (f'{stop}n=$(grep -c FIXME notes || echo 0)\nif [ "$n" -ne 0 ]; {ends}', "dead-pattern"),
        (f'{SHELL}if [ "$c" = *mkfs* ]; {ends}', "dead-pattern"),
        (f'{SHELL}if [[ "$c" =~ "mkfs|wipefs" ]]; {ends}', "dead-pattern"),
        (f"#!/bin/bash\n{payload}if [[ $c == *mkfs* ]]; {ends}", "unset-variable"),
        (f"{SHELL}set -e\ng=$(echo $c | grep -o main)\nif [[ $c == *mkfs* ]]; {ends}", "lost-exit"),
    ]  # fmt: skip
    right = [
        f"{stop}set -o pipefail\no=$(make test 2>&1 | tail -5)\nif [ $? -ne 0 ]; {ends}",
        f'{stop}n=$(grep -c FIXME notes || true)\nif [ "$n" -ne 0 ]; {ends}',
        f'{SHELL}if [[ "$c" == *mkfs* ]]; {ends}',
        f"{SHELL}set -e\ng=$(echo $c | grep -o main || true)\nif [[ $c == *mkfs* ]]; {ends}",
        f"#!/bin/bash\nPAYLOAD=$(cat)\n{payload}if [[ $c == *mkfs* ]]; {ends}",
    ]
    for number, (text, code) in enumerate(wrong):
        at = "Stop" if text.startswith(stop) else "PreToolUse"
        assert told(program, at, f"w{number}.sh", text) == [code], text
    for number, text in enumerate(right):
        at = "Stop" if text.startswith(stop) else "PreToolUse"
        assert told(program, at, f"r{number}.sh", text) == [], text


def test_fields_are_followed_through_functions_and_other_names(program: Program) -> None:
    read = (
        "#!/usr/bin/python3\nimport json, sys\ndef call():\n    try:\n        return json.loads(sys.stdin.read())\n"
        "    except ValueError:\n        return {}\n\nit = call()\n"
    )
    notebook = "#!/bin/sh\njq -r .tool_input.file_path | grep -q lab && exit 2\n"
    guess = f"{PYTHON}it = d or {{}}\nif 'x' in it.get('command'):\n    sys.exit(2)\n"
    assert told(program, "PreToolUse", "a.py", guess) == ["unsent-field"]
    assert told(program, "SubagentStop", "b.py", f"{read}open(it['subagent_id'])\n") == ["unsent-field"]
    assert told(program, "PreToolUse", "c.sh", notebook, matcher="NotebookEdit") == ["unsent-field"]
    assert told(program, "UserPromptSubmit", "d.py", f"{read}print(it['prompt'])\n") == []
    type_of = "if (typeof d.reason === 'string') require('fs').appendFileSync('l', d.reason);\n"
    assert told(program, "SessionEnd", "e.js", NODE + type_of) == []
    prompt = f"{read}prompt = it.get('user_prompt')\n"
    assert told(program, "UserPromptSubmit", "f.py", prompt) == ["unsent-field"]
    assert "`f.py` reads `.user_prompt` of its input" in program("check").stdout
