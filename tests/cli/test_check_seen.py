"""What `hookline check` finds of mistakes that stand in scripts in many spellings, each beside one that is right."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.cli.test_check_scripts import Hook, codes, script
from tests.program import Program

SHELL = "#!/bin/bash\ninput=$(cat)\n"
PYTHON = (
    "#!/usr/bin/env python3\nimport json, re, sys\nd = json.load(sys.stdin)\nc = d['tool_input']['command']\n"
)
SHOWS = "#!/usr/bin/env python3\nimport json\nprint(json.dumps({'systemMessage': 'look'}))\n"
RUNS = (
    "#!/usr/bin/env python3\nimport json, subprocess, sys\nf = json.load(sys.stdin)['tool_input']['file_path']\n"
    "done = subprocess.run(['flake8', f], capture_output=True, text=True)\n"
)
COMMAND = 'c=$(echo "$input" | jq -r .tool_input.command)\n'
TELLS = (
    'cat <<EOF\n{"hookSpecificOutput": {"hookEventName": "SessionStart",\n'
    '"additionalContext": "$kept"}}\nEOF\n'
)
DENIES = 'echo \'{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}\'\n'
NO = "\n  echo no >&2\n  exit 2\nfi\n"
ASKS = "f=$(echo \"$input\" | jq -r '.tool_input.file_path')\n"

# event, matcher, name, text, and the one code that is told; "" where it is right
CASES: dict[str, tuple[str, str, str, str, str]] = {
    "lines of a program in an answer": (
        "PostToolUse", "Write", "a.sh", f'{SHELL}{ASKS}found=$(grep -n TODO "$f")\n'
        '[ -n "$found" ] && echo "{\\"decision\\": \\"block\\", \\"reason\\": \\"open: $found\\"}"\nexit 0\n',
        "glued-json",
    ),
    "a number and a branch in an answer": (
        "PostToolUse", "Write", "b.sh", f'{SHELL}{ASKS}n=$(grep -c TODO "$f")\nb=$(git branch --show-current)\n'
        'echo "{\\"decision\\": \\"block\\", \\"reason\\": \\"$n open on $b\\"}"\nexit 0\n', "",
    ),
    "an answer with a value that has its own quotes": (
        "PostToolUse", "Write", "c.sh", f'{SHELL}{ASKS}why=$(jq -Rs . < "$f")\n'
        'printf \'{"decision": "block", "reason": %s}\\n\' "$why"\nexit 0\n', "",
    ),
    "quotes around what jq quoted": (
        "PostToolUse", "Write", "d.sh", f'{SHELL}{ASKS}'
        'printf \'{"decision": "block", "reason": "%s"}\\n\' "$(jq -Rs . < "$f")"\nexit 0\n', "wrong-answer",
    ),
    "a line break in an answer of Python": (
        "PostToolUse", "Write", "e.py", "#!/usr/bin/env python3\n"
        "print('{\"decision\": \"block\", \"reason\": \"one\\ntwo\"}')\n", "wrong-answer",
    ),
    "errors before the answer": (
        "PreToolUse", "Bash", "f.sh", f'{SHELL}make check 2>&1 >/dev/null\n[ $? -eq 0 ] && exit 0\n'
        'echo \'{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}\'\n',
        "wrong-answer",
    ),
    "only the errors kept": (
        "PreToolUse", "Bash", "g.sh", f'{SHELL}why=$(make check 2>&1 >/dev/null)\n[ $? -eq 0 ] && exit 0\n'
        'echo \'{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}\'\n', "",
    ),
    "all to the output in place of the errors": (
        "PostToolUse", "Write", "h.sh", f"{SHELL}cargo build 2>&1 >&2 || exit 2\n", "unread-output",
    ),
    "the end of a list that is read from a program": (
        "PreToolUse", "Bash", "i.sh", f"{SHELL}if ! readarray -t rows < <(make rows); then echo no >&2; exit 2; fi\n",
        "lost-exit",
    ),
    "a report that nobody reads before exit 2": (
        "PostToolUse", "Write", "j.sh", f'{SHELL}{ASKS}if ! npx pyright "$f" 2>/dev/null; then\n'
        f'  echo "see $f" >&2\n  exit 2\nfi\n',
        "unread-output",
    ),
    "a report on the stream that is read": (
        "PostToolUse", "Write", "k.sh", f'{SHELL}{ASKS}if ! npx pyright "$f" >&2; then\n'
        f'  echo "see $f" >&2\n  exit 2\nfi\n',
        "",
    ),
    "a pattern that is escaped again": (
        "PreToolUse", "Bash", "l.py", PYTHON +
        "BAD = ['mkfs\\.ext4', 'dd']\nfor b in BAD:\n    if re.search(re.escape(b), c):\n"
        "        print(b, file=sys.stderr)\n"
        "        sys.exit(2)\n", "dead-pattern",
    ),
    "a word of old answers that waves all through": (
        "PreToolUse", "Bash", "m.py", PYTHON +
        "if 'mkfs' in c:\n    print('no disks', file=sys.stderr)\n    sys.exit(2)\n"
        "print(json.dumps({'decision': 'approve'}))\n",
        "blanket-allow",
    ),
    "a stop that forgets": (
        "SubagentStop", "", "n.sh", f'{SHELL}log=$(mktemp)\nnpm test > "$log" 2>&1 && exit 0\n'
        f'cat "$log" >&2\nrm "$log"\nexit 2\n',
        "stop-loop",
    ),
    "words for the model before compaction": (
        "PreCompact", "", "o.sh", '#!/bin/sh\necho \'{"hookSpecificOutput": {"hookEventName": "PreCompact", '
        '"additionalContext": "keep the plan"}}\'\n', "unread-output",
    ),
    "plain words before compaction": ("PreCompact", "", "p.sh", "#!/bin/sh\necho 'keep the plan'\n", ""),
    "the end of another program than the one that is meant": (
        "PostToolUse", "Write", "s.sh",
        f"{SHELL}cargo test 2>&1 | head -20\n\nif [ $? -ne 0 ]; then echo no >&2; exit 2; fi\n",
        "lost-exit",
    ),
    "the end of the last program of a pipe": (
        "PostToolUse", "Write", "t.sh",
        f"{SHELL}cargo test 2>&1 | grep -q FAILED\nif [ $? -eq 0 ]; then echo no >&2; exit 2; fi\n",
        "",
    ),
    "text of a shell in the source of another language": (
        "PostToolUse", "Write", "u.sh", f"{SHELL}{ASKS}python3 -c \"print('$f'.upper())\" >> log\n", "glued-json",
    ),
    "an argument for the source of another language": (
        "PostToolUse", "Write", "v.sh",
        f"{SHELL}{ASKS}python3 -c 'import sys; print(sys.argv[1].upper())' \"$f\" >> log\n", "",
    ),
    "an argument of a function": (
        "PreToolUse", "Bash", "w.sh", "#!/bin/bash\nsay() {\n  printf '%s' \"$1\" | jq -Rs .\n}\n"
        "c=$(jq -r .tool_input.command)\n[ -n \"$c\" ] && say \"$c\" >> log\nexit 0\n", "",
    ),
    "a function above its lines": (
        "PreToolUse", "Bash", "x.sh",
        f"{SHELL}[ -n \"$input\" ] || no 'no input'\nno() {{ echo \"$1\" >&2; exit 2; }}\n"
        "[ -f stop ] && no 'stopped'\nexit 0\n", "bad-syntax",
    ),
    "a function above another that is called below both": (
        "PreToolUse", "Bash", "y.sh",
        f"{SHELL}a() {{ b; }}\nb() {{ echo no >&2; exit 2; }}\n[ -f stop ] && a\nexit 0\n", "",
    ),
    "a variable above its line": (
        "PreToolUse", "Bash", "z.py",
        f"{PYTHON}def main():\n    try:\n        n = int(c)\n    except ValueError:\n        n = 0\n"
        "    log = open(path, 'a')\n    path = d['cwd'] + '/log'\n    log.write(str(n))\n\nmain()\n", "bad-syntax",
    ),
    "variables of a loop, of an import and of another scope": (
        "PreToolUse", "Bash", "za.py", f"{PYTHON}path = 'log'\ndef main():\n    global path\n    import os as system\n"
        "    names = [each for each in system.listdir('.')]\n    open(path).read()\n    path = 'b'\n\nmain()\n",
        "",
    ),
    "a part of an answer outside of its place": (
        "SessionStart", "", "zb.js",
        "#!/usr/bin/env node\nconsole.log(JSON.stringify({hookSpecificOutput: {hookEventName: 'SessionStart',"
        " additionalContext: `on ${process.platform}`}, sessionTitle: 'Go'}));\n", "wrong-answer",
    ),
    "a variable of the script itself above its line": (
        "PreToolUse", "Bash", "zc.py",
        f"{PYTHON}if __name__ == '__main__':\n    root = find(name)\n    name = d['cwd']\n", "bad-syntax",
    ),
    "names that a module has from elsewhere": (
        "PreToolUse", "Bash", "zd.py",
        f"{PYTHON}def fill():\n    global where\n    where = d['cwd']\nfill()\n"
        "print(where, __file__, file=sys.stderr)\n"
        "where = input = min(c, where)\n__file__ = c\ninput = list(input)\n", "",
    ),
    "names of a module that is taken in whole": (
        "PreToolUse", "Bash", "ze.py", f"{PYTHON}from os.path import *\nwhere = join(c, sep)\nsep = '/'\n", "",
    ),
    "words for the person where they are thrown away": (
        "Notification", "", "zf.py", SHOWS,
        "wrong-answer",
    ),
    "a refusal that is thrown away": (
        "ConfigChange", "", "zg.sh", "#!/bin/sh\necho '{\"continue\": false, \"stopReason\": \"no\"}'\n",
        "wrong-answer",
    ),
    "a refusal by the other word, which is read": (
        "PreCompact", "", "zh.sh",
        "#!/bin/sh\n[ -f plan ] || echo '{\"decision\": \"block\", \"reason\": \"no plan\"}'\n",
        "",
    ),
    "words for the person where they are shown": (
        "SubagentStop", "", "zi.py", SHOWS, "",
    ),
    "a report that is left on the output, beside work": (
        "PostToolUse", "Write", "zj.sh",
        f'{SHELL}{ASKS}black -q "$f"\nMYPY="$PWD/.venv/bin/mypy"\n"$MYPY" "$f" 2>&1 | tail -20\nexit 0\n',
        "unread-output",
    ),
    "a report that is kept, beside work": (
        "PostToolUse", "Write", "zk.sh",
        f'{SHELL}{ASKS}black -q "$f"\nmypy "$f" 2>&1 | tail -20 > report\nflake8 "$f" > other || true\nexit 0\n', "",
    ),
    "a report that is handed on": (
        "PostToolUse", "Write", "zl.py",
        f"{RUNS}print(done.stdout)\n", "unread-output",
    ),
    "a report that is handed on, and stops": (
        "PostToolUse", "Write", "zm.py",
        f"{RUNS}if done.returncode:\n    sys.stderr.write(done.stdout)\n    sys.exit(2)\n", "",
    ),
    "a report that is sent to standard error": (
        "PostToolUse", "Write", "zn.sh", f'{SHELL}{ASKS}black -q "$f"\nmypy "$f" 1>&2 || true\nexit 0\n',
        "unread-output",
    ),
    "a report that is sent to standard error, and stops": (
        "PostToolUse", "Write", "zo.sh", f'{SHELL}{ASKS}black -q "$f"\nmypy "$f" 1>&2 || exit 2\n', "",
    ),
    "all words on standard error, before a call": (
        "PreToolUse", "Task", "zp.js", "#!/usr/bin/env node\nconst fs = require('fs');\n"
        "for (const name of ['a', 'b']) {\n"
        "  if (!fs.existsSync(name)) process.stderr.write(`${name} is not there\\n`);\n"
        "  else process.stderr.write(`${name} is there\\n`);\n}\nprocess.exit(0);\n", "unread-output",
    ),
    "words on standard error beside work, before a call": (
        "PreToolUse", "Task", "zq.js", "#!/usr/bin/env node\nconst fs = require('fs');\nprocess.stderr.write('a\\n');\n"
        "process.stderr.write('b\\n');\nfs.appendFileSync('log', 'c');\nprocess.exit(0);\n", "",
    ),
    "a stop that another script decides": (
        "Stop", "", "zr.sh", f'{SHELL}[ -f broken ] && exit 2\ngate="$(dirname "$0")/gate.py"\n'
        "printf '%s' \"$input\" | python3 \"$gate\"\nexit $?\n", "",
    ),
    "fields of an argument": (
        "PreToolUse", "Bash", "zs.sh", "#!/bin/bash\ngiven=\"$1\"\nname=$(echo \"$given\" | jq -r '.command')\n"
        'cat > /dev/null\necho "$name" >> log\n', "",
    ),
    "fields of the input": (
        "PreToolUse", "Bash", "zt.sh", "#!/bin/bash\ngiven=\"$(cat)\"\nname=$(echo \"$given\" | jq -r '.command')\n"
        'echo "$name" >> log\n', "unsent-field",
    ),
    "a pipe in a pattern, of which each side fits by itself": (
        "PreToolUse", "Bash", "zu.sh", f"{SHELL}{COMMAND}for p in 'mkfs' 'curl .* | bash'; do\n"
        f"  if [[ $c =~ $p ]]; then{NO}done\n", "always-denies",
    ),
    "a pipe in a pattern, and in one that is compared letter by letter": (
        "PreToolUse", "Bash", "zv.sh", f"{SHELL}{COMMAND}for p in 'mkfs' 'curl .* [|] bash'; do\n"
        f"  if [[ $c =~ $p ]]; then{NO}done\nif echo \"$c\" | grep -qF 'curl x | bash'; then{NO}", "",
    ),
    "what a shell escapes as JSON has it": (
        "SessionStart", "", "zw.sh", "#!/bin/bash\nnews=$(cat news)\n"
        "kept=$(echo \"$news\" | sed 's/\"/\\\\\"/g' | awk '{printf \"%s\\\\n\", $0}')\n" + TELLS,
        "",
    ),
    "what a shell cuts": (
        "SessionStart", "", "zx.sh", "#!/bin/bash\nnews=$(cat news)\n"
        "kept=$(echo \"$news\" | sed 's/x/y/g' | head -3)\n" + TELLS,
        "glued-json",
    ),
    "what code in quotes prints, which is kept": (
        "PreToolUse", "Bash", "zy.sh", f"{SHELL}kind=$(echo \"$input\" | python3 -c \"\nimport sys\n"
        f"print('safe')\n\")\n[ \"$kind\" = safe ] || {DENIES}",
        "",
    ),
    "a look at the content of one tool alone": (
        "PreToolUse", "Edit|Write", "zz.py", "#!/usr/bin/env python3\nimport json, sys\nd = json.load(sys.stdin)\n"
        "given = d['tool_input']\nif d['tool_name'] == 'Write' and len(given['content']) < 3:\n"
        "    print(given['file_path'], file=sys.stderr)\n    sys.exit(2)\n", "",
    ),
    "orders for the model that only the person sees": (
        "PostToolUse", "Write", "ya.sh", f"{SHELL}why='Before proceeding, commit your work.'\n"
        "jq -n --arg why \"$why\" '{\"systemMessage\": $why}'\n", "unread-output",
    ),
    "words for the person": (
        "PostToolUse", "Write", "yb.sh", f"{SHELL}jq -n '{{\"systemMessage\": \"3 files are not committed\"}}'\n", "",
    ),
    "orders for the model, and a word of it for the person": (
        "PostToolUse", "Write", "yc.sh", f"{SHELL}why='Before proceeding, commit your work.'\n"
        "jq -n --arg why \"$why\" '{\"systemMessage\": \"asked\", \"hookSpecificOutput\": "
        "{\"hookEventName\": \"PostToolUse\", \"additionalContext\": $why}}'\n", "",
    ),
    "words for the model in an object of other keys": (
        "SessionStart", "", "yd.js", "#!/usr/bin/env node\nconst text = `on ${process.platform}`;\n"
        "process.stdout.write(JSON.stringify({ type: 'text', message: text }));\n", "wrong-answer",
    ),
    "words for the model as they are": (
        "SessionStart", "", "ye.js", "#!/usr/bin/env node\nconst text = `on ${process.platform}`;\n"
        "process.stdout.write(text);\n", "",
    ),
    "an object for a log": (
        "SessionStart", "", "yf.sh", "#!/bin/sh\necho '{\"type\": \"text\", \"text\": \"on\"}' >> log\n", "",
    ),
    "a number that is counted with": (
        "Stop", "", "yg.sh", f"{SHELL}count=$(cat count)\ncount=$((count + 1))\necho \"$count\" > count\n"
        "cat <<EOF\n{\"systemMessage\": \"$count turns\"}\nEOF\n", "",
    ),
    "a warning at the end": (
        "SessionEnd", "", "q.sh", f"{SHELL}[ -f notes ] || echo 'Warning: please write the notes'\nexit 0\n",
        "unread-output",
    ),
    "a tool of old versions beside new ones that its matcher keeps out": (
        "PreToolUse", "Bash", "r.py", PYTHON +
        "if d['tool_name'] in ('Write', 'MultiEdit'):\n    print('no', file=sys.stderr)\n    sys.exit(2)\n",
        "unsent-value",
    ),
}  # fmt: skip


def test_mistakes_of_scripts_are_told_and_their_like_are_not(program: Program) -> None:
    hooks: list[Hook] = []
    for event, matcher, name, text, _ in CASES.values():
        entry: dict[str, Any] = script(program, name, text)
        hooks.append(("claude", event, {**entry, "matcher": matcher} if matcher else entry))
    told = dict(zip(CASES, codes(program, hooks), strict=True))
    assert told == {about: [case[4]] if case[4] else [] for about, case in CASES.items()}


def test_an_empty_file_and_an_answer_for_each_of_two_agents(program: Program) -> None:
    program.write(".cursor/hooks.json", " \n")
    program.write(".codex/hooks.json", "{}")
    found = [(each["source"], each["code"]) for each in json.loads(program("check", "--json").stdout)]
    assert found == [(".cursor/hooks.json", "bad-json")]
    both = (
        "#!/usr/bin/env python3\nimport json, sys\nd = json.load(sys.stdin)\nwhy = 'not done'\n"
        "if d.get('loop_count', 0) < 3:\n    print(json.dumps({'followup_message': why} if 'status' in d\n"
        "                     else {'decision': 'block', 'reason': why}))\n"
    )
    hooks: list[Hook] = [("cursor", "stop", {"command": script(program, "both.py", both)["command"]})]
    assert codes(program, hooks) == [[]]
    alone = both.replace("{'followup_message': why}", "{}")
    script(program, "both.py", alone)
    assert codes(program, hooks) == [["wrong-answer"]]


@pytest.mark.parametrize(
    ("agent", "event", "hook", "wanted"),
    [
        ("cursor", "sessionStart", {"command": "date > reports/$(whoami).txt"}, ["missing-target"]),
        ("claude", "SessionEnd", {"command": "uv run python -V"}, ["implausible-time"]),
        ("gemini", "AfterTool", {"command": "true", "matcher": "write_file|edit_file"}, ["dead-name"]),
        ("gemini", "AfterTool", {"command": "true", "matcher": "write_file|edit_file|replace"}, []),
        ("gemini", "SessionStart", {"command": "echo 'This project is in Go'"}, ["unread-output"]),
        (
            "claude", "PreToolUse",
            {"command": "powershell.exe -File \"$CLAUDE_PROJECT_DIR\"/a.ps1 -Given x", "matcher": "Bash"}, [],
        ),
        ("windsurf", "pre_run_command", {"command": "[ '${command}' = x ] && exit 2"}, ["unset-variable"]),
        ("cursor", "afterFileEdit", {"command": "pnpm typecheck"}, ["unread-output"]),
        ("cursor", "afterFileEdit", {"command": "pnpm lint:fix"}, []),
        ("cursor", "afterFileEdit", {"command": "npx jscpd src"}, ["unread-output"]),
        ("cursor", "preCompact", {"command": "echo '{\"user_message\": \"re-read docs/plan.md\"}'"}, ["unread-output"]),
        ("cursor", "preCompact", {"command": "echo '{\"user_message\": \"It gets long\"}'"}, []),
        ("codex", "Stop", {"command": 'cd "${CODEX_PROJECT_DIR:-$PWD}" && make notes'}, ["unset-default"]),
        ("codex", "Stop", {"command": 'cd "${CODEX_PROJECT_DIR:-$(git rev-parse --show-toplevel)}" && make notes'}, []),
    ],
)  # fmt: skip
def test_what_holds_for_one_agent_is_told(
    program: Program, agent: str, event: str, hook: dict[str, Any], wanted: list[str]
) -> None:
    given = "param([string]$ToolInput)\n$call = $ToolInput | ConvertFrom-Json\n$call.command >> log.txt\n"
    program.write("a.ps1", given)
    assert codes(program, [(agent, event, hook)])[0] == wanted


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            'case "$(echo "$input" | jq -r .hook_event_name)" in\n'
            "  beforeReadFile|afterFileEdit) refuse secret ;;\n  *) exit 0 ;;\nesac\n",
            "wrong-answer",
        ),
        (
            'e=$(echo "$input" | jq -r .hook_event_name)\nif [ "$e" = "afterFileEdit" ]; then\n  exit 2\nfi\n',
            "weak-answer",
        ),
    ],
)
def test_a_script_of_several_events_says_no_where_the_agent_hears_none(
    program: Program, text: str, code: str
) -> None:
    refuse = (
        'refuse() {\n  echo "{\\"permission\\": \\"deny\\", \\"user_message\\": \\"$1\\"}"\n  exit 0\n}\n'
    )
    line = {"command": script(program, "both.sh", SHELL + refuse + text)["command"]}
    hooks: list[Hook] = [("cursor", event, line) for event in ("beforeReadFile", "afterFileEdit")]
    assert codes(program, hooks) == [[], [code]]
    script(program, "both.sh", SHELL + refuse + text.replace("afterFileEdit", "preToolUse"))
    assert codes(program, hooks) == [[], []]


def test_a_script_that_starts_elsewhere_is_told_of_names_from_the_project_root(program: Program) -> None:
    program.write("tools/notes/README", "")
    starts = "#!/bin/bash\ncat > /dev/null\n"
    told = []
    for name, text in {
        "a.sh": f"{starts}date >> tools/log/days\n",
        "b.sh": f"{starts}date >> log/days\n",
        "c.sh": f'{starts}cd "$(git rev-parse --show-toplevel)"\ndate >> tools/log/days\n',
        "d.sh": f"{starts}# date >> tools/log/days\necho see tools/log/days >&2\n",
    }.items():
        program.write(f"tools/{name}", text, 0o755)
        entry = {"type": "command", "bash": f"./{name}", "cwd": "tools"}
        program.write(
            ".github/hooks/hooks.json", json.dumps({"version": 1, "hooks": {"sessionEnd": [entry]}})
        )
        told.append([each["code"] for each in json.loads(program("check", "--json").stdout)])
    assert told == [["missing-target"], [], [], []]


@pytest.mark.parametrize(("key", "wanted"), [("reason", ["wrong-answer"]), ("permissionDecisionReason", [])])
def test_the_reason_of_a_refusal_stands_under_the_key_that_is_read(
    program: Program, key: str, wanted: list[str]
) -> None:
    answer = json.dumps({"permissionDecision": "ask", key: "is this meant?"})
    entry = {"type": "command", "command": f"echo '{answer}'"}
    program.write(".github/hooks/hooks.json", json.dumps({"version": 1, "hooks": {"preToolUse": [entry]}}))
    assert [each["code"] for each in json.loads(program("check", "--json").stdout)] == wanted
